"""Stand-ins for games and tests that use a deliberator: a ranker by script, a clock by hand."""

from collections.abc import Callable

from mindot.deliberator.ranker import Ranking, RankQuestion

__all__ = ["ManualClock", "ScriptedRanker"]


class ScriptedRanker:
    """A ranker that a function plays. What it was asked is kept in ``asked``.

    The function gives a :class:`~mindot.deliberator.ranker.Ranking`, a position among the
    candidates, or None to decline; whatever it raises is the ranking's failure.
    """

    def __init__(self, choose: Callable[[RankQuestion], Ranking | int | None]) -> None:
        self._choose = choose
        self.asked: list[RankQuestion] = []

    async def rank(self, question: RankQuestion) -> Ranking:
        self.asked.append(question)
        chosen = self._choose(question)
        if isinstance(chosen, Ranking):
            return chosen
        if chosen is None:
            return Ranking(chosen=None, because="none of these is like me")
        plan = question.candidates[chosen].plan
        return Ranking(chosen=plan, because=f"I would rather {question.candidates[chosen].meaning}")


class ManualClock:
    """A clock that stands still until it is told to move. Seconds."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
