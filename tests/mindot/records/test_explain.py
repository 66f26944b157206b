"""The deed of every tier, and which records belong to a receipt."""

from typing import Any

import pytest

from mindot.game.contract import TIERS
from mindot.records.encoding import encode
from mindot.records.explain import Explanation, deed_of, explain, meaning_of
from mindot.records.reader import Record

T = 1_789_192_800.0
_lines = iter(range(1, 10_000))


def record(row: dict[str, Any]) -> Record:
    return Record(next(_lines), 0, encode(row)[:-1], row)


def receipt(served: str, **fields: Any) -> Record:
    return record({"v": 1, "t": T, "name": "Falk", "served": served, "action": "flee"} | fields)


def event(kind: str, t: float = T, name: str = "Falk", **decision: Any) -> Record:
    return record({"v": 1, "t": t, "kind": kind, "decision": {"name": name} | decision})


def kinds(explanation: Explanation) -> list[str]:
    return [joined.value["kind"] for joined in explanation.flywheel]


@pytest.mark.parametrize(
    ("served", "fields", "deed"),
    [
        ("emitted", {}, "flee"),
        ("emitted", {"cmds": [{"cmd": "flee", "target": "gate"}]}, "flee gate"),
        ("emitted", {"cmds": [{"cmd": "warn_say", "say": "Stop"}]}, 'warn_say, saying "Stop"'),
        ("calm", {}, None),
        ("held", {}, None),
        ("routine", {}, "go_station"),
        ("routine", {"cmds": [{"cmd": "go_station", "target": "forge"}]}, "go_station forge"),
        ("intention", {"desire": "report", "target": "guard"}, "report guard"),
        ("intention", {"desire": "report"}, "report"),
        ("intention", {"cmds": [{"cmd": "demand"}]}, "demand"),
        (
            "intention-over-order",
            {"desire": "report", "target": "ally:brenna"},
            "report ally:brenna",
        ),
        ("intention-hold", {"episode": "falk-1"}, None),
        ("escalated", {}, None),
        ("escalation-held", {}, None),
        ("quiet-dilemma", {}, None),
        ("llm-verdict", {}, None),
        ("llm-verdict", {"cmds": [{"cmd": "serve"}]}, "serve"),
        ("recast", {"episode": "cast:drunkard"}, "back into the role of drunkard"),
        ("recast", {"cmds": [{"cmd": "idle_social"}, "odd"]}, "idle_social"),
        ("recast", {}, None),
        ("later-tier", {}, None),
        ("later-tier", {"cmds": [{"cmd": "dance"}, {"cmd": "bow"}]}, "dance; bow"),
        (None, {"cmds": "odd", "desire": 5}, None),
    ],
)
def test_the_deed_is_rarely_the_leaning(served: Any, fields: Any, deed: str | None) -> None:
    assert deed_of(receipt(served, **fields).value) == deed


def test_every_tier_has_its_meaning_and_code() -> None:
    for tier in TIERS.values():
        told = explain(receipt(tier.name), [])
        assert (told.meaning, told.code) == (tier.meaning, tier.code)
    assert meaning_of("later-tier") == "later-tier"
    assert explain(record({"served": ["odd"]}), []).meaning == "['odd']"


def test_a_verdict_shows_the_verb_of_the_mind_though_the_body_does_another() -> None:
    told = explain(
        receipt("llm-verdict", verdict="rest", cmds=[{"cmd": "go_station", "target": "bed"}]),
        [
            event("student_escalation", T - 4, tuple="a=1"),
            event("student_escalation_verdict", T - 3, tuple="a=1", verb="stay", because="or so"),
            event("student_escalation", T - 2, tuple="b=2"),
            event("student_escalation_verdict", T - 1, tuple="b=2", verb="rest", because="tired"),
            event("student", T, cmd="go_station", target="bed"),
        ],
    )
    assert told.deed == "rest bed"
    assert told.because == "tired"
    assert kinds(told) == ["student_escalation", "student_escalation_verdict", "student"]


