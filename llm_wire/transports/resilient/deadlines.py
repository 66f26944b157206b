"""How long a thought may take: to its first token, between tokens, and in all."""

from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from llm_wire.transport import Completion, Failure, Pieces, Request, Transport, TransportError
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient._wrapper import Call, Wrapper, streamed

__all__ = ["BETWEEN_S", "FIRST_TOKEN_S", "TOTAL_S", "Deadlines", "DeadlinesStatistics"]

FIRST_TOKEN_S: Final = 30.0
"""A model that thinks, or one that is loaded first, is slow to start."""
BETWEEN_S: Final = 10.0
"""Once it speaks, a pause of this length is a stalled stream."""
TOTAL_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlinesStatistics:
    """How many calls were cut off, by the limit they broke."""

    asked: int
    late_to_start: int
    stalled: int
    too_long: int


class Deadlines(Wrapper):
    """Cuts off what is late, and says which of the three limits it broke. Times in seconds.

    A whole answer is streamed behind the scenes, so that its first token can be waited for;
    ``streams=False`` leaves that off, for servers that cannot stream, and only ``total_s`` holds.
    The request's own deadline, if it comes sooner, counts as the end of ``total_s``.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        first_token_s: float = FIRST_TOKEN_S,
        between_s: float = BETWEEN_S,
        total_s: float = TOTAL_S,
        streams: bool = True,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(inner)
        self._first_token_s = first_token_s
        self._between_s = between_s
        self._total_s = total_s
        self._streams = streams
        self._clock: Clock = clock if clock is not None else AnyioClock()
        self._asked = 0
        self._cut = dict.fromkeys(_WORDS, 0)

    def statistics(self) -> DeadlinesStatistics:
        return DeadlinesStatistics(
            asked=self._asked,
            late_to_start=self._cut[Failure.TIMEOUT_FIRST_TOKEN],
            stalled=self._cut[Failure.TIMEOUT_STALLED],
            too_long=self._cut[Failure.TIMEOUT_TOTAL],
        )

    async def _through(self, request: Request, call: Call) -> Pieces:
        self._asked += 1
        start = self._clock.now()
        end = start + self._total_s
        if request.deadline is not None:
            end = min(end, request.deadline)
        if self._streams:
            call = streamed
        patience = self._first_token_s if self._streams else self._total_s
        failure = Failure.TIMEOUT_FIRST_TOKEN if self._streams else Failure.TIMEOUT_TOTAL
        async with aclosing(call(self._inner, request)) as pieces:
            while True:
                left = end - self._clock.now()
                piece: str | Completion | None = None
                with self._clock.limit(min(patience, left)) as scope:
                    piece = await anext(pieces, None)
                if scope.cancelled_caught:
                    raise self._late(failure if patience < left else Failure.TIMEOUT_TOTAL, start)
                if piece is None:
                    return
                yield piece
                if isinstance(piece, Completion):
                    return
                patience, failure = self._between_s, Failure.TIMEOUT_STALLED

    def _late(self, failure: Failure, start: float) -> TransportError:
        self._cut[failure] += 1
        limit = {
            Failure.TIMEOUT_FIRST_TOKEN: self._first_token_s,
            Failure.TIMEOUT_STALLED: self._between_s,
            Failure.TIMEOUT_TOTAL: self._total_s,
        }[failure]
        latency_ms = (self._clock.now() - start) * 1000
        return TransportError(failure, _WORDS[failure].format(limit), latency_ms=latency_ms)


_WORDS: Final = {
    Failure.TIMEOUT_FIRST_TOKEN: "no first token within {:g} s (first_token_s)",
    Failure.TIMEOUT_STALLED: "nothing more for {:g} s (between_s)",
    Failure.TIMEOUT_TOTAL: "not done by the asker's deadline or within {:g} s (total_s)",
}
