"""One small story for every kind of flywheel record: what earns it, and what stands around it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pytest
from click.testing import CliRunner

from mindot.cli import why
from mindot.deliberator import STAND_DOWN, Outcome, Ranking, RankQuestion, RankReason, WakeClass
from mindot.deliberator.testing import ScriptedRanker
from mindot.game.contract import KINDS, MOCK_WORLD
from mindot.game.frame import Command, Lease, Player
from mindot.game.manifest import load_manifests
from mindot.records.logs import Log
from mindot.records.writer import LogWriter
from mindot.student.verdicts import ParkedVerdict
from tests.mindot.deliberator.stage import STATIONS, LeaningHead, Stage, event, person, theft

Story = TypeVar("Story", bound=Callable[..., Any])

_TOLD: dict[str, list[str]] = {}


def tells(*kinds: str) -> Callable[[Story], Story]:
    """Mark a test as the story of these kinds."""

    def mark(story: Story) -> Story:
        for kind in kinds:
            _TOLD.setdefault(kind, []).append(story.__name__)
        return story

    return mark


GUARD = person("Runa", "guard", x=0.0)


def meek(name: str, archetype: str = "merchant", **more: Any) -> Any:
    """Somebody who reports a theft rather than face the thief."""
    traits = {"brave": 0.2, "temper": 0.2, "dutiful": 0.9, "warm": 0.5, "curious": 0.3}
    return person(name, archetype, traits=traits, **more)


def hot(name: str, archetype: str = "smith", **more: Any) -> Any:
    """Somebody who faces the thief."""
    traits = {"brave": 0.9, "temper": 0.9, "dutiful": 0.1, "warm": 0.3, "curious": 0.3}
    return person(name, archetype, traits=traits, **more)


def kind_hearted(name: str, **more: Any) -> Any:
    traits = {"brave": 0.5, "temper": 0.1, "dutiful": 0.5, "warm": 0.9, "curious": 0.5}
    return person(name, traits=traits, **more)


@pytest.fixture(autouse=True)
def stages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each story: what `mindot why` says of it is what happened."""
    staged: list[Stage] = []
    make = Stage.__init__

    def keep(stage: Stage, *people: Any, **options: Any) -> None:
        staged.append(stage)
        make(stage, *people, **options)

    monkeypatch.setattr(Stage, "__init__", keep)
    yield
    for stage in staged:
        for name in sorted({r["name"] for r in stage.receipts}):
            _check_why(stage, name)


def _check_why(stage: Stage, name: str) -> None:
    for told in stage.why(name):
        row, kinds = told.receipt.value, [r.value["kind"] for r in told.flywheel]
        if row["served"].startswith("intention"):
            # everything the plan wrote in this sweep is told with its row
            at_once = [
                r["kind"]
                for r in stage.records
                if r["t"] == row["t"] and r["decision"].get("id") == row["episode"]
            ]
            assert [k for k in at_once if k not in kinds] == []
        if row["served"] in ("intention", "intention-over-order"):
            nobody = row["target"] == "self"
            assert told.deed == (row["desire"] if nobody else f"{row['desire']} {row['target']}")
            assert {"deliberator_decided", "plan"} <= set(kinds)
        if row["served"] == "intention-over-order":
            assert "obedience_broken" in kinds
        if "deliberator_bind_skip" in kinds:
            assert told.code in ("LW3021", "LW3010")


def test_every_kind_has_a_story() -> None:
    assert sorted(set(KINDS) - set(_TOLD)) == []
    assert sorted(set(_TOLD) - set(KINDS)) == []


# Something happens, a plan is made and carried out


