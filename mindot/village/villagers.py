"""Who lives in the built-in village, and how each of them spends a day."""

from dataclasses import dataclass
from typing import Final, NamedTuple

__all__ = ["VILLAGERS", "Shift", "Villager"]


class Shift(NamedTuple):
    """From this hour on the day wants the villager at a station."""

    hour: float
    station: str
    on_duty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Villager:
    """The unchanging part of a villager. Traits are 0..1, trust is -1..1 by name key."""

    name: str
    archetype: str
    traits: dict[str, float]
    trust: dict[str, float]
    day: tuple[Shift, ...]
    """In order of the hour; before the first, the last still holds."""

    def shift_at(self, hour: float) -> Shift:
        """Where the day wants this villager at an hour of 0..24."""
        return next((s for s in reversed(self.day) if s.hour <= hour), self.day[-1])


def _traits(
    brave: float, warm: float, temper: float, dutiful: float, curious: float
) -> dict[str, float]:
    return {
        "brave": brave,
        "warm": warm,
        "temper": temper,
        "dutiful": dutiful,
        "curious": curious,
    }


def _working_day(
    bed: str, work: str, *, up: float = 6.0, lunch: float = 12.5, evening: str = "inn"
) -> tuple[Shift, ...]:
    return (
        Shift(up, work, on_duty=True),
        Shift(lunch, "square"),
        Shift(lunch + 1.5, work, on_duty=True),
        Shift(18.5, evening),
        Shift(22.0, bed),
    )


VILLAGERS: Final[tuple[Villager, ...]] = (
    Villager(
        name="Runa",
        archetype="guard",
        traits=_traits(0.9, 0.5, 0.5, 0.9, 0.4),
        trust={"torben": 0.7, "odda": 0.5, "alrik": 0.3},
        day=(
            Shift(5.5, "gate", on_duty=True),
            Shift(13.0, "square", on_duty=True),
            Shift(18.0, "inn"),
            Shift(22.0, "barracks"),
        ),
    ),
    Villager(
        name="Torben",
        archetype="guard",
        traits=_traits(0.7, 0.4, 0.7, 0.7, 0.3),
        trust={"runa": 0.7, "odda": 0.4, "sunniva": 0.3},
        day=(
            Shift(1.0, "barracks"),
            Shift(9.0, "square", on_duty=True),
            Shift(13.0, "gate", on_duty=True),
            Shift(20.0, "watchtower", on_duty=True),
        ),
    ),
    Villager(
        name="Gerd",
        archetype="smith",
        traits=_traits(0.8, 0.4, 0.8, 0.7, 0.3),
        trust={"kettil": 0.5, "alrik": 0.4, "sunniva": -0.2},
        day=_working_day("north cottage", "forge"),
    ),
    Villager(
        name="Sunniva",
        archetype="merchant",
        traits=_traits(0.4, 0.6, 0.5, 0.6, 0.6),
        trust={"alrik": 0.4, "torben": 0.4, "gerd": -0.1, "maren": 0.4},
        day=_working_day("north cottage", "market", up=7.0),
    ),
    Villager(
        name="Alrik",
        archetype="innkeeper",
        traits=_traits(0.5, 0.8, 0.4, 0.7, 0.5),
        trust={"sunniva": 0.4, "gerd": 0.4, "odda": 0.5},
        day=(Shift(6.5, "inn", on_duty=True), Shift(23.0, "loft")),
    ),
    Villager(
        name="Ylva",
        archetype="farmer",
        traits=_traits(0.6, 0.6, 0.4, 0.8, 0.4),
        trust={"kettil": 0.6, "pip": 0.8, "maren": 0.5},
        day=_working_day("east cottage", "field", up=5.5),
    ),
    Villager(
        name="Kettil",
        archetype="farmer",
        traits=_traits(0.5, 0.5, 0.7, 0.5, 0.4),
        trust={"ylva": 0.6, "gerd": 0.5, "lisbet": 0.8},
        day=_working_day("east cottage", "field", up=6.5),
    ),
    Villager(
        name="Pip",
        archetype="child",
        traits=_traits(0.4, 0.8, 0.3, 0.2, 0.95),
        trust={"ylva": 0.9, "lisbet": 0.7, "alrik": 0.4},
        day=(
            Shift(7.5, "well"),
            Shift(12.0, "field"),
            Shift(15.0, "square"),
            Shift(19.5, "east cottage"),
        ),
    ),
    Villager(
        name="Lisbet",
        archetype="child",
        traits=_traits(0.3, 0.7, 0.4, 0.3, 0.8),
        trust={"kettil": 0.9, "pip": 0.7, "maren": 0.5},
        day=(
            Shift(7.5, "well"),
            Shift(11.0, "herb garden"),
            Shift(15.0, "square"),
            Shift(19.5, "east cottage"),
        ),
    ),
    Villager(
        name="Maren",
        archetype="healer",
        traits=_traits(0.5, 0.9, 0.2, 0.8, 0.6),
        trust={"odda": 0.6, "ylva": 0.5, "sunniva": 0.4},
        day=_working_day("north cottage", "herb garden", evening="hall"),
    ),
    Villager(
        name="Eskil",
        archetype="hunter",
        traits=_traits(0.8, 0.3, 0.5, 0.4, 0.7),
        trust={"runa": 0.3, "tove": 0.4},
        day=(
            Shift(4.5, "watchtower"),
            Shift(11.0, "market", on_duty=True),
            Shift(17.0, "inn"),
            Shift(23.0, "loft"),
        ),
    ),
    Villager(
        name="Odda",
        archetype="elder",
        traits=_traits(0.6, 0.6, 0.3, 0.9, 0.5),
        trust={"runa": 0.5, "maren": 0.6, "alrik": 0.5},
        day=(
            Shift(8.0, "hall", on_duty=True),
            Shift(12.0, "square"),
            Shift(16.0, "hall", on_duty=True),
            Shift(21.0, "loft"),
        ),
    ),
    Villager(
        name="Finn",
        archetype="tinker",
        traits=_traits(0.3, 0.6, 0.5, 0.3, 0.7),
        trust={"alrik": 0.3, "tove": 0.3},
        day=(Shift(7.0, "square", on_duty=True), Shift(17.0, "inn"), Shift(23.5, "loft")),
    ),
    Villager(
        name="Tove",
        archetype="fisher",
        traits=_traits(0.6, 0.5, 0.6, 0.6, 0.3),
        trust={"eskil": 0.4, "finn": 0.3, "alrik": 0.3},
        day=_working_day("loft", "pier", up=5.0),
    ),
)
"""In the order in which they come into the village."""
