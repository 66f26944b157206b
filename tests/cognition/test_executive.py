"""One mind, driven tick by tick: what goes in, what is asked, what lands."""

from typing import Any

import pytest

from cognition import (
    Answered,
    Ask,
    AskKind,
    Entity,
    Escalation,
    Executive,
    ExecutiveParams,
    Focus,
    FocusKind,
    Handoff,
    NotAnswered,
    Outcome,
    ThoughtFailure,
    Undertaking,
)
from cognition.testing import answer_text
from llm_wire.transport import Failure
from tests.cognition.rig import DILEMMA, TALK, Rig, news, talk

TORN = Focus(kind=FocusKind.DILEMMA, text="torn", options={"stay": "remains", "warn_say": "warns"})


def test_a_report_is_asked_at_the_pump_and_lands_at_the_boundary() -> None:
    rig = Rig(answer_text({"type": "warn_say", "target": "player"}, reasoning="a thief"))
    assert rig.mind.report(DILEMMA, TORN, tick=1)
    assert rig.mind.outstanding() == ()
    (ask,) = rig.mind.pump(1, {})
    assert (ask.ask_id, ask.facet_id, ask.key, ask.tick, ask.kind) == (
        "mock:gerdur/1",
        "facet-1",
        DILEMMA,
        1,
        AskKind.FACET,
    )
    assert ask.focus is TORN
    assert rig.mind.land(2) == []
    rig.mind.deliver(rig.deliberation.answer(ask))
    (decision,) = rig.mind.land(3)
    assert (decision.ask_id, decision.tick, decision.asked_tick) == (ask.ask_id, 3, 1)
    assert [(a.type, a.target) for a in decision.actions] == [("warn_say", "player")]
    assert decision.failure is None
    assert rig.mind.land(4) == []