@tells(
    "deliberator_wake",
    "deliberator_decided",
    "deliberator_step_advance",
    "deliberator_plan_done",
    "plan",
)
def test_a_theft_is_reported_and_the_thief_is_served_no_more() -> None:
    stage = Stage(meek("Sunniva"), GUARD)
    stage.sweep(theft("Sunniva", text="the silver scales are gone"))
    stage.sweeps(2)
    assert stage.kinds("Sunniva") == [
        "deliberator_wake",
        "deliberator_decided",
        "deliberator_step_advance",
        "plan",
        "deliberator_decided",
        "deliberator_plan_done",
        "plan",
    ]
    assert stage.payload("deliberator_wake") == {
        "name": "Sunniva",
        "cls": "wrong",
        "outcome": "intention",
        "id": "sunniva-1",
        "plan": ["report", "refuse-service"],
        "ms": 0.0,
    }
    assert stage.payloads("deliberator_decided")[0] == {
        "name": "Sunniva",
        "id": "sunniva-1",
        "cls": "wrong",
        "verb": "report",
        "manifest_verb": "call_help",
        "step": 0,
        "target": "guard",
        "target_handle": GUARD.handle,
        "xy": [0.0, 0.0],
        "need": None,
    }
    assert stage.payload("deliberator_step_advance") == {
        "name": "Sunniva",
        "id": "sunniva-1",
        "plan": ["report", "refuse-service"],
        "from": 0,
        "to": 1,
        "desire": "refuse-service",
        "why": "fires",
    }
    assert stage.payload("deliberator_plan_done") == {
        "name": "Sunniva",
        "id": "sunniva-1",
        "cls": "wrong",
        "plan": ["report", "refuse-service"],
        "last_step": 1,
        "why": "fires",
    }
    assert stage.payloads("plan")[0] == {
        "cmd": "call_help",
        "name": "Sunniva",
        "target": "guard",
        "say": "Runa! the silver scales are gone",
    }
    assert stage.served("Sunniva") == ["intention", "intention-hold", "intention"]


@tells("deliberator_decided")
def test_the_receipt_of_a_step_says_what_it_did_and_why() -> None:
    stage = Stage(meek("Sunniva"), GUARD)
    stage.sweep(theft("Sunniva", text="the silver scales are gone"))
    receipt = next(r for r in stage.receipts if r["name"] == "Sunniva")
    wanted = {
        "served": "intention",
        "episode": "sunniva-1",
        "desire": "report",
        "evidence": "the silver scales are gone",
        "plan": ["report", "refuse-service"],
        "step": 0,
        "target": "guard",
        "target_handle": GUARD.handle,
    }
    assert {k: receipt.get(k) for k in wanted} == wanted
    assert "subject" not in receipt  # it is about the player


def test_a_wrong_by_a_villager_names_the_subject_in_lower_case() -> None:
    stage = Stage(hot("Gerd"), person("Finn", x=12.0), GUARD)
    stage.sweep(theft("Gerd", actor="Finn"))
    receipt = next(r for r in stage.receipts if r["name"] == "Gerd")
    assert (receipt["subject"], receipt["target"]) == ("finn", "subject:Finn")


def test_records_carry_the_frame_and_follow_the_contracts_field_order() -> None:
    stage = Stage(meek("Sunniva"), GUARD)
    stage.sweep(theft("Sunniva"))
    for record in stage.records:
        assert list(record) == ["v", "t", "kind", "decision", "state"]
        assert record["state"]["world"] == MOCK_WORLD
        known = KINDS[record["kind"]]
        fields = [f for f in (*known.fields, *known.optional) if f in record["decision"]]
        assert list(record["decision"]) == fields


# Steps that do not come off


@tells("deliberator_bind_skip")
def test_without_a_guard_the_report_is_passed_over() -> None:
    stage = Stage(meek("Sunniva"))
    stage.sweep(theft("Sunniva", gravity=0.6))
    assert stage.payload("deliberator_bind_skip") == {
        "name": "Sunniva",
        "id": "sunniva-1",
        "step": 0,
        "skipped": "report",
        "subject": "player",
        "need": None,
        "verb": "report",
        "reason": "no guard is here",
    }
    advance = stage.payload("deliberator_step_advance")
    assert (advance["from"], advance["to"], advance["why"]) == (0, 1, "bind-skip")
    assert stage.served("Sunniva") == ["intention"]


