"""When thoughts are had, and at which tick they may land.

Two ways with one face. :class:`LockStep` thinks inside the step, one question after the other,
and a rule says when each answer lands: no clock, the same bytes each time. :class:`Background`
thinks beside the sweeps, in real time.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from anyio.abc import TaskGroup

from cognition.asking import Ask, Outcome
from mindot.mind import Mind

__all__ = [
    "Background",
    "Due",
    "Lands",
    "LockStep",
    "Thinking",
    "after_latency",
    "next_boundary",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An outcome whose tick has come."""

    mind: Mind
    ask: Ask
    outcome: Outcome


class Thinking(Protocol):
    """How a host has its minds' questions answered."""

    async def launch(self, mind: Mind, asks: Sequence[Ask], tick: int) -> None:
        """Have these asks answered, each in its own time."""
        ...

    def due(self, tick: int) -> list[Due]:
        """What may land at ``tick``, in the order in which it came."""
        ...

    def drop(self) -> int:
        """Forget all that is under way or waits; how many thoughts that were."""
        ...


Lands = Callable[[Ask, Outcome, int], int | None]
"""From an ask, what came of it and the tick of asking: the tick of landing; None for never."""


def next_boundary(_ask: Ask, _outcome: Outcome, tick: int) -> int:
    """Whatever a thought took, the next sweep has it."""
    return tick + 1


def after_latency(sweep_ms: float) -> Lands:
    """As many sweeps of ``sweep_ms`` later as the thought took, and never before the next."""
    if not sweep_ms > 0:
        raise ValueError(f"sweep_ms is {sweep_ms!r}; give milliseconds above 0")

    def lands(_ask: Ask, outcome: Outcome, tick: int) -> int:
        return tick + max(1, math.ceil(outcome.latency_ms / sweep_ms))

    return lands


class LockStep:
    """A sweep waits for its thoughts, one after the other; ``lands`` tells when each may land."""

    def __init__(self, lands: Lands = next_boundary) -> None:
        self._lands = lands
        self._held: list[tuple[int | None, Due]] = []

    async def launch(self, mind: Mind, asks: Sequence[Ask], tick: int) -> None:
        for ask in asks:
            outcome = await mind.think(ask)
            due = Due(mind=mind, ask=ask, outcome=outcome)
            self._held.append((self._lands(ask, outcome, tick), due))

    def due(self, tick: int) -> list[Due]:
        ripe = [due for lands, due in self._held if lands is not None and lands <= tick]
        self._held = [held for held in self._held if held[0] is None or held[0] > tick]
        return ripe

    def drop(self) -> int:
        dropped, self._held = len(self._held), []
        return dropped


class Background:
    """Each ask is a task of the host's task group; the sweeps never wait for one."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._done: list[Due] = []
        self._open = 0
        self._epoch = 0
        """Rises with each drop, so that what was under way then is not taken in later."""

    async def launch(self, mind: Mind, asks: Sequence[Ask], tick: int) -> None:
        for ask in asks:
            self._open += 1
            self._tasks.start_soon(self._think, mind, ask, self._epoch)

    async def _think(self, mind: Mind, ask: Ask, epoch: int) -> None:
        outcome = await mind.think(ask)
        if epoch == self._epoch:
            self._open -= 1
            self._done.append(Due(mind=mind, ask=ask, outcome=outcome))

    def due(self, tick: int) -> list[Due]:
        done, self._done = self._done, []
        return done

    def drop(self) -> int:
        dropped = self._open + len(self._done)
        self._epoch += 1
        self._open, self._done = 0, []
        return dropped
