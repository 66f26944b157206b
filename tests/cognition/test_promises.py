"""Promises in a living mind: how they arise, stand, are shown, and end."""

import json
from typing import Any

import pytest

from cognition import (
    Ask,
    AskKind,
    Escalation,
    ExecutiveParams,
    Handoff,
    ThoughtFailure,
    Undertaking,
)
from cognition.testing import answer_text
from tests.cognition.rig import DILEMMA, TALK, Rig, news, talk

FREE = ExecutiveParams(master_cooldown_ticks=0, fast_choice_ticks=0)


def promise(what: str = "tell Brenna", target: str | None = "brenna", tick: int = 1) -> Handoff:
    return Handoff(
        body=Undertaking(what=what, target=target),
        tick=tick,
        subject_entity_id="tom",
        subject_name="Tom",
        thread_id=TALK,
    )


def script(facet: str = answer_text(), master: str | ThoughtFailure | None = None) -> Any:
    def say(ask: Ask) -> str | ThoughtFailure:
        if ask.kind is AskKind.MASTER:
            return answer_text() if master is None else master
        return facet

    return say


def ends(rig: Rig) -> list[tuple[str, str]]:
    return [(e["what"], e["reason"]) for e in rig.sink.of_type("undertaking.end")]


def test_the_answers_own_undertakings_are_raised_with_resolved_addressees() -> None:
    facet = answer_text(
        undertakings=[
            {"what": "reach Brenna", "target": "BRENNA", "gist": "the bridge"},
            {"what": "mend the axe"},
        ],
        escalation="the mill burns",
    )
    rig = Rig(facet)
    decision = rig.ask(TALK, talk())
    assert [h.body.model_dump(exclude_none=True) for h in decision.raised] == [
        {
            "kind": "undertaking",
            "what": "reach Brenna",
            "target": "brenna",
            "gist": "the bridge",
            "reasoning": "",
        },
        {"kind": "undertaking", "what": "mend the axe", "reasoning": ""},
        {"kind": "escalation", "reasoning": "the mill burns"},
    ]
    assert {h.thread_id for h in decision.raised} == {TALK}
    assert {h.subject_entity_id for h in decision.raised} == {"tom"}
    rig.step()
    assert [(p.short_id, p.what, p.target, p.promised_to) for p in rig.mind.promises()] == [
        ("p1", "reach Brenna", "brenna", "Tom"),
        ("p2", "mend the axe", None, "Tom"),
    ]
    assert rig.sink.of_type("undertaking.start") == [
        {
            "type": "executive.undertaking.start",
            "tick": 2,
            "what": "reach Brenna",
            "target": "brenna",
            "since": 2,
            "promisedTo": "Tom",
        },
        {
            "type": "executive.undertaking.start",
            "tick": 2,
            "what": "mend the axe",
            "since": 2,
            "promisedTo": "Tom",
        },
    ]


@pytest.mark.parametrize("target", ["tom", "Tom", "TOM", " tom "])
def test_an_act_toward_the_one_it_speaks_with_is_no_promise(target: str) -> None:
    rig = Rig(answer_text({"type": "warn_say", "target": target}))
    decision = rig.ask(TALK, talk())
    assert decision.raised == ()
    assert [a.type for a in decision.actions] == ["warn_say"]


def test_an_act_toward_somebody_else_becomes_a_promise() -> None:
    act = {
        "type": "warn_say",
        "target": "Brenna",
        "reasoning": "she crosses it daily",
        "expectedOutcome": "Brenna knows of the bridge",
        "args": {"message": "the bridge is out"},
    }
    decision = Rig(answer_text(act)).ask(TALK, talk())
    assert decision.actions == ()
    (handoff,) = decision.raised
    assert handoff.body == Undertaking(
        what="Brenna knows of the bridge",
        target="brenna",
        gist="the bridge is out",
        reasoning="she crosses it daily",
    )


