"""A function that plays the language model for the village's minds.

It sees what a model would see, the system text and the prompt, and answers as one might: mostly
well, sometimes with words around the object or a comma too many, and about one time in twelve
with something nobody can read.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from llm_wire import match_conversation_focus, wrap_reply_text
from mindot.game.contract import CALM_ACTIONS
from mindot.village.favours import Favour, favour_in
from mindot.village.phrases import (
    BELIEFS,
    CHAT,
    GOAL_REASONS,
    MUSINGS,
    OUTCOMES,
    PREAMBLES,
    PROMISES,
    REASONS,
    REFUSALS,
    SILENCES,
    THINKING,
    UNREADABLE,
)

__all__ = ["UNREADABLE_ONE_IN", "ScriptedAnswer", "VillageScript"]

UNREADABLE_ONE_IN: Final = 12
"""About so many answers go by for one that cannot be read."""

_OPTION: Final = re.compile(r"^- ([a-z][a-z0-9_-]*)(?::|$)", re.MULTILINE)
_TORN: Final = re.compile(r"torn between ([a-z_ ]+?) and ([a-z_ ]+?)[.\"]")
_CANDIDATE: Final = re.compile(r"^\d+\. ([a-z][a-z0-9_-]*)", re.MULTILINE)
_PROMISE: Final = re.compile(r"^- promise (p\d+): (\"(?:[^\"\\]|\\.)*\")(.*)$", re.MULTILINE)

_KEEPS_WORD: Final = 0.85
"""How often a favour that is asked for is promised."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """What the stand-in says, and how long it seems to take."""

    text: str
    latency_ms: float


class VillageScript:
    """Answers a prompt from the seed and the prompt's bytes alone."""

    def __init__(self, seed: int = 7) -> None:
        self._seed = seed

    def answer(self, system: str, prompt: str) -> ScriptedAnswer:
        """The answer to a prompt; the same prompt always gets the same one."""
        draw = _Draw(f"{self._seed}\0{system}\0{prompt}")
        latency = _latency(draw)
        if draw.below(UNREADABLE_ONE_IN) == 0:
            return ScriptedAnswer(draw.pick(UNREADABLE), latency)
        focus = match_conversation_focus(prompt)
        if focus is not None:
            return ScriptedAnswer(_conversation(focus.speaker, focus.content, draw), latency)
        options = _OPTION.findall(prompt)
        if options:
            answer = _object(_chosen(options, prompt, draw), draw)
        else:
            answer = _whole_mind(system, prompt, draw)
        return ScriptedAnswer(_dressed(answer, draw), latency)


class _Draw:
    """A stream of chances that a text determines, byte for byte."""

    def __init__(self, text: str) -> None:
        self._key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        self._n = 0

    def below(self, n: int) -> int:
        self._n += 1
        block = hashlib.sha256(self._key + self._n.to_bytes(4, "big")).digest()
        return int.from_bytes(block[:8], "big") % n

    def chance(self, p: float) -> bool:
        return self.below(10_000) < p * 10_000

    def pick(self, items: Sequence[_T]) -> _T:
        return items[self.below(len(items))]


def _latency(draw: _Draw) -> float:
    """Milliseconds: mostly under two seconds, now and then too long for anybody to wait."""
    base = 350.0 + draw.below(1400)
    if draw.chance(0.15):
        base += 1000.0 + draw.below(2000)
    if draw.chance(0.03):
        base += 4000.0
    return base + draw.below(10) / 10


# ---------------------------------------------------------------------- choosing


def _chosen(options: Sequence[str], prompt: str, draw: _Draw) -> str:
    """One of what the prompt offers; where it names two, mostly one of these."""
    torn = _TORN.search(prompt)
    if torn is not None and draw.chance(0.8):
        named = [name.strip().replace(" ", "_") for name in torn.groups()]
        favoured = [name for name in named if name in options]
        # a mind that was asked tends to do something
        deeds = [name for name in favoured if name not in CALM_ACTIONS]
        if deeds and draw.chance(0.7):
            return draw.pick(deeds)
        if favoured:
            return draw.pick(favoured)
    # of ranked options the first is the likeliest to be meant
    return options[0] if draw.chance(0.4) else draw.pick(options)


