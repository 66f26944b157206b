"""What reaches a mind: the world's changes can surprise it, its own acts never do."""

from typing import Any

import pytest

from cognition import can_rupture
from mindot.game.frame import GameEvent, Lease, Order, Player
from mindot.host.afference import AfferenceIds, frame_percepts, record_percept, row_percept
from mindot.student.sweep import SweepRow
from tests.mindot.host.stage import a_character, a_frame


def noticed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    one = a_frame(1, a_character(**_of(before)), **_world(before))
    two = a_frame(2, a_character(**_of(after)), **_world(after))
    percepts = frame_percepts(one, two, two.characters[0], AfferenceIds())
    told = [p.metadata for p in percepts]
    assert {m["provenance"] for m in told} <= {"exafferent"}
    return [m["summary"] for m in told]


_WORLD = ("player", "alarm")


def _of(facts: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in facts.items() if k not in _WORLD}


def _world(facts: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in facts.items() if k in _WORLD}


def player(x: float, *, armed: bool = False) -> Player:
    return Player(x=x, y=0.0, armed=armed)


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        ({}, {"alarm": True}, "The alarm is raised."),
        ({"alarm": True}, {}, "The alarm is over."),
        ({"player": player(50.0)}, {"player": player(3.0)}, "The player has come near."),
        (
            {"player": player(3.0)},
            {"player": player(3.0, armed=True)},
            "The player has drawn a weapon close to me.",
        ),
        (
            {"player": player(3.0, armed=True)},
            {"player": player(3.0)},
            "The player has put the weapon away.",
        ),
        ({}, {"order": Order(text="hold the gate")}, "I was given an order: hold the gate."),
        ({"order": Order(text="hold the gate")}, {}, "The order is lifted: hold the gate."),
        ({}, {"lease": Lease(role="drunk", pose="stay")}, "A scene has taken me up as drunk."),
        ({"lease": Lease(role="drunk", pose="stay")}, {}, "The scene has let me go."),
        ({}, {"hurt": 0.3}, "I am hurt."),
    ],
)
def test_a_change_is_noticed_by_whom_it_concerns(
    before: dict[str, Any], after: dict[str, Any], summary: str
) -> None:
    assert noticed(before, after) == [summary]
    assert noticed(after, after) == []


def test_an_event_concerns_only_those_it_names_and_a_grave_one_can_surprise() -> None:
    theft = GameEvent(
        id="e1", kind="theft", actor="player", concerns=("Gerdur",), text="My axe is gone.",
        gravity=0.9,
    )  # fmt: skip
    frame = a_frame(4, a_character(), a_character("Brenna"), events=[theft])
    gerdur, brenna = frame.characters
    (percept,) = frame_percepts(None, frame, gerdur, AfferenceIds())
    assert can_rupture(percept, 4)
    assert percept.metadata["entityId"] == "player"
    assert percept.metadata["salience"] == 0.9
    assert list(frame_percepts(None, frame, brenna, AfferenceIds())) == []


def row(served: str, **fields: Any) -> SweepRow:
    receipt = {"t": 1.0, "served": served, "action": "warn_say", **fields}
    return SweepRow(name="Gerdur", key="gerdur", served=served, receipt=receipt)


@pytest.mark.parametrize(
    ("told", "act", "words"),
    [
        (row("held"), "ask-1", "LW3002"),
        (row("llm-verdict"), "ask-1", "I did what I had decided"),
        (row("intention", desire="report", target="guard", episode="g-1"), "g-1", "report (guard)"),
        (
            row("intention-over-order", desire="flee", episode="g-1"),
            "g-1",
            "against the order",
        ),
    ],
)
def test_the_fate_of_an_act_comes_back_with_its_id_and_never_surprises(
    told: SweepRow, act: str, words: str
) -> None:
    percept = row_percept(told, "ask-1", 5, AfferenceIds())
    assert percept is not None
    assert words in percept.metadata["summary"]
    assert percept.metadata["provenance"] == "reafferent"
    assert percept.metadata["sourceIntentId"] == act
    assert not can_rupture(percept, 5)


def test_rows_without_a_deed_tell_nothing() -> None:
    for served in ("calm", "routine", "escalated", "intention-hold", "quiet-dilemma"):
        assert row_percept(row(served), None, 5, AfferenceIds()) is None


@pytest.mark.parametrize(
    ("kind", "decision", "words"),
    [
        ("deliberator_bind_skip", {"id": "g-1", "skipped": "report", "reason": "no guard near"},
         "no guard near"),
        ("deliberator_never_blocked", {"id": "g-1", "skipped": "confront", "rule": "spare-child"},
         "spare-child"),
        ("deliberator_step_advance", {"id": "g-1", "why": "ttl", "desire": "warn"}, "next is warn"),
        ("manifest_blocked", {"verb": "call_help"}, "call help"),
    ],
)  # fmt: skip
def test_what_stopped_an_act_is_told_back(kind: str, decision: dict[str, Any], words: str) -> None:
    percept = record_percept({"kind": kind, "decision": decision}, 5, AfferenceIds())
    assert percept is not None
    assert words in percept.metadata["summary"]
    assert percept.metadata["provenance"] == "reafferent"


def test_other_records_tell_the_mind_nothing() -> None:
    fired = {"kind": "deliberator_step_advance", "decision": {"why": "fires", "desire": "warn"}}
    assert record_percept(fired, 5, AfferenceIds()) is None
    assert record_percept({"kind": "plan", "decision": {"cmd": "stay"}}, 5, AfferenceIds()) is None