@tells("deliberator_bind_skip")
def test_mindot_why_tells_of_a_plan_that_found_nobody(tmp_path: Path) -> None:
    stage = Stage(meek("Ylva"))
    stage.wake("Ylva", WakeClass.UNDERTAKING, "tell her about the boat", subject="Brenna")
    stage.sweep()
    with LogWriter(tmp_path, Log.RECEIPTS) as receipts, LogWriter(tmp_path, Log.FLYWHEEL) as book:
        receipts.append(stage.receipts)
        book.append(stage.records)
    told = CliRunner().invoke(why.command, ["ylva", "--dir", str(tmp_path), "--json"])
    (only,) = orjson.loads(told.stdout)
    assert only["code"] == "LW3021"
    assert only["receipt"]["served"] == "intention-hold"
    assert [r["kind"] for r in only["flywheel"]] == [
        "deliberator_wake",
        "deliberator_bind_skip",
        "deliberator_plan_done",
    ]


@tells("deliberator_never_blocked")
def test_a_grown_smith_does_not_square_up_to_a_child() -> None:
    stage = Stage(hot("Gerd"), person("Pip", "child"), GUARD)
    stage.sweep(theft("Gerd", actor="Pip"))
    blocked = stage.payloads("deliberator_never_blocked")
    assert [b["skipped"] for b in blocked] == ["confront", "demand"]
    assert blocked[0] == {
        "name": "Gerd",
        "id": "gerd-1",
        "step": 0,
        "skipped": "confront",
        "verb": "confront",
        "rule": "face-down-a-child",
        "when": "target child",
    }
    whys = [a["why"] for a in stage.payloads("deliberator_step_advance")]
    assert whys == ["never-blocked", "never-blocked"]
    assert [c.cmd for c in stage.commands if c.name == "Gerd"] == ["call_help"]


@tells("deliberator_step_advance", "deliberator_plan_done")
def test_a_step_whose_target_stays_away_runs_out_of_time() -> None:
    stage = Stage(person("Tove"), person("Alrik", x=500.0))
    stage.sweep(event("greeting", "Tove", "Good morning!", "Alrik"))
    stage.sweeps(11)
    done = stage.payload("deliberator_plan_done")
    assert (done["plan"], done["last_step"], done["why"]) == (["greet"], 0, "ttl")
    assert set(stage.served("Tove")[:11]) == {"intention-hold"}
    assert stage.served("Tove")[11] == "calm"


@tells("deliberator_wait")
def test_an_insult_from_a_friend_is_slept_on_before_a_word_is_said() -> None:
    stage = Stage(person("Maren", trust={"alrik": 0.6}), person("Alrik"))
    stage.sweep(event("insult", "Maren", "You never listen.", "Alrik"))
    assert stage.payload("deliberator_wait") == {
        "name": "Maren",
        "id": "maren-1",
        "desire": "wait",
        "suppressed_say": "I heard you, Alrik.",
    }
    stage.sweeps(8)
    assert stage.kinds("Maren") == [
        "deliberator_wake",
        "deliberator_wait",
        "deliberator_step_advance",
        "deliberator_decided",
        "deliberator_plan_done",
        "plan",
    ]
    assert stage.payload("deliberator_step_advance")["why"] == "ttl"
    assert stage.payload("plan")["say"] == "I heard you, Alrik."


# Nothing that could be done


@tells("deliberator_no_admissible_verbs")
def test_who_may_do_nothing_makes_no_plan() -> None:
    stage = Stage(person("Grim", "statue"), GUARD, manifests=_without_default())
    stage.sweep(theft("Grim"))
    assert stage.payload("deliberator_no_admissible_verbs") == {
        "name": "Grim",
        "arch": "statue",
        "cls": "wrong",
        "source": "manifest",
        "reason": "statue may do nothing that a plan for this is made of",
    }
    assert stage.payload("deliberator_wake")["outcome"] == "declined"


