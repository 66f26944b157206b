"""When thoughts are had, and at which tick they may land.

Two ways with one face. :class:`LockStep` thinks inside the step, one question after the other,
and lets an answer land as many sweeps later as it says it took: no clock, the same bytes each
time. :class:`Background` thinks beside the sweeps, in real time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from anyio.abc import TaskGroup

from cognition.asking import Ask, Outcome
from mindot.mind import Mind

__all__ = ["Background", "Due", "LockStep", "Thinking"]


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


class LockStep:
    """A sweep waits for its thoughts; time passes in the answers' own latencies.

    ``sweep_ms`` is the length of a sweep: an answer that took 5,000 ms of a 2,000 ms sweep lands
    three boundaries later, and none lands before the next.
    """

    def __init__(self, sweep_ms: float) -> None:
        if not sweep_ms > 0:
            raise ValueError(f"sweep_ms is {sweep_ms!r}; give milliseconds above 0")
        self._sweep_ms = sweep_ms
        self._held: list[tuple[int, Due]] = []

    async def launch(self, mind: Mind, asks: Sequence[Ask], tick: int) -> None:
        for ask in asks:
            outcome = await mind.think(ask)
            lands = tick + max(1, math.ceil(outcome.latency_ms / self._sweep_ms))
            self._held.append((lands, Due(mind=mind, ask=ask, outcome=outcome)))

    def due(self, tick: int) -> list[Due]:
        ripe = [due for lands, due in self._held if lands <= tick]
        self._held = [held for held in self._held if held[0] > tick]
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
