"""One thread of attention."""

import pytest

from cognition import Focus, FocusKind, StateView
from cognition.facet import Facet, FacetPhase
from tests.cognition.rig import talk


def facet(launched: list[str | None] | None = None) -> Facet:
    seen = [] if launched is None else launched

    def launch(asking: Facet, focus: Focus, state: StateView) -> str:
        seen.append(focus.current_message)
        return f"ask-{len(seen)}"

    return Facet("facet-1", "k", launch=launch)


def test_it_asks_only_when_pumped_and_one_question_at_a_time() -> None:
    launched: list[str | None] = []
    thread = facet(launched)
    thread.report(talk("one"), 1)
    thread.report(talk("two"), 2)
    assert (thread.busy, thread.phase, launched) == (True, FacetPhase.QUEUED, [])
    for tick in (3, 4):
        thread.pump(StateView(tick=tick))
    assert (thread.ask_id, launched, thread.converses) == ("ask-1", ["one"], True)
    thread.settle(5, "thought one")
    assert thread.busy
    thread.pump(StateView(tick=6))
    thread.settle(7, None)
    assert (thread.busy, thread.last_active_tick, thread.converses) == (False, 7, False)
    assert thread.reasoning_history == ["thought one"]


def test_its_history_is_bounded() -> None:
    thread = facet()
    thread.restore_reasoning_history([f"{n} " + "x" * 1000 for n in range(30)])
    assert len(thread.reasoning_history) == 10
    assert {len(entry) for entry in thread.reasoning_history} == {400}
    assert thread.reasoning_history[-1].startswith("29 ")
    for number in range(9):
        thread.hear_master(f"{number} " + "y" * 1000)
    assert [m[:1] for m in thread.master_reasoning] == ["4", "5", "6", "7", "8"]


def test_too_many_reports_push_out_the_oldest() -> None:
    thread = facet()
    for number in range(11):
        thread.report(talk(str(number)), number)
    assert [f.current_message for f in thread.queued] == [str(n) for n in range(3, 11)]
    assert thread.dropped_reports == 3


def test_a_dilemma_replaces_the_one_that_waits_and_nothing_else() -> None:
    thread = facet()
    thread.report(Focus(kind=FocusKind.DILEMMA, text="old"), 1)
    thread.report(talk("hello"), 1)
    thread.report(Focus(kind=FocusKind.DILEMMA, text="new"), 2)
    assert [f.text or f.current_message for f in thread.queued] == ["hello", "new"]


def test_an_end_is_final() -> None:
    thread = facet()
    thread.report(talk("one"), 1)
    thread.destroy()
    thread.destroy()
    assert (thread.phase, thread.busy, len(thread.queued)) == (FacetPhase.ENDED, False, 1)
    with pytest.raises(RuntimeError, match="facet-1 cannot go from ended to"):
        thread.settle(2, "late")


def test_activity_never_goes_back_by_itself() -> None:
    thread = facet()
    thread.mark_active(9)
    thread.mark_active(3)
    assert thread.last_active_tick == 9
    thread.rewind(3)
    assert thread.last_active_tick == 3