@tells("deliberator_no_admissible_verbs")
def test_a_mask_and_never_rules_can_empty_the_choice_too() -> None:
    stage = Stage(hot("Gerd"), GUARD)
    stage.deliberator.mask("Gerd", ["call_help", "complain", "demand", "confront"])
    stage.sweep(theft("Gerd"))
    assert stage.payload("deliberator_no_admissible_verbs")["source"] == "mask"

    stage = Stage(person("Runa", "guard", on_duty=True), person("Alrik"))
    stage.sweep(event("need", "Runa", "I could sleep standing", "", 0.6, need="rest"), alarm=True)
    assert stage.payload("deliberator_no_admissible_verbs")["source"] == "never-rules"


@tells("deliberator_need_unmet")
def test_a_need_that_nothing_here_serves() -> None:
    stage = Stage(person("Ylva"), stations=STATIONS[:1])
    stage.sweep(event("need", "Ylva", "I have not slept for two days", "", 0.8, need="rest"))
    assert stage.payload("deliberator_need_unmet") == {
        "name": "Ylva",
        "need": "rest",
        "reason": "nothing and nobody here serves rest",
    }
    assert stage.kinds("Ylva") == ["deliberator_need_unmet", "deliberator_wake"]


@tells("deliberator_need_unmet")
def test_a_plan_that_ends_without_having_served_its_need() -> None:
    ylva = person("Ylva", trust={"maren": 0.9})
    stage = Stage(ylva, person("Maren"), stations=())
    stage.sweep(event("need", "Ylva", "it has been quiet here", "", 0.5, need="company"))
    # she stood too far off, and then she left
    stage = Stage(ylva, person("Maren", x=400.0), stations=STATIONS)
    stage.change("Ylva", lease=Lease(role="guest", pose="stay"))
    stage.sweep(event("need", "Ylva", "it has been quiet here", "", 0.5, need="company"))
    stage.sweeps(31)
    assert stage.payload("deliberator_plan_done")["why"] == "ttl"
    unmet = stage.payload("deliberator_need_unmet")
    assert unmet["reason"] == "the plan ended and nothing in it could serve company"


def test_a_need_is_served_and_the_record_says_which() -> None:
    stage = Stage(person("Ylva"))
    stage.sweep(event("need", "Ylva", "I have not eaten since morning", "", 0.7, need="food"))
    decided = stage.payload("deliberator_decided")
    assert (decided["need"], decided["target"]) == ("food", "station:inn")
    assert "deliberator_need_unmet" not in stage.kinds()


# The mind as judge


@tells("deliberator_escalation", "deliberator_rank")
def test_where_no_law_decides_the_mind_is_asked() -> None:
    ranker = ScriptedRanker(lambda q: 1)
    stage = Stage(person("Ylva"), GUARD, ranker=ranker)
    done = stage.wake("Ylva", WakeClass.WRONG, "the well was fouled", subject="player", gravity=0.4)
    assert done.outcome is Outcome.INTENTION
    asked = ranker.asked[0]
    assert asked.reason is RankReason.NO_LAW
    assert stage.kinds("Ylva") == [
        "deliberator_escalation",
        "deliberator_rank",
        "deliberator_wake",
    ]
    escalated = stage.payload("deliberator_escalation")
    assert escalated["wake_text"] == "the well was fouled"
    assert escalated["arch"] == "merchant"
    assert "Ylva" not in escalated["situation"]
    assert escalated["ambient"] == ["Runa (guard) is near"]
    assert "text" not in escalated  # nobody said anything
    rank = stage.payload("deliberator_rank")
    assert rank["composer"] == escalated["candidates"][0]["plan"]
    assert rank["chosen"] == list(asked.candidates[1].plan) == list(done.plan)
    assert rank["because"] == f"I would rather {asked.candidates[1].meaning}"


@tells("deliberator_plan_escalation", "deliberator_rank")
def test_plans_too_close_to_call_are_for_the_mind() -> None:
    def less_likely(question: RankQuestion) -> int:
        return 1

    even = {"brave": 0.5, "temper": 0.5, "dutiful": 0.5, "warm": 0.5, "curious": 0.5}
    stage = Stage(person("Ylva", traits=even), GUARD, ranker=ScriptedRanker(less_likely))
    stage.sweep(event("insult", "Ylva", "Your turnips are all tops.", "player"))
    question = stage.payload("deliberator_plan_escalation")
    scores = [c["score"] for c in question["candidates"]]
    assert scores[0] - scores[1] <= 0.05
    assert stage.payload("deliberator_rank")["chosen"] == question["candidates"][1]["plan"]
    assert stage.payload("deliberator_wake")["plan"] == question["candidates"][1]["plan"]


