"""What each mind may spend: calls and tokens, in a minute and in a day."""

from collections import OrderedDict
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from llm_wire.transport import (
    Completion,
    Failure,
    Pieces,
    Request,
    Transport,
    TransportError,
)
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient._wrapper import Call, Wrapper

__all__ = [
    "CHARS_PER_TOKEN",
    "DAY_S",
    "MINUTE_S",
    "UNLIMITED",
    "Allowance",
    "Budget",
    "BudgetStatistics",
    "Standing",
]

MINUTE_S: Final = 60.0
DAY_S: Final = 86_400.0

CHARS_PER_TOKEN: Final = 4
"""A rough figure, for servers that count no tokens and for calls that are still out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What may be spent in a period; None: no limit."""

    calls: int | None = None
    tokens: int | None = None
    """Of prompts and answers together."""

    def __post_init__(self) -> None:
        for name, value in (("calls", self.calls), ("tokens", self.tokens)):
            if value is not None and value < 0:
                raise ValueError(f"{name} must not be negative, not {value!r}")


UNLIMITED: Final = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How much of one allowance an asker has used. A period begins with its first call."""

    period: str
    """``minute`` or ``day``."""
    calls: int
    tokens: int
    allowance: Allowance
    renews_in_s: float
    """Until the period is over; 0 where none runs."""

    @property
    def used_up(self) -> str | None:
        """What there is nothing left of: ``calls``, ``tokens`` or None."""
        if self.allowance.calls is not None and self.calls >= self.allowance.calls:
            return "calls"
        if self.allowance.tokens is not None and self.tokens >= self.allowance.tokens:
            return "tokens"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStatistics:
    """What all askers together have used."""

    askers: int
    """Askers with a period that runs."""
    admitted: int
    over_budget: int
    tokens: int


class _Period:
    __slots__ = ("calls", "start", "tokens")

    def __init__(self) -> None:
        self.start = float("-inf")
        self.calls = 0
        self.tokens = 0


class Budget(Wrapper):
    """Refuses an asker's calls once its allowance is used up, until the period is over.

    A call that is out counts with an estimate, and with what the server counted once it is back;
    what is used up is therefore passed by one asker's calls in flight at most. Counts live in
    memory: a day begins anew with the process.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        per_minute: Allowance = UNLIMITED,
        per_day: Allowance = UNLIMITED,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(inner)
        self._allowances = (("minute", MINUTE_S, per_minute), ("day", DAY_S, per_day))
        self._clock: Clock = clock if clock is not None else AnyioClock()
        # in order of the last call, so that pruning stops at the first asker still fresh
        self._spent: OrderedDict[str, tuple[_Period, ...]] = OrderedDict()
        self._admitted = self._refused = self._tokens = 0

    def statistics(self) -> BudgetStatistics:
        return BudgetStatistics(
            askers=len(self._spent),
            admitted=self._admitted,
            over_budget=self._refused,
            tokens=self._tokens,
        )

    def standing(self, asker: str) -> tuple[Standing, Standing]:
        """Of the minute and of the day: what the trace says when nothing was thought."""
        now = self._clock.now()
        periods = self._spent.get(asker) or tuple(_Period() for _ in self._allowances)
        minute, day = (
            _standing(period, now, name, length, allowance)
            for period, (name, length, allowance) in zip(periods, self._allowances, strict=True)
        )
        return minute, day

    async def _through(self, request: Request, call: Call) -> Pieces:
        for standing in self.standing(request.asker):
            if standing.used_up is not None:
                self._refused += 1
                raise _over_budget(request.asker, standing)
        estimate = _estimate(request)
        periods = self._book(request.asker, estimate)
        actual = 0
        settled = False
        try:
            async with aclosing(call(self._inner, request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        actual = _tokens(request, piece)
                        settled = True
                        self._settle(periods, estimate, actual)
                    yield piece
        finally:
            if not settled:
                # nobody knows what a call that failed has cost; the call itself stays counted
                self._settle(periods, estimate, 0)

    def _book(self, asker: str, estimate: int) -> tuple[tuple[_Period, float], ...]:
        now = self._clock.now()
        self._prune(now)
        periods = self._spent.setdefault(asker, tuple(_Period() for _ in self._allowances))
        self._spent.move_to_end(asker)
        for period, (_, length, _) in zip(periods, self._allowances, strict=True):
            if now - period.start >= length:
                period.start, period.calls, period.tokens = now, 0, 0
            period.calls += 1
            period.tokens += estimate
        self._admitted += 1
        return tuple((period, period.start) for period in periods)

    def _settle(
        self, periods: tuple[tuple[_Period, float], ...], estimate: int, actual: int
    ) -> None:
        self._tokens += actual
        for period, start in periods:
            if period.start == start:  # a new period took over nothing of the old one
                period.tokens += actual - estimate

    def _prune(self, now: float) -> None:
        while self._spent:
            asker, periods = next(iter(self._spent.items()))
            if any(
                now - period.start < length
                for period, (_, length, _) in zip(periods, self._allowances, strict=True)
            ):
                return
            del self._spent[asker]


def _standing(
    period: _Period, now: float, name: str, length: float, allowance: Allowance
) -> Standing:
    left = period.start + length - now
    runs = left > 0
    return Standing(
        period=name,
        calls=period.calls if runs else 0,
        tokens=period.tokens if runs else 0,
        allowance=allowance,
        renews_in_s=left if runs else 0.0,
    )


def _over_budget(asker: str, standing: Standing) -> TransportError:
    what = standing.used_up
    used, limit = (
        (standing.calls, standing.allowance.calls)
        if what == "calls"
        else (standing.tokens, standing.allowance.tokens)
    )
    return TransportError(
        Failure.OVER_BUDGET,
        f"{asker!r} has used {used} of {limit} {what} this {standing.period}; "
        f"it renews in {standing.renews_in_s:.3g} s",
        retry_after_s=standing.renews_in_s,
    )


def _estimate(request: Request) -> int:
    chars = len(request.system) + sum(len(m.content) for m in request.messages)
    return chars // CHARS_PER_TOKEN + request.max_tokens


def _tokens(request: Request, completion: Completion) -> int:
    usage = completion.usage
    if usage.prompt_tokens is not None and usage.completion_tokens is not None:
        return usage.total_tokens
    chars = len(request.system) + sum(len(m.content) for m in request.messages)
    return (chars + len(completion.text)) // CHARS_PER_TOKEN
