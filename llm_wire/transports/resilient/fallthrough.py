"""A list of models: when one fails, the next is asked."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from llm_wire.transport import Completion, Failure, Pieces, Request, Transport, TransportError

__all__ = ["FINAL", "Fallthrough", "FallthroughStatistics"]

FINAL: Final = frozenset({Failure.CANCELLED, Failure.OVER_BUDGET})
"""The asker's own ends: another model would not change them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FallthroughStatistics:
    """Who answered in the end."""

    asked: int
    answered_by: tuple[int, ...]
    """Answers of each transport, in the order of the list."""
    failed: int
    """Asks that no transport answered."""


class Fallthrough:
    """Asks ``transports`` in order until one answers; the last one's failure is raised.

    A stream that has begun is not begun again with another model: its words are out.
    """

    def __init__(self, transports: Sequence[Transport]) -> None:
        if not transports:
            raise ValueError("transports must hold at least one transport to fall through")
        self._transports = tuple(transports)
        self._asked = self._failed = 0
        self._answered = [0] * len(self._transports)

    def __repr__(self) -> str:
        return f"Fallthrough({list(self._transports)!r})"

    def statistics(self) -> FallthroughStatistics:
        return FallthroughStatistics(
            asked=self._asked, answered_by=tuple(self._answered), failed=self._failed
        )

    def note_refusal(self) -> None:
        """Count an ask that was turned away before any of the transports had to be asked."""
        self._asked += 1
        self._failed += 1

    async def aclose(self) -> None:
        for transport in self._transports:
            await transport.aclose()

    async def ask(self, request: Request) -> Completion:
        self._asked += 1
        sent = False
        for n, transport in enumerate(self._transports):
            try:
                completion = await transport.ask(request)
            except TransportError as error:
                error.sent = sent = sent or error.sent
                if self._ends(n, error):
                    raise
            else:
                self._answered[n] += 1
                return completion
        raise AssertionError("the last one answers or raises")  # pragma: no cover

    async def stream(self, request: Request) -> Pieces:
        self._asked += 1
        sent = False
        for n, transport in enumerate(self._transports):
            began = False
            try:
                async with aclosing(transport.stream(request)) as pieces:
                    async for piece in pieces:
                        began = True
                        if isinstance(piece, Completion):
                            self._answered[n] += 1
                        yield piece
            except TransportError as error:
                error.sent = sent = sent or error.sent
                if self._ends(n, error, began=began):
                    raise
            else:
                return

    def _ends(self, n: int, error: TransportError, *, began: bool = False) -> bool:
        """Whether nobody is asked after the n-th one."""
        last = n == len(self._transports) - 1
        ends = began or last or error.failure in FINAL
        self._failed += ends
        return ends
