"""The mind as judge: a deliberator's question put to the character's own mind.

A host asks with :class:`Rankings`: the question leaves with the sweep's other thoughts and its
answer lands at a boundary, so no sweep waits for it. :class:`MindRanker` is for those who use a
deliberator by itself and would rather wait.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cognition.asking import Decision, Focus, FocusKind
from cognition.reflex import Vitals
from mindot.deliberator import Deliberator
from mindot.deliberator.asking import LATE
from mindot.deliberator.questions import Pending
from mindot.deliberator.ranker import RankedPlan, RankFailure, Ranking, RankQuestion
from mindot.game.frame import name_key
from mindot.mind import Mind

__all__ = ["MindRanker", "NoRankingError", "Rankings"]

DECLINE: Final = "decline"
"""How a mind says that it wants none of the candidates."""


class NoRankingError(Exception):
    """The mind gave no choice. The text is the failure's name."""


@dataclass(frozen=True, slots=True)
class _Open:
    mind: Mind
    focus: Focus
    pending: Pending


class Rankings:
    """Questions of a deliberator that wait for their characters' minds."""

    def __init__(self, deliberator: Deliberator, deadline_s: float) -> None:
        self._deliberator = deliberator
        self._deadline_s = deadline_s
        self._open: list[_Open] = []

    def ask(self, mind: Mind, pending: Pending, tick: int) -> None:
        """Put the question to ``mind``. With its attention full the composer decides at once."""
        focus = _focus_of(pending.question)
        if mind.report(None, focus, tick=tick):
            self._open.append(_Open(mind, focus, pending))
        else:
            self._deliberator.settle(pending, RankFailure(where="mind", err="attention-full"))

    def take(self, decision: Decision) -> bool:
        """Settle what this decision answers; False when it answers none of the questions."""
        for waiting in self._open:
            if waiting.focus is decision.focus:
                self._open.remove(waiting)
                self._deliberator.settle(
                    waiting.pending, _answer(decision, waiting.pending.question)
                )
                return True
        return False

    def expire(self, t: float) -> None:
        """Let the composer decide what has waited past the deadline at time ``t``."""
        overdue = [w for w in self._open if t - w.pending.began > self._deadline_s]
        self._open = [w for w in self._open if w not in overdue]
        for waiting in overdue:
            self._deliberator.settle(waiting.pending, LATE)

    def cancel(self, mind: Mind | None = None) -> None:
        """Leave a whole record behind of what nobody will answer: of one mind, or of all."""
        for waiting in [w for w in self._open if mind is None or w.mind is mind]:
            self._open.remove(waiting)
            self._deliberator.settle(waiting.pending, RankFailure(where="mind", err="cancelled"))


class MindRanker:
    """Asks the mind of the character that the question is about, and waits for it.

    ``mind_of`` finds it by name key, ``vitals_of`` its body; ``tick`` is the tick in force.
    """

    def __init__(
        self,
        mind_of: Callable[[str], Mind | None],
        *,
        tick: Callable[[], int],
        vitals_of: Callable[[str], Vitals] = lambda _key: Vitals(),
    ) -> None:
        self._mind_of = mind_of
        self._vitals_of = vitals_of
        self._tick = tick

    async def rank(self, question: RankQuestion) -> Ranking:
        """The plan the mind chose, or none of them. Raises :class:`NoRankingError`."""
        key = name_key(question.name)
        mind = self._mind_of(key)
        if mind is None:
            raise NoRankingError("no-mind")
        decision = await mind.ask_now(
            None, _focus_of(question), tick=self._tick(), vitals=self._vitals_of(key)
        )
        answer = _answer(decision, question)
        if isinstance(answer, RankFailure):
            raise NoRankingError(answer.err)
        return answer


def _focus_of(question: RankQuestion) -> Focus:
    """The question as a mind is asked it: the candidates as options, and the way to decline."""
    options = {label: plan.meaning for label, plan in _labelled(question).items()}
    options[DECLINE] = "none of these; let it pass"
    words = [question.wake.text]
    if question.standing:
        words.append(f"I was in the middle of a plan: {', '.join(question.standing)}.")
    return Focus(kind=FocusKind.RANK, text=" ".join(words), options=options, data=_data(question))


def _labelled(question: RankQuestion) -> dict[str, RankedPlan]:
    return {f"plan-{n}": plan for n, plan in enumerate(question.candidates, start=1)}


def _data(question: RankQuestion) -> Mapping[str, Any]:
    data: dict[str, Any] = {"situation": question.situation}
    if question.recalled:
        data["recalled"] = list(question.recalled)
    if question.ambient:
        data["ambient"] = list(question.ambient)
    return data


def _answer(decision: Decision, question: RankQuestion) -> Ranking | RankFailure:
    if decision.failure is not None:
        return RankFailure(where="mind", err=decision.failure.value)
    plans = _labelled(question)
    for action in decision.output.actions:
        if action.type == DECLINE:
            return Ranking(chosen=None, because=decision.output.because)
        if action.type in plans:
            return Ranking(chosen=plans[action.type].plan, because=decision.output.because)
    return RankFailure(where="mind", err="no-choice")
