"""What each mind may spend: calls and tokens, in a minute and in a day."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from llm_wire.allowance import UNLIMITED, Allowance, Standing
from llm_wire.transport import Completion, Failure, Request, Transport, TransportError
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient._wrapper import Guard

__all__ = ["CHARS_PER_TOKEN", "DAY_S", "MINUTE_S", "Budget", "BudgetStatistics"]

MINUTE_S: Final = 60.0
DAY_S: Final = 86_400.0

CHARS_PER_TOKEN: Final = 4
"""A rough figure, for servers that count no tokens and for calls that are still out."""


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


class _Call(NamedTuple):
    """One call as it was booked."""

    request: Request
    estimate: int
    periods: tuple[tuple[_Period, float], ...]
    """Each with its start: a period that was renewed meanwhile is another one."""


class Budget(Guard[_Call]):
    """Refuses an asker's calls once its allowance is used up, until the period is over.

    A call that is out counts with an estimate, and with what the server counted once it is back;
    what is used up is therefore passed by one asker's calls in flight at most. Counts live in
    memory: a day begins anew with the process. What comes back of a call carries how its asker
    stands then, for each period that has a limit.
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
        self._limited = tuple(
            name for name, _, allowance in self._allowances if allowance != UNLIMITED
        )
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
        """Of the minute and of the day."""
        now = self._clock.now()
        periods = self._spent.get(asker) or tuple(_Period() for _ in self._allowances)
        minute, day = (
            _standing(period, now, name, length, allowance)
            for period, (name, length, allowance) in zip(periods, self._allowances, strict=True)
        )
        return minute, day

    async def _enter(self, request: Request) -> _Call:
        if self._limited:
            for standing in self.standing(request.asker):
                if standing.used_up is not None:
                    self._refused += 1
                    error = _over_budget(request.asker, standing)
                    error.standing = self.limits(request.asker)
                    raise error
        estimate = _estimate(request)
        return _Call(request, estimate, self._book(request.asker, estimate))

    def _answered(self, entry: _Call, completion: Completion) -> Completion:
        self._settle(entry, _tokens(entry.request, completion))
        if not self._limited:
            return completion
        return replace(completion, standing=self.limits(entry.request.asker))

    def _failed(self, entry: _Call, error: TransportError) -> None:
        # nobody knows what a failed call has cost; the call itself stays counted if it went out
        self._settle(entry, 0, calls=1 if error.sent else 0)
        error.standing = self.limits(entry.request.asker)

    def _left(self, entry: _Call, *, told: bool) -> None:
        if not told:
            self._settle(entry, 0)

    def limits(self, asker: str) -> tuple[Standing, ...]:
        """How the asker stands, without the periods that have no limit."""
        if not self._limited:
            return ()
        return tuple(s for s in self.standing(asker) if s.period in self._limited)

    def _book(self, asker: str, estimate: int) -> tuple[tuple[_Period, float], ...]:
        now = self._clock.now()
        periods = self._spent.get(asker)
        if periods is None:
            periods = self._spent[asker] = tuple(_Period() for _ in self._allowances)
        self._spent.move_to_end(asker)
        renewed = False
        for period, (_, length, _) in zip(periods, self._allowances, strict=True):
            if now - period.start >= length:
                period.start, period.calls, period.tokens = now, 0, 0
                renewed = True
            period.calls += 1
            period.tokens += estimate
        if renewed:
            self._prune(now)
        self._admitted += 1
        return tuple([(period, period.start) for period in periods])

    def _settle(self, call: _Call, tokens: int, *, calls: int = 1) -> None:
        """Put what a call has cost in the place of what was booked for it."""
        self._tokens += tokens
        self._admitted += calls - 1
        for period, start in call.periods:
            if period.start == start:  # a new period took over nothing of the old one
                period.tokens += tokens - call.estimate
                period.calls += calls - 1

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
    renews = f"it renews in {standing.renews_in_s:.3g} s" if limit else "it has none to use"
    return TransportError(
        Failure.OVER_BUDGET,
        f"{asker!r} has used {used} of {limit} {what} this {standing.period}; {renews}",
        retry_after_s=standing.renews_in_s if limit else None,
        sent=False,
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
