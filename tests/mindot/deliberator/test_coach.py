"""The one writer of flywheel records."""

from typing import Any

import pytest

from mindot.deliberator import Coach, RecordError
from mindot.game.frame import Command, Frame
from tests.mindot.deliberator.stage import T0, person

FRAME = Frame(world="mock", tab="test", tick=3, t=T0, characters=(person("Ylva"),))
UNMET = {"name": "Ylva", "need": "rest", "reason": "no bed"}


def test_a_record_has_its_form() -> None:
    rows: list[dict[str, Any]] = []
    coach = Coach(rows.append, tuple_of=lambda frame, name: f"tick={frame.tick}")
    coach.see(FRAME)
    shuffled = {"reason": "no bed", "need": "rest", "name": "Ylva"}
    coach.record("deliberator_need_unmet", shuffled, t=T0 + 0.123)
    coach.record("deliberator_need_unmet", UNMET, t=T0, tuple="given=1")
    assert rows[0] == {
        "v": 1,
        "t": T0 + 0.12,
        "kind": "deliberator_need_unmet",
        "decision": UNMET,
        "state": FRAME.to_state(),
        "tuple": "tick=3",
    }
    assert list(rows[0]["decision"]) == ["name", "need", "reason"]
    assert rows[1]["tuple"] == "given=1"
    assert coach.counts() == {"deliberator_need_unmet": 2}


def test_without_a_frame_there_is_no_state_and_no_tuple() -> None:
    rows: list[dict[str, Any]] = []
    Coach(rows.append, tuple_of=lambda frame, name: "a=1").record(
        "deliberator_need_unmet", UNMET, t=T0
    )
    assert rows[0]["state"] == {}
    assert "tuple" not in rows[0]


def test_a_tuple_that_cannot_be_built_is_left_out() -> None:
    rows: list[dict[str, Any]] = []
    coach = Coach(rows.append, tuple_of=lambda frame, name: None)
    coach.see(FRAME)
    coach.command(Command(cmd="flee", name="Ylva", say="Oh!"), "student", t=T0)
    assert "tuple" not in rows[0]
    assert rows[0]["decision"] == {"cmd": "flee", "name": "Ylva", "say": "Oh!"}


@pytest.mark.parametrize(
    ("kind", "payload", "says"),
    [
        ("deliberator_nap", UNMET, "no such kind"),
        ("deliberator_need_unmet", {"name": "Ylva"}, "its payload lacks 'need', 'reason'"),
        ("deliberator_need_unmet", {**UNMET, "mood": 1}, "its payload has no field 'mood'"),
    ],
)
def test_a_payload_that_does_not_fit_its_kind(
    kind: str, payload: dict[str, Any], says: str
) -> None:
    rows: list[dict[str, Any]] = []
    with pytest.raises(RecordError, match=f"flywheel record '{kind}': {says}") as caught:
        Coach(rows.append).record(kind, payload, t=T0)
    assert caught.value.kind == kind
    assert rows == []
