"""Games that are not as one would like them: reloads, odd names, odd places, rules of nothing."""

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import pytest

from mindot.deliberator import (
    Laws,
    NeverRules,
    Pending,
    RankFailure,
    Wake,
    WakeClass,
    load_lawbook,
)
from mindot.deliberator.conditions import Condition
from mindot.deliberator.events import wakes_of_events
from mindot.deliberator.forgiveness import Forgiveness, ForgivenessRule
from mindot.deliberator.laws import Law, PlanSketch, Weights
from mindot.deliberator.never import NeverRule
from mindot.deliberator.operators import Operator
from mindot.game.frame import Command
from tests.mindot.deliberator.stage import Stage, event, person, theft

GUARD = person("Runa", "guard", x=30.0)
BOOK = load_lawbook()


def laws_of(*steps: Operator, cls: WakeClass = WakeClass.WRONG) -> Laws:
    """The package's laws with a single plan, of these steps."""
    plan = PlanSketch(
        steps=tuple(s.name for s in steps), weights=Weights(base=0.9), law="the-only-one"
    )
    law = Law(id="the-only-one", cls=cls, when=Condition(), plans=(plan,))
    return replace(BOOK.laws, operators={s.name: s for s in steps}, laws=(law,))


def step(name: str, *actions: str, **fields: Any) -> Operator:
    return Operator(name=name, meaning=f"do {name}", actions=actions, roles={}, **fields)


OWN_LAWS = """
[event.theft]
cls = "wrong"
gravity = 0.5
[defiance]
at = 0.5
line = "No."
[[law]]
id = "robbed"
cls = "wrong"
plan = [{ steps = ["sit"] }]
"""

OWN_OPERATORS = """
[operator.sit]
meaning = "sit down"
actions = ["stay"]
[operator.flee]
meaning = "get away"
actions = ["flee"]
"""


@pytest.mark.parametrize("leaves_one", [False, True])
def test_laws_that_change_while_a_question_is_open(tmp_path: Path, leaves_one: bool) -> None:
    stage = Stage(person("Ylva"), GUARD)
    wake = Wake(name="Ylva", cls=WakeClass.WRONG, text="the rope was cut", subject="player")
    pending = stage.deliberator.begin(wake)
    assert isinstance(pending, Pending)
    assert ("flee",) in [c.plan for c in pending.candidates]
    (tmp_path / "laws.toml").write_text(OWN_LAWS)
    kept = OWN_OPERATORS if leaves_one else OWN_OPERATORS.replace("flee]", "run]")
    (tmp_path / "operators.toml").write_text(kept)
    (tmp_path / "never.toml").write_text("")
    stage.deliberator.reload(tmp_path)
    gone = pending.candidates[0]
    assert gone.plan != ("flee",)
    done = stage.deliberator.settle(pending, RankFailure(where="ranker", err="late"))
    assert done.plan == (("flee",) if leaves_one else ())
    assert stage.kinds().count("deliberator_wake") == 1
    assert stage.deliberator.settle(pending, RankFailure(where="a", err="b")) is done
    if not leaves_one:
        assert done.reason == "no plan that was asked about is left"


def test_who_is_gone_is_called_by_their_own_name() -> None:
    cry = step("cry", "say", say="{subject} has robbed me")
    stage = Stage(person("Ylva"), person("Brenna"), laws=laws_of(cry))
    stage.wake("Ylva", WakeClass.WRONG, "robbed", subject="Brenna", kind="theft", gravity=0.5)
    stage.leave("Brenna")
    stage.sweep()
    assert stage.payloads("plan")[0]["say"] == "Brenna has robbed me"


def test_nobody_is_punished_for_an_offender_called_like_their_trade() -> None:
    stage = Stage(person("Ylva"), person("Smith"), person("Bo", "smith"))
    stage.wake("Ylva", WakeClass.WRONG, "robbed", subject="Smith", kind="theft", gravity=0.7)
    stage.leave("Smith")
    stage.sweeps(60)
    assert "Bo" not in str(stage.commands)
    assert "smith" not in {c.target for c in stage.commands}
    assert stage.payloads("deliberator_bind_skip")


