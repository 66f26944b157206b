"""A check that no task outlives the call that started it."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import sniffio
import trio
from anyio.lowlevel import checkpoint

__all__ = ["no_leaks"]


@asynccontextmanager
async def no_leaks() -> AsyncIterator[None]:
    before = _tasks()
    yield
    gc.collect(1)  # a half-read generator that only the collector finds is a leak too
    await checkpoint()
    assert _tasks() == before


def _tasks() -> int:
    if sniffio.current_async_library() == "trio":
        return trio.lowlevel.current_statistics().tasks_living
    return len(asyncio.all_tasks())