def test_the_trace_tells_a_thought_from_its_call_to_its_output() -> None:
    rig = Rig(answer_text("stay", reasoning="r" * 600, confidence=0.75))
    rig.ask(DILEMMA, TORN)
    (ask,) = rig.asks
    chars = len(ask.system) + len(ask.prompt)
    assert rig.sink.events == [
        {
            "type": "executive.facet.spawn",
            "tick": 0,
            "facetId": "facet-1",
            "key": DILEMMA,
            "totalFacets": 1,
        },
        {
            "type": "executive.facet.call",
            "tick": 1,
            "facetId": "facet-1",
            "promptChars": chars,
            "promptTokensEst": -(-chars // 4),
            "askId": "mock:gerdur/1",
        },
        {
            "type": "executive.facet.response",
            "tick": 2,
            "facetId": "facet-1",
            "latencyMs": 0.0,
            "responseChars": len(answer_text("stay", reasoning="r" * 600, confidence=0.75)),
            "askId": "mock:gerdur/1",
        },
        {
            "type": "executive.facet.output",
            "tick": 2,
            "facetId": "facet-1",
            "confidence": 0.75,
            "reasoning": "r" * 499 + "…",
            "actions": ["stay"],
            "route": "json",
            "askId": "mock:gerdur/1",
        },
    ]


def test_answers_land_in_the_order_of_asking_however_they_come() -> None:
    rig = Rig()
    for number in range(3):
        rig.mind.report(f"k{number}", talk(), tick=0)
    asks = rig.mind.pump(1, {})
    for ask in reversed(asks):
        rig.mind.deliver(rig.deliberation.answer(ask))
    assert [d.key for d in rig.mind.land(2)] == ["k0", "k1", "k2"]


def test_a_facet_without_a_key_ends_with_its_decision() -> None:
    rig = Rig(answer_text("b"))
    focus = Focus(kind=FocusKind.RANK, text="which", options={"a": "", "b": ""})
    decision = rig.ask(None, focus)
    assert (decision.kind, decision.key) == (AskKind.RANK, None)
    assert [a.type for a in decision.actions] == ["b"]
    assert [e["reason"] for e in rig.sink.of_type("destroy")] == ["explicit"]
    assert rig.mind.statistics().facets.live == 0


def test_reports_of_one_thread_are_asked_one_after_the_other() -> None:
    rig = Rig()
    for message in ("one", "two", "three"):
        rig.mind.report(TALK, talk(message), tick=0)
    said = [d.focus.current_message for d in rig.step(5) if d.focus is not None]
    assert said == ["one", "two", "three"]
    assert [ask.tick for ask in rig.asks] == [1, 2, 3]


def test_only_the_latest_dilemma_of_a_thread_waits() -> None:
    rig = Rig()
    for text in ("old", "newer", "newest"):
        rig.mind.report(DILEMMA, Focus(kind=FocusKind.DILEMMA, text=text), tick=0)
    assert [d.focus.text for d in rig.step(4) if d.focus is not None] == ["newest"]


def test_attention_full_says_no_when_nothing_may_give_way() -> None:
    params = ExecutiveParams(max_facets=1, master_interval_ticks=10**9, master_salience=10**9)
    rig = Rig(params=params, evict_on_pressure=False)
    assert rig.mind.report("a", talk(), tick=0)
    assert not rig.mind.report("b", talk(), tick=0)


@pytest.mark.parametrize("failure", list(ThoughtFailure))
def test_every_failure_has_its_name_and_becomes_a_reflex(failure: ThoughtFailure) -> None:
    rig = Rig(lambda ask: failure, metrics={"energy.level": 18.0})
    decision = rig.ask(TALK, talk())
    assert decision.failure is failure
    assert [a.type for a in decision.actions] == ["rest"]
    assert decision.reply is None
    assert decision.output.route == "fallback"
    assert rig.sink.of_type("response")[0]["error"] == failure.value
    assert rig.sink.of_type("output")[0]["actions"] == ["rest"]
    assert rig.failures() == {failure.value: 1}


@pytest.mark.parametrize(
    ("text", "truncated", "failure"),
    [
        ("", False, ThoughtFailure.EMPTY),
        (" \n\t", False, ThoughtFailure.EMPTY),
        ("I would rather not say.", False, ThoughtFailure.UNREADABLE),
        ('{"actions": [{"ty', True, ThoughtFailure.TRUNCATED),
    ],
)
def test_an_answer_that_says_nothing_is_a_failure_too(
    text: str, truncated: bool, failure: ThoughtFailure
) -> None:
    rig = Rig()
    rig.mind.report(DILEMMA, TORN, tick=0)
    (ask,) = rig.mind.pump(1, {"stress.load": 72.0})
    rig.mind.deliver(Answered(ask_id=ask.ask_id, text=text, truncated=truncated))
    (decision,) = rig.mind.land(2)
    assert decision.failure is failure
    assert [a.type for a in decision.actions] == ["withdraw"]


def test_a_reply_outlives_an_unreadable_object() -> None:
    rig = Rig("well then\n[REPLY_TEXT]\nGood day.\n[/REPLY_TEXT]")
    decision = rig.ask(TALK, talk())
    assert (decision.failure, decision.reply) == (ThoughtFailure.UNREADABLE, "Good day.")


def test_an_error_text_never_becomes_thought_speech_or_promise() -> None:
    rig = Rig(lambda ask: ThoughtFailure.REFUSED)
    rig.ask(TALK, talk())
    rig.deliberation = type(rig.deliberation)(lambda ask: answer_text())
    rig.ask(TALK, talk())
    assert "What I thought lately" not in rig.asks[0].prompt
    assert rig.mind.promises() == ()


def test_an_answer_past_its_deadline_is_late() -> None:
    params = ExecutiveParams(
        thought_deadline_ticks=2, master_interval_ticks=10**9, master_salience=10**9
    )
    rig = Rig(params=params)
    for tick, late in ((3, None), (4, ThoughtFailure.LATE)):
        rig.mind.report(DILEMMA, TORN, tick=1)
        (ask,) = rig.mind.pump(1, {})
        rig.mind.deliver(rig.deliberation.answer(ask))
        (decision,) = rig.mind.land(tick)
        assert decision.failure is late


def test_what_nobody_waits_for_has_no_effect_and_is_counted() -> None:
    rig = Rig()
    rig.mind.report(TALK, talk(), tick=0)
    (ask,) = rig.mind.pump(1, {})
    assert rig.mind.close_thread(TALK, 2)
    assert not rig.mind.close_thread(TALK, 2)
    rig.mind.deliver(rig.deliberation.answer(ask))
    rig.mind.deliver(Answered(ask_id="nobody", text=""))
    assert rig.mind.land(3) == []
    assert rig.mind.statistics().stale == 2
    assert [(e["error"], e["tick"]) for e in rig.sink.of_type("response")] == [("cancelled", 2)]
    assert [(e["reason"], e["tick"]) for e in rig.sink.of_type("destroy")] == [("explicit", 2)]


def test_the_second_answer_to_an_ask_is_stale() -> None:
    rig = Rig()
    rig.mind.report(TALK, talk(), tick=0)
    (ask,) = rig.mind.pump(1, {})
    rig.mind.deliver(Answered(ask_id=ask.ask_id, text=answer_text(reply="first")))
    rig.mind.deliver(Answered(ask_id=ask.ask_id, text=answer_text(reply="second")))
    assert [d.reply for d in rig.mind.land(2)] == ["first"]
    assert rig.mind.statistics().stale == 1


def test_a_facet_that_gives_way_takes_its_questions_with_it_and_their_owners_hear() -> None:
    params = ExecutiveParams(max_facets=1, master_interval_ticks=10**9, master_salience=10**9)
    rig = Rig(params=params)
    rig.mind.report("a", talk("asked"), tick=0)
    (ask,) = rig.mind.pump(1, {})
    rig.mind.report("a", talk("waiting"), tick=1)
    rig.mind.deliver(rig.deliberation.answer(ask))  # arrived, and not landed yet
    rig.mind.report("b", talk("pushes in"), tick=1)
    landed = [(d.focus.current_message, d.failure) for d in rig.mind.land(2) if d.focus]
    assert landed == [
        ("asked", ThoughtFailure.CANCELLED),
        ("waiting", ThoughtFailure.CANCELLED),
    ]
    statistics = rig.mind.statistics()
    assert (statistics.stale, statistics.dropped_reports) == (1, 1)
    assert [e["reason"] for e in rig.sink.of_type("destroy")] == ["lru"]
    assert len(rig.sink.of_type("response")) == len(rig.sink.of_type("call")) == 1


def test_when_time_goes_back_answers_that_are_out_have_no_effect() -> None:
    rig = Rig(answer_text("stay", undertakings=[{"what": "mend the axe"}]))
    rig.mind.perceive(news(50, salience=0.3))
    rig.mind.report(TALK, talk(), tick=50)
    (ask,) = rig.mind.pump(50, {})
    rig.mind.pump(7, {})
    rig.mind.deliver(rig.deliberation.answer(ask))
    (decision,) = rig.mind.land(8)
    assert decision.failure is ThoughtFailure.CANCELLED
    assert rig.mind.statistics().stale == 1
    assert rig.mind.promises() == ()
    assert rig.mind.entities() == {}
    rig.tick = 8
    assert rig.ask(TALK, talk()).failure is None


def test_an_answer_that_arrived_before_time_went_back_has_no_effect() -> None:
    rig = Rig(answer_text("stay", undertakings=[{"what": "mend the axe"}]))
    rig.mind.report(TALK, talk(), tick=50)
    (ask,) = rig.mind.pump(50, {})
    rig.mind.deliver(rig.deliberation.answer(ask))
    (decision,) = rig.mind.land(7)
    assert decision.failure is ThoughtFailure.CANCELLED
    assert rig.mind.statistics().waiting_handoffs == 0


def test_promises_survive_a_rewind_and_can_still_be_kept() -> None:
    rig = Rig()
    rig.mind.push(Handoff(body=Undertaking(what="a", target="brenna"), tick=50))
    rig.mind.pump(50, {})
    rig.mind.pump(7, {})
    assert [(p.what, p.since) for p in rig.mind.promises()] == [("a", 7)]
    rig.mind.note_sent("brenna", 8)
    rig.mind.pump(9, {})
    assert rig.mind.promises() == ()


def test_closing_ends_everything_and_loses_no_handoff() -> None:
    rig = Rig()
    rig.mind.report(TALK, talk(), tick=0)
    rig.mind.report(DILEMMA, TORN, tick=0)
    asks = rig.mind.pump(1, {})
    handoff = Handoff(body=Escalation(reasoning="the mill burns"), tick=1)
    rig.mind.push(handoff)
    rig.mind.close(2)
    rig.mind.close(2)
    for ask in asks:
        rig.mind.deliver(rig.deliberation.answer(ask))
    assert rig.mind.land(3) == []
    assert [(e["key"], e["reason"]) for e in rig.sink.of_type("destroy")] == [
        (TALK, "explicit"),
        (DILEMMA, "explicit"),
    ]
    assert [e["error"] for e in rig.sink.of_type("response")] == ["cancelled", "cancelled"]
    statistics = rig.mind.statistics()
    assert (statistics.waiting_handoffs, statistics.outstanding) == (1, 0)


def test_perceive_takes_percepts_only() -> None:
    with pytest.raises(ValueError, match="got an entity of type 'belief'"):
        Rig().mind.perceive(Entity(id="b", type="belief"))


def test_a_percept_off_the_wire_is_checked_like_any_other() -> None:
    mind = Rig().mind
    with pytest.raises(ValueError, match="salience must be"):
        mind.perceive(Entity(id="w", type="percept", metadata={**news(1).metadata, "salience": 7}))
    with pytest.raises(ValueError, match="summary is missing"):
        mind.perceive(Entity(id="w", type="percept", metadata={"tick": 1, "category": "x"}))
    with pytest.raises(ValueError, match="'undertaking' is a handoff's: give it to push"):
        mind.perceive(news(1, category="undertaking"))
    assert mind.entities() == {}


def test_percepts_are_swept_and_bounded() -> None:
    rig = Rig()
    for number in range(400):
        rig.mind.perceive(news(1, salience=0.9 if number < 300 else 0.1, n=number))
    rig.mind.pump(1, {})
    assert len(rig.mind.entities()) == 256
    rig.mind.pump(3, {})
    assert len(rig.mind.entities()) == 256
    rig.mind.pump(4, {})
    assert rig.mind.entities() == {}


def test_a_trace_or_thought_sink_that_raises_stops_no_mind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*args: Any) -> None:
        raise OSError("disk full")

    rig = Rig(answer_text("stay"))
    mind = Executive(
        "m",
        persona=rig.mind.persona,
        affordances={"stay": ""},
        params=rig.mind.params,
        trace=broken,
        thought_sink=broken,
    )
    for tick in (1, 3):
        mind.report(DILEMMA, TORN, tick=tick)
        (ask,) = mind.pump(tick, {})
        mind.deliver(rig.deliberation.answer(ask))
        assert mind.land(tick + 1)[0].failure is None
    assert [r.getMessage().partition(" raised")[0] for r in caplog.records] == [
        "a trace sink",
        "a thought sink",
    ]