def test_a_dilemmas_act_is_done_and_not_promised() -> None:
    rig = Rig(answer_text({"type": "warn_say", "target": "Brenna"}))
    decision = rig.ask(DILEMMA, talk().__class__(kind="dilemma"))  # type: ignore[arg-type]
    assert [(a.type, a.target) for a in decision.actions] == [("warn_say", "brenna")]
    assert decision.raised == ()


def test_a_promise_to_reach_whom_it_speaks_with_has_nobody_left_to_reach() -> None:
    rig = Rig(answer_text(undertakings=[{"what": "mend his axe", "target": "Tom"}]))
    rig.ask(TALK, talk())
    rig.mind.note_sent("tom", rig.tick + 1)
    rig.step()
    assert [(p.what, p.target) for p in rig.mind.promises()] == [("mend his axe", None)]


def test_a_promise_is_kept_by_reaching_the_promised_party() -> None:
    rig = Rig()
    rig.mind.push(promise(tick=3))
    rig.mind.note_sent("brenna", 2)
    rig.tick = 3
    rig.step()
    assert len(rig.mind.promises()) == 1
    rig.mind.note_sent("Brenna", 5, record={"t": 10.5, "served": "intention"})
    rig.step()
    assert rig.mind.promises() == ()
    assert rig.sink.of_type("undertaking.end") == [
        {
            "type": "executive.undertaking.end",
            "tick": 5,
            "what": "tell Brenna",
            "target": "brenna",
            "reason": "kept",
            "since": 3,
            "promisedTo": "Tom",
            "by": {"t": 10.5, "served": "intention"},
        }
    ]


def test_evidence_that_names_its_promise_keeps_that_one_only() -> None:
    rig = Rig()
    rig.mind.push(promise("tell of the bridge"))
    rig.mind.push(promise("bring the flour"))
    rig.mind.note_sent("brenna", 4, "Bring the flour!")
    rig.step()
    assert [p.what for p in rig.mind.promises()] == ["tell of the bridge"]
    assert ends(rig) == [("bring the flour", "kept")]


def test_a_promise_toward_nobody_ends_when_a_completed_thought_has_had_it() -> None:
    rig = Rig(script(), params=FREE)
    rig.mind.push(promise("mend the axe", None))
    rig.step()
    assert '"mend the axe"' in rig.asks[0].prompt
    (standing,) = rig.mind.promises()
    assert standing.seen_at == 2
    rig.step()
    assert rig.mind.promises() == ()
    assert ends(rig) == [("mend the axe", "seen")]


@pytest.mark.parametrize(
    "failed", [ThoughtFailure.TIMEOUT_TOTAL, ThoughtFailure.CANCELLED, "no object at all", ""]
)
def test_no_promise_is_lost_when_the_thought_that_should_read_it_fails(failed: Any) -> None:
    rig = Rig(script(master=failed), params=FREE)
    rig.mind.push(promise("mend the axe", None))
    rig.step(30)
    assert [p.seen_at for p in rig.mind.promises()] == [None]
    assert ends(rig) == []


def test_a_promise_becomes_a_goal_of_its_requester_and_its_end_says_so() -> None:
    goals = '[GOALS_NEW]{"newGoals": [{"what": "mend it by Friday", "promise": "p1"}]}[/GOALS_NEW]'
    rig = Rig(script(master=answer_text(reasoning=f"work {goals}")), params=FREE)
    rig.mind.push(promise("mend the axe", None))
    rig.step(2)
    goal = rig.mind.goals()[0]
    assert (goal.id, goal.what, goal.promise) == ("g1", "mend it by Friday", "mend the axe")
    assert goal.requester is not None
    assert (goal.requester.entity_id, goal.requester.thread_id) == ("tom", TALK)
    (end,) = rig.sink.of_type("undertaking.end")
    assert (end["reason"], end["goal"]) == ("seen", "mend it by Friday")
    (became,) = rig.sink.of_type("undertaking.goal")
    assert (became["what"], became["goal"]) == ("mend the axe", "mend it by Friday")