def test_the_mind_may_decline() -> None:
    stage = Stage(person("Ylva"), ranker=ScriptedRanker(lambda q: None))
    done = stage.wake("Ylva", WakeClass.WRONG, "the well was fouled", subject="player", gravity=0.4)
    assert done.outcome is Outcome.DECLINED
    assert stage.payload("deliberator_rank")["chosen"] == []
    assert done.reason == "none of these is like me"


@tells("deliberator_rank_error")
@pytest.mark.parametrize(
    ("failure", "where", "err"),
    [
        (RuntimeError("timeout-total"), "ranker", "timeout-total"),
        (RuntimeError("the socket went away"), "ranker", "RuntimeError"),
        (Ranking(chosen=("dance",), because="why not"), "ranking", "no-candidate"),
        (None, "ranker", "no-ranker"),
    ],
)
def test_any_failure_of_the_mind_leaves_it_to_the_composer(
    failure: Exception | Ranking | None, where: str, err: str
) -> None:
    def fail(question: RankQuestion) -> Ranking:
        if isinstance(failure, Ranking):
            return failure
        assert failure is not None
        raise failure

    stage = Stage(person("Ylva"), ranker=None if failure is None else ScriptedRanker(fail))
    done = stage.wake("Ylva", WakeClass.WRONG, "the well was fouled", subject="player", gravity=0.4)
    assert stage.payload("deliberator_rank_error") == {"name": "Ylva", "where": where, "err": err}
    best = stage.payload("deliberator_escalation")["candidates"][0]["plan"]
    assert list(done.plan) == best


# One thing at a time


@tells("deliberator_swap")
def test_an_assault_takes_over_from_a_theft() -> None:
    stage = Stage(meek("Sunniva"), GUARD)
    stage.sweep(theft("Sunniva", gravity=0.5))
    stage.sweep(event("assault", "Sunniva", "he struck me", "player", 0.9))
    assert stage.payload("deliberator_swap") == {"name": "Sunniva", "to": "wrong", "score": 0.4}
    kinds = stage.kinds("Sunniva")
    swap = kinds.index("deliberator_swap")
    assert kinds[swap - 2 : swap + 2] == [
        "deliberator_plan_escalation",
        "deliberator_rank_error",
        "deliberator_swap",
        "deliberator_wake",
    ]
    assert stage.payloads("deliberator_wake")[1]["id"] == "sunniva-2"
    assert stage.served("Sunniva")[1] == "intention"


def test_a_mind_that_declines_keeps_the_plan_it_has() -> None:
    stage = Stage(meek("Sunniva"), GUARD, ranker=ScriptedRanker(lambda q: None))
    stage.sweep(theft("Sunniva", gravity=0.5))
    stage.sweep(event("assault", "Sunniva", "he struck me", "player", 0.9))
    assert "deliberator_swap" not in stage.kinds()
    standing = stage.deliberator.intention("Sunniva")
    assert standing is not None
    assert standing.id == "sunniva-1"


def test_a_lesser_wrong_waits_for_the_plan_to_end() -> None:
    stage = Stage(meek("Sunniva"), GUARD)
    stage.sweep(theft("Sunniva", gravity=0.5))
    stage.sweep(event("trespass", "Sunniva", "he went behind the counter", "player", 0.3))
    assert [w["outcome"] for w in stage.payloads("deliberator_wake")] == ["intention", "declined"]
    stage.sweeps(2)
    wakes = stage.payloads("deliberator_wake")
    assert [w["outcome"] for w in wakes] == ["intention", "declined", "intention"]
    assert wakes[2]["id"] == "sunniva-2"


# Orders