def test_a_surprise_is_known_at_once() -> None:
    rig = Rig()
    rig.mind.perceive(news(1, provenance="reafferent"))
    assert not rig.mind.ruptured(1)
    rig.mind.perceive(news(1, n=1))
    assert rig.mind.ruptured(1)
    assert not rig.mind.ruptured(4)


def test_each_thought_is_kept_with_what_came_of_it() -> None:
    rig = Rig(answer_text("stay"))
    rig.ask(DILEMMA, TORN)
    ((ask, outcome),) = rig.kept
    assert ask is rig.asks[0]
    assert isinstance(outcome, Answered)
    assert outcome.text == answer_text("stay")


def test_listeners_get_the_words_as_they_come() -> None:
    rig = Rig()
    heard: list[str] = []
    whole: list[str] = []

    def broken(words: str) -> None:
        raise RuntimeError("listener")

    rig.mind.listen(TALK, broken)
    stop = rig.mind.listen(TALK, heard.append)
    rig.mind.listen(TALK, whole.append)
    text = answer_text("stay", reply="Good day, Tom. [1] How is the mill?")
    for streamed in (True, False):
        rig.mind.report(TALK, talk(), tick=rig.tick)
        rig.tick += 1
        (ask,) = rig.mind.pump(rig.tick, {})
        if streamed:
            for at in range(0, len(text), 7):
                rig.mind.hear(ask.ask_id, text[at : at + 7])
        rig.mind.deliver(Answered(ask_id=ask.ask_id, text=text))
        (decision,) = rig.mind.land(rig.tick + 1)
        assert decision.reply == "Good day, Tom. [1] How is the mill?"
        stop()
    assert "".join(heard) == "Good day, Tom. [1] How is the mill?"
    assert "".join(whole) == "Good day, Tom. [1] How is the mill?" * 2


