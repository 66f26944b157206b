"""What a host has seen so far, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from cognition.asking import ThoughtFailure
from mindot.game.contract import INTENTION_TIERS, TIERS

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
    def unfinished(self) -> int:
        """Thoughts that were still under way, or called off, when this was counted."""
        return max(0, self.thoughts - self.answered - self.fallback_count - self.stale)

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
        self._busy: dict[str, int] = {}

    def serve(self, name: str, tier: str) -> None:
        self.served[tier] = self.served.get(tier, 0) + 1
        if tier in INTENTION_TIERS and tier != "intention-hold":
            self._busy[name] = self._busy.get(name, 0) + 1

    def land(self, failure: ThoughtFailure | None) -> None:
        """A thought came back, or its failure did."""
        if failure is None:
            self.answered += 1
        else:
            self.fallbacks[failure.value] = self.fallbacks.get(failure.value, 0) + 1

    def busiest(self) -> str | None:
        """The name whose plans acted most often; among equals the first by name."""
        return max(sorted(self._busy), key=self._busy.__getitem__, default=None)

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
