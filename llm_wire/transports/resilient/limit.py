"""How many calls are out at once, and who waits for a place: conversations before musings."""

from dataclasses import dataclass
from typing import Final

import anyio

from llm_wire.transport import Failure, Priority, Request, Transport, TransportError
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient._wrapper import Guard

__all__ = ["CONCURRENT", "QUEUED", "Limit", "LimitStatistics"]

CONCURRENT: Final = 64
QUEUED: Final = 256
"""What waits behind more than this would be stale when its turn came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitStatistics:
    """Who is inside, who waits, and who had to give way."""

    running: int
    queued: int
    most_queued: int
    served: int
    """Asks that were let through."""
    dropped: tuple[tuple[Priority, int], ...]
    """Asks that had to give way in the queue, by priority; those that lost none are left out."""
    expired: int
    """Asks whose deadline passed in the queue."""


class _Waiter:
    __slots__ = ("admitted", "called", "priority")

    def __init__(self, priority: Priority) -> None:
        self.priority = priority
        self.called = anyio.Event()
        self.admitted = False


class Limit(Guard[None]):
    """Lets ``concurrent`` calls through at a time, and ``queued`` more wait for their turn.

    The turn goes by priority, then by age. In a full queue the oldest of the least urgent asks
    gives way to a newcomer that is as urgent or more; a newcomer less urgent than all gives way
    itself. Who gives way fails as ``cancelled`` and is counted.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        concurrent: int = CONCURRENT,
        queued: int = QUEUED,
        clock: Clock | None = None,
    ) -> None:
        if concurrent < 1:
            raise ValueError(f"concurrent must be at least 1, not {concurrent!r}")
        if queued < 0:
            raise ValueError(f"queued must not be negative, not {queued!r}")
        super().__init__(inner)
        self._concurrent = concurrent
        self._queued = queued
        self._clock: Clock = clock if clock is not None else AnyioClock()
        self._running = 0
        # a dict keeps the order of arrival and gives up any waiter at once
        self._waiting: dict[Priority, dict[_Waiter, None]] = {p: {} for p in Priority}
        self._most_queued = self._served = self._expired = 0
        self._dropped = dict.fromkeys(Priority, 0)

    def statistics(self) -> LimitStatistics:
        return LimitStatistics(
            running=self._running,
            queued=self._length(),
            most_queued=self._most_queued,
            served=self._served,
            dropped=tuple((p, n) for p, n in self._dropped.items() if n),
            expired=self._expired,
        )

    async def _enter(self, request: Request) -> None:
        if self._running < self._concurrent:
            # a free place means an empty queue: whoever leaves calls the next one in
            self._running += 1
            self._served += 1
            return
        waiter = self._queue(request.priority)
        left = float("inf") if request.deadline is None else request.deadline - self._clock.now()
        try:
            if left == float("inf"):
                await waiter.called.wait()
            else:
                with self._clock.limit(left):
                    await waiter.called.wait()
        except BaseException:
            # cancelled, maybe in the very moment in which its turn had come
            if waiter.admitted:
                self._leave()
            self._waiting[waiter.priority].pop(waiter, None)
            raise
        if waiter.admitted:
            self._served += 1
            return
        if waiter.called.is_set():
            raise TransportError(
                Failure.CANCELLED, "gave way to more urgent asks in a full queue", sent=False
            )
        self._waiting[waiter.priority].pop(waiter, None)
        self._expired += 1
        raise TransportError(
            Failure.TIMEOUT_TOTAL, "its deadline passed while it was queued", sent=False
        )

    def _queue(self, priority: Priority) -> _Waiter:
        if self._length() >= self._queued:
            self._make_room(priority)
        waiter = _Waiter(priority)
        self._waiting[priority][waiter] = None
        self._most_queued = max(self._most_queued, self._length())
        return waiter

    def _make_room(self, priority: Priority) -> None:
        """Drop the oldest of the least urgent, or refuse the newcomer."""
        for least in sorted(Priority, reverse=True):
            if least < priority:
                break
            if self._waiting[least]:
                oldest = next(iter(self._waiting[least]))
                del self._waiting[least][oldest]
                self._dropped[least] += 1
                oldest.called.set()
                return
        self._dropped[priority] += 1
        raise TransportError(Failure.CANCELLED, "the queue is full of more urgent asks", sent=False)

    def _left(self, entry: None, *, told: bool) -> None:
        self._leave()

    def _leave(self) -> None:
        for waiting in self._waiting.values():
            if waiting:
                waiter = next(iter(waiting))
                del waiting[waiter]
                waiter.admitted = True
                waiter.called.set()
                return  # the place goes over to the one called in
        self._running -= 1

    def _length(self) -> int:
        return sum(map(len, self._waiting.values()))
