"""A circuit breaker: an endpoint that is down costs its askers nothing but a look at a flag."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from llm_wire.transport import Completion, Failure, Request, Transport, TransportError
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient._wrapper import Guard

__all__ = [
    "COUNTED",
    "FAILURES",
    "LONGEST_S",
    "OPEN_S",
    "Breaker",
    "BreakerStatistics",
    "Circuit",
    "CircuitState",
    "Judge",
    "News",
    "TurnedAwayError",
    "any_sign",
    "sign_of_endpoint",
    "sign_of_model",
]

FAILURES: Final = 5
"""Failures in a row that open the circuit."""
OPEN_S: Final = 10.0
"""How long it stays open at first; doubled with each probe that fails."""
LONGEST_S: Final = 300.0

COUNTED: Final = frozenset(
    {
        Failure.UNREACHABLE,
        Failure.TIMEOUT_FIRST_TOKEN,
        Failure.TIMEOUT_STALLED,
        Failure.TIMEOUT_TOTAL,
        Failure.OVER_QUOTA,
        Failure.PROTOCOL,
    }
)
"""Signs of a sick endpoint. A refusal, an empty answer or a rate limit come from one that lives."""

_SILENT: Final = frozenset({Failure.TIMEOUT_FIRST_TOKEN, Failure.TIMEOUT_TOTAL, Failure.CANCELLED})


class News(StrEnum):
    """What a failure tells of what is behind a breaker."""

    SICK = "sick"
    ALIVE = "alive"
    NOTHING = "nothing"


Judge = Callable[[TransportError], News]


def any_sign(error: TransportError) -> News:
    """For a breaker that stands alone."""
    return News.SICK if error.failure in COUNTED else News.ALIVE


def sign_of_endpoint(error: TransportError) -> News:
    """What concerns all models of an endpoint: whether anybody is there at all."""
    if error.failure is Failure.UNREACHABLE and error.status is None:
        return News.SICK
    # whoever answers, with an error or half an answer, is there
    return News.NOTHING if error.failure in _SILENT else News.ALIVE


def sign_of_model(error: TransportError) -> News:
    """What concerns one model, where its endpoint has a breaker of its own."""
    if sign_of_endpoint(error) is News.SICK:
        return News.NOTHING
    return any_sign(error)


class TurnedAwayError(TransportError):
    """The circuit is open, and no call went out."""


class CircuitState(StrEnum):
    """Whether calls pass."""

    CLOSED = "closed"
    """Calls pass."""
    OPEN = "open"
    """Calls fail at once."""
    HALF_OPEN = "half-open"
    """A few probes pass, and decide."""


_MAY_FOLLOW: Final = {
    CircuitState.CLOSED: {CircuitState.OPEN},
    CircuitState.OPEN: {CircuitState.HALF_OPEN},
    CircuitState.HALF_OPEN: {CircuitState.OPEN, CircuitState.CLOSED},
}


class Circuit:
    """The breaker's state, without any I/O. Times are in seconds.

    A call belongs to the era in which it was admitted, and each change of state begins a new one.
    What a call of an earlier era comes back with is old news and changes nothing.
    """

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        open_s: float = OPEN_S,
        longest_s: float = LONGEST_S,
        probes: int = 1,
    ) -> None:
        self._limit = failures
        self._open_s = open_s
        self._longest_s = longest_s
        self._probes = probes
        self._probing: Counter[object] = Counter()
        self._period = open_s
        self._until = 0.0
        self._era = 0
        self.state = CircuitState.CLOSED
        self.failures = 0
        """Failures in a row."""
        self.last: Failure | None = None
        self.opened = 0
        """How often it opened."""

    def admit(self, now: float, way: object = None) -> int | None:
        """The era of a call that may go out; None: it may not.

        Every admitted call ends in one of ``succeeded``, ``failed`` and ``left``. Where several
        ways lead through one circuit each has its own probes, lest a slow one holds up the others.
        """
        if self.state is CircuitState.OPEN and now >= self._until:
            self._to(CircuitState.HALF_OPEN)
        if self.state is CircuitState.HALF_OPEN and self._probing[way] < self._probes:
            self._probing[way] += 1
            return self._era
        return self._era if self.state is CircuitState.CLOSED else None

    def is_open(self, now: float) -> bool:
        """Whether no call would be admitted, nor become a probe."""
        return self.state is CircuitState.OPEN and now < self._until

    def wait(self, now: float) -> float:
        """Seconds until the next probe may go out."""
        return max(0.0, self._until - now)

    def succeeded(self, era: int) -> None:
        if era != self._era:
            return
        self.failures = 0
        if self.state is CircuitState.HALF_OPEN:
            self._period = self._open_s
            self._to(CircuitState.CLOSED)

    def failed(self, era: int, failure: Failure, now: float) -> None:
        if era != self._era:
            return
        self.failures += 1
        self.last = failure
        if self.state is CircuitState.HALF_OPEN:
            self._period = min(self._longest_s, self._period * 2)
        elif self.failures < self._limit:
            return
        self._until = now + self._period
        self.opened += 1
        self._to(CircuitState.OPEN)

    def left(self, era: int, way: object = None) -> None:
        """A call ended without telling anything (it was cancelled); its probe's place is free."""
        if era == self._era and self.state is CircuitState.HALF_OPEN:
            self._probing[way] -= 1

    def _to(self, state: CircuitState) -> None:
        if state not in _MAY_FOLLOW[self.state]:  # pragma: no cover  the table is the proof
            raise AssertionError(f"{state!r} may not follow {self.state!r}")
        self.state = state
        self._probing.clear()
        self._era += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerStatistics:
    """How a breaker stands."""

    state: CircuitState
    failures_in_a_row: int
    opened: int
    """How often the circuit opened."""
    turned_away: int
    """Asks that failed at once."""


