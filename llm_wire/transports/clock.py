"""Time as the transports and their wrappers see it: one object to inject, real or by hand."""

import asyncio
import heapq
import itertools
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import anyio
from anyio.lowlevel import checkpoint

__all__ = ["AnyioClock", "Clock", "ManualClock"]


class Clock(Protocol):
    """Seconds on a scale that never goes back."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...

    def limit(self, seconds: float) -> AbstractContextManager[anyio.CancelScope]:
        """A scope that is cancelled once ``seconds`` have passed inside of it."""
        ...


class AnyioClock:
    """The event loop's own clock, on asyncio and on trio."""

    __slots__ = ()

    def now(self) -> float:
        # anyio finds out anew each time which loop runs; an ask that is turned away would spend a
        # third of its time on that
        try:
            return asyncio.get_running_loop().time()
        except RuntimeError:
            return anyio.current_time()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    def limit(self, seconds: float) -> AbstractContextManager[anyio.CancelScope]:
        return anyio.move_on_after(seconds)


_Due = tuple[float, int, anyio.Event | anyio.CancelScope]


class ManualClock:
    """Time that passes when :meth:`advance` is called, for tests.

    Sleepers and limits fall due in the order of their times, then in the order they were set.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._order = itertools.count()
        self._due: list[_Due] = []
        self.slept: list[float] = []
        """Every pause that was asked for, in seconds."""

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds <= 0:
            await checkpoint()
            return
        event = anyio.Event()
        entry = self._put(seconds, event)
        try:
            await event.wait()
        finally:
            self._drop(entry)

    @contextmanager
    def limit(self, seconds: float) -> Iterator[anyio.CancelScope]:
        with anyio.CancelScope() as scope:
            if seconds <= 0:
                scope.cancel()
            entry = self._put(seconds, scope)
            try:
                yield scope
            finally:
                self._drop(entry)

    @property
    def waiting(self) -> int:
        """How many sleepers and limits are pending."""
        return len(self._due)

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass; whoever falls due runs at the caller's next checkpoint."""
        end = self._now + seconds
        while self._due and self._due[0][0] <= end:
            self._now, _, waiter = heapq.heappop(self._due)
            if isinstance(waiter, anyio.Event):
                waiter.set()
            else:
                waiter.cancel()
        self._now = end

    def _put(self, seconds: float, waiter: anyio.Event | anyio.CancelScope) -> _Due:
        entry = (self._now + seconds, next(self._order), waiter)
        heapq.heappush(self._due, entry)
        return entry

    def _drop(self, entry: _Due) -> None:
        if entry in self._due:
            self._due.remove(entry)
            heapq.heapify(self._due)
