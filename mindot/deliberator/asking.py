"""Asking a ranker, and not waiting for it longer than the deadline."""

import asyncio
import contextlib
import re
from math import inf

import anyio
from anyio.abc import TaskGroup

from mindot.deliberator.ranker import Ranker, RankFailure, Ranking, RankQuestion

__all__ = ["LATE", "NO_RANKER", "ask"]

LATE = RankFailure(where="ranker", err="late")
NO_RANKER = RankFailure(where="ranker", err="no-ranker")

_A_NAME = re.compile(r"[a-z][a-z0-9-]{1,39}")
"""What counts as a failure's name: one lower-case word, hyphens allowed, no sentence."""


async def ask(
    ranker: Ranker | None,
    question: RankQuestion,
    *,
    deadline_s: float,
    task_group: TaskGroup | None = None,
) -> Ranking | RankFailure:
    """The ranker's answer, or the failure that came instead; after ``deadline_s``, ``late``.

    The call is cancelled at the deadline. One that does not heed that is waited for, unless
    there is a ``task_group``: then it is left behind in there and its answer is dropped.
    """
    if ranker is None:
        return NO_RANKER
    call = _Call(ranker, question)
    if task_group is None:
        with anyio.move_on_after(deadline_s) as scope:
            await call.run()
        # also when the ranker swallowed its cancellation and answered all the same
        return LATE if scope.cancel_called else call.answer
    task_group.start_soon(call.run)
    try:
        with anyio.move_on_after(deadline_s):
            await call.done.wait()
            return call.answer
    finally:
        call.scope.cancel()
    return LATE


class _Call:
    """One call of a ranker, which may outlive the one who asked."""

    def __init__(self, ranker: Ranker, question: RankQuestion) -> None:
        self._ranker = ranker
        self._question = question
        self.answer: Ranking | RankFailure = LATE
        self.done = anyio.Event()
        self.scope = anyio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            try:
                self.answer = await self._ranker.rank(self._question)
            except anyio.get_cancelled_exc_class():
                # a ranker may let out the cancellation of something it waited for itself
                if _is_being_cancelled():
                    raise
                self.answer = RankFailure(where="ranker", err="cancelled")
            except Exception as err:  # noqa: BLE001 - whatever fails, the composer decides
                self.answer = RankFailure(where="ranker", err=_failure_name(err))
        self.done.set()


def _is_being_cancelled() -> bool:
    """Whether somebody has cancelled the running task, by a scope or, on asyncio, directly."""
    if anyio.current_effective_deadline() == -inf:
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # no asyncio loop runs here: there are only scopes
        return False
    return task is not None and task.cancelling() > 0


def _failure_name(err: Exception) -> str:
    """The failure's own name (``timeout-total``) where it has or is one, else its class."""
    with contextlib.suppress(Exception):
        name = str(getattr(err, "failure", err))
        if _A_NAME.fullmatch(name):
            return name
    return type(err).__name__
