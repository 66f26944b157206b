"""Asking somebody else to choose among plans: the protocol between deliberator and mind."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from mindot.deliberator.wake import Wake

__all__ = ["RankFailure", "RankQuestion", "RankReason", "RankedPlan", "Ranker", "Ranking"]


class RankReason(StrEnum):
    """Why a ranking is asked for."""

    NO_LAW = "no-law"
    """No law covers what happened."""
    CLOSE = "close"
    """The best plans are within the margin."""
    SWAP = "swap"
    """A standing plan is about to give way."""
    AMENDS = "amends"
    """Amends were offered, and they weigh about as much as the grudge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlan:
    """A plan in the running."""

    plan: tuple[str, ...]
    score: float
    """The composer's score; higher is better."""
    meaning: str
    """What the plan comes to, in words a mind can weigh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankQuestion:
    """What a ranker is asked."""

    name: str
    reason: RankReason
    wake: Wake
    archetype: str
    traits: Mapping[str, float]
    situation: str
    candidates: tuple[RankedPlan, ...]
    """Best first by the composer's order; every one of them is admissible."""
    standing: tuple[str, ...] = ()
    """The plan that would give way, when one stands."""
    recalled: tuple[str, ...] = ()
    """Journal entries that came to mind."""
    ambient: tuple[str, ...] = ()
    """What else is around."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The answer: one of the candidates' plans, or None for none of them."""

    chosen: tuple[str, ...] | None
    because: str
    """The chooser's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankFailure:
    """No answer. ``where`` is the part that failed, ``err`` the failure's name."""

    where: str
    err: str


class Ranker(Protocol):
    """Whoever can choose among plans; a mind usually.

    Any exception counts as a failure. The call is cancelled at the deadline, so a ranker lets
    cancellation through and has no effect on the world by itself.
    """

    async def rank(self, question: RankQuestion) -> Ranking:
        """Choose among ``question.candidates``, or decline."""
        ...
