"""LW4001 against the rule as it is worded, and on the cases that the wording leaves open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindot.game.contract import TIERS, UNSURE_TIERS
from mindot.records.starvation import StarvationAlert, StarvationWatch


def alerts(
    rows: list[tuple[str, float]], after: int = 2, window: float = 10.0
) -> list[StarvationAlert]:
    watch = StarvationWatch(after, window)
    return [alert for tier, t in rows if (alert := watch.see("Falk", tier, t)) is not None]


def unsure(*times: float) -> list[tuple[str, float]]:
    return [("escalated", t) for t in times]


def test_the_alert_comes_as_the_count_exceeds_the_threshold() -> None:
    rows = [("escalated", 1.0), ("calm", 1.5), ("quiet-dilemma", 2.0), ("escalation-held", 3.0)]
    (alert,) = alerts([*rows, *unsure(4.0, 5.0)])
    assert alert.to_json() == {
        "alert": "LW4001",
        "name": "Falk",
        "count": 3,
        "since": 1.0,
        "tiers": {"escalated": 1, "quiet-dilemma": 1, "escalation-held": 1},
    }


@pytest.mark.parametrize("tier", ["intention", "intention-over-order", "intention-hold"])
def test_an_intention_row_ends_the_spell(tier: str) -> None:
    assert alerts([*unsure(1, 2), (tier, 3.0), *unsure(4, 5)]) == []
    twice = alerts([*unsure(1, 2, 3), (tier, 3.5), *unsure(4, 5, 6)])
    assert [alert.since for alert in twice] == [1, 4]


@pytest.mark.parametrize("tier", ["emitted", "llm-verdict", "recast", "calm", "later-tier"])
def test_no_other_row_does(tier: str) -> None:
    assert len(alerts([*unsure(1, 2), (tier, 3.0), *unsure(4)])) == 1


def test_rows_older_than_the_window_no_longer_count() -> None:
    assert alerts(unsure(0, 6, 12, 18, 24)) == []
    assert len(alerts(unsure(0, 5, 10))) == 1


def test_one_alert_a_spell() -> None:
    assert len(alerts(unsure(*range(100)))) == 1


def test_a_window_without_it_makes_room_for_another() -> None:
    assert len(alerts(unsure(1, 2, 3, 20, 21, 22))) == 2
    assert len(alerts(unsure(1, 2, 3, 14, 15, 16))) == 1


def test_the_count_stands_above_the_threshold_until_its_rows_have_left_the_window() -> None:
    rows = unsure(0, 1, 2, 21.9, 22.1, 23)
    assert len(alerts(rows, after=2, window=20)) == 1, "above until 20, and again from 23"
    assert len(alerts(unsure(0, 1, 2, 38, 39, 40), after=2, window=20)) == 1
    assert len(alerts(unsure(0, 1, 2, 38, 39, 40.1), after=2, window=20)) == 2
    between = [*unsure(0, 1, 2), ("intention", 3.0), *unsure(4, 5, 6)]
    assert len(alerts(between, after=2, window=20)) == 2


def test_characters_are_counted_apart_and_by_name_key() -> None:
    watch = StarvationWatch(1, 10)
    seen = [watch.see(name, "escalated", t) for t, name in enumerate(["Falk", "Kell", "FALK"])]
    assert [alert and alert.name for alert in seen] == [None, None, "FALK"]


def test_a_clock_that_goes_back_begins_another_run() -> None:
    assert alerts(unsure(100, 101, 1, 2)) == []
    assert len(alerts(unsure(100, 101, 1, 2, 3))) == 1
    assert len(alerts(unsure(100, 101, 99.5))) == 1, "a little out of order is the same run"


@pytest.mark.parametrize(("after", "window"), [(-1, 1.0), (1, 0.0), (1, float("nan"))])
def test_settings_that_make_no_sense_are_refused(after: int, window: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        StarvationWatch(after, window)


@given(
    st.lists(st.tuples(st.sampled_from(sorted(TIERS)), st.floats(0, 5)), max_size=60),
    st.integers(0, 5),
)
def test_the_first_alert_is_where_the_rule_says(steps: list[tuple[str, float]], after: int) -> None:
    window, now = 20.0, 0.0
    rows = []
    for tier, pause in steps:
        now += pause
        rows.append((tier, now))
    first = None
    for position, (tier, t) in enumerate(rows):
        since_intention = 0
        for earlier, (other, _) in enumerate(rows[: position + 1]):
            if other.startswith("intention"):
                since_intention = earlier + 1
        count = sum(
            other in UNSURE_TIERS and t - when <= window
            for other, when in rows[since_intention : position + 1]
        )
        if tier in UNSURE_TIERS and count > after:
            first = count
            break
    found = alerts(rows, after, window)
    assert (found[0].count if found else None) == first
