"""Counting facets: how many came to life, and which population ended for which reason.

There is one way to count, and both sides use it: a supervisor counts its own facets as they live,
and the churn report counts those it reads in a trace. Where the two disagree, events were lost on
the way; it is never the arithmetic.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

__all__ = [
    "EndCount",
    "EndReason",
    "FacetCounts",
    "FacetStatistics",
    "Life",
    "Population",
    "population_of_end",
]

MAX_REASONS: Final = 64
"""Distinct reasons of one population kept apart; one beyond them counts as ``unknown``.

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


# The members of an enum are slow to reach, and an end is counted millions of times.
_KEYED: Final = Population.KEYED
_KEYLESS: Final = Population.KEYLESS
_UNKNOWN: Final = Population.UNKNOWN

Life: TypeAlias = tuple[str | None, int | None]
"""What a facet's end has to know of its beginning: the key and the tick of its spawn, if known.

A plain pair, for a long trace has millions of them.
"""


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
    """In order of population, then reason."""

    def count(self, population: str, reason: str) -> int:
        """Ends of this population for this reason; 0 when there were none."""
        return sum(e.count for e in self.ended if (e.population, e.reason) == (population, reason))


def population_of_end(key: str | None, life: Life | None) -> Population:
    """The population of an end: by its own key, else by that of the life it ended."""
    if key is not None:
        return _KEYED
    if life is None:
        return _UNKNOWN
    return _KEYLESS if life[0] is None else _KEYED


class FacetCounts:
    """Counts spawns and ends as they are told, in the order in which they happened.

    Facets pair by mind and id. A supervisor that knows only its own mind passes None for it.
    Memory grows with minds and the facets that are alive, not with those that have been.
    """

    __slots__ = ("_ended", "_live", "_live_keyed", "_live_keyless", "_spawned")

    def __init__(self) -> None:
        self._live: dict[str | None, dict[str, Life]] = {}
        self._live_keyed = 0
        self._live_keyless = 0
        self._spawned = 0
        self._ended: dict[Population, dict[str, int]] = {p: {} for p in Population}

    @property
    def live_keyed(self) -> int:
        """Facets alive now that were spawned with a key."""
        return self._live_keyed

    @property
    def live_keyless(self) -> int:
        """Facets alive now that were spawned without one."""
        return self._live_keyless

    def spawned(
        self, mind: str | None, facet_id: str, key: str | None, tick: int | None
    ) -> Life | None:
        """Count a facet that came to life.

        An id that is still alive was given out again (a process restarted): its old life ends here
        with reason ``unknown``, and is returned so that the caller can account for it too.
        """
        live = self._live.get(mind)
        if live is None:
            live = self._live[mind] = {}
        before = None
        if facet_id in live:
            before = self.destroyed(mind, facet_id, None, None, tick)
        live[facet_id] = (key, tick)
        if key is None:
            self._live_keyless += 1
        else:
            self._live_keyed += 1
        self._spawned += 1
        return before

    def destroyed(
        self,
        mind: str | None,
        facet_id: str,
        key: str | None,
        reason: str | None,
        tick: int | None,
    ) -> Life | None:
        """Count a facet that ended, and return its life, or None where its spawn was not seen.

        Without ``key`` the spawn's key decides the population, and without a spawn it is unknown.
        Without ``reason`` the reason is ``unknown``. ``tick`` is told as for a spawn, and does not
        enter the counts.
        """
        live = self._live.get(mind)
        life = None if live is None else live.pop(facet_id, None)
        if life is not None:
            if life[0] is None:
                self._live_keyless -= 1
            else:
                self._live_keyed -= 1
        ended = self._ended[population_of_end(key, life)]
        if reason not in ended:
            reason = self._admitted(ended, reason)
        ended[reason] += 1
        return life

    @property
    def most_reasons(self) -> int:
        """Distinct reasons of the population that has most of them."""
        return max(map(len, self._ended.values()))

    def add(self, other: "FacetCounts") -> None:
        """Take over what was counted of other minds. No mind may be in both."""
        self._live |= other._live  # noqa: SLF001 - its own kind
        self._live_keyed += other._live_keyed  # noqa: SLF001 - its own kind
        self._live_keyless += other._live_keyless  # noqa: SLF001 - its own kind
        self._spawned += other._spawned  # noqa: SLF001 - its own kind
        for population, reasons in other._ended.items():  # noqa: SLF001 - its own kind
            ended = self._ended[population]
            for reason, count in reasons.items():
                ended[reason] = ended.get(reason, 0) + count

    def is_live(self, mind: str | None, facet_id: str) -> bool:
        """Whether this facet's beginning was counted and its end was not."""
        return facet_id in self._live.get(mind, ())

    def statistics(self) -> FacetStatistics:
        """The counts so far, as a value that later events leave alone."""
        ended = tuple(
            EndCount(population=population, reason=str(reason), count=count)
            for population, reasons in self._ended.items()
            for reason, count in sorted(reasons.items())
        )
        return FacetStatistics(
            spawned=self._spawned,
            destroyed=sum(e.count for e in ended),
            live=self._live_keyed + self._live_keyless,
            ended=ended,
        )

    @staticmethod
    def _admitted(ended: dict[str, int], reason: str | None) -> str:
        word = reason if reason and len(ended) < MAX_REASONS else str(EndReason.UNKNOWN)
        ended.setdefault(word, 0)
        return word
