"""The stand-in for the language model: it sees text, and answers as a model might."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import ExecutiveOutput, parse_response
from llm_wire import render_current_message_line, render_speaker_line
from mindot.village.script import VillageScript

SYSTEM = "I am Runa.\n\n# What I can do\n- stay: remains\n- flee: gets away\n- serve: attends\n"
DILEMMA = """"I am at the gate. I am torn between flee and warn say."
I can choose among these now:
- stay: remains where it is
- warn_say: speaks a warning
- flee: gets away from danger
- call_help: calls for others
I am torn. What do I do? ({n})"""
RANK = """"The axe is gone."
I can choose among these now:
- plan-1: tell a guard
- plan-2: ask for it back
- decline: none of these
Which of these do I choose? ({n})"""
PROMISES = """# My intentions
- promise p1: "mend the \\"old\\" axe", given to "player" 4 ticks ago
- promise p2: "tell Maren", given to "player" 9 ticks ago; it is a goal of mine now

# The matter at hand
I look at everything together. What do I do now, if anything? ({n})"""


def answers(prompt: str, n: int = 240, seed: int = 7) -> list[ExecutiveOutput]:
    """What a reader makes of the answers to ``n`` prompts that differ by a number."""
    script = VillageScript(seed)
    return [
        parse_response(script.answer(SYSTEM, prompt.replace("{n}", str(i))).text) for i in range(n)
    ]


def read(outputs: list[ExecutiveOutput]) -> list[ExecutiveOutput]:
    return [output for output in outputs if output.route != "fallback"]


def said(message: str, speaker: str = "Player") -> str:
    focus = f"{render_speaker_line(speaker, 'player')}\n{render_current_message_line(message)}"
    return f"# The matter at hand ({{n}})\n{focus}\n"


def test_the_same_prompt_gets_the_same_answer_and_seeds_differ() -> None:
    prompts = [DILEMMA.replace("{n}", str(i)) for i in range(30)]
    first = [VillageScript(7).answer(SYSTEM, p) for p in prompts]
    assert first == [VillageScript(7).answer(SYSTEM, p) for p in prompts]
    assert first != [VillageScript(8).answer(SYSTEM, p) for p in prompts]
    assert first != [VillageScript(7).answer(SYSTEM + " ", p) for p in prompts]


def test_about_one_answer_in_twelve_cannot_be_read() -> None:
    outputs = answers(DILEMMA, 1200)
    share = 1 - len(read(outputs)) / len(outputs)
    assert 1 / 18 < share < 1 / 8


def test_a_dilemma_is_settled_with_a_verb_the_prompt_offers() -> None:
    outputs = read(answers(DILEMMA))
    chosen = Counter(output.actions[0].type for output in outputs)
    assert set(chosen) == {"stay", "warn_say", "flee", "call_help"}
    assert chosen["warn_say"] + chosen["flee"] > sum(chosen.values()) / 2
    assert all(output.reasoning and 0.5 <= output.confidence <= 1 for output in outputs)
    assert all(action.expected_outcome for output in outputs for action in output.actions)


def test_models_hand_it_over_in_many_forms() -> None:
    script = VillageScript(7)
    texts = [script.answer(SYSTEM, DILEMMA.replace("{n}", str(i))).text for i in range(240)]
    assert any(text.startswith("```json") for text in texts)
    assert any(text.startswith("<think>") for text in texts)
    assert any(text.startswith("{") for text in texts)
    assert any("\n  " in text for text in texts)
    routes = Counter(output.route for output in answers(DILEMMA))
    assert routes["json"] > routes["repaired"] > 0
    assert any(output.new_beliefs for output in answers(DILEMMA))


def test_a_ranking_names_a_plan() -> None:
    chosen = Counter(output.actions[0].type for output in read(answers(RANK)))
    assert set(chosen) == {"plan-1", "plan-2", "decline"}
    assert chosen["plan-1"] == max(chosen.values())


@pytest.mark.parametrize(
    ("message", "promise"),
    [
        (
            "Would you tell Maren that the oil is in?",
            {"what": "tell Maren that the oil is in", "target": "Maren", "gist": "the oil is in"},
        ),
        ("Could you mend my axe?", {"what": "mend their axe"}),
    ],
)
def test_a_favour_is_mostly_promised(message: str, promise: dict[str, str]) -> None:
    outputs = read(answers(said(message)))
    given_ = [output.undertakings for output in outputs if output.undertakings]
    assert all(
        {k: v for k, v in undertaking.items() if v is not None} == promise
        for undertakings in given_
        for undertaking in undertakings
    )
    assert 0.7 < len(given_) / len(outputs) < 1
    assert all(output.reply_text for output in outputs)


def test_small_talk_promises_nothing_and_sometimes_meets_silence() -> None:
    outputs = read(answers(said("Is the road safe?", speaker="Odda")))
    assert not any(output.undertakings for output in outputs)
    silent = [output for output in outputs if output.no_message is not None]
    assert 0 < len(silent) < len(outputs) / 4
    assert any("Odda" in (output.reply_text or "") for output in outputs)


def test_the_message_that_counts_is_the_last() -> None:
    earlier = said("Could you mend my axe?")
    outputs = answers(earlier + said("Is the road safe?"), 60)
    assert not any(output.undertakings for output in outputs)


def test_the_whole_mind_makes_goals_of_promises_that_are_none_yet() -> None:
    outputs = read(answers(PROMISES))
    goals = [goal for output in outputs for goal in output.new_goals or []]
    assert goals
    assert all(g["what"] == 'mend the "old" axe' and g["promise"] == "p1" for g in goals)
    assert any(not output.actions for output in outputs)
    assert {a.type for o in outputs for a in o.actions} <= {"stay", "flee", "serve"}


def test_proposals_and_decisions() -> None:
    proposed = read(answers("List two or three as actions, the most fitting first. ({n})"))
    assert any(len(output.actions) == 2 for output in proposed)
    decided = read(answers("These are the things I might do:\n1. flee\n2. serve\n({n})"))
    assert {output.actions[0].type for output in decided} == {"flee", "serve"}


def test_an_answer_takes_its_time() -> None:
    script = VillageScript(7)
    times = [script.answer("", str(i)).latency_ms for i in range(400)]
    assert min(times) >= 350
    assert 0.6 < sum(t < 2000 for t in times) / len(times) < 0.95
    assert any(t > 4000 for t in times)


@settings(max_examples=60, deadline=None)
@given(st.text(), st.text())
def test_it_has_an_answer_to_anything(system: str, prompt: str) -> None:
    answer = VillageScript(7).answer(system, prompt)
    assert answer.text
    assert answer.latency_ms > 0
    assert re.search(r"\S", answer.text)


def test_a_lone_surrogate_is_no_trouble() -> None:
    assert VillageScript(7).answer("", "\ud800").text
