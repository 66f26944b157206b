"""The state of the village at one tick, and how its parts find each other."""

import math
from collections.abc import Iterator
from typing import Final

from mindot.game.contract import MOCK_WORLD
from mindot.game.frame import PLAYER, Frame, GameEvent, name_key
from mindot.village.clock import hour_at, is_night, time_at
from mindot.village.dice import Dice
from mindot.village.life import Life
from mindot.village.places import BY_LABEL, STATIONS
from mindot.village.villagers import VILLAGERS, Shift, Villager
from mindot.village.visitor import Visitor

__all__ = ["CLOSE", "TAB", "World"]

TAB: Final = "village"
"""The adapter's id in receipts."""

CLOSE: Final = 7.0
"""Game units within which people talk to each other."""

_FIRST_HANDLE: Final = 100


class World:
    """Villagers, the visitor, and what has happened since the last frame."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.tick = 1
        self.alarm_until = 0
        self.lives = [self._settle(i, v) for i, v in enumerate(VILLAGERS)]
        self.by_key = {life.key: life for life in self.lives}
        self.visitor = Visitor(x=-24.0, y=10.0)
        self.last_noise: tuple[float, float] | None = None
        """Where the latest wrong was done: what an investigation goes to see."""
        self._events: list[GameEvent] = []
        self._told = 0

    def _settle(self, i: int, villager: Villager) -> Life:
        dice = self.dice
        spot = ((i % 5 - 2) * 0.7, (i // 5 - 1) * 0.9)
        station = BY_LABEL[villager.shift_at(hour_at(self.tick)).station]
        return Life(
            villager=villager,
            handle=_FIRST_HANDLE + i,
            x=round(station.x + spot[0], 2),
            y=round(station.y + spot[1], 2),
            energy=dice.between(75.0, 98.0),
            sleep_pressure=dice.between(4.0, 16.0),
            stress=dice.between(4.0, 18.0),
            needs={
                "food": dice.between(0.05, 0.45),
                "rest": 0.1,
                "company": dice.between(0.05, 0.4),
                "safety": 0.0,
            },
            trust=dict(villager.trust),
            spot=spot,
        )

    @property
    def alarm(self) -> bool:
        return self.tick < self.alarm_until

    def shift(self, life: Life) -> Shift:
        """Where the day wants a villager now."""
        return life.villager.shift_at(hour_at(self.tick))

    def tell(
        self,
        kind: str,
        actor: str,
        concerns: tuple[str, ...],
        text: str,
        *,
        gravity: float = 0.0,
        place: str | None = None,
        need: str | None = None,
    ) -> None:
        """Something happened; the next frame shows it."""
        self._told += 1
        self._events.append(
            GameEvent(
                id=f"event-{self._told}",
                kind=kind,
                actor=actor,
                concerns=concerns,
                text=text,
                gravity=gravity,
                place=place,
                need=need,
            )
        )

    def point(self, key: str) -> tuple[float, float] | None:
        """Where somebody is, by name key or ``player``; None for the unknown."""
        if key == PLAYER:
            return self.visitor.x, self.visitor.y
        life = self.by_key.get(key)
        return None if life is None else (life.x, life.y)

    def apart(self, life: Life, key: str) -> float:
        """Game units between a villager and somebody; infinite for the unknown."""
        point = self.point(key)
        if point is None:
            return math.inf
        dx, dy = life.x - point[0], life.y - point[1]
        return math.sqrt(dx * dx + dy * dy)

    def around(self, life: Life, within: float = CLOSE) -> Iterator[Life]:
        """The other villagers within so many game units."""
        for other in self.lives:
            if other is not life and self.apart(life, other.key) <= within:
                yield other

    def called(self, target: str, asker: Life) -> str | None:
        """Whom a command's target names: a name key, ``player``, or None when it is nobody.

        A role, such as ``guard``, is the nearest villager of that archetype.
        """
        kind, colon, rest = target.partition(":")
        name = name_key(rest if colon else kind)
        if name == PLAYER or name in self.by_key:
            return name
        held = [
            (round(self.apart(asker, life.key), 2), life.key)
            for life in self.lives
            if life.villager.archetype == name and life is not asker
        ]
        return min(held)[1] if held else None

    def witnesses(self, victim: str) -> tuple[str, ...]:
        """The victim, and the guards on duty, whom every wrong concerns."""
        guards = (
            life.villager.name
            for life in self.lives
            if life.villager.archetype == "guard" and self.shift(life).on_duty
        )
        return (victim, *(name for name in guards if name != victim))

    def see(self) -> Frame:
        """The frame of this tick, with all that happened since the last one."""
        events, self._events = tuple(self._events), []
        return Frame(
            world=MOCK_WORLD,
            tab=TAB,
            tick=self.tick,
            t=time_at(self.tick),
            characters=tuple(life.shown(self.shift(life)) for life in self.lives),
            player=self.visitor.shown(self.tick),
            stations=STATIONS,
            events=events,
            night=is_night(self.tick),
            alarm=self.alarm,
        )
