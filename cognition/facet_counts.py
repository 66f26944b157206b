"""Counting facets: how many came to life, and which population ended for which reason.

There is one way to count, and both sides use it: a supervisor counts its own facets as they live,
and the churn report counts those it reads in a trace. Where the two disagree, events were lost on
the way; it is never the arithmetic.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

__all__ = ["EndCount", "EndReason", "Ended", "FacetCounts", "FacetStatistics", "Population"]

MAX_REASONS: Final = 64
"""Distinct (population, reason) pairs kept apart; a reason beyond them counts as `unknown`.

Ours has three reasons. Other minds may write any string, and a broken one must not grow the table
without end.
"""


class Population(StrEnum):
    """Which kind of facet: losing a keyed one can cut a conversation in two."""

    KEYED = "keyed"
    """It serves a thread of attention that has a key and may come back."""
    KEYLESS = "keyless"
    """It serves one deliberation and nobody will ask for it again."""
    UNKNOWN = "unknown"
    """Its end was seen without a key, and its beginning was not seen at all."""


class EndReason(StrEnum):
    """Why a facet ended."""

    EXPLICIT = "explicit"
    """Its owner closed it; the ordinary end."""
    IDLE = "idle"
    """Nobody used it for longer than the idle time."""
    LRU = "lru"
    """It gave way to another facet when the allowance was used up."""
    UNKNOWN = "unknown"
    """The end gave no reason, or only the next life of the same id shows that there was one."""


class Ended(NamedTuple):
    """One end as it was counted."""

    population: Population
    reason: str
    key: str | None
    """The key in the end's own record, else the one the facet was spawned with."""
    ticks: int | None
    """How long the facet lived, in ticks; None where its spawn was not seen."""


_Life: TypeAlias = tuple[str | None, int]
"""A live facet's key and the tick of its spawn: plain, for there may be millions in an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndCount:
    """How many facets of one population ended for one reason."""

    population: Population
    reason: str
    """One of :class:`EndReason`, or the word another mind wrote."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetStatistics:
    """The counts at one moment."""

    spawned: int
    destroyed: int
    """The sum over ``ended``."""
    live: int
    """Facets whose beginning was seen and whose end was not."""
    ended: tuple[EndCount, ...]
    """Sorted by population, then reason."""

    def count(self, population: str, reason: str) -> int:
        """Ends of this population for this reason; 0 when there were none."""
        return sum(e.count for e in self.ended if (e.population, e.reason) == (population, reason))


class FacetCounts:
    """Counts spawns and ends as they are told, in the order in which they happened.

    Facets pair by mind and id. A supervisor that knows only its own mind passes None for it.
    Memory grows with the facets that are alive, not with those that have been.
    """

    __slots__ = ("_ended", "_live", "_live_keyed", "_spawned")

    def __init__(self) -> None:
        self._live: dict[tuple[str | None, str], _Life] = {}
        self._live_keyed = 0
        self._spawned = 0
        self._ended: dict[tuple[Population, str], int] = {}

    def spawned(self, mind: str | None, facet_id: str, key: str | None, tick: int) -> Ended | None:
        """Count a facet that came to life.

        An id that is still alive was given out again (a process restarted): its old life ends here
        with reason ``unknown``, and that end is returned so that the caller can account for it.
        """
        identity = (mind, facet_id)
        before = self._live.get(identity)
        ended = None
        if before is not None:
            ended = self._end(before[0], before, EndReason.UNKNOWN, tick)
        self._live[identity] = (key, tick)
        if key is not None:
            self._live_keyed += 1
        self._spawned += 1
        return ended

    def destroyed(
        self, mind: str | None, facet_id: str, key: str | None, reason: str | None, tick: int
    ) -> Ended:
        """Count a facet that ended, and say what it was counted as.

        Without ``key`` the spawn's key decides the population, and without a spawn it is unknown.
        Without ``reason`` the reason is ``unknown``.
        """
        life = self._live.pop((mind, facet_id), None)
        if key is None and life is not None:
            key = life[0]
        return self._end(key, life, reason or EndReason.UNKNOWN, tick)

    def is_live(self, mind: str | None, facet_id: str) -> bool:
        """Whether this facet's beginning was counted and its end was not."""
        return (mind, facet_id) in self._live

    @property
    def live_keyed(self) -> int:
        """Facets alive now that were spawned with a key."""
        return self._live_keyed

    @property
    def live_keyless(self) -> int:
        """Facets alive now that were spawned without one."""
        return len(self._live) - self._live_keyed

    def statistics(self) -> FacetStatistics:
        """The counts so far, as a value that later events leave alone."""
        return FacetStatistics(
            spawned=self._spawned,
            destroyed=sum(self._ended.values()),
            live=len(self._live),
            ended=tuple(
                EndCount(population=population, reason=str(reason), count=count)
                for (population, reason), count in sorted(self._ended.items())
            ),
        )

    def _end(self, key: str | None, life: _Life | None, reason: str, tick: int) -> Ended:
        ticks = None
        if life is not None:
            spawn_key, born = life
            ticks = tick - born
            if spawn_key is not None:
                self._live_keyed -= 1
        if key is not None:
            population = Population.KEYED
        else:
            population = Population.UNKNOWN if life is None else Population.KEYLESS
        cell = (population, reason)
        counted = self._ended.get(cell)
        if counted is None:
            if len(self._ended) >= MAX_REASONS:
                reason = EndReason.UNKNOWN
                cell = (population, reason)
            counted = self._ended.get(cell, 0)
        self._ended[cell] = counted + 1
        return Ended(population, reason, key, ticks)
