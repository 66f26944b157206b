"""What every wrapper shares: one flow of pieces behind both ``ask`` and ``stream``."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import aclosing

from llm_wire.transport import Completion, Failure, Pieces, Request, Transport, TransportError

__all__ = ["Call", "Wrapper", "streamed", "whole"]

Call = Callable[[Transport, Request], Pieces]
"""How the inner transport is asked: :func:`whole` or :func:`streamed`."""


async def whole(transport: Transport, request: Request) -> Pieces:
    """The answer as a stream of one piece: its completion."""
    yield await transport.ask(request)


def streamed(transport: Transport, request: Request) -> Pieces:
    return transport.stream(request)


class Wrapper(ABC):
    """A transport around another one; subclasses write :meth:`_through` alone."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inner!r})"

    @abstractmethod
    def _through(self, request: Request, call: Call) -> Pieces:
        """Ask the inner transport with ``call`` and pass on what it says."""

    async def ask(self, request: Request) -> Completion:
        async with aclosing(self._through(request, whole)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return piece
        raise TransportError(Failure.PROTOCOL, "the transport ended without a completion")

    async def stream(self, request: Request) -> Pieces:
        async with aclosing(self._through(request, streamed)) as pieces:
            async for piece in pieces:
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
