from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.student.debounce import DebounceWindow

PAIR = ("flee", "stay")


def test_a_dilemma_is_asked_again_when_the_window_has_passed() -> None:
    window = DebounceWindow(10.0)
    window.note("runa", "t", PAIR, 100.0)
    assert window.asked("runa", "t", PAIR, 100.0)
    assert window.asked("runa", "t", PAIR, 109.99)
    assert not window.asked("runa", "t", PAIR, 110.0)


def test_asking_is_what_counts_not_being_held() -> None:
    """A dilemma that stays is put again each time the window is over."""
    window = DebounceWindow(4.0)
    asked = []
    for t in (0.0, 2.0, 4.0, 6.0, 8.0):
        if not window.asked("runa", "t", PAIR, t):
            window.note("runa", "t", PAIR, t)
            asked.append(t)
    assert asked == [0.0, 4.0, 8.0]


def test_who_what_and_which_two_make_the_question() -> None:
    window = DebounceWindow(10.0)
    window.note("runa", "t", PAIR, 0.0)
    assert window.asked("runa", "t", ("stay", "flee"), 1.0)
    assert not window.asked("gerd", "t", PAIR, 1.0)
    assert not window.asked("runa", "u", PAIR, 1.0)
    assert not window.asked("runa", "t", ("flee", "watch"), 1.0)


def test_a_window_of_nothing_holds_nothing() -> None:
    window = DebounceWindow(0.0)
    window.note("runa", "t", PAIR, 5.0)
    assert not window.asked("runa", "t", PAIR, 5.0)


def test_a_clock_that_was_set_back_does_not_silence_anybody() -> None:
    window = DebounceWindow(10.0)
    window.note("runa", "t", PAIR, 1000.0)
    assert not window.asked("runa", "t", PAIR, 10.0)
    window.forget_before(10.0)
    assert len(window) == 0


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=60))
def test_it_keeps_no_more_than_a_window(asks: list[tuple[str, int]]) -> None:
    window, t = DebounceWindow(5.0), 0.0
    recent: dict[str, float] = {}
    for who, pause in asks:
        t += pause
        window.forget_before(t)
        recent = {k: v for k, v in recent.items() if t - v < 5.0}
        assert len(window) == len(recent)
        assert window.asked(who, "t", PAIR, t) == (who in recent)
        window.note(who, "t", PAIR, t)
        recent[who] = t
