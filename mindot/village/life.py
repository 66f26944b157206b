"""The changing part of a villager: where it stands, how its body is, what binds it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mindot.game.frame import Character, Lease, Order
from mindot.village.places import BY_LABEL, station_at
from mindot.village.villagers import Shift, Villager

__all__ = ["NEEDS", "PACE", "Errand", "Life"]

NEEDS: Final = ("food", "rest", "company", "safety")

PACE: Final = 6.0
"""Game units walked in one tick."""
_HURRY: Final = 9.0
"""The same, running away."""
_ARM: Final = 1.5
"""Game units from which somebody or some place is reached."""

# per tick, that is for three minutes of village life
_TIRE: Final = 0.12
_TIRE_AT_WORK: Final = 0.06
_SLEEPY: Final = 0.14
_SLEEP: Final = 0.7
_CALM_DOWN: Final = 0.97
_HEAL: Final = 0.004
_HUNGER: Final = 0.0032
_LONELINESS: Final = 0.0028
_MEAL: Final = 0.35
_CHAT: Final = 0.03


@dataclass(frozen=True, slots=True)
class Errand:
    """Somewhere to go: a place, or after somebody who may move."""

    verb: str
    whom: str | None = None
    """Name key of a villager, or ``player``."""
    place: tuple[float, float] | None = None
    until: int = 0
    """The tick at which it is given up."""


@dataclass(slots=True)
class Life:
    """One villager from tick to tick."""

    villager: Villager
    handle: int
    x: float
    y: float
    energy: float
    sleep_pressure: float
    stress: float
    needs: dict[str, float]
    trust: dict[str, float]
    spot: tuple[float, float]
    """Where around a station it likes to stand, so that nobody stands inside another."""
    hurt: float = 0.0
    errand: Errand | None = None
    order: Order | None = None
    order_ends: int = 0
    lease: Lease | None = None
    lease_ends: int = 0
    pose_slips: int = 0
    """The tick at which a cast loses its pose."""
    task: str | None = None
    task_ends: int = 0
    """When an open task is somebody else's, or one in hand is done."""
    working: bool = False
    customer_until: int | None = None
    asked_for: set[str] = field(default_factory=set)
    """Needs that have been made known and are not met yet."""

    @property
    def key(self) -> str:
        return self.villager.name.lower()

    @property
    def station(self) -> str | None:
        return station_at(self.x, self.y)

    def place(self, label: str) -> tuple[float, float]:
        """Its own spot at a station."""
        station = BY_LABEL[label]
        return station.x + self.spot[0], station.y + self.spot[1]

    def walk(self, aim: tuple[float, float]) -> bool:
        """One tick's way toward a point; True when it is reached."""
        dx, dy = aim[0] - self.x, aim[1] - self.y
        way = math.sqrt(dx * dx + dy * dy)
        pace = _HURRY if self.errand is not None and self.errand.verb == "flee" else PACE
        if way <= _ARM:
            return True
        if way <= pace:
            self.x, self.y = round(aim[0], 2), round(aim[1], 2)
            return True
        self.x = round(self.x + dx / way * pace, 2)
        self.y = round(self.y + dy / way * pace, 2)
        return False

    def live(self, shift: Shift, *, company: int, alarm: bool) -> None:
        """One tick of body and needs. ``company``: how many others are close by."""
        bed = self.station is not None and BY_LABEL[self.station].kind == "bed"
        if bed and shift.station == self.station:
            self.energy = min(100.0, self.energy + _SLEEP)
            self.sleep_pressure = max(0.0, self.sleep_pressure - _SLEEP)
        else:
            self.energy = max(0.0, self.energy - _TIRE - (_TIRE_AT_WORK if self.working else 0.0))
            self.sleep_pressure = min(100.0, self.sleep_pressure + _SLEEPY)
        self.stress = min(100.0, self.stress * _CALM_DOWN + (2.0 if alarm else 0.0))
        self.hurt = max(0.0, self.hurt - _HEAL)
        self._want(company)

    def _want(self, company: int) -> None:
        needs = self.needs
        eats = self.station is not None and BY_LABEL[self.station].kind == "food"
        food = needs["food"] - _MEAL if eats and needs["food"] > _MEAL else needs["food"] + _HUNGER
        lonely = needs["company"] + (-_CHAT if company else _LONELINESS)
        needs["food"] = _unit(food)
        needs["company"] = _unit(lonely)
        needs["rest"] = _unit(self.sleep_pressure / 100.0)
        needs["safety"] = _unit(self.stress / 100.0 + self.hurt / 2)

    def feel(self, stress: float, hurt: float = 0.0) -> None:
        """Take a fright or a blow, or with negative stress, get over one."""
        self.stress = min(100.0, max(0.0, self.stress + stress))
        self.hurt = _unit(self.hurt + hurt)

    def think_of(self, whom: str, change: float) -> None:
        """Trust somebody more or less than before."""
        self.trust[whom] = min(1.0, max(-1.0, self.trust.get(whom, 0.0) + change))

    def shown(self, shift: Shift) -> Character:
        """This villager as a frame shows it. While an order or a scene has it, the day waits."""
        bound = self.order is not None or self.lease is not None
        return Character(
            name=self.villager.name,
            handle=self.handle,
            archetype=self.villager.archetype,
            x=self.x,
            y=self.y,
            energy=round(self.energy, 2),
            sleep_pressure=round(self.sleep_pressure, 2),
            stress=round(self.stress, 2),
            hurt=round(self.hurt, 4),
            needs=_rounded(self.needs),
            traits=self.villager.traits,
            trust=_rounded(self.trust),
            station=self.station,
            scheduled=None if bound else shift.station,
            on_duty=shift.on_duty,
            task=self.task,
            customer=self.customer_until is not None,
            order=self.order,
            lease=self.lease,
        )


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}
