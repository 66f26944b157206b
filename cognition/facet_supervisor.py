"""Which facets live: one a thread of attention, within what attention allows.

A spawn gives a handle or says that attention is full; :meth:`FacetSupervisor.pump` reaps what
nobody used for too long, and then lets every facet do its work. However a facet ends, its thread's
reasoning waits for the next facet on the same key.
"""

import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from cognition.facet_counts import EndCount, EndReason, FacetCounts
from cognition.state import StateView
from cognition.trace import Event, Sink, guarded

__all__ = [
    "Attention",
    "FacetHandle",
    "FacetLife",
    "FacetLike",
    "FacetSupervisor",
    "Spawned",
    "SupervisorStatistics",
]

MAX_CARRIED_KEYS: Final = 256
"""Threads whose reasoning waits for them to be taken up again; the one that ended first goes."""

MAX_CARRIED_ENTRIES: Final = 10
"""Reasoning entries carried for one thread, the latest."""

MAX_ENTRY_CHARS: Final = 400
"""Of one carried entry."""


_log = logging.getLogger(__name__)


class Attention(StrEnum):
    """Whether there was room for a facet."""

    AVAILABLE = "available"
    FULL = "full"


class FacetLife(StrEnum):
    """Where a facet is in its life. A handle says; only the supervisor moves it on."""

    OPEN = "open"
    CLOSED = "closed"
    """Its owner closed it."""
    REAPED = "reaped"
    """Nobody used it for longer than the idle time."""
    EVICTED = "evicted"
    """It gave way to another facet."""


_SUCCESSORS: Final[dict[FacetLife, frozenset[FacetLife]]] = {
    FacetLife.OPEN: frozenset({FacetLife.CLOSED, FacetLife.REAPED, FacetLife.EVICTED}),
    FacetLife.CLOSED: frozenset(),
    FacetLife.REAPED: frozenset(),
    FacetLife.EVICTED: frozenset(),
}
_END_OF: Final[dict[EndReason, FacetLife]] = {
    EndReason.EXPLICIT: FacetLife.CLOSED,
    EndReason.IDLE: FacetLife.REAPED,
    EndReason.LRU: FacetLife.EVICTED,
}


class FacetLike(Protocol):
    """What the supervisor needs of a facet."""

    @property
    def busy(self) -> bool:
        """Reports are queued, or a call is in flight."""

    @property
    def last_active_tick(self) -> int: ...

    @property
    def reasoning_history(self) -> Iterable[str]: ...

    def mark_active(self, tick: int) -> None: ...

    def restore_reasoning_history(self, history: list[str], /) -> None: ...

    def pump(self, state: StateView) -> Any: ...

    def destroy(self) -> Any: ...


