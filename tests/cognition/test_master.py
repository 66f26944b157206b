"""The whole mind's own thoughts: fast, or proposed and then decided."""

import pytest

from cognition import Ask, AskKind, EffortSignals, ExecutiveParams, ThoughtFailure
from cognition.effort import WEIGHTS
from cognition.testing import answer_text
from tests.cognition.rig import TALK, Rig, news, talk

PARAMS = ExecutiveParams(master_cooldown_ticks=5, fast_choice_ticks=8)
HARD = ExecutiveParams(master_cooldown_ticks=5, fast_choice_ticks=8, deliberate_threshold=0.0)


def test_the_weights_sum_to_one_and_effort_is_clamped() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert EffortSignals().effort == 0.0
    everything = EffortSignals(
        uncertainty=9, low_confidence=1, novelty=1, pending_message=1, load=1
    )
    assert everything.effort == pytest.approx(1.0)
    assert EffortSignals(uncertainty=-5).effort == 0.0


@pytest.mark.parametrize(
    ("signals", "hard"),
    [
        (EffortSignals(uncertainty=1, novelty=1), True),
        (EffortSignals(uncertainty=1, pending_message=1), False),
        (EffortSignals(low_confidence=1, pending_message=1, load=1), True),
    ],
)
def test_effort_from_the_threshold_calls_for_deliberation(
    signals: EffortSignals, hard: bool
) -> None:
    assert signals.calls_for_deliberation(0.5) is hard


def test_a_rupture_makes_the_master_think_and_a_fast_choice_then_stands() -> None:
    rig = Rig(answer_text("stay", "go_station"), params=PARAMS)
    rig.mind.perceive(news(1))
    (decision,) = rig.step()
    assert (decision.kind, decision.facet_id, decision.key) == (AskKind.MASTER, None, None)
    assert [a.type for a in decision.actions] == ["stay", "go_station"]
    assert decision.alternatives == ()
    assert [e["facetId"] for e in rig.sink.events] == ["master"] * 3
    assert rig.step(20) == []
    rig.mind.perceive(news(22))
    assert len(rig.step()) == 1


def test_a_hard_thought_proposes_and_then_decides_with_the_alternatives_kept() -> None:
    def say(ask: Ask) -> str:
        if "I weigh them" in ask.prompt:
            return answer_text({"type": "Go Station", "target": None})
        return answer_text(
            {"type": "stay", "reasoning": "it is safe"},
            {"type": "warn_say", "target": "Brenna", "reasoning": "she is near"},
            "go_station",
        )

    rig = Rig(say, params=HARD)
    rig.mind.perceive(news(1))
    assert rig.step() == []
    (decision,) = rig.step()
    assert [a.type for a in decision.actions] == ["go_station"]
    assert [(a.type, a.target) for a in decision.alternatives] == [
        ("stay", None),
        ("warn_say", "brenna"),
    ]
    assert "List two or three" in rig.asks[0].prompt
    assert '1. stay, because "it is safe"' in rig.asks[1].prompt
    assert '2. warn_say toward "brenna", because "she is near"' in rig.asks[1].prompt
    assert len(rig.asks) == 2


def test_a_single_proposal_needs_no_choice() -> None:
    rig = Rig(answer_text("stay"), params=HARD)
    rig.mind.perceive(news(1))
    (decision,) = rig.step()
    assert [a.type for a in decision.actions] == ["stay"]
    assert len(rig.asks) == 1


def test_a_choice_that_does_not_come_back_is_a_reflex_with_the_candidates_kept() -> None:
    said = [answer_text("stay", "go_station"), ThoughtFailure.OVER_BUDGET]
    rig = Rig(lambda ask: said[len(rig.asks) - 1], params=HARD, metrics={"stress.load": 72.0})
    rig.mind.perceive(news(1))
    rig.step()
    (decision,) = rig.step()
    assert decision.failure is ThoughtFailure.OVER_BUDGET
    assert [a.type for a in decision.actions] == ["withdraw"]
    assert [a.type for a in decision.alternatives] == ["stay", "go_station"]
    assert rig.step(3) == []


def test_the_master_asks_one_question_at_a_time() -> None:
    rig = Rig(params=PARAMS)
    rig.mind.perceive(news(1))
    (ask,) = rig.mind.pump(1, {})
    for tick in range(2, 60):
        rig.mind.perceive(news(tick))
        assert rig.mind.pump(tick, {}) == []
    rig.mind.deliver(rig.deliberation.answer(ask))
    rig.mind.land(60)
    assert len(rig.mind.pump(60, {})) == 1


def test_what_the_master_thought_reaches_its_facets_and_theirs_reaches_it() -> None:
    def say(ask: Ask) -> str:
        if ask.kind is AskKind.MASTER:
            return answer_text(reasoning="the whole of me is wary")
        return answer_text(
            reasoning="Tom asks about the bridge",
            undertakings=[{"what": "look at the bridge"}],
            reply="I will look.",
        )

    rig = Rig(say, params=PARAMS)
    rig.ask(TALK, talk())
    rig.mind.perceive(news(rig.tick + 1))
    rig.step()
    master = rig.asks[-1].prompt
    assert (
        '- with "Tom", I worked out "Tom asks about the bridge", and promised '
        '"look at the bridge"' in master
    )
    rig.ask(TALK, talk())
    facet = rig.asks[-1].prompt
    assert '- as a whole: "the whole of me is wary"' in facet
    assert (
        '- "Tom said: Will you tell Brenna? / I thought: Tom asks about the bridge / '
        'I said: I will look."' in facet
    )
    assert "In conversation now" not in facet  # its own thread is no news to it
    rig.mind.close_thread(TALK, rig.tick)
    rig.mind.perceive(news(rig.tick + 1))
    rig.step()
    assert "In conversation now" not in rig.asks[-1].prompt


def test_a_facet_that_came_later_knows_the_masters_last_five_thoughts() -> None:
    rig = Rig(lambda ask: answer_text(reasoning=f"thought {len(rig.asks)}"), params=PARAMS)
    for _ in range(7):
        rig.mind.perceive(news(rig.tick + 1))
        rig.step()
    rig.ask(TALK, talk())
    lines = [x for x in rig.asks[-1].prompt.splitlines() if x.startswith("- as a whole")]
    assert lines == [f'- as a whole: "thought {n}"' for n in range(3, 8)]


def test_a_body_in_crisis_makes_the_master_think() -> None:
    rig = Rig(params=PARAMS, metrics={"sleep.pressure": 66.0})
    assert [d.kind for d in rig.step()] == [AskKind.MASTER]


def test_doubt_makes_the_next_thought_harder() -> None:
    params = ExecutiveParams(master_cooldown_ticks=0, fast_choice_ticks=0)
    rig = Rig(lambda ask: answer_text("stay", "go_station", confidence=0.1), params=params)
    rig.mind.perceive(news(1, salience=0.5))
    rig.step()
    assert "List two or three" not in rig.asks[0].prompt
    rig.mind.perceive(news(2, salience=0.5))
    rig.step()
    assert "List two or three" in rig.asks[1].prompt