def test_a_silence_is_no_reply() -> None:
    rig = Rig(answer_text("stay", silence="not to him"))
    assert rig.ask(TALK, talk()).reply is None


def test_the_same_inputs_give_the_same_bytes() -> None:
    def life() -> list[Any]:
        rig = Rig(
            answer_text({"type": "warn_say", "target": "Brenna"}, undertakings=[{"what": "x"}]),
            params=ExecutiveParams(),
        )
        for tick in range(60):
            rig.mind.perceive(news(tick + 1, salience=0.3))
            if tick % 7 == 0:
                rig.mind.report(TALK, talk(f"message {tick}"), tick=tick)
            rig.step()
        return [[(a.ask_id, a.system, a.prompt) for a in rig.asks], rig.sink.events]

    assert life() == life()


def test_every_failure_of_a_transport_is_a_failure_of_a_thought() -> None:
    assert {failure.value for failure in Failure} <= {failure.value for failure in ThoughtFailure}


def test_not_answered_takes_the_names_of_failures() -> None:
    outcome: Outcome = NotAnswered(ask_id="x", failure="over-budget")  # type: ignore[arg-type]
    assert isinstance(outcome, NotAnswered)
    assert outcome.failure is ThoughtFailure.OVER_BUDGET
    with pytest.raises(ValueError, match="boredom"):
        NotAnswered(ask_id="x", failure="boredom")  # type: ignore[arg-type]


def test_an_ask_is_a_frozen_value() -> None:
    rig = Rig()
    rig.ask(DILEMMA, TORN)
    ask: Ask = rig.asks[0]
    with pytest.raises(AttributeError):
        ask.prompt = "x"  # type: ignore[misc]
