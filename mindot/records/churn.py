"""Which facets of a trace ended, and why: counts, the life of every key, and what to change.

A conversation lost is a keyed facet that ended ``idle`` or ``lru`` and whose key was spawned again
soon after: one conversation cut in two. All else is facets merely ending.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple, Protocol
from zlib import crc32

from cognition.facet_counts import FacetCounts, FacetStatistics
from mindot.records.facet_events import LIMIT, FacetRow, TraceFile, whole_number
from mindot.records.key_lives import KeyLives, median_life

__all__ = ["RESUME_WINDOW_TICKS", "Churn", "ChurnReport", "KeyReport", "Share", "Watcher"]

RESUME_WINDOW_TICKS: Final = 3000
"""Ticks after an end within which the same key still means the same conversation."""

_SPAWN: Final = "executive.facet.spawn"
_DESTROY: Final = "executive.facet.destroy"
_MS_PER_MINUTE: Final = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyReport:
    """One key, over all minds that had a facet for it."""

    key: str
    spawns: int
    destroys: dict[str, int]
    """Ends by reason."""
    lost_idle: int
    """Idle ends after which the key was back within the resume window."""
    lost_lru: int
    """Evictions after which it was."""
    resumed: int
    """Spawns within the resume window of the last end, whatever its reason."""
    median_life_ticks: float | None
    """None where no life was seen from its beginning to its end."""
    median_is_exact: bool
    longest_gap_ticks: int | None
    """Longest time from an end to the next spawn; None where it never came back."""
    idle_pause_ticks: int
    """Longest such time among the idle ends that were losses."""
    crowd: int
    """Most facets alive when it was evicted, itself counted; 0: the trace does not say."""

    @property
    def lost(self) -> int:
        return self.lost_idle + self.lost_lru


@dataclass(frozen=True, slots=True, kw_only=True)
class ChurnReport:
    """What a trace says so far. Keys are worked out when they are asked for: there may be many."""

    statistics: FacetStatistics
    lost_idle: int
    lost_lru: int
    resumed: int
    first_wall: int | None
    """Time of the first and of the last facet event, unix milliseconds."""
    last_wall: int | None
    accounts: dict[str, dict[str, KeyLives]]
    """By mind (or log, for rows that name no mind), then by key."""

    @property
    def lost(self) -> int:
        """Conversations cut in two."""
        return self.lost_idle + self.lost_lru

    @property
    def minutes(self) -> float:
        """The span of the trace; 0.0 where there are not two events with different times."""
        if self.first_wall is None or self.last_wall is None:
            return 0.0
        return (self.last_wall - self.first_wall) / _MS_PER_MINUTE

    def per_minute(self, count: int) -> float | None:
        """Mean over the span; None where there is no span to divide by."""
        return count / self.minutes if self.minutes else None

    def each_key(self) -> Iterator[KeyReport]:
        """Every key, in alphabetical order."""
        return (_merged(key, accounts) for key, accounts in self._by_key())

    def worst_keys(self, limit: int) -> list[KeyReport]:
        """The keys lost most often, the worst first."""
        lost = (
            (-sum(account.lost for account in accounts), key, accounts)
            for key, accounts in self._by_key()
        )
        worst = nsmallest(limit, (found for found in lost if found[0]), key=itemgetter(0, 1))
        return [_merged(key, accounts) for _, key, accounts in worst]

    def _by_key(self) -> Iterator[tuple[str, list[KeyLives]]]:
        told = [pair for keys in self.accounts.values() for pair in keys.items()]
        told.sort(key=itemgetter(0))
        for key, pairs in groupby(told, key=itemgetter(0)):
            yield key, [account for _, account in pairs]


class Watcher(Protocol):
    """Hears of every event that has a time, in the order of the trace. Times are unix ms."""

    def spawned(self, wall: int, key: str | None) -> None:
        """A facet came to life."""

    def ended(self, wall: int, reason: str, key: str | None) -> None:
        """A facet ended."""

    def lost(self, wall: int) -> None:
        """The keyed end at that time has just turned out to be a loss."""

    def level(self, wall: int, keyed: int, keyless: int) -> None:
        """So many facets are alive after the event that was told just before."""


class Share(NamedTuple):
    """Every one in so many minds: what one of several processes counts."""

    number: int
    """From 0."""
    of: int

    def holds(self, scope: str) -> bool:
        return crc32(scope.encode(errors="surrogatepass")) % self.of == self.number


class Churn:
    """Takes in trace files, in the order of their days, and reports.

    Memory grows with the keys and the live facets, not with the rows.
    """

    def __init__(
        self,
        *,
        resume_window: int = RESUME_WINDOW_TICKS,
        mind: str | None = None,
        since: float | None = None,
        watcher: Watcher | None = None,
        share: Share | None = None,
    ) -> None:
        """Count what the arguments let through.

        Args:
            resume_window: ticks after an end within which a spawn of the key makes it a loss.
            mind: only this mind; its whole id, or the part after the world.
            since: only rows at or after this time, in unix seconds.
            watcher: hears of the events as they come, for a picture or a table over time.
            share: only these minds; :meth:`add` puts the shares together.
        """
        self.unreadable = 0
        """Facet rows without an id: they cannot be paired and are left out."""
        self.tickless = 0
        """Facet rows without a readable tick: they count, but not for lives, gaps and losses."""
        self.timeless = 0
        """Facet rows without a readable wallTime: they are in no picture and no table over time,
        and with ``since`` they are left out."""
        self.mind = mind
        self._window = resume_window
        self._minds: dict[str | None, bool] = {}
        self._since = None if since is None else math.ceil(since * 1000)
        self._watcher = watcher
        self._share = share
        self._shared: dict[str, bool] = {}
        """By mind or log, whether it is in the share."""
        self._counts = FacetCounts()
        self._accounts: dict[str, dict[str, KeyLives]] = {}
        self._first_wall: int | None = None
        self._last_wall: int | None = None

    def read(self, trace: TraceFile) -> None:
        """Take in what the file holds that was not read yet."""
        # Rows that name no mind are of one mind a log: where its days begin changes nothing.
        log = f"\0{trace.series}"
        for rows in trace.batches():
            self._take(rows, log)

    def add(self, other: "Churn") -> None:
        """Take over what another one counted of the same files. No mind may be in both."""
        self.unreadable += other.unreadable
        self.tickless += other.tickless
        self.timeless += other.timeless
        self._minds |= other._minds  # noqa: SLF001 - its own kind
        self._counts.add(other._counts)  # noqa: SLF001 - its own kind
        self._accounts |= other._accounts  # noqa: SLF001 - its own kind
        firsts = [t for t in (self._first_wall, other._first_wall) if t is not None]  # noqa: SLF001 - its own kind
        lasts = [t for t in (self._last_wall, other._last_wall) if t is not None]  # noqa: SLF001 - its own kind
        self._first_wall = min(firsts, default=None)
        self._last_wall = max(lasts, default=None)

    @property
    def most_reasons(self) -> int:
        """Distinct reasons for an end, of the population that has most of them."""
        return self._counts.most_reasons

    @property
    def minds(self) -> list[str]:
        """The minds that facet rows named so far, in alphabetical order; only if one is chosen."""
        return sorted(mind for mind in self._minds if mind is not None)

    @property
    def nobody(self) -> bool:
        """Whether one mind was chosen and no row so far is of it."""
        return self.mind is not None and not any(self._minds.values())

    def report(self) -> ChurnReport:
        """What there is to say now. Reading on does not change the counts in it."""
        lives = [account for keys in self._accounts.values() for account in keys.values()]
        return ChurnReport(
            statistics=self._counts.statistics(),
            lost_idle=sum(account.lost_idle for account in lives),
            lost_lru=sum(account.lost_lru for account in lives),
            resumed=sum(account.resumed for account in lives),
            first_wall=self._first_wall,
            last_wall=self._last_wall,
            accounts=self._accounts,
        )

    def _take(self, rows: Iterable[FacetRow], log: str) -> None:
        # The one loop that sees every row, millions of them: hence the local names, and the tests
        # by exact type, which cost half of what isinstance does.
        spawned, destroyed, accounts = self._counts.spawned, self._counts.destroyed, self._accounts
        window, watcher = self._window, self._watcher
        first, last = self._first_wall, self._last_wall
        selective = self.mind is not None or self._since is not None
        share, shared = self._share, self._shared
        for row in rows:
            kind = row.type
            if kind != _SPAWN and kind != _DESTROY:
                continue
            wall = row.wall_time
            if type(wall) is not int or not -LIMIT <= wall < LIMIT:
                wall = whole_number(wall)
            mind = row.mind
            if type(mind) is not str:
                mind = None
            scope = log if mind is None else mind
            if share is not None:
                if scope not in shared:
                    shared[scope] = share.holds(scope)
                if not shared[scope]:
                    continue
            if selective and not self._wanted(mind, wall):
                continue
            facet = row.facet_id
            if type(facet) is not str:
                if type(facet) is not int or whole_number(facet) is None:
                    self.unreadable += 1
                    continue
                facet = str(facet)
            key = row.key
            if type(key) is not str:
                key = None
            tick = row.tick
            if type(tick) is not int or not -LIMIT <= tick < LIMIT:
                tick = whole_number(tick)
                self.tickless += tick is None
            if wall is None:
                self.timeless += 1
            else:
                if last is None or wall > last:
                    last = wall
                if first is None or wall < first:
                    first = wall
            keys = accounts.get(scope)
            if keys is None:
                keys = accounts[scope] = {}
            if kind == _SPAWN:
                life = spawned(scope, facet, key, tick)
                if life is not None and life[0] is not None:
                    account = keys.get(life[0]) or keys.setdefault(life[0], KeyLives())
                    account.ended("unknown", tick, wall, _between(life[1], tick))
                if key is not None:
                    account = keys.get(key) or keys.setdefault(key, KeyLives())
                    lost = account.spawned(tick, window)
                    if lost and watcher is not None and account.ended_wall is not None:
                        watcher.lost(account.ended_wall)
                if watcher is not None and wall is not None:
                    if life is not None:
                        watcher.ended(wall, "unknown", life[0])
                    watcher.spawned(wall, key)
            else:
                reason = row.reason
                if type(reason) is not str or not reason:
                    reason = "unknown"
                life = destroyed(scope, facet, key, reason, tick)
                if life is not None and key is None:
                    key = life[0]
                if key is not None:
                    account = keys.get(key) or keys.setdefault(key, KeyLives())
                    ticks = None if life is None else _between(life[1], tick)
                    account.ended(reason, tick, wall, ticks)
                    if reason == "lru":
                        account.crowded(row.total_facets)
                if watcher is not None and wall is not None:
                    watcher.ended(wall, reason, key)
            if watcher is not None and wall is not None:
                watcher.level(wall, self._counts.live_keyed, self._counts.live_keyless)
        self._first_wall, self._last_wall = first, last

    def _wanted(self, mind: str | None, wall: int | None) -> bool:
        if self.mind is not None:
            wanted = self._minds.get(mind)
            if wanted is None:
                asked = self.mind.casefold()
                named = (mind or "").casefold()
                wanted = self._minds[mind] = asked in (named, named.partition(":")[2])
            if not wanted:
                return False
        if self._since is None:
            return True
        if wall is None:
            self.timeless += 1
            return False
        return wall >= self._since


def _between(start: int | None, end: int | None) -> int | None:
    return None if start is None or end is None else end - start


def _merged(key: str, accounts: list[KeyLives]) -> KeyReport:
    destroys = accounts[0].ends()
    for account in accounts[1:]:
        for reason, count in account.ends().items():
            destroys[reason] = destroys.get(reason, 0) + count
    median, exact = median_life(accounts)
    gaps = [account.longest_gap for account in accounts if account.longest_gap is not None]
    return KeyReport(
        key=key,
        spawns=sum([account.spawns for account in accounts]),
        destroys=dict(sorted(destroys.items())),
        lost_idle=sum([account.lost_idle for account in accounts]),
        lost_lru=sum([account.lost_lru for account in accounts]),
        resumed=sum([account.resumed for account in accounts]),
        median_life_ticks=median,
        median_is_exact=exact,
        longest_gap_ticks=max(gaps) if gaps else None,
        idle_pause_ticks=max([account.idle_pause for account in accounts]),
        crowd=max([account.crowd for account in accounts]),
    )
