"""What the wrappers share: one flow behind both ``ask`` and ``stream``."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import aclosing
from typing import Generic, TypeVar

from llm_wire.transport import Completion, Failure, Pieces, Request, Transport, TransportError

__all__ = ["Call", "Guard", "Wrapper", "streamed", "whole"]

Call = Callable[[Transport, Request], Pieces]
"""How the inner transport is asked: :func:`whole` or :func:`streamed`."""

_T = TypeVar("_T")


async def whole(transport: Transport, request: Request) -> Pieces:
    """The answer as a stream of one piece: its completion."""
    yield await transport.ask(request)


def streamed(transport: Transport, request: Request) -> Pieces:
    return transport.stream(request)


class _Around:
    """A transport around another one."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inner!r})"

    async def aclose(self) -> None:
        await self._inner.aclose()


class Wrapper(_Around, ABC):
    """A transport around another one that may call it more than once, or cut it off; subclasses
    write :meth:`_through` alone."""

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


class Guard(_Around, ABC, Generic[_T]):
    """A transport around another one that lets a call in, or not, and hears what came of it.

    A whole answer passes without a stream in between: who is turned away, sweep after sweep,
    should cost next to nothing.
    """

    @abstractmethod
    async def _enter(self, request: Request) -> _T:
        """Let a call in; what comes back is given to the other methods. Raises TransportError
        for a call that may not pass."""

    def _answered(self, entry: _T, completion: Completion) -> Completion:
        """The call was answered; what is passed on."""
        return completion

    def _failed(self, entry: _T, error: TransportError) -> None:
        """The call failed; the error is raised on."""

    def _left(self, entry: _T, *, told: bool) -> None:
        """The call is over, however it ended. ``told``: one of the other two was called."""

    async def ask(self, request: Request) -> Completion:
        entry = await self._enter(request)
        told = False
        try:
            completion = await self._inner.ask(request)
            told = True
            return self._answered(entry, completion)
        except TransportError as error:
            told = True
            self._failed(entry, error)
            raise
        finally:
            self._left(entry, told=told)

    async def stream(self, request: Request) -> Pieces:
        entry = await self._enter(request)
        told = False
        try:
            async with aclosing(self._inner.stream(request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        told = True
                        yield self._answered(entry, piece)
                    else:
                        yield piece
        except TransportError as error:
            told = True
            self._failed(entry, error)
            raise
        finally:
            self._left(entry, told=told)