@tells("obedience_broken")
def test_a_step_against_an_order_is_taken_aloud() -> None:
    stage = Stage(hot("Gerd"), GUARD)
    stage.order("Gerd", "Leave the stranger alone.", forbids=("confront", "demand"))
    stage.sweep(theft("Gerd", text="my hammer is gone", gravity=0.7))
    assert stage.served("Gerd") == ["intention-over-order"]
    assert stage.payload("obedience_broken") == {
        "name": "Gerd",
        "order": "Leave the stranger alone.",
        "reason": "my hammer is gone",
        "line": '"Leave the stranger alone."? Not after this.',
    }
    assert stage.kinds("Gerd")[:4] == [
        "deliberator_wake",
        "deliberator_decided",
        "obedience_broken",
        "deliberator_step_advance",
    ]
    spoken = stage.payloads("plan")[0]["say"]
    assert spoken == stage.payload("obedience_broken")["line"]


def test_the_dutiful_hold_rather_than_break_an_order() -> None:
    stage = Stage(meek("Sunniva"), GUARD)
    stage.order("Sunniva", "Stay where you are.")
    stage.sweep(theft("Sunniva", gravity=0.4))
    assert stage.served("Sunniva") == ["intention-hold"]
    assert "obedience_broken" not in stage.kinds()


@tells("obedience_broken")
def test_an_order_itself_can_be_refused() -> None:
    stage = Stage(hot("Gerd"), person("Odda", "elder"))
    stage.sweep(event("order", "Gerd", "Sweep the square.", "Odda"))
    assert stage.served("Gerd") == ["intention-over-order"]
    broken = stage.payload("obedience_broken")
    assert broken["order"] == "Sweep the square."
    assert broken["line"] == "No. Find somebody else for that."
    assert broken["reason"].startswith("told-to: ")


def test_a_new_order_is_refused_while_an_old_one_binds() -> None:
    stage = Stage(hot("Gerd"), person("Odda", "elder"))
    stage.order("Gerd", "Stay at the forge.")
    stage.sweep(event("order", "Gerd", "Sweep the square.", "Sunniva"))
    assert stage.payload("obedience_broken")["order"] == "Sweep the square."


def test_obeying_an_order_does_not_break_it() -> None:
    stage = Stage(meek("Runa", "guard", scheduled="gate"), person("Odda", "elder"))
    stage.order("Runa", "Back to your post.")
    stage.sweep(event("order", "Runa", "Back to your post.", "Odda"))
    stage.sweeps(3)
    assert stage.served("Runa")[0] == "intention"
    assert [c["cmd"] for c in stage.payloads("plan")] == ["say", "go_station"]
    assert "obedience_broken" not in stage.kinds()


# Amends


@tells("deliberator_stand_down")
def test_what_is_given_back_is_forgiven_and_the_plan_dropped() -> None:
    stage = Stage(kind_hearted("Sunniva"), GUARD)
    stage.sweep(theft("Sunniva", gravity=0.5))
    stage.sweep(event("amends", "Sunniva", "Here, I brought it back.", "player"))
    assert stage.payload("deliberator_stand_down") == {
        "name": "Sunniva",
        "excul": 0.95,
        "grudge": 0.4996,
        "law": "given-back",
        "semantic": False,
        "because": "what was taken has come back to me",
    }
    assert stage.deliberator.grudges() == {}
    assert stage.kinds("Sunniva")[-4:] == [
        "deliberator_wake",
        "deliberator_decided",
        "deliberator_plan_done",
        "plan",
    ]
    assert stage.payloads("plan")[-1]["say"] == "Let us say no more about it, Player."


def test_amends_of_one_leave_the_plan_against_another() -> None:
    stage = Stage(kind_hearted("Sunniva"), person("Finn"), GUARD)
    stage.sweep(event("insult", "Sunniva", "he called me a cheat", "Finn", 0.2))
    stage.sweep(event("assault", "Sunniva", "the stranger struck me", "player", 0.9))
    stage.sweep(event("amends", "Sunniva", "I should not have said it. Sorry.", "Finn"))
    assert stage.payload("deliberator_stand_down")["name"] == "Sunniva"
    standing = stage.deliberator.intention("Sunniva")
    assert standing is not None
    assert standing.wake.text == "the stranger struck me"
    assert stage.deliberator.grudges()["sunniva"] > 0.8


