"""How fast sweeps follow each other."""

from collections.abc import Awaitable, Callable

import anyio

__all__ = ["Pace", "no_pause", "paced"]

Pace = Callable[[int], Awaitable[None]]
"""Awaited before sweep n, n counting from 1."""


async def no_pause(_sweep: int) -> None:
    """As fast as it goes, with a chance to be cancelled at every sweep."""
    await anyio.lowlevel.checkpoint()


def paced(rate_hz: float | None) -> Pace:
    """``rate_hz`` sweeps a second, by the clock; None: as fast as it goes.

    A sweep that came late is not made up for by quicker ones: the next keeps its own distance.
    """
    if rate_hz is None:
        return no_pause
    period = 1.0 / rate_hz
    due: list[float] = []

    async def wait(_sweep: int) -> None:
        now = anyio.current_time()
        if due and due[0] > now:
            await anyio.sleep(due[0] - now)
        due[:] = [max(now, due[0] if due else now) + period]

    return wait