def test_a_verdict_is_told_from_another_by_the_command_that_left() -> None:
    verdicts = [
        event("student_escalation_verdict", T - 2, tuple="a=1", verb="serve"),
        event("student_escalation_verdict", T - 1, tuple="a=1", verb="flee"),
    ]
    told = explain(receipt("llm-verdict", cmds=[{"cmd": "serve"}]), verdicts)
    assert (told.deed, told.flywheel) == ("serve", (verdicts[0],))


def test_an_escalation_has_its_dilemma_and_the_answer_that_came() -> None:
    told = explain(
        receipt("escalated", tup="a=1"),
        [
            event("student_escalation", T - 4.9, tuple="a=1"),
            event("student_escalation", T - 0.1, tuple="b=2"),
            event("student_escalation", T + 0.1, tuple="a=1"),
            event("student_escalation_verdict", T - 1, tuple="a=1", verb="flee"),
            event("student_escalation_verdict", T + 2, tuple="a=1", verb="serve"),
            event("deliberator_decided", T, id="falk-1"),
            event("student", T, cmd="flee"),
        ],
    )
    assert [(r.value["kind"], r.value["t"]) for r in told.flywheel] == [
        ("student_escalation", T + 0.1),
        ("student_escalation_verdict", T + 2),
    ]


def test_the_tuple_may_stand_at_the_top() -> None:
    dilemma = record(
        {"t": T, "kind": "student_escalation", "decision": {"name": "Falk"}, "tuple": "a=1"}
    )
    assert explain(receipt("escalated", tup="a=1"), [dilemma]).flywheel == (dilemma,)
    assert explain(receipt("escalated", tup="a=2"), [dilemma]).flywheel == ()


def test_an_intention_has_the_records_of_its_id() -> None:
    told = explain(
        receipt("intention", episode="falk-1", desire="report", target="guard"),
        [
            event("deliberator_wake", T - 5, id="falk-1"),
            event("deliberator_wake", T - 5.01, id="falk-1"),
            event("deliberator_decided", T, id="falk-2"),
            event("deliberator_decided", T, id="falk-1"),
            event("plan", T - 2, cmd="demand"),
            event("plan", T + 0.2, cmd="report"),
            event("raw", T, cmd="stay"),
            event("deliberator_step_advance", T + 0.3, name="FALK", id="falk-1"),
            event("deliberator_decided", T, name="Kell", id="falk-1"),
            event("later_kind", T + 1),
        ],
    )
    assert kinds(told) == [
        "deliberator_wake",
        "deliberator_decided",
        "plan",
        "deliberator_step_advance",
        "later_kind",
    ]


@pytest.mark.parametrize(
    ("kind", "code"),
    [("deliberator_bind_skip", "LW3021"), ("deliberator_never_blocked", "LW3010")],
)
def test_codes_that_a_record_carries(kind: str, code: str) -> None:
    skipped = [event("deliberator_wait", T - 1), event(kind, T)]
    assert explain(receipt("intention"), skipped).code == code
    assert explain(receipt("held"), skipped).code == "LW3002"


def test_rows_and_records_that_lack_what_a_join_needs() -> None:
    odd = [
        record({"kind": 5, "t": T, "decision": {"name": "Falk", "because": " "}}),
        record({"kind": "plan", "t": "soon", "decision": {"name": "Falk"}}),
        record({"kind": "plan", "t": True, "decision": {"name": "Falk"}}),
        record({"kind": "plan", "t": T, "decision": "Falk"}),
        record({"kind": "plan", "t": T}),
    ]
    told = explain(receipt("held"), odd)
    assert told.flywheel == (odd[0],)
    assert told.because is None
    assert explain(record({"served": "held", "t": T}), odd).flywheel == ()
    assert explain(record({"served": "held", "name": "Falk", "t": None}), odd).flywheel == ()