class Breaker(Guard[int]):
    """Turns asks away while what is behind ``inner`` is down.

    After ``failures`` in a row it opens for ``open_s`` seconds, then lets ``probes`` calls through
    at a time: one that is answered closes it, one that fails opens it for twice as long, at most
    ``longest_s``.

    Breakers of several models at one endpoint share a ``circuit``; it is then made with those
    settings. ``judge`` says what each failure tells.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        failures: int = FAILURES,
        open_s: float = OPEN_S,
        longest_s: float = LONGEST_S,
        probes: int = 1,
        judge: Judge = any_sign,
        circuit: Circuit | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(inner)
        self._judge = judge
        self._clock: Clock = clock if clock is not None else AnyioClock()
        self._circuit = circuit or Circuit(
            failures=failures, open_s=open_s, longest_s=longest_s, probes=probes
        )
        self._turned_away = 0

    def statistics(self) -> BreakerStatistics:
        return BreakerStatistics(
            state=self._circuit.state,
            failures_in_a_row=self._circuit.failures,
            opened=self._circuit.opened,
            turned_away=self._turned_away,
        )

    def is_open(self, now: float) -> bool:
        """Whether an ask at ``now`` would be turned away. In seconds of the clock."""
        return self._circuit.is_open(now)

    def turn_away(self, now: float) -> TransportError:
        """What an ask fails with that may not pass; it is counted."""
        self._turned_away += 1
        circuit = self._circuit
        wait = circuit.wait(now)
        return TurnedAwayError(
            Failure.UNREACHABLE,
            f"not asked: {circuit.failures} calls in a row failed, the last by {circuit.last}; "
            f"the next probe may go out in {wait:.3g} s",
            retry_after_s=wait,
            sent=False,
        )

    async def _enter(self, request: Request) -> int:
        now = self._clock.now()
        era = self._circuit.admit(now, self)
        if era is None:
            raise self.turn_away(now)
        return era

    def _answered(self, entry: int, completion: Completion) -> Completion:
        self._circuit.succeeded(entry)
        return completion

    def _failed(self, entry: int, error: TransportError) -> None:
        match self._judge(error):
            case News.SICK:
                self._circuit.failed(entry, error.failure, self._clock.now())
            case News.ALIVE:
                self._circuit.succeeded(entry)
            case News.NOTHING:
                self._circuit.left(entry, self)

    def _left(self, entry: int, *, told: bool) -> None:
        if not told:
            self._circuit.left(entry, self)
