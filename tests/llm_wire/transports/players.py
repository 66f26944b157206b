"""Transports that play a part, for the wrappers' tests."""

from collections.abc import Iterable
from contextlib import aclosing

import anyio
from anyio.lowlevel import checkpoint

from llm_wire.transport import (
    Completion,
    Failure,
    Pieces,
    Request,
    Transport,
    TransportError,
    Usage,
)
from llm_wire.transports.clock import Clock
from tests.llm_wire.transports.dialects import request_of

__all__ = ["Gate", "Player", "Slow", "failed", "heard", "request_of", "settled"]


class Player:
    """Plays one turn a call; the last turn is played again and again.

    A turn is a text, a failure, or a list of pieces with a failure at its end.
    """

    def __init__(self, *turns: str | TransportError | list[str | TransportError]) -> None:
        self._turns = list(turns)
        self.calls: list[Request] = []
        self.closed = False

    async def ask(self, request: Request) -> Completion:
        async with aclosing(self.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return piece
        raise AssertionError("a turn ends in a completion or a failure")

    async def stream(self, request: Request) -> Pieces:
        self.calls.append(request)
        turn = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        await checkpoint()
        said = []
        for piece in turn if isinstance(turn, list) else [turn]:
            if isinstance(piece, TransportError):
                raise piece
            said.append(piece)
            yield piece
        usage = Usage(prompt_tokens=10, completion_tokens=5)
        yield Completion(text="".join(said), usage=usage, model="player")

    async def aclose(self) -> None:
        self.closed = True
        await checkpoint()


class Slow:
    """Takes its time on a clock: one wait before each piece, in seconds."""

    def __init__(self, clock: Clock, waits: Iterable[float]) -> None:
        self._clock = clock
        self._waits = list(waits)

    async def ask(self, request: Request) -> Completion:
        await self._clock.sleep(sum(self._waits))
        return Completion(text="." * len(self._waits))

    async def stream(self, request: Request) -> Pieces:
        for wait in self._waits:
            await self._clock.sleep(wait)
            yield "."
        yield Completion(text="." * len(self._waits))

    async def aclose(self) -> None:
        await checkpoint()


class Gate:
    """Answers when the test says so, and tells who is inside."""

    def __init__(self) -> None:
        self.inside: list[str] = []
        self.most = 0
        self._open: dict[str, anyio.Event] = {}

    async def ask(self, request: Request) -> Completion:
        self.inside.append(request.ask_id)
        self.most = max(self.most, len(self.inside))
        event = self._open[request.ask_id] = anyio.Event()
        try:
            await event.wait()
        finally:
            self.inside.remove(request.ask_id)
        return Completion(text=request.ask_id)

    async def stream(self, request: Request) -> Pieces:
        completion = await self.ask(request)
        yield completion.text
        yield completion

    async def aclose(self) -> None:
        await checkpoint()

    async def let_out(self, ask_id: str) -> None:
        self._open.pop(ask_id).set()
        await settled()


async def settled() -> None:
    """Let every task that can run do so."""
    for _ in range(10):
        await checkpoint()


def failed(failure: Failure, retry_after_s: float | None = None) -> TransportError:
    return TransportError(failure, "as played", retry_after_s=retry_after_s)


async def heard(transport: Transport, said: list[str | Completion]) -> None:
    """Listen to a stream; ``said`` has what came, also when the stream ends in a failure."""
    async with aclosing(transport.stream(request_of())) as pieces:
        async for piece in pieces:
            said.append(piece)  # noqa: PERF401  a comprehension would lose it with the failure