def test_the_master_lets_a_promise_go_and_a_facet_cannot() -> None:
    let_go = answer_text(
        reasoning='[GOALS_ABANDON]{"goalsToAbandon": ["p1"]}[/GOALS_ABANDON] enough'
    )
    rig = Rig(script(facet=let_go))
    rig.mind.push(promise())
    rig.ask(TALK, talk())
    assert len(rig.mind.promises()) == 1
    free = Rig(script(master=let_go), params=FREE)
    free.mind.push(promise())
    free.step()
    assert free.mind.promises() == ()
    assert ends(free) == [("tell Brenna", "let-go")]


def test_the_host_can_let_a_promise_go() -> None:
    rig = Rig()
    rig.mind.push(promise())
    rig.step()
    assert rig.mind.let_go("P1", 2)
    assert not rig.mind.let_go("p1", 2)
    assert ends(rig) == [("tell Brenna", "let-go")]


def test_a_promise_ends_of_age() -> None:
    params = ExecutiveParams(
        promise_lifetime_ticks=10, master_interval_ticks=10**9, master_salience=10**9
    )
    rig = Rig(params=params)
    rig.mind.push(promise(tick=1))
    rig.mind.push(Handoff(body=Escalation(reasoning="the mill burns"), tick=1))
    rig.step(11)
    assert len(rig.mind.promises()) == 1
    rig.step()
    assert ends(rig) == [("tell Brenna", "age")]
    # a task is no promise: it stands until a completed thought has seen it
    assert [e.metadata["category"] for e in rig.mind.entities().values()] == ["task-escalation"]


def test_of_too_many_promises_the_oldest_gives_way() -> None:
    rig = Rig()
    for number in range(40):
        rig.mind.push(promise(f"promise {number}", tick=number))
    rig.step()
    assert [p.what for p in rig.mind.promises()] == [f"promise {n}" for n in range(8, 40)]
    assert ends(rig) == [(f"promise {n}", "limit") for n in range(8)]


def test_a_promise_that_is_kept_at_once_is_told_of_too() -> None:
    rig = Rig()
    rig.mind.note_sent("brenna", 1)
    rig.mind.push(promise())
    rig.step()
    assert ends(rig) == [("tell Brenna", "kept")]
    assert rig.mind.promises() == ()


def test_speaking_of_a_standing_promise_by_its_id_makes_no_new_one() -> None:
    rig = Rig(
        answer_text(undertakings=[{"what": "p1"}, {"what": "Tell  brenna.", "target": "Brenna"}])
    )
    rig.mind.push(promise())
    rig.ask(TALK, talk())
    rig.step()
    assert [p.short_id for p in rig.mind.promises()] == ["p1"]


def test_a_promise_to_somebody_unknown_stands_and_the_mind_is_told() -> None:
    rig = Rig(answer_text(undertakings=[{"what": "find him", "target": "Grimgor"}]))
    rig.ask(TALK, talk())
    rig.step()
    assert [(p.what, p.target) for p in rig.mind.promises()] == [("find him", "Grimgor")]
    assert any(
        e.metadata.get("category") == "addressee-unknown" for e in rig.mind.entities().values()
    )


def test_standing_promises_are_in_every_prompt_with_short_ids() -> None:
    rig = Rig()
    rig.mind.push(Handoff(body=Undertaking(what="tell her", target="brenna", gist="out"), tick=0))
    rig.step(4)
    rig.ask(TALK, talk())
    line = next(x for x in rig.asks[0].prompt.splitlines() if x.startswith("- promise p1"))
    assert line == (
        '- promise p1: "tell her" 5 ticks ago; "brenna" has not been reached since; to tell: "out"'
    )


def test_a_rambling_answer_makes_a_bounded_number_of_promises() -> None:
    many = [{"what": f"promise {n}"} for n in range(500)]
    decision = Rig(answer_text(undertakings=many)).ask(TALK, talk())
    assert len(decision.raised) == 16
    assert json.dumps([h.model_dump() for h in decision.raised])


