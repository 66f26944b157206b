"""Putting a question to a ranker: what it is told, and what goes on record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mindot.deliberator._state import State
from mindot.deliberator.composer import Candidate
from mindot.deliberator.forgiveness import Weighed
from mindot.deliberator.operators import Operator
from mindot.deliberator.ranker import RankedPlan, RankQuestion, RankReason
from mindot.deliberator.situation import NEAR, Situation, distance_to
from mindot.deliberator.wake import Wake, WakeClass, Wakened
from mindot.game.frame import Character, Frame

__all__ = ["HOLD_COURSE", "STAND_DOWN", "Pending", "ask_for_ranking"]

STAND_DOWN: Final = ("stand-down",)
"""What a ranker chooses to accept amends."""

HOLD_COURSE: Final = ("hold-course",)
"""What a ranker chooses to let things go on in spite of amends."""

_AMENDS_MEANINGS: Final[Mapping[tuple[str, ...], str]] = {
    STAND_DOWN: "accept the amends and let it be",
    HOLD_COURSE: "not accept the amends, and go on as before",
}

_SPOKEN: Final = frozenset(
    {WakeClass.ORDER, WakeClass.AMENDS, WakeClass.GREETING, WakeClass.UNDERTAKING}
)
"""Classes whose wake text is something that was said."""

_NEIGHBOURS_TOLD: Final = 4


@dataclass(slots=True, kw_only=True, eq=False)
class Pending:
    """A wake that waits for a ranking. Give it to ``Deliberator.settle``, once."""

    question: RankQuestion
    began: float
    """On the deliberator's clock, seconds."""
    asked_t: float
    """unix seconds, by the frames"""
    candidates: tuple[Candidate, ...]
    """Best first by the composer's order."""
    situation: Situation
    weighed: Weighed | None = None
    """Amends on the scales, when that is the question."""
    overtaken: str = field(default="", init=False)
    """Why no answer matters any more, in one short clause; empty while one does."""
    settled: Wakened | None = field(default=None, init=False)

    def is_fresh(self, state: State, t: float) -> bool:
        """Whether an answer may still come: one that nobody settles must not block for good."""
        return not self.overtaken and t - self.asked_t <= state.settings.deadline_s


def ask_for_ranking(
    state: State,
    wake: Wake,
    began: float,
    reason: RankReason,
    candidates: tuple[Candidate, ...],
    *,
    situation: Situation,
    character: Character,
    frame: Frame,
    weighed: Weighed | None = None,
) -> Pending:
    """The question about a wake, on record as escalated."""
    standing = state.standing.get(wake.key)
    operators = state.book.laws.operators
    question = RankQuestion(
        name=wake.name,
        reason=reason,
        wake=wake,
        archetype=character.archetype,
        traits=situation.traits,
        situation=situation.summary(),
        candidates=tuple(
            RankedPlan(plan=c.plan, score=c.score, meaning=_meaning(c.plan, operators))
            for c in candidates
        ),
        standing=() if standing is None else standing.plan,
        recalled=state.journal.recall(wake),
        ambient=_ambient(character, frame),
    )
    no_law = reason is RankReason.NO_LAW
    kind = "deliberator_escalation" if no_law else "deliberator_plan_escalation"
    state.record(kind, _payload(question), wake)
    pending = Pending(
        question=question,
        began=began,
        asked_t=frame.t,
        candidates=candidates,
        situation=situation,
        weighed=weighed,
    )
    open_still = [p for p in state.pending.get(wake.key, ()) if p.is_fresh(state, frame.t)]
    state.pending[wake.key] = [*open_still, pending]
    return pending


def _meaning(plan: tuple[str, ...], operators: Mapping[str, Operator]) -> str:
    amends = _AMENDS_MEANINGS.get(plan)
    return amends or ", then ".join(operators[name].meaning for name in plan)


def _ambient(character: Character, frame: Frame) -> tuple[str, ...]:
    """Who is near, nearest first, and what hangs in the air."""
    others = sorted(
        (distance_to(character, c.x, c.y), c.name, c.archetype)
        for c in frame.characters
        # the box is asked first: in a crowd nearly everybody is outside of it
        if abs(c.x - character.x) <= NEAR and abs(c.y - character.y) <= NEAR
        if c.alive and c is not character
    )
    near = [f"{name} ({arch}) is near" for way, name, arch in others if way <= NEAR]
    around = near[:_NEIGHBOURS_TOLD]
    if frame.alarm:
        around.append("the alarm is up")
    if frame.night:
        around.append("it is night")
    return tuple(around)


def _payload(question: RankQuestion) -> dict[str, Any]:
    wake = question.wake
    payload: dict[str, Any] = {
        "name": wake.name,
        "cls": wake.cls.value,
        "arch": question.archetype,
        "traits": {name: round(value, 4) for name, value in question.traits.items()},
        "wake_text": wake.text,
        "wake_t": round(wake.t, 2),
        "situation": question.situation,
        "candidates": [{"plan": list(c.plan), "score": c.score} for c in question.candidates],
    }
    if wake.cls in _SPOKEN:
        payload["text"] = wake.text
    if question.recalled:
        payload["recalled"] = list(question.recalled)
    if question.ambient:
        payload["ambient"] = list(question.ambient)
    return payload
