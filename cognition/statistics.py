"""Counts of one mind's life."""

from dataclasses import dataclass, field

from cognition.asking import ThoughtFailure
from cognition.facet_supervisor import SupervisorStatistics

__all__ = ["ExecutiveStatistics", "FailureCount", "Tally"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """How many thoughts did not come back for one cause."""

    failure: ThoughtFailure
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutiveStatistics:
    """One mind at one moment, and what it went through so far."""

    facets: SupervisorStatistics
    asked: int
    outstanding: int
    """Asks that have neither landed nor been called off."""
    landed: int
    failures: tuple[FailureCount, ...]
    """By name, in alphabetical order."""
    stale: int
    """Outcomes that nobody waited for any more."""
    dropped_reports: int
    """Reports that were never asked about: too many waited, or their facet ended."""
    told_back: int
    """Acts and addressees the mind was told it had misnamed."""
    waiting_handoffs: int
    promises: int
    goals: int
    entities: int


@dataclass(slots=True)
class Tally:
    """The counters behind :class:`ExecutiveStatistics`."""

    landed: int = 0
    stale: int = 0
    dropped_reports: int = 0
    failures: dict[ThoughtFailure, int] = field(default_factory=dict)

    def failed(self, failure: ThoughtFailure) -> None:
        self.failures[failure] = self.failures.get(failure, 0) + 1

    def failures_by_name(self) -> tuple[FailureCount, ...]:
        return tuple(
            FailureCount(failure=failure, count=count)
            for failure, count in sorted(self.failures.items())
        )
