"""The mind as judge: a deliberator's question put to the character's own mind."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from cognition.asking import Ask, Focus, FocusKind, Outcome
from cognition.reflex import Vitals
from mindot.deliberator.ranker import Ranking, RankQuestion
from mindot.game.frame import name_key
from mindot.mind import Mind

__all__ = ["MindRanker", "NoRankingError"]

DECLINE: Final = "decline"


class NoRankingError(Exception):
    """The mind gave no choice. The text is the failure's name."""


class MindRanker:
    """Asks the mind of the character that the question is about.

    ``mind_of`` finds it by name key, ``vitals_of`` its body; ``tick`` is the tick in force.
    ``think`` answers an ask: a host passes its own, so that time and budgets are counted there.
    """

    def __init__(
        self,
        mind_of: Callable[[str], Mind | None],
        vitals_of: Callable[[str], Vitals],
        tick: Callable[[], int],
        think: Callable[[Mind, Ask], Awaitable[Outcome]],
    ) -> None:
        self._mind_of = mind_of
        self._vitals_of = vitals_of
        self._tick = tick
        self._think = think

    async def rank(self, question: RankQuestion) -> Ranking:
        """The plan the mind chose, or none of them. Raises :class:`NoRankingError`."""
        key = name_key(question.name)
        mind = self._mind_of(key)
        if mind is None:
            raise NoRankingError("no-mind")
        plans = {f"plan-{n}": c for n, c in enumerate(question.candidates, start=1)}
        options = {label: plan.meaning for label, plan in plans.items()}
        options[DECLINE] = "none of these; let it pass"
        focus = Focus(
            kind=FocusKind.RANK,
            text=_in_words(question),
            options=options,
            data=_data(question),
        )
        decision = await mind.ask_now(
            None,
            focus,
            tick=self._tick(),
            vitals=self._vitals_of(key),
            think=lambda ask: self._think(mind, ask),
        )
        if decision.failure is not None:
            raise NoRankingError(decision.failure.value)
        for action in decision.output.actions:
            if action.type == DECLINE:
                return Ranking(chosen=None, because=decision.output.because)
            if action.type in plans:
                return Ranking(chosen=plans[action.type].plan, because=decision.output.because)
        raise NoRankingError("no-choice")


def _in_words(question: RankQuestion) -> str:
    parts = [question.wake.text]
    if question.standing:
        parts.append(f"I was in the middle of a plan: {', '.join(question.standing)}.")
    return " ".join(parts)


def _data(question: RankQuestion) -> Mapping[str, object]:
    data: dict[str, object] = {"situation": question.situation}
    if question.recalled:
        data["recalled"] = list(question.recalled)
    if question.ambient:
        data["ambient"] = list(question.ambient)
    return data
