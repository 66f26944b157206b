"""An async edge for one mind: it launches asks, hands in what came, and closes what it opened.

The executive itself stays synchronous; a :class:`MindHost` only moves asks out and outcomes in,
inside a task group of the caller's (asyncio or trio, through anyio)::

    async with anyio.create_task_group() as tasks:
        with MindHost(executive, think, tasks) as host:
            for tick in range(1000):
                decisions = host.step(tick, metrics)
                await anyio.sleep(0.5)

When the block ends, also by cancellation, every facet is closed (``explicit``) and what is still
being thought has no effect. Handoffs that were pushed stay in the executive.
"""

import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import TaskGroup

from cognition.asking import Answered, Ask, Decision, NotAnswered, Outcome, ThoughtFailure
from cognition.executive import Executive

__all__ = ["MindHost", "Think"]

Think = Callable[[Ask], Awaitable[Outcome]]
"""Has a question answered. Failures come back as :class:`NotAnswered`. One that raises, or gives
anything but an outcome of that very ask, costs this thought and nothing else."""

_log = logging.getLogger(__name__)


class MindHost:
    """Drives one executive in a task group."""

    def __init__(self, executive: Executive, think: Think, tasks: TaskGroup) -> None:
        self._executive = executive
        self._think = think
        self._tasks = tasks
        self._scopes: dict[str, anyio.CancelScope] = {}
        self._arrived = anyio.Event()

    @property
    def executive(self) -> Executive:
        return self._executive

    @property
    def thinking(self) -> int:
        """Asks that are being answered now."""
        return len(self._scopes)

    def step(
        self, tick: int, metrics: Mapping[str, float], *, free_attention: float = 1.0
    ) -> list[Decision]:
        """One tick: land what arrived, pump, launch what leaves. Never waits."""
        decisions = self._executive.land(tick)
        self._cancel_unwanted()
        for ask in self._executive.pump(tick, metrics, free_attention=free_attention):
            scope = anyio.CancelScope()
            self._scopes[ask.ask_id] = scope
            self._tasks.start_soon(self._answer, ask, scope, name=f"think {ask.ask_id}")
        return decisions

    async def settled(self) -> None:
        """Wait until nothing is being thought: for hosts that play in lock-step."""
        while self._scopes:
            await self._arrived.wait()

    def close(self, tick: int | None = None) -> None:
        """End every facet and stop what is being thought. Doing it twice does nothing."""
        self._executive.close(self._executive.tick if tick is None else tick)
        for scope in self._scopes.values():
            scope.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def _answer(self, ask: Ask, scope: anyio.CancelScope) -> None:
        outcome: Outcome = NotAnswered(ask_id=ask.ask_id, failure=ThoughtFailure.CANCELLED)
        try:
            with scope:
                outcome = _checked(ask, await self._think(ask))
        except Exception:  # noqa: BLE001 - one failed thought costs that thought only
            _log.exception("thinking about %r raised", ask.ask_id)
            outcome = NotAnswered(ask_id=ask.ask_id, failure=ThoughtFailure.PROTOCOL)
        except anyio.get_cancelled_exc_class():
            if anyio.current_effective_deadline() == -math.inf:
                raise  # the group itself is cancelled
            # What the thought waited for was cancelled by somebody else. Let through, this would
            # end the group and the game in it without a word.
        finally:
            del self._scopes[ask.ask_id]
            arrived, self._arrived = self._arrived, anyio.Event()
            arrived.set()
        if not scope.cancelled_caught:  # else the executive has called it off already
            self._executive.deliver(outcome)

    def _cancel_unwanted(self) -> None:
        """Stop thinking about what nobody waits for: its thread was closed, or time went back."""
        wanted = {ask.ask_id for ask in self._executive.outstanding()}
        for ask_id, scope in self._scopes.items():
            if ask_id not in wanted:
                scope.cancel()


def _checked(ask: Ask, outcome: object) -> Outcome:
    if not isinstance(outcome, Answered | NotAnswered):
        raise TypeError(f"think must give an outcome, got {type(outcome).__name__}")
    if outcome.ask_id != ask.ask_id:
        raise ValueError(
            f"think was asked {ask.ask_id!r} and gave an outcome of {outcome.ask_id!r}"
        )
    return outcome
