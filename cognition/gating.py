"""When the master thinks: not too often, not too seldom, and at once when the world surprises."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from cognition._values import as_number
from cognition.percepts import can_rupture
from cognition.state import Entity, ExecutiveParams

__all__ = ["GateReason", "GateVerdict", "MasterGate", "bodily_crises"]

SLEEP_PRESSURE_CRISIS: Final = 65.0
STRESS_CRISIS: Final = 75.0
ENERGY_CRISIS: Final = 15.0


class GateReason(StrEnum):
    """What opened the gate, or kept it shut."""

    RUPTURE = "rupture"
    CRISIS = "crisis"
    SALIENCE = "salience"
    INTERVAL = "interval"
    PENDING = "pending"
    WAITING = "waiting"
    NOTHING = "nothing"


OPENING: Final = frozenset(
    {GateReason.RUPTURE, GateReason.CRISIS, GateReason.SALIENCE, GateReason.INTERVAL}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """Whether the master thinks at this tick, and why."""

    reason: GateReason

    @property
    def opens(self) -> bool:
        return self.reason in OPENING


def bodily_crises(metrics: Mapping[str, float]) -> frozenset[str]:
    """Names of the metrics that are past what a body can ignore."""
    found = set()
    if _metric(metrics, "sleep.pressure", 0.0) > SLEEP_PRESSURE_CRISIS:
        found.add("sleep.pressure")
    if _metric(metrics, "stress.load", 0.0) > STRESS_CRISIS:
        found.add("stress.load")
    if _metric(metrics, "energy.level", 100.0) < ENERGY_CRISIS:
        found.add("energy.level")
    return frozenset(found)


class _Sight(NamedTuple):
    """What of one percept has counted already."""

    salience: float
    startled: float
    """The most salience with which it was taken for a rupture; below 0: it never was."""


_UNSEEN: Final = _Sight(0.0, -1.0)


class MasterGate:
    """Collects what speaks for a thought of the master, tick by tick.

    A crisis counts until a thought has met it: a body that stays tired is no news every few ticks.
    """

    __slots__ = (
        "_known",
        "_params",
        "_present",
        "_ruptured",
        "_salience",
        "_sights",
        "_since",
        "_until",
    )

    def __init__(self, params: ExecutiveParams) -> None:
        self._params = params
        self._salience = 0.0
        self._sights: dict[str, _Sight] = {}  # by id, of the percepts considered last
        self._present: frozenset[str] = frozenset()  # crises at the tick considered last
        self._known: frozenset[str] = frozenset()  # crises that a thought has met already
        self._ruptured: set[str] = set()
        self._since: int | None = None  # tick of the last thought
        self._until: float = 0  # the wait after it

    @property
    def salience(self) -> float:
        """Salience that has come together since the last thought."""
        return self._salience

    def consider(
        self,
        tick: int,
        percepts: Iterable[Entity],
        metrics: Mapping[str, float],
        *,
        pending: bool,
        anything: bool,
    ) -> GateVerdict:
        """Whether the master thinks at ``tick``.

        ``pending``: a thought of it is out. ``anything``: there is something to think about even
        if nothing is new.
        """
        ruptured = self._notice(tick, percepts)
        self._present = bodily_crises(metrics)
        self._known &= self._present  # one that is over may begin again
        if pending:
            return GateVerdict(reason=GateReason.PENDING)
        if ruptured:
            return GateVerdict(reason=GateReason.RUPTURE)
        if self._since is not None and tick < self._until:
            return GateVerdict(reason=GateReason.WAITING)
        if self._present - self._known:
            return GateVerdict(reason=GateReason.CRISIS)
        if self._salience >= self._params.master_salience:
            return GateVerdict(reason=GateReason.SALIENCE)
        last = self._since or 0
        if (anything or self._salience > 0) and tick - last >= self._params.master_interval_ticks:
            return GateVerdict(reason=GateReason.INTERVAL)
        return GateVerdict(reason=GateReason.NOTHING)

    def thought(self, tick: int) -> None:
        """The master begins to think: what had come together is spent."""
        self._since = tick
        self._until = tick + self._params.master_cooldown_ticks
        self._known = self._present
        self._salience = 0.0
        self._ruptured.clear()

    def chose_fast(self, tick: int) -> None:
        """The master settled for its first idea: that stands for a while, unless the world
        ruptures it."""
        self._until = max(self._until, tick + self._params.fast_choice_ticks)

    def rewind(self, tick: int) -> None:
        """Time went back to ``tick``: what was noticed after it has not happened."""
        self._since = None if self._since is None else min(self._since, tick)
        self._until = min(self._until, tick + self._params.master_cooldown_ticks)
        self._salience = 0.0
        self._sights.clear()
        self._ruptured.clear()

    def _notice(self, tick: int, percepts: Iterable[Entity]) -> bool:
        """Count each percept once, and again by how much it grew. Whether one that may rupture
        came, grew or had its tick come since the last thought."""
        sights: dict[str, _Sight] = {}
        for percept in percepts:
            salience = as_number(percept.metadata.get("salience")) or 0.0
            sight = self._sights.get(percept.id, _UNSEEN)
            self._salience += max(0.0, salience - sight.salience)
            startled = sight.startled
            if salience > startled and can_rupture(percept, tick):
                self._ruptured.add(percept.id)
                startled = salience
            sights[percept.id] = _Sight(max(salience, sight.salience), startled)
        self._sights = sights  # what was swept need not be remembered
        self._ruptured &= sights.keys()
        return bool(self._ruptured)


def _metric(metrics: Mapping[str, float], name: str, default: float) -> float:
    number = as_number(metrics.get(name))
    return default if number is None else number
