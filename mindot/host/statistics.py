"""What a host has seen so far, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from mindot.game.contract import TIERS

__all__ = ["HostStatistics", "Tally"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStatistics:
    """Counts since the host was made."""

    sweeps: int
    characters: int
    """Minds that were ever met."""
    served: Mapping[str, int]
    """Receipts by tier."""
    thoughts: int
    """Questions that went to a model."""
    answered: int
    """Thoughts that came back and could be read."""
    fallbacks: Mapping[str, int]
    """Thoughts that did not, by the failure's name."""
    late: int
    """Verdicts that came too late to be served."""
    stale: int
    """Outcomes without effect: the world was rewound, or the character is gone."""
    attention_full: int
    """Questions that no facet could take up."""

    @property
    def served_in_order(self) -> dict[str, int]:
        """The tiers that were served, in the contract's order; others after them."""
        known = [tier for tier in TIERS if tier in self.served]
        return {t: self.served[t] for t in [*known, *sorted(self.served.keys() - TIERS.keys())]}

    @property
    def fallback_count(self) -> int:
        return sum(self.fallbacks.values())


class Tally:
    """The counters behind :class:`HostStatistics`."""

    def __init__(self) -> None:
        self.sweeps = self.characters = self.thoughts = self.answered = 0
        self.late = self.stale = self.attention_full = 0
        self.served: dict[str, int] = {}
        self.fallbacks: dict[str, int] = {}

    def serve(self, tier: str) -> None:
        self.served[tier] = self.served.get(tier, 0) + 1

    def fall_back(self, name: str) -> None:
        self.fallbacks[name] = self.fallbacks.get(name, 0) + 1

    def frozen(self) -> HostStatistics:
        return HostStatistics(
            sweeps=self.sweeps,
            characters=self.characters,
            served=dict(self.served),
            thoughts=self.thoughts,
            answered=self.answered,
            fallbacks=dict(sorted(self.fallbacks.items())),
            late=self.late,
            stale=self.stale,
            attention_full=self.attention_full,
        )
