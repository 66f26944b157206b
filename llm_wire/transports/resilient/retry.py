"""Asking again, later and at scattered moments, and never before the server wants to hear it."""

import random
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from llm_wire.transport import Failure, Pieces, Request, Transport, TransportError
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient._wrapper import Call, Wrapper
from llm_wire.transports.resilient.breaker import TurnedAwayError

__all__ = ["ATTEMPTS", "BASE_S", "CAP_S", "PATIENCE_S", "RETRIED", "Retry", "RetryStatistics"]

ATTEMPTS: Final = 3
"""Calls in all, the first one included."""
BASE_S: Final = 0.5
"""The longest pause before the second call; it doubles with each further one."""
CAP_S: Final = 8.0
PATIENCE_S: Final = 15.0
"""A longer wait than this is not worth the place that the waiting thought takes up."""

RETRIED: Final = frozenset({Failure.RATE_LIMITED, Failure.UNREACHABLE, Failure.TIMEOUT_FIRST_TOKEN})
"""What may well pass a moment later. A prompt that was refused or misread would be so again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryStatistics:
    """What asking again has cost."""

    asked: int
    calls: int
    """Calls that went out, first and repeated ones."""
    held_back: int
    """Asks that ended without a call, because the server had asked to be left alone."""
    waited_s: float


class Retry(Wrapper):
    """Asks up to ``attempts`` times. Times in seconds.

    The pause is drawn evenly from 0 to the backoff (``base_s`` doubled each time, at most
    ``cap_s``) by ``rng``, on top of what Retry-After says. A Retry-After binds every ask of this
    wrapper, not only the one that was told. Where the wait would pass ``patience_s`` or the
    request's deadline the failure is raised at once. A stream that has begun is not begun again.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        rng: random.Random,
        attempts: int = ATTEMPTS,
        base_s: float = BASE_S,
        cap_s: float = CAP_S,
        patience_s: float = PATIENCE_S,
        retried: frozenset[Failure] = RETRIED,
        clock: Clock | None = None,
    ) -> None:
        if attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {attempts!r}")
        super().__init__(inner)
        self._rng = rng
        self._attempts = attempts
        self._base_s = base_s
        self._cap_s = cap_s
        self._patience_s = patience_s
        self._retried = retried
        self._clock: Clock = clock if clock is not None else AnyioClock()
        self._not_before = float("-inf")
        self._asked = self._calls = self._held_back = 0
        self._waited_s = 0.0

    def statistics(self) -> RetryStatistics:
        return RetryStatistics(
            asked=self._asked,
            calls=self._calls,
            held_back=self._held_back,
            waited_s=self._waited_s,
        )

    async def _through(self, request: Request, call: Call) -> Pieces:
        self._asked += 1
        attempt, sent = 0, False
        while True:
            attempt += 1
            await self._until_welcome(request, attempt)
            self._calls += 1
            began = False
            try:
                async with aclosing(call(self._inner, request)) as pieces:
                    async for piece in pieces:
                        began = True
                        yield piece
            except TransportError as error:
                error.sent = sent = sent or error.sent
                turned_away = isinstance(error, TurnedAwayError)
                if turned_away:  # by an open circuit behind this wrapper: nothing went out
                    self._calls -= 1
                else:
                    self._note(error)
                pause = self._pause(attempt)
                again = not (began or turned_away) and self._may_pass(error, attempt)
                if not again or not self._worth(self._wait() + pause, request):
                    raise
            else:
                return
            await self._sleep(self._wait() + pause)

    def _may_pass(self, error: TransportError, attempt: int) -> bool:
        return attempt < self._attempts and error.failure in self._retried

    def _note(self, error: TransportError) -> None:
        if error.retry_after_s is not None:
            self._not_before = max(self._not_before, self._clock.now() + error.retry_after_s)

    def _pause(self, attempt: int) -> float:
        return self._rng.random() * min(self._cap_s, self._base_s * 2.0 ** (attempt - 1))

    def _wait(self) -> float:
        """Seconds until the server may be asked again."""
        return max(0.0, self._not_before - self._clock.now())

    def _worth(self, wait: float, request: Request) -> bool:
        in_time = request.deadline is None or self._clock.now() + wait < request.deadline
        return wait <= self._patience_s and in_time

    async def _until_welcome(self, request: Request, attempt: int) -> None:
        """Wait out a Retry-After that another ask was given, also one given while waiting."""
        while (wait := self._wait()) > 0:
            if not self._worth(wait, request):
                self._held_back += attempt == 1
                raise TransportError(
                    Failure.RATE_LIMITED,
                    f"the server asked to be left alone for {wait:.3g} s more",
                    retry_after_s=wait,
                    sent=attempt > 1,
                )
            # scattered too, where there is time: all that wait for one moment must not come at it
            scattered = wait + self._pause(1)
            await self._sleep(scattered if self._worth(scattered, request) else wait)

    async def _sleep(self, seconds: float) -> None:
        self._waited_s += seconds
        await self._clock.sleep(seconds)
