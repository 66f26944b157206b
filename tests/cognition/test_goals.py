"""Goals: whose they are, and what waits."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import GoalStatus, Requester
from cognition.goals import Goals


def test_the_lowest_is_put_on_hold_and_taken_up_again() -> None:
    goals = Goals(2)
    for what, priority in (("a", 0.9), ("b", 0.2), ("c", 0.5)):
        goals.add({"what": what, "priority": priority}, tick=1)
    assert [(g.what, g.status) for g in goals.all()] == [
        ("a", GoalStatus.PURSUED),
        ("c", GoalStatus.PURSUED),
        ("b", GoalStatus.ON_HOLD),
    ]
    goals.abandon("g1")
    assert [(g.what, g.status) for g in goals.all()] == [
        ("c", GoalStatus.PURSUED),
        ("b", GoalStatus.PURSUED),
    ]


@pytest.mark.parametrize(
    ("item", "what", "priority"),
    [
        ("mend the  axe", "mend the axe", 0.5),
        ({"goal": "mend", "priority": 2}, "mend", 1.0),
        ({"description": "mend", "priority": "high"}, "mend", 0.75),
        ({"title": "mend", "priority": "soonish"}, "mend", 0.5),
        ({"what": "mend", "priority": True}, "mend", 0.5),
        ({"what": "mend", "priority": -3}, "mend", 0.0),
    ],
)
def test_goals_are_read_from_words_and_objects(item: Any, what: str, priority: float) -> None:
    goal = Goals(5).add(item, tick=1)
    assert goal is not None
    assert (goal.what, goal.priority) == (what, priority)


@pytest.mark.parametrize("item", [None, 5, [], {}, {"priority": 1}, " ", {"what": ""}])
def test_what_has_no_words_is_no_goal(item: Any) -> None:
    goals = Goals(5)
    assert goals.add(item, tick=1) is None
    assert len(goals) == 0


def test_the_same_words_are_the_same_goal_and_keep_their_requester() -> None:
    goals = Goals(5)
    goals.add("mend the axe", tick=1, requester=Requester(entity_id="tom"))
    again = goals.add({"what": "Mend the axe.", "priority": 0.9}, tick=5)
    assert again is not None
    assert (again.id, again.priority, again.since) == ("g1", 0.9, 1)
    assert again.requester == Requester(entity_id="tom")


def test_goals_are_named_by_id_or_words() -> None:
    goals = Goals(5)
    for what in ("a", "b", "c", "d"):
        goals.add(what, tick=1)
    assert goals.abandon("G1") is not None
    assert goals.abandon({"id": "g2"}) is not None
    assert goals.abandon({"goal": "C"}) is not None
    assert goals.abandon("nothing of the kind") is None
    assert goals.abandon(7) is None
    assert goals.reprioritise({"id": "g4", "priority": 0.1}) is not None
    assert goals.reprioritise({"id": "g4"}) is None
    assert [(g.what, g.priority) for g in goals.all()] == [("d", 0.1)]


@given(st.lists(st.tuples(st.text(max_size=3), st.floats(-1, 2)), max_size=60))
def test_goals_stay_bounded_and_round_trip(items: list[tuple[str, float]]) -> None:
    goals = Goals(3)
    for tick, (what, priority) in enumerate(items):
        goals.add({"what": what, "priority": priority}, tick=tick)
    assert len(goals) <= 32
    pursued = [g for g in goals.all() if g.status is GoalStatus.PURSUED]
    assert len(pursued) == min(3, len(goals))
    document = json.loads(json.dumps(goals.to_json()))
    assert Goals.from_json(document, capacity=3).all() == goals.all()


@pytest.mark.parametrize(
    "row", [{"id": "x"}, {"id": "g1", "what": "a", "priority": None, "since": 1}]
)
def test_a_broken_document_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError)):
        Goals.from_json({"lastNumber": 1, "goals": [row]}, capacity=3)
