"""A mind on its own: one question at a time, and whatever the model does."""

import anyio
import pytest

from cognition import Vitals
from llm_wire.transport import Failure, Request
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from mindot import Mind, Thought
from mindot.game.manifest import load_manifests

ANSWER = """{"actions": [{"type": "warn_say", "target": "player"}],
             "reasoning": "A drawn blade is not welcome here.", "confidence": 0.8}"""


def consider(reply: str | ScriptedReply, vitals: Vitals | None = None) -> Thought:
    async def ask() -> Thought:
        mind = Mind("Gerdur", transport=ScriptedTransport(lambda request: reply))
        return await mind.consider("A stranger comes closer.", tick=1, vitals=vitals)

    return anyio.run(ask)


def test_a_thought_has_a_verb_and_says_why() -> None:
    thought = consider(ANSWER)
    assert (thought.verb, thought.target) == ("warn_say", "player")
    assert thought.because == "A drawn blade is not welcome here."
    assert thought.confidence == 0.8
    assert thought.failure is None


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        ("Good day to you.", "unreadable"),
        ("", "empty"),
        (ScriptedReply(failure=Failure.UNREACHABLE), "unreachable"),
        (ScriptedReply(failure=Failure.OVER_BUDGET), "over-budget"),
    ],
)
def test_whatever_comes_instead_of_a_thought_has_a_name_and_no_verb(
    reply: str | ScriptedReply, failure: str
) -> None:
    thought = consider(reply)
    assert thought.failure == failure
    assert thought.verb is None
    assert thought.because


def test_a_worn_out_body_still_intends_to_rest() -> None:
    thought = consider("Good day to you.", Vitals(energy=5.0))
    assert [action.type for action in thought.output.actions] == ["rest"]


def test_only_what_the_manifest_grants_is_offered_and_taken() -> None:
    asked: list[Request] = []

    def model(request: Request) -> str:
        asked.append(request)
        return ANSWER.replace("warn_say", "confront")

    async def ask() -> Thought:
        child = load_manifests()["child"]
        mind = Mind("Pip", transport=ScriptedTransport(model), manifest=child)
        return await mind.consider("A stranger comes closer.", tick=1)

    assert anyio.run(ask).verb is None
    assert "- stay: " in asked[0].system
    assert "- confront: " not in asked[0].system


def test_a_listener_hears_the_reply_grow_and_nothing_else() -> None:
    heard: list[str] = []
    text = f"{ANSWER}\n[REPLY_TEXT]\nMind your step, stranger.\n[/REPLY_TEXT]"

    async def talk() -> Thought:
        reply = ScriptedReply(text=text, piece_length=5)
        mind = Mind("Gerdur", transport=ScriptedTransport(lambda request: reply))
        mind.listen("ulf", heard.append)
        return await mind.converse("May I pass?", speaker="Ulf", tick=1)

    thought = anyio.run(talk)
    assert thought.reply == "Mind your step, stranger."
    assert "".join(heard) == thought.reply
    assert len(heard) > 1


def test_a_thread_remembers_and_other_threads_do_not() -> None:
    asked: list[str] = []

    def model(request: Request) -> str:
        asked.append(request.messages[0].content)
        return ANSWER.replace("A drawn blade", f"Thought number {len(asked)}")

    async def talk() -> None:
        mind = Mind("Gerdur", transport=ScriptedTransport(model))
        await mind.converse("One.", speaker="Ulf", tick=1)
        await mind.converse("Two.", speaker="Ulf", tick=2)
        await mind.consider("Rain.", tick=3, options={"stay": "stay inside"})

    anyio.run(talk)
    assert "Thought number 1" in asked[1]
    assert "- stay: stay inside" in asked[2]
