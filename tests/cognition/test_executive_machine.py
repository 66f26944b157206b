"""A mind under any order of events: nothing raises, nothing is lost, nothing happens twice."""

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cognition import (
    Answered,
    Ask,
    ExecutiveParams,
    Focus,
    FocusKind,
    Handoff,
    NotAnswered,
    Outcome,
    ThoughtFailure,
    dump_document,
    load_document,
)
from cognition.testing import answer_text, handoffs
from tests.cognition.rig import Rig, news, talk

KEYS = st.sampled_from(["conversation:a", "conversation:b", "npc:x", None])
PARAMS = ExecutiveParams(
    max_facets=3,
    facet_idle_ttl_ticks=8,
    master_cooldown_ticks=2,
    fast_choice_ticks=3,
    master_interval_ticks=10,
    deliberate_threshold=0.2,
    promise_lifetime_ticks=25,
    max_promises=4,
    max_goals=2,
    thought_deadline_ticks=9,
)
TEXTS = st.sampled_from(
    [
        answer_text("stay", confidence=0.2),
        answer_text("stay", "go_station", {"type": "warn_say", "target": "Brenna"}),
        answer_text("dance", {"type": "warn_say", "target": "Grimgor"}, confidence=0.0),
        answer_text(undertakings=[{"what": "tell her", "target": "brenna"}, {"what": "mend it"}]),
        answer_text(escalation="too much for me", reply="Good day."),
        answer_text(reasoning='[GOALS_NEW]{"newGoals": ["mend it", "rest"]}[/GOALS_NEW]'),
        answer_text(reasoning='[GOALS_ABANDON]{"goalsToAbandon": ["p1", "g1"]}[/GOALS_ABANDON]'),
        answer_text(silence="no"),
        "nothing to read [REPLY_TEXT]but this[/REPLY_TEXT]",
        "",
    ]
)


class MindMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig(params=PARAMS)
        self.tick = 1
        self.out: dict[str, Ask] = {}
        self.over: set[str] = set()
        self.landed: list[str] = []

    @property
    def mind(self) -> Any:
        return self.rig.mind

    @rule(ticks=st.integers(1, 6))
    def time_passes(self, ticks: int) -> None:
        self.tick += ticks

    @rule(back=st.integers(1, 15))
    def a_save_is_loaded(self, back: int) -> None:
        self.tick = max(0, self.tick - back)

    @rule(salience=st.floats(0, 1), own=st.booleans(), n=st.integers(0, 3))
    def something_happens(self, salience: float, own: bool, n: int) -> None:
        where = "reafferent" if own else "exafferent"
        self.mind.perceive(news(self.tick, salience=salience, n=n, provenance=where))

    @rule(key=KEYS, kind=st.sampled_from(["conversation", "dilemma", "rank"]))
    def something_to_think_about(self, key: str | None, kind: str) -> None:
        options = {"stay": "", "warn_say": ""}
        focus = talk() if kind == "conversation" else Focus(kind=FocusKind(kind), options=options)
        assert self.mind.report(key, focus, tick=self.tick)

    @rule(handoff=handoffs(max_tick=30))
    def a_handoff_comes_from_outside(self, handoff: Handoff) -> None:
        self.mind.push(handoff)

    @rule(who=st.sampled_from(["brenna", "Tom", "stranger"]))
    def a_word_is_sent(self, who: str) -> None:
        self.mind.note_sent(who, self.tick)

    @rule(stress=st.floats(0, 100), energy=st.floats(0, 100), free=st.sampled_from([0.0, 0.5, 1.0]))
    def pump(self, stress: float, energy: float, free: float) -> None:
        metrics = {"stress.load": stress, "energy.level": energy}
        for ask in self.mind.pump(self.tick, metrics, free_attention=free):
            assert ask.ask_id not in self.out
            assert ask.tick == self.tick
            self.out[ask.ask_id] = ask
            json.dumps([ask.system, ask.prompt])

    @precondition(lambda self: self.out)
    @rule(data=st.data(), text=TEXTS, failure=st.none() | st.sampled_from(ThoughtFailure))
    def an_answer_comes(
        self, data: st.DataObject, text: str, failure: ThoughtFailure | None
    ) -> None:
        ask_id = data.draw(st.sampled_from(sorted(self.out)))
        outcome: Outcome = (
            Answered(ask_id=ask_id, text=text)
            if failure is None
            else NotAnswered(ask_id=ask_id, failure=failure)
        )
        self.mind.deliver(outcome)

    @rule()
    def land(self) -> None:
        for decision in self.mind.land(self.tick):
            assert decision.tick == self.tick
            assert decision.ask_id not in self.over
            self.over.add(decision.ask_id)
            if decision.failure is not None:
                assert {a.type for a in decision.actions} <= {"rest", "withdraw"}
            else:
                assert {a.type for a in decision.actions} <= {"stay", "warn_say", "go_station"}

    @rule(key=KEYS.filter(bool))
    def a_thread_is_closed(self, key: str) -> None:
        self.mind.close_thread(key, self.tick)

    @rule()
    def it_comes_back_from_its_document(self) -> None:
        data = dump_document(self.mind.snapshot())
        self.mind.restore(load_document(data))
        assert dump_document(self.mind.snapshot()) == data

    @rule()
    def it_is_closed(self) -> None:
        waiting = self.mind.statistics().waiting_handoffs
        self.mind.close(self.tick)
        assert self.mind.statistics().facets.live == 0
        assert self.mind.statistics().waiting_handoffs == waiting
        assert self.mind.outstanding() == ()

    @invariant()
    def every_question_has_one_answer_in_the_trace_or_is_out(self) -> None:
        answered = [e["askId"] for e in self.rig.sink.of_type("response")]
        assert len(set(answered)) == len(answered)
        called = {e["askId"] for e in self.rig.sink.of_type("call")}
        waiting = {ask.ask_id for ask in self.mind.outstanding() if ask.prompt}
        assert called == set(answered) | waiting
        assert not set(answered) & waiting

    @invariant()
    def every_facet_that_lives_was_spawned_and_not_ended(self) -> None:
        live: dict[str, str | None] = {}
        for event in self.rig.sink.events:
            if event["type"] == "executive.facet.spawn":
                assert event["facetId"] not in live
                live[event["facetId"]] = event.get("key")
            elif event["type"] == "executive.facet.destroy":
                assert live.pop(event["facetId"]) == event.get("key")
        keys = [key for key in live.values() if key is not None]
        assert len(set(keys)) == len(keys)
        assert len(live) == self.mind.statistics().facets.live <= 3

    @invariant()
    def every_promise_that_stands_was_taken_up_and_not_ended(self) -> None:
        started = len(self.rig.sink.of_type("undertaking.start"))
        ended = self.rig.sink.of_type("undertaking.end")
        standing = self.mind.promises()
        assert len(standing) <= 4
        assert started <= len(standing) + len(ended)
        for event in ended:
            assert event["reason"] != "seen" or "target" not in event
        assert len({p.short_id for p in standing}) == len(standing)

    @invariant()
    def it_stays_small(self) -> None:
        assert len(self.mind.goals()) <= 32
        assert sum(goal.status == "pursued" for goal in self.mind.goals()) <= 2


TestMindMachine = MindMachine.TestCase
TestMindMachine.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
