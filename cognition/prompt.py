"""What a model is shown for one question: the mind in sections, and the matter at hand.

The same state gives the same bytes. Whatever others said, and whatever a model once said itself,
appears as quoted data only; :mod:`cognition.system_text` has the stable part that comes before.

A prompt that is longer than its budget loses, line by line and in this order: memories, earlier
thoughts, other threads, the faintest news. If that is not enough, intentions are told in brief.
State, intentions and the matter at hand are never left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cognition.asking import Focus, FocusKind
from cognition.executive_output import Action
from cognition.quoting import quoted, quoted_json, speakable
from cognition.scene import Scene, intentions, scene_sections, told_whole
from cognition.sections import Section, fit, joined, size_of
from cognition.system_text import option_lines
from llm_wire import render_current_message_line, render_speaker_line

__all__ = ["MasterStage", "Prompt", "estimate_tokens", "render_prompt"]

CHARS_PER_TOKEN: Final = 4
"""A rule of thumb for English; the server's own count goes into the trace beside it."""

REASON_CHARS: Final = 400
DATA_CHARS: Final = 600
MESSAGE_CHARS: Final = 2000
FOCUS_CHARS: Final = 4000
NAME_CHARS: Final = 100


class MasterStage(StrEnum):
    """What the master is asked for."""

    FAST = "fast"
    """An answer, at once."""
    PROPOSE = "propose"
    """Several things it might do."""
    DECIDE = "decide"
    """One of those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The changing part of one question."""

    text: str
    told: tuple[str, ...]
    """Ids of the promises and tasks whose words are in it, all of them."""


def estimate_tokens(chars: int) -> int:
    """About how many tokens a text of ``chars`` characters is."""
    return -(-chars // CHARS_PER_TOKEN)


def render_prompt(
    scene: Scene,
    focus: Focus | None,
    *,
    budget_tokens: int,
    stage: MasterStage = MasterStage.FAST,
    candidates: Sequence[Action] = (),
) -> Prompt:
    """The changing part: ``scene``, then what is to be thought about. No focus: the master."""
    sections = scene_sections(scene)
    lines = _matter(focus) if focus is not None else _master_matter(stage, candidates)
    matter = Section("The matter at hand", lines)
    room = budget_tokens * CHARS_PER_TOKEN - size_of(matter)
    brief = not fit(sections, room)
    if brief:
        short = intentions(scene, brief=True)
        sections = [short if s.title == short.title else s for s in sections]
    return Prompt(text=joined([*sections, matter]), told=told_whole(scene, brief=brief))


def _matter(focus: Focus) -> list[str]:
    lines = []
    if focus.text:
        lines.append(quoted(focus.text, FOCUS_CHARS))
    if focus.data:
        lines.append(f"data: {quoted_json(focus.data, DATA_CHARS)}")
    if focus.options:
        lines.append("I can choose among these now:")
        lines += option_lines(focus.options)
    if focus.kind is FocusKind.CONVERSATION and focus.interlocutor_id is not None:
        lines += _conversation(focus, focus.interlocutor_id)
    else:
        lines.append(_QUESTIONS[focus.kind])
    return lines


_QUESTIONS: Final = {
    FocusKind.DILEMMA: "I am torn. What do I do?",
    FocusKind.CONVERSATION: "What do I say?",
    FocusKind.WORK: "What do I make of this?",
    FocusKind.RANK: "Which of these do I choose? Name it as the type of a single action.",
}


def _conversation(focus: Focus, interlocutor_id: str) -> list[str]:
    message = focus.current_message or ""
    shown = speakable(message, MESSAGE_CHARS)
    lines = ["Somebody speaks with me. What do I say, and do I do anything?"]
    if shown != message:
        lines.append(f"their exact words: {quoted(message, MESSAGE_CHARS)}")
    name = speakable(focus.interlocutor_name or interlocutor_id, NAME_CHARS)
    speaker_id = speakable(interlocutor_id, NAME_CHARS).replace(")", "")
    return [
        *lines,
        render_speaker_line(name, speaker_id),
        render_current_message_line(shown),
    ]


def _master_matter(stage: MasterStage, candidates: Sequence[Action]) -> list[str]:
    if stage is MasterStage.PROPOSE:
        return [
            "I look at everything together. Which different things might I do now?",
            "List two or three as actions, the most fitting first; the choice comes after.",
        ]
    if stage is MasterStage.DECIDE:
        return [
            "These are the things I might do:",
            *(_candidate_line(number, action) for number, action in enumerate(candidates, 1)),
            "I weigh them against each other and keep one, as the only action.",
        ]
    return ["I look at everything together. What do I do now, if anything?"]


def _candidate_line(number: int, action: Action) -> str:
    line = f"{number}. {action.type}"
    if action.target is not None:
        line += f" toward {quoted(action.target)}"
    if action.reasoning:
        line += f", because {quoted(action.reasoning, REASON_CHARS)}"
    return line