@tells("deliberator_stand_down")
def test_amends_about_as_heavy_as_the_grudge_are_weighed_by_the_mind() -> None:
    words = "his voice shook when he said it"
    ranker = ScriptedRanker(lambda q: Ranking(chosen=STAND_DOWN, because=words))
    stage = Stage(person("Sunniva"), GUARD, ranker=ranker)
    stage.sweep(theft("Sunniva", gravity=0.4))
    stage.sweep(event("amends", "Sunniva", "I am sorry.", "player"))
    assert ranker.asked[-1].reason is RankReason.AMENDS
    stood_down = stage.payload("deliberator_stand_down")
    assert (stood_down["semantic"], stood_down["because"]) == (True, words)
    kinds = stage.kinds("Sunniva")
    at = kinds.index("deliberator_stand_down")
    assert kinds[at - 2 : at] == ["deliberator_plan_escalation", "deliberator_rank"]


@tells("deliberator_hold_course")
def test_a_word_is_not_enough_for_a_blow() -> None:
    stage = Stage(hot("Gerd"), GUARD)
    stage.sweep(event("assault", "Gerd", "he struck me", "player", 0.9))
    stage.sweep(event("amends", "Gerd", "Sorry about that.", "player"))
    held = stage.payload("deliberator_hold_course")
    assert held["excul"] < held["grudge"]
    assert held["because"] == "they said they were sorry, and it sounded meant"
    standing = stage.deliberator.intention("Gerd")
    assert standing is not None
    assert standing.id == "gerd-1"


@tells("deliberator_amends_nothing_to_forgive")
def test_an_apology_for_nothing() -> None:
    stage = Stage(person("Pip", "child"))
    stage.sweep(event("amends", "Pip", "I am so sorry.", "player"))
    assert stage.payload("deliberator_amends_nothing_to_forgive") == {
        "name": "Pip",
        "cls": "amends",
        "text": "I am so sorry.",
    }
    assert stage.payload("deliberator_wake")["outcome"] == "declined"


# Promises


@tells("deliberator_decided")
def test_a_promise_is_kept_toward_the_one_it_was_made_to() -> None:
    stage = Stage(meek("Ylva"), person("Brenna", x=30.0))
    stage.wake("Ylva", WakeClass.UNDERTAKING, "the bridge is out", subject="brenna")
    stage.sweep()
    assert stage.payload("deliberator_wake")["plan"] == ["keep-promise"]
    decided = stage.payload("deliberator_decided")
    assert (decided["verb"], decided["target"]) == ("keep-promise", "ally:Brenna")
    receipt = next(r for r in stage.receipts if r["name"] == "Ylva")
    assert (receipt["target"], receipt["subject"]) == ("ally:Brenna", "brenna")
    assert (
        stage.payload("plan")["say"]
        == "Brenna, there is something I gave my word on: the bridge is out"
    )


def test_a_promise_to_a_role_is_kept_with_anybody_in_it() -> None:
    stage = Stage(meek("Ylva"), person("Torben", "guard", x=30.0))
    stage.wake("Ylva", WakeClass.UNDERTAKING, "tell the guard about the boat", subject="guard")
    stage.sweep()
    assert stage.payload("deliberator_decided")["target"] == "guard"


def test_a_grudge_can_outweigh_a_promise() -> None:
    stage = Stage(hot("Gerd"), person("Finn"), GUARD)
    for _ in range(3):
        stage.sweep(event("assault", "Gerd", "Finn struck me", "Finn", 0.9))
    stage.sweeps(200)
    stage.sweep(event("assault", "Gerd", "Finn struck me", "Finn", 0.9))
    stage.sweeps(70)
    done = stage.wake("Gerd", WakeClass.UNDERTAKING, "mend his axe", subject="Finn")
    assert done.outcome is Outcome.DECLINED
    assert done.reason == "no plan is worth it"