def _action(verb: str, draw: _Draw) -> dict[str, Any]:
    return {
        "type": verb,
        "reasoning": draw.pick(REASONS.get(verb, MUSINGS)),
        "expectedOutcome": draw.pick(OUTCOMES),
    }


def _object(verb: str, draw: _Draw) -> dict[str, Any]:
    reasoning = draw.pick(REASONS.get(verb, MUSINGS))
    if draw.chance(0.15):
        belief = json.dumps({"newBeliefs": [draw.pick(BELIEFS)]})
        reasoning += f" [BELIEFS]{belief}[/BELIEFS]"
    return {
        "actions": [_action(verb, draw)],
        "reasoning": reasoning,
        "confidence": (55 + draw.below(40)) / 100,
    }


# ---------------------------------------------------------------------- the whole mind


def _whole_mind(system: str, prompt: str, draw: _Draw) -> dict[str, Any]:
    """What the master answers: a choice among candidates, proposals, or thoughts and goals."""
    candidates = _CANDIDATE.findall(prompt)
    able = [verb for verb in _OPTION.findall(system) if verb in REASONS]
    if candidates:
        return _object(draw.pick(candidates), draw)
    if "two or three as actions" in prompt and len(able) > 1:
        first, second = draw.pick(able), draw.pick(able)
        answer = _object(first, draw)
        if second != first:
            answer["actions"].append(_action(second, draw))
        return answer
    actions = [_action(draw.pick(able), draw)] if able and draw.chance(0.25) else []
    return {
        "actions": actions,
        "reasoning": _goals(prompt, draw) or draw.pick(MUSINGS),
        "confidence": (60 + draw.below(35)) / 100,
    }


def _goals(prompt: str, draw: _Draw) -> str | None:
    """A sentence with a goal made of the first promise that is none yet."""
    for short_id, quoted, rest in _PROMISE.findall(prompt):
        if "goal" in rest or not draw.chance(0.7):
            continue
        goal = {"what": json.loads(quoted), "priority": 0.6, "promise": short_id}
        block = json.dumps({"newGoals": [goal]})
        return f"{draw.pick(GOAL_REASONS)} [GOALS_NEW]{block}[/GOALS_NEW]"
    return None


# ---------------------------------------------------------------------- conversation


def _conversation(speaker: str, message: str, draw: _Draw) -> str:
    favour = favour_in(message)
    promised = favour is not None and draw.chance(_KEEPS_WORD)
    pool: tuple[str, ...] = PROMISES if promised else REFUSALS
    answer: dict[str, Any] = {
        "actions": [],
        "reasoning": draw.pick(MUSINGS),
        "confidence": (60 + draw.below(35)) / 100,
    }
    if favour is not None and promised:
        _give_word(answer, favour, draw)
    if favour is None and draw.chance(0.1):
        return f"{_dressed(answer, draw)}\n[NO_MESSAGE]{draw.pick(SILENCES)}[/NO_MESSAGE]"
    reply = draw.pick(CHAT if favour is None else pool).format(name=speaker)
    return f"{_dressed(answer, draw)}\n{wrap_reply_text(reply)}"


def _give_word(answer: dict[str, Any], favour: Favour, draw: _Draw) -> None:
    """Put the promise where a model might: beside the actions, or in a block."""
    undertaking = {"what": favour.what, "target": favour.target, "gist": favour.gist}
    given = {"undertakings": [{k: v for k, v in undertaking.items() if v is not None}]}
    if draw.chance(0.3):
        answer["reasoning"] += f" [UNDERTAKINGS]{json.dumps(given)}[/UNDERTAKINGS]"
    else:
        answer |= given


# ---------------------------------------------------------------------- form


def _dressed(answer: dict[str, Any], draw: _Draw) -> str:
    """The object as text, in one of the forms in which models hand such things over."""
    text = json.dumps(answer, indent=2 if draw.chance(0.3) else None, ensure_ascii=False)
    if draw.chance(0.06):
        text = text[:-1].rstrip() + ",\n}"
    if draw.chance(0.3):
        text = f"```json\n{text}\n```"
    if draw.chance(0.15):
        text = f"{draw.pick(PREAMBLES)}\n\n{text}"
    if draw.chance(0.1):
        text = f"<think>{draw.pick(THINKING)}</think>\n{text}"
    return text
