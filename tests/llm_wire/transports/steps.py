"""Cancelling a coroutine at its n-th await, for every n."""

import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

import anyio

__all__ = ["cancelled_at_every_await"]

_MOST_STEPS = 500


async def cancelled_at_every_await(function: Callable[[], Awaitable[Any]]) -> int:
    """Run ``function`` again and again, cancelled at its first await, its second, …

    Gives the number of awaits it took; an exception other than the cancellation passes through.
    """
    for step in range(1, _MOST_STEPS):
        with anyio.CancelScope() as scope:
            await _stepped(_awaiting(function), step, scope)
        if not scope.cancel_called:
            return step - 1
        assert scope.cancelled_caught or scope.cancel_called
    raise AssertionError("the function never came to its end")


async def _awaiting(function: Callable[[], Awaitable[Any]]) -> None:
    await function()


@types.coroutine
def _stepped(
    coroutine: Coroutine[Any, Any, None], step: int, scope: anyio.CancelScope
) -> Generator[Any, Any, None]:
    value: Any = None
    error: BaseException | None = None
    awaits = 0
    while True:
        try:
            waits_for = coroutine.send(value) if error is None else coroutine.throw(error)
        except StopIteration:
            return
        awaits += 1
        if awaits == step:
            scope.cancel()
        value = error = None
        try:
            value = yield waits_for
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as caught:  # noqa: BLE001  whatever it is, it is the coroutine's
            error = caught