def test_there_is_nothing_to_refuse_where_nothing_was_ordered() -> None:
    refuse = step("refuse", "say", refusal="No.", refuses=True)
    stage = Stage(person("Ylva"), laws=laws_of(refuse))
    stage.sweep(theft("Ylva"))
    assert stage.served("Ylva") == ["intention"]
    assert stage.payloads("obedience_broken") == []
    assert stage.payloads("plan")[0]["say"] == "No."


def test_a_wrong_that_names_a_need_is_answered_as_a_wrong() -> None:
    stage = Stage(person("Ylva"), GUARD)
    stage.sweep(event("theft", "Ylva", "the purse is gone", "player", 0.6, need="gold"))
    assert stage.payloads("deliberator_need_unmet") == []
    assert stage.payload("deliberator_wake")["outcome"] == "intention"


def test_nobody_dead_is_commanded() -> None:
    stage = Stage(person("Ylva", alive=False))
    flee = Command(cmd="flee", name="Ylva")
    assert stage.deliberator.send(flee, stage.frame, "raw") is None
    assert stage.payload("manifest_blocked")["verb"] == "flee"


def test_an_event_wakes_each_whom_it_concerns_once() -> None:
    stage = Stage(person("Ylva"), GUARD)
    named = replace(theft("Ylva"), concerns=("Ylva", "ylva", "YLVA", "Runa"))
    frame = replace(stage.frame, events=(named,))
    assert [w.name for w in wakes_of_events(frame, BOOK.laws.events)] == ["Ylva", "Runa"]


def test_a_rule_that_excuses_nothing_has_its_say() -> None:
    rule = ForgivenessRule(
        id="never-mind", because="not from you", excul=0.0, traits=(), when=Condition()
    )
    stage = Stage(person("Ylva"), GUARD, forgiveness=Forgiveness(rules=(rule,)))
    stage.sweep(theft("Ylva", gravity=0.6))
    stage.sweep(event("amends", "Ylva", "Sorry.", "player"))
    assert stage.payload("deliberator_hold_course")["because"] == "not from you"


def test_waiting_can_be_forbidden() -> None:
    bide, flee = step("bide", ttl_s=60.0), step("run", "flee")
    rule = NeverRule(
        id="no-dallying",
        words="nobody dallies",
        operators=("bide",),
        actions=(),
        targets=(),
        when=Condition(),
    )
    never = NeverRules(rules=(rule,))
    stage = Stage(person("Ylva"), laws=laws_of(bide, flee), never_rules=never)
    stage.sweep(theft("Ylva"))
    blocked = stage.payload("deliberator_never_blocked")
    assert (blocked["skipped"], blocked["rule"]) == ("bide", "no-dallying")
    assert stage.payload("deliberator_decided")["verb"] == "run"

    only = Stage(person("Ylva"), laws=laws_of(bide), never_rules=never)
    only.sweep(theft("Ylva"))
    assert only.payload("deliberator_no_admissible_verbs")["source"] == "never-rules"


def test_a_place_that_is_no_place_stays_out_of_payloads() -> None:
    warn = step("warn", "warn_say", binds=("ally",), say="Look out!")
    lost = person("Finn", x=nan)
    stage = Stage(person("Ylva", trust={"finn": 0.9}), lost, laws=laws_of(warn))
    stage.sweep(theft("Ylva"))
    decided = stage.payload("deliberator_decided")
    assert (decided["target"], decided["xy"]) == ("ally:Finn", None)
    both = Stage(
        person("Ylva", trust={"finn": 0.9, "alrik": 0.5}),
        lost,
        person("Alrik", x=40.0),
        laws=laws_of(warn),
    )
    both.sweep(theft("Ylva"))
    assert both.payload("deliberator_decided")["target"] == "ally:Alrik"


def test_records_and_receipts_call_a_step_that_needs_nobody_alike() -> None:
    stage = Stage(person("Ylva"), laws=laws_of(step("run", "flee")))
    stage.sweep(theft("Ylva"))
    (receipt,) = [r for r in stage.receipts if r["served"] == "intention"]
    assert stage.payload("deliberator_decided")["target"] == receipt["target"] == "self"
    assert "target" not in stage.payloads("plan")[0]
