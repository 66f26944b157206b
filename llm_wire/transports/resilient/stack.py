"""The wrappers in the order in which they make sense together.

From the outside in: the budget (what may not be asked takes no place in a queue), the limit, the
choice of a model, what it falls through to, and for each model its breaker, its retries and its
deadlines. The breaker stands outside of the retries, so that an ask of a dead endpoint waits for
nothing.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llm_wire.transport import Completion, Pieces, Request, Transport
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient.breaker import (
    FAILURES,
    OPEN_S,
    Breaker,
    BreakerStatistics,
)
from llm_wire.transports.resilient.budget import (
    UNLIMITED,
    Allowance,
    Budget,
    BudgetStatistics,
    Standing,
)
from llm_wire.transports.resilient.deadlines import (
    BETWEEN_S,
    FIRST_TOKEN_S,
    TOTAL_S,
    Deadlines,
    DeadlinesStatistics,
)
from llm_wire.transports.resilient.fallthrough import Fallthrough, FallthroughStatistics
from llm_wire.transports.resilient.limit import CONCURRENT, QUEUED, Limit, LimitStatistics
from llm_wire.transports.resilient.retry import ATTEMPTS, PATIENCE_S, Retry, RetryStatistics
from llm_wire.transports.routed import Route, Routed

__all__ = ["EndpointStatistics", "Resilience", "Stack", "StackStatistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resilience:
    """Settings of a stack. Times in seconds."""

    first_token_s: float = FIRST_TOKEN_S
    between_s: float = BETWEEN_S
    total_s: float = TOTAL_S
    """Of one call; the request's own deadline bounds all of its calls and waits together."""
    streams: bool = True
    attempts: int = ATTEMPTS
    patience_s: float = PATIENCE_S
    breaker_failures: int = FAILURES
    breaker_open_s: float = OPEN_S
    concurrent: int = CONCURRENT
    queued: int = QUEUED
    per_minute: Allowance = UNLIMITED
    per_day: Allowance = UNLIMITED


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointStatistics:
    """Of one named model: what was asked of it, first or after others had failed."""

    model: str
    breaker: BreakerStatistics
    retry: RetryStatistics
    deadlines: DeadlinesStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class StackStatistics:
    """All of the wrappers, from the outside in."""

    budget: BudgetStatistics
    limit: LimitStatistics
    chosen: tuple[tuple[str, FallthroughStatistics], ...]
    """By the model that was chosen first."""
    endpoints: tuple[EndpointStatistics, ...]


class Stack:
    """Named models behind every wrapper; ``rng`` scatters the retries.

    ``routes`` choose a model for a request, ``default`` (else the first one) where none fits.
    ``then`` names, for a model, those that are asked in its place when it fails, in order.
    """

    def __init__(
        self,
        models: Mapping[str, Transport],
        settings: Resilience | None = None,
        *,
        default: str | None = None,
        routes: Sequence[Route] = (),
        then: Mapping[str, Sequence[str]] | None = None,
        rng: random.Random,
        clock: Clock | None = None,
    ) -> None:
        if not models:
            raise ValueError("models must hold at least one model to ask")
        s = settings if settings is not None else Resilience()
        clock = clock if clock is not None else AnyioClock()
        self._endpoints = {
            name: _Endpoint(transport, s, rng, clock) for name, transport in models.items()
        }
        self._chosen = {name: self._fallthrough(name, then or {}) for name in models}
        routed = Routed(self._chosen, routes, default=default or next(iter(models)))
        self._limit = Limit(routed, concurrent=s.concurrent, queued=s.queued, clock=clock)
        self._budget = Budget(self._limit, per_minute=s.per_minute, per_day=s.per_day, clock=clock)

    def _fallthrough(self, name: str, then: Mapping[str, Sequence[str]]) -> Fallthrough:
        names = dict.fromkeys((name, *then.get(name, ())))
        for other in names:
            if other not in self._endpoints:
                known = ", ".join(map(repr, self._endpoints))
                raise ValueError(f"no model is named {other!r}; there are {known}")
        return Fallthrough([self._endpoints[other].breaker for other in names])

    async def ask(self, request: Request) -> Completion:
        return await self._budget.ask(request)

    def stream(self, request: Request) -> Pieces:
        return self._budget.stream(request)

    async def aclose(self) -> None:
        for endpoint in self._endpoints.values():
            await endpoint.breaker.aclose()

    def standing(self, asker: str) -> tuple[Standing, Standing]:
        """How much of its allowances an asker has used: of the minute, and of the day."""
        return self._budget.standing(asker)

    def statistics(self) -> StackStatistics:
        return StackStatistics(
            budget=self._budget.statistics(),
            limit=self._limit.statistics(),
            chosen=tuple((name, f.statistics()) for name, f in self._chosen.items()),
            endpoints=tuple(
                EndpointStatistics(
                    model=name,
                    breaker=endpoint.breaker.statistics(),
                    retry=endpoint.retry.statistics(),
                    deadlines=endpoint.deadlines.statistics(),
                )
                for name, endpoint in self._endpoints.items()
            ),
        )


class _Endpoint:
    """One model's own wrappers."""

    def __init__(
        self, transport: Transport, s: Resilience, rng: random.Random, clock: Clock
    ) -> None:
        self.deadlines = Deadlines(
            transport,
            first_token_s=s.first_token_s,
            between_s=s.between_s,
            total_s=s.total_s,
            streams=s.streams,
            clock=clock,
        )
        self.retry = Retry(
            self.deadlines, rng=rng, attempts=s.attempts, patience_s=s.patience_s, clock=clock
        )
        self.breaker = Breaker(
            self.retry, failures=s.breaker_failures, open_s=s.breaker_open_s, clock=clock
        )
