"""The wrappers in the order in which they make sense together.

From the outside in: the budget (what may not be asked takes no place in a queue), the limit, the
list of models, and for each model its breaker, its retries and its deadlines. The breaker stands
outside of the retries, so that an ask of a dead endpoint waits for nothing.
"""

import random
from collections.abc import Sequence
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
    breaker: BreakerStatistics
    retry: RetryStatistics
    deadlines: DeadlinesStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class StackStatistics:
    budget: BudgetStatistics
    limit: LimitStatistics
    models: FallthroughStatistics
    endpoints: tuple[EndpointStatistics, ...]
    """In the order of the list of models."""


class Stack:
    """``transports``, first choice first, behind every wrapper. ``rng`` scatters the retries."""

    def __init__(
        self,
        transports: Sequence[Transport],
        settings: Resilience | None = None,
        *,
        rng: random.Random,
        clock: Clock | None = None,
    ) -> None:
        s = settings if settings is not None else Resilience()
        clock = clock if clock is not None else AnyioClock()
        self._deadlines = [
            Deadlines(
                transport,
                first_token_s=s.first_token_s,
                between_s=s.between_s,
                total_s=s.total_s,
                streams=s.streams,
                clock=clock,
            )
            for transport in transports
        ]
        self._retries = [
            Retry(inner, rng=rng, attempts=s.attempts, patience_s=s.patience_s, clock=clock)
            for inner in self._deadlines
        ]
        self._breakers = [
            Breaker(inner, failures=s.breaker_failures, open_s=s.breaker_open_s, clock=clock)
            for inner in self._retries
        ]
        self._models = Fallthrough(self._breakers)
        self._limit = Limit(self._models, concurrent=s.concurrent, queued=s.queued, clock=clock)
        self._budget = Budget(self._limit, per_minute=s.per_minute, per_day=s.per_day, clock=clock)

    async def ask(self, request: Request) -> Completion:
        return await self._budget.ask(request)

    def stream(self, request: Request) -> Pieces:
        return self._budget.stream(request)

    async def aclose(self) -> None:
        await self._budget.aclose()

    def standing(self, asker: str) -> tuple[Standing, Standing]:
        """How much of its allowances an asker has used: of the minute, and of the day."""
        return self._budget.standing(asker)

    def statistics(self) -> StackStatistics:
        return StackStatistics(
            budget=self._budget.statistics(),
            limit=self._limit.statistics(),
            models=self._models.statistics(),
            endpoints=tuple(
                EndpointStatistics(
                    breaker=b.statistics(), retry=r.statistics(), deadlines=d.statistics()
                )
                for b, r, d in zip(self._breakers, self._retries, self._deadlines, strict=True)
            ),
        )