# The last gate, and commands from elsewhere


@tells("manifest_blocked")
def test_the_last_gate_stops_what_the_manifest_bars() -> None:
    stage = Stage(person("Pip", "child"))
    assert stage.deliberator.send(Command(cmd="confront", name="Pip"), stage.frame, "raw") is None
    assert stage.payload("manifest_blocked") == {
        "name": "Pip",
        "verb": "confront",
        "where": "gate",
    }
    assert stage.kinds() == ["manifest_blocked"]


@tells("manifest_blocked")
def test_nobody_is_commanded_who_is_not_there() -> None:
    stage = Stage(person("Pip", "child"))
    assert stage.deliberator.gate(Command(cmd="stay", name="Nobody"), stage.frame) is None
    assert stage.payload("manifest_blocked")["name"] == "Nobody"


@tells("raw")
def test_a_scene_puts_an_actor_back_into_its_pose() -> None:
    lease = Lease(role="herald", pose="greet_approach", reapply=True)
    stage = Stage(meek("Alrik", "innkeeper", lease=lease))
    stage.sweep(theft("Alrik"))
    assert stage.served("Alrik") == ["recast"]
    assert stage.payload("raw") == {"cmd": "greet_approach", "name": "Alrik"}
    # while the scene has the body, the plan waits
    assert stage.kinds("Alrik") == ["deliberator_wake", "raw"]


@tells("raw")
def test_a_spoken_answer_of_the_host_goes_through_the_gate() -> None:
    stage = Stage(person("Alrik", "innkeeper"))
    answer = Command(cmd="say", name="Alrik", target="player", say="We have rooms.")
    assert stage.deliberator.send(answer, stage.frame, "raw") == answer
    assert stage.payload("raw") == answer.to_json()


@tells("student_escalation", "student_escalation_verdict", "student")
def test_a_dilemma_its_verdict_and_the_command_that_follows() -> None:
    torn = LeaningHead(flee=0.4, warn_say=0.35)
    stage = Stage(person("Ylva", "farmer"), head=torn, player=Player(x=12.0, y=1.0, armed=True))
    (row,) = stage.sweep()
    dilemma = row.dilemma
    assert dilemma is not None
    asked = {
        "name": "Ylva",
        "tuple": dilemma.tup,
        "top2": [list(pair) for pair in dilemma.top2],
        "why": dilemma.why,
    }
    stage.coach.record("student_escalation", asked, t=stage.frame.t, tuple=dilemma.tup)
    answer = {"name": "Ylva", "tuple": dilemma.tup, "verb": "flee", "because": "he is armed"}
    stage.coach.record("student_escalation_verdict", answer, t=stage.frame.t, tuple=dilemma.tup)
    parked = ParkedVerdict(
        name="Ylva",
        verb="flee",
        tup=dilemma.tup,
        top2=dilemma.pair,
        t_parked=stage.frame.t,
        because="he is armed",
        target=None,
    )
    stage.sweep(verdicts={"ylva": parked})
    assert stage.served("Ylva") == ["escalated", "llm-verdict"]
    assert stage.kinds("Ylva", without=()) == [
        "student_escalation",
        "student_escalation_verdict",
        "student",
    ]
    assert [r["tuple"] for r in stage.records[:2]] == [dilemma.tup, dilemma.tup]
    assert stage.payload("student") == {"cmd": "flee", "name": "Ylva"}
    told = stage.why("Ylva")[-1]
    assert (told.deed, told.because) == ("flee", "he is armed")


@tells("student")
def test_a_sure_reflex_leaves_as_the_students() -> None:
    stage = Stage(person("Ylva", "farmer"), head=LeaningHead(flee=0.95))
    stage.sweep()
    assert stage.served("Ylva") == ["emitted"]
    assert stage.payload("student") == {"cmd": "flee", "name": "Ylva"}


def _without_default() -> dict[str, Any]:
    return {name: m for name, m in load_manifests().items() if name != "*"}