def test_a_handoff_that_waits_when_time_goes_back_can_still_be_kept() -> None:
    rig = Rig()
    rig.mind.pump(100, {})
    rig.mind.push(Handoff(body=Undertaking(what="tell her", target="brenna"), tick=101))
    rig.mind.pump(50, {})
    assert [p.since for p in rig.mind.promises()] == [50]
    rig.mind.note_sent("brenna", 51)
    rig.mind.pump(52, {})
    assert rig.mind.promises() == ()


def test_a_handoff_that_waits_in_a_document_comes_back_at_the_hosts_tick() -> None:
    rig = Rig()
    rig.mind.pump(100, {})
    rig.mind.push(Handoff(body=Undertaking(what="tell her", target="brenna"), tick=101))
    rig.mind.restore(rig.mind.snapshot(), tick=0)
    rig.mind.pump(0, {})
    assert [p.since for p in rig.mind.promises()] == [0]


def promised_and_reached() -> Rig:
    rig = Rig()
    rig.mind.push(Handoff(body=Undertaking(what="tell her", target="brenna"), tick=1))
    rig.mind.pump(1, {})
    rig.mind.note_sent("brenna", 2, record="r-7")
    return rig


@pytest.mark.parametrize("tick", [None, 0])
def test_evidence_that_was_not_weighed_yet_is_in_the_document(tick: int | None) -> None:
    rig = promised_and_reached()
    document = json.loads(json.dumps(rig.mind.snapshot()))
    other = Rig()
    other.mind.restore(document, tick=tick)
    other.mind.pump(3, {})
    assert other.mind.promises() == ()
    (end,) = other.sink.of_type("undertaking.end")
    assert (end["reason"], end["by"]) == ("kept", "r-7")


def test_evidence_is_weighed_before_others_take_its_place() -> None:
    rig = promised_and_reached()
    for number in range(200):
        rig.mind.note_sent(f"villager-{number}", 2)
    rig.mind.pump(2, {})
    assert rig.mind.promises() == ()
    assert len(rig.mind.entities()) == 64


def test_evidence_is_weighed_before_it_is_too_old() -> None:
    rig = promised_and_reached()
    rig.mind.pump(700, {})
    assert rig.mind.promises() == ()
    assert rig.mind.entities() == {}


@pytest.mark.parametrize(("who", "tick"), [("brenna", -1), ("brenna", "soon"), ("brenna", None)])
def test_evidence_names_its_tick(who: str, tick: Any) -> None:
    with pytest.raises(ValueError, match="tick must be a non-negative int"):
        Rig().mind.note_sent(who, tick)


LONG = "bring the letter of the old miller's wife to the jarl, and wait there for his answer"


@pytest.mark.parametrize("body", [Undertaking(what=LONG), Escalation(reasoning=LONG)])
@pytest.mark.parametrize(("tokens", "whole"), [(3000, True), (10, False)])
def test_what_was_read_in_part_only_goes_on_standing(
    body: Undertaking | Escalation, tokens: int, whole: bool
) -> None:
    rig = Rig(params=ExecutiveParams(prompt_tokens=tokens))
    rig.mind.push(Handoff(body=body, tick=1))
    rig.mind.perceive(news(1))
    rig.step(2)
    (ask,) = rig.asks
    assert ("wait there for his answer" in ask.prompt) is whole
    standing = rig.mind.entities().values()
    handed = [e for e in standing if e.metadata.get("source") == "executive-facet"]
    assert len(handed) == (0 if whole else 1)


def test_a_promise_of_many_words_is_read_whole() -> None:
    rig = Rig(params=ExecutiveParams())
    rig.mind.push(Handoff(body=Undertaking(what="go on and " * 150 + "rest"), tick=1))
    rig.mind.perceive(news(1))
    rig.step(2)
    assert [e["reason"] for e in rig.sink.of_type("undertaking.end")] == ["seen"]