class FacetHandle:
    """An owner's hold on one facet, good until the facet ends."""

    __slots__ = ("_on_reaped", "_supervisor", "facet", "facet_id", "key", "life")

    def __init__(
        self, supervisor: "FacetSupervisor", facet_id: str, key: str | None, facet: FacetLike
    ) -> None:
        self._supervisor = supervisor
        self._on_reaped: list[Callable[[], object]] = []
        self.facet_id = facet_id
        self.key = key
        self.facet = facet
        self.life = FacetLife.OPEN

    def __repr__(self) -> str:
        return f"<FacetHandle {self.facet_id} key={self.key!r} {self.life}>"

    def destroy(self) -> None:
        """End the facet (``explicit``). Once it has ended, however that was, this does nothing."""
        self._supervisor._close(self)  # noqa: SLF001 - the two are one mechanism

    def on_reaped(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` called when the facet ends without its owner asking for it."""
        self._on_reaped.append(callback)

    def _advance(self, life: FacetLife) -> bool:
        """Move on to ``life``; False when nothing may follow what the facet is now."""
        if life not in _SUCCESSORS[self.life]:
            return False
        self.life = life
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawned:
    """What a spawn gave."""

    attention: Attention
    handle: FacetHandle | None
    """None when attention is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorStatistics:
    """A supervisor's facets at one moment, and how those before them ended."""

    live: int
    busy: int
    keyed: int
    """Live facets that serve a key."""
    spawned: int
    ended: tuple[EndCount, ...]
    """By population and reason."""
    carried_threads: int
    """Keys whose reasoning waits for their next facet."""


class FacetSupervisor:
    """Keeps at most one facet a key, and no more facets than attention allows."""

    def __init__(
        self,
        facet_factory: Callable[[str, str | None], FacetLike],
        *,
        trace: Sink,
        idle_ttl_ticks: float | None = None,
        evict_on_pressure: bool = True,
        spawned_before: int = 0,
    ) -> None:
        """``idle_ttl_ticks`` beats the one in a state's params. ``spawned_before`` continues the
        numbering of a mind that was restored."""
        self._factory = facet_factory
        self._trace = guarded(trace)
        self._idle_ttl_ticks = idle_ttl_ticks
        self._evict_on_pressure = evict_on_pressure
        self._free_attention = 1.0
        self._tick = 0
        self._last_number = spawned_before
        self._live: dict[str, FacetHandle] = {}  # in order of creation
        self._by_key: dict[str, FacetHandle] = {}
        self._carried: dict[str, list[str]] = {}  # in order of ending
        self._counts = FacetCounts()

    def __len__(self) -> int:
        return len(self._live)

    @property
    def last_number(self) -> int:
        """Number of the facet spawned last; 0 before the first."""
        return self._last_number

    def set_attention(self, free: float) -> None:
        """Set how much attention is free, clamped to 0..1. Open facets live on."""
        if math.isnan(free):
            raise ValueError("free attention must be a number, got nan")
        self._free_attention = min(1.0, max(0.0, free))

    def spawn(self, state: StateView, key: str | None = None) -> Spawned:
        """A facet for ``key``: the open one, else a new one, else none when attention is full.

        At the allowance one facet gives way: quiet keyless ones first, then quiet keyed ones, then
        any; among these the one that was active least recently, and the oldest of several.
        """
        self._tick = state.tick
        found = self._reuse(key)
        if found is not None:
            return found
        full = len(self._live) >= self._allowance(state)
        if full and not self._evict_on_pressure:
            return Spawned(attention=Attention.FULL, handle=None)
        self._last_number += 1
        facet_id = f"facet-{self._last_number}"
        facet = self._factory(facet_id, key)
        found = self._reuse(key)
        if found is not None:  # the factory itself opened the thread
            _destroy(facet, facet_id)
            return found
        evicted = self._evict_one() if len(self._live) >= self._allowance(state) else None
        handle = self._open(facet_id, key, facet)
        # Told last, so that an owner who spawns at once meets a population that is in order.
        self._tell(evicted)
        return Spawned(attention=Attention.AVAILABLE, handle=handle)

    def pump(self, state: StateView) -> None:
        """Reap what was idle for too long, then pump the others in order of creation."""
        self._tick = state.tick
        if not self._live:  # most minds, most of the time
            return
        ttl: float | None = self._idle_ttl_ticks
        if ttl is None:
            ttl = state.params.facet_idle_ttl_ticks
        for handle in self._handles():
            facet = handle.facet
            if handle.life is not FacetLife.OPEN:  # an owner closed it on hearing of another
                continue
            if not facet.busy and state.tick - facet.last_active_tick > ttl:
                self._end(handle, EndReason.IDLE)
                self._tell(handle)
        failed: Exception | None = None
        for handle in self._handles():
            if handle.life is not FacetLife.OPEN:
                continue
            try:
                handle.facet.pump(state)
            except Exception as error:  # noqa: BLE001 - raised below, after the others' turn
                failed = failed or error
        if failed is not None:
            raise failed

    def handle_for(self, key: str) -> FacetHandle | None:
        """The handle of the facet open on ``key``, or None."""
        return self._by_key.get(key)

    def live_facet_ids(self) -> list[str]:
        """Ids of all live facets, oldest first."""
        return list(self._live)

    def busy_facet_ids(self) -> list[str]:
        """Ids of the live facets that are at work, oldest first."""
        return [handle.facet_id for handle in self._handles() if handle.facet.busy]

    def statistics(self) -> SupervisorStatistics:
        counted = self._counts.statistics()
        return SupervisorStatistics(
            live=len(self._live),
            busy=len(self.busy_facet_ids()),
            keyed=len(self._by_key),
            spawned=counted.spawned,
            ended=counted.ended,
            carried_threads=len(self._carried),
        )

    def see(self, tick: int) -> None:
        """Take note of a tick between two pumps: ends that follow are told with it."""
        self._tick = tick

    def reasoning_by_key(self) -> dict[str, list[str]]:
        """What each thread has thought so far, whether its facet is open or not."""
        out = {key: list(history) for key, history in self._carried.items()}
        for key, handle in self._by_key.items():
            out[key] = _history(handle)
        return {key: history for key, history in out.items() if history}

    def carry(self, key: str, history: Iterable[str]) -> None:
        """Let ``history`` wait for the next facet on ``key``."""
        self._carried.pop(key, None)
        bounded = _bounded(history)
        if not bounded:
            return
        self._carried[key] = bounded
        while len(self._carried) > MAX_CARRIED_KEYS:
            del self._carried[next(iter(self._carried))]

    def _handles(self) -> list[FacetHandle]:
        return list(self._live.values())

    def _allowance(self, state: StateView) -> int:
        ceiling = state.params.max_facets
        return max(1, min(ceiling, math.floor(ceiling * self._free_attention + 0.5)))

    def _reuse(self, key: str | None) -> Spawned | None:
        handle = None if key is None else self._by_key.get(key)
        if handle is None:
            return None
        handle.facet.mark_active(self._tick)
        return Spawned(attention=Attention.AVAILABLE, handle=handle)

    def _open(self, facet_id: str, key: str | None, facet: FacetLike) -> FacetHandle:
        handle = FacetHandle(self, facet_id, key, facet)
        facet.mark_active(self._tick)
        self._live[facet_id] = handle
        if key is not None:
            self._by_key[key] = handle
            carried = self._carried.pop(key, None)
            if carried is not None:
                _give_history(facet, facet_id, carried)
        self._counts.spawned(None, facet_id, key, self._tick)
        self._emit("executive.facet.spawn", handle)
        return handle

    def _evict_one(self) -> FacetHandle:
        everyone = self._handles()
        quiet = [handle for handle in everyone if not handle.facet.busy]
        candidates = [h for h in quiet if h.key is None] or quiet or everyone
        # min keeps the first of equals, and the handles come oldest first
        victim = min(candidates, key=lambda handle: handle.facet.last_active_tick)
        self._end(victim, EndReason.LRU)
        return victim

    def _close(self, handle: FacetHandle) -> None:
        self._end(handle, EndReason.EXPLICIT)

    def _end(self, handle: FacetHandle, reason: EndReason) -> None:
        if not handle._advance(_END_OF[reason]):  # noqa: SLF001 - the two are one mechanism
            return
        del self._live[handle.facet_id]
        if handle.key is not None:
            del self._by_key[handle.key]
            self.carry(handle.key, _history(handle))
        self._counts.destroyed(None, handle.facet_id, handle.key, reason, self._tick)
        self._emit("executive.facet.destroy", handle, reason=reason.value)
        _destroy(handle.facet, handle.facet_id)

    def _emit(self, event_type: str, handle: FacetHandle, **fields: Any) -> None:
        event: Event = {"type": event_type, "tick": self._tick, "facetId": handle.facet_id}
        if handle.key is not None:
            event["key"] = handle.key
        self._trace(event | fields | {"totalFacets": len(self._live)})

    def _tell(self, handle: FacetHandle | None) -> None:
        if handle is None:
            return
        for callback in handle._on_reaped:  # noqa: SLF001 - the two are one mechanism
            try:
                callback()
            except Exception:  # noqa: BLE001 - an owner's failure harms nobody else
                _log.exception("an owner of %s raised when told that it ended", handle.facet_id)


def _destroy(facet: FacetLike, facet_id: str) -> None:
    """Let a facet clean up; it is over whether or not that works."""
    try:
        facet.destroy()
    except Exception:  # noqa: BLE001 - a facet that is gone cannot hold up the living
        _log.exception("%s raised when it was destroyed", facet_id)


def _history(handle: FacetHandle) -> list[str]:
    """What a facet thought; nothing where it cannot say: its end is told all the same."""
    try:
        return _bounded(handle.facet.reasoning_history)
    except Exception:  # noqa: BLE001 - as above
        _log.exception("%s cannot say what it thought; nothing is carried over", handle.facet_id)
        return []


def _give_history(facet: FacetLike, facet_id: str, history: list[str]) -> None:
    try:
        facet.restore_reasoning_history(history)
    except Exception:  # noqa: BLE001 - as above
        _log.exception("%s cannot take up what its thread thought; it begins anew", facet_id)


def _bounded(history: Iterable[str]) -> list[str]:
    return [entry[:MAX_ENTRY_CHARS] for entry in list(history)[-MAX_CARRIED_ENTRIES:]]
