"""The wrappers in the order in which they make sense together.

From the outside in: the budget (what may not be asked takes no place in a queue), the limit, the
choice of a model, what it falls through to, and for each model its breaker, its retries, its
endpoint's breaker and its deadlines. A model's breaker stands outside of the retries: they count as
one failure, and an ask of a dead model waits for nothing. Models of one endpoint share its circuit:
when nobody can be reached there, the others need not find that out for themselves. It stands inside
of the retries, so that a probe is one call and nobody waits for more.
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from llm_wire.allowance import UNLIMITED, Allowance, Standing
from llm_wire.transport import Completion, Pieces, Request, Transport, TransportError
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient.breaker import (
    FAILURES,
    OPEN_S,
    Breaker,
    BreakerStatistics,
    Circuit,
    sign_of_endpoint,
    sign_of_model,
)
from llm_wire.transports.resilient.budget import Budget, BudgetStatistics
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

__all__ = ["EndpointStatistics", "ModelStatistics", "Resilience", "Stack", "StackStatistics"]


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
class ModelStatistics:
    """Of one named model: what was asked of it, first or after others had failed."""

    model: str
    endpoint: str
    breaker: BreakerStatistics
    """Counts what tells of this model alone: it fails, is slow, or is not there."""
    retry: RetryStatistics
    deadlines: DeadlinesStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointStatistics:
    """Of one endpoint, over all of its models."""

    endpoint: str
    breaker: BreakerStatistics
    """Counts what tells of all of them: nobody can be reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackStatistics:
    """All of the wrappers, from the outside in."""

    budget: BudgetStatistics
    limit: LimitStatistics
    chosen: tuple[tuple[str, FallthroughStatistics], ...]
    """By the model that was chosen first."""
    models: tuple[ModelStatistics, ...]
    endpoints: tuple[EndpointStatistics, ...]


class Stack:
    """Named models behind every wrapper; ``rng`` scatters the retries.

    ``routes`` choose a model for a request, ``default`` (else the first one) where none fits.
    ``then`` names, for a model, those that are asked in its place when it fails, in order.
    ``endpoints`` says where a model is served; one that is not named there stands alone.
    """

    def __init__(
        self,
        models: Mapping[str, Transport],
        settings: Resilience | None = None,
        *,
        default: str | None = None,
        routes: Sequence[Route] = (),
        then: Mapping[str, Sequence[str]] | None = None,
        endpoints: Mapping[str, str] | None = None,
        rng: random.Random,
        clock: Clock | None = None,
    ) -> None:
        if not models:
            raise ValueError("models must hold at least one model to ask")
        s = settings if settings is not None else Resilience()
        clock = clock if clock is not None else AnyioClock()
        self._circuits: dict[str, Circuit] = {}
        self._models: dict[str, _Model] = {}
        for name, transport in models.items():
            endpoint = (endpoints or {}).get(name, name)
            circuit = self._circuits.setdefault(endpoint, _circuit(s))
            self._models[name] = _Model(endpoint, circuit, transport, s, rng, clock)
        self._clock = clock
        self._order = {name: self._named(name, then or {}) for name in models}
        self._chosen = {
            name: Fallthrough([model.breaker for model in order])
            for name, order in self._order.items()
        }
        self._routed = Routed(self._chosen, routes, default=default or next(iter(models)))
        self._limit = Limit(self._routed, concurrent=s.concurrent, queued=s.queued, clock=clock)
        self._budget = Budget(self._limit, per_minute=s.per_minute, per_day=s.per_day, clock=clock)

    def _named(self, name: str, then: Mapping[str, Sequence[str]]) -> "tuple[_Model, ...]":
        """The models that are asked where ``name`` is chosen, in order."""
        names = dict.fromkeys((name, *then.get(name, ())))
        for other in names:
            if other not in self._models:
                known = ", ".join(map(repr, self._models))
                raise ValueError(f"no model is named {other!r}; there are {known}")
        return tuple(self._models[other] for other in names)

    async def ask(self, request: Request) -> Completion:
        self._refuse_if_down(request)
        return await self._budget.ask(request)

    async def stream(self, request: Request) -> Pieces:
        self._refuse_if_down(request)
        async with aclosing(self._budget.stream(request)) as pieces:
            async for piece in pieces:
                yield piece

    def _refuse_if_down(self, request: Request) -> None:
        """Fail at once what every circuit on its way would turn away: the asks of a crowd at a
        dead endpoint, sweep after sweep, need no way through all of the wrappers."""
        chosen = self._routed.chosen(request)
        order, now = self._order[chosen], self._clock.now()
        if all(model.is_down(now) for model in order):
            self._chosen[chosen].note_refusal()
            *_, last = [model.turn_away(now) for model in order]
            last.standing = self._budget.limits(request.asker)
            raise last

    async def aclose(self) -> None:
        for model in self._models.values():
            await model.breaker.aclose()

    def standing(self, asker: str) -> tuple[Standing, Standing]:
        """How much of its allowances an asker has used: of the minute, and of the day."""
        return self._budget.standing(asker)

    def statistics(self) -> StackStatistics:
        return StackStatistics(
            budget=self._budget.statistics(),
            limit=self._limit.statistics(),
            chosen=tuple((name, f.statistics()) for name, f in self._chosen.items()),
            models=tuple(model.statistics(name) for name, model in self._models.items()),
            endpoints=tuple(map(self._endpoint_statistics, self._circuits)),
        )

    def _endpoint_statistics(self, endpoint: str) -> EndpointStatistics:
        first, *others = (
            model.reach.statistics()
            for model in self._models.values()
            if model.endpoint == endpoint
        )
        turned_away = first.turned_away + sum(other.turned_away for other in others)
        return EndpointStatistics(
            endpoint=endpoint, breaker=replace(first, turned_away=turned_away)
        )


def _circuit(s: Resilience) -> Circuit:
    return Circuit(failures=s.breaker_failures, open_s=s.breaker_open_s)


class _Model:
    """One model's own wrappers, and its way through its endpoint's circuit."""

    def __init__(
        self,
        endpoint: str,
        circuit: Circuit,
        transport: Transport,
        s: Resilience,
        rng: random.Random,
        clock: Clock,
    ) -> None:
        self.endpoint = endpoint
        self.deadlines = Deadlines(
            transport,
            first_token_s=s.first_token_s,
            between_s=s.between_s,
            total_s=s.total_s,
            streams=s.streams,
            clock=clock,
        )
        self.reach = Breaker(self.deadlines, judge=sign_of_endpoint, circuit=circuit, clock=clock)
        self.retry = Retry(
            self.reach, rng=rng, attempts=s.attempts, patience_s=s.patience_s, clock=clock
        )
        self.breaker = Breaker(self.retry, judge=sign_of_model, circuit=_circuit(s), clock=clock)

    def is_down(self, now: float) -> bool:
        return self.breaker.is_open(now) or self.reach.is_open(now)

    def turn_away(self, now: float) -> TransportError:
        first = self.breaker if self.breaker.is_open(now) else self.reach
        return first.turn_away(now)

    def statistics(self, name: str) -> ModelStatistics:
        return ModelStatistics(
            model=name,
            endpoint=self.endpoint,
            breaker=self.breaker.statistics(),
            retry=self.retry.statistics(),
            deadlines=self.deadlines.statistics(),
        )
