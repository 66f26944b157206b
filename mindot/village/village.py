"""The built-in village, world id ``mock``: a seeded world that needs no game."""

import random
from collections.abc import Sequence
from typing import Final

from mindot.game.contract import MOCK_WORLD
from mindot.game.frame import Character, Command, Frame, Player, name_key
from mindot.village.clock import hour_at, is_night, time_at
from mindot.village.places import BY_LABEL, STATIONS
from mindot.village.villagers import VILLAGERS, Villager

__all__ = ["DEFAULT_SEED", "TAB", "Village"]

DEFAULT_SEED: Final = 7
TAB: Final = "village"
"""The adapter's id in receipts."""

_PACE: Final = 6.0
"""Game units walked in one sweep."""


class _Life:
    """The changing part of a villager."""

    def __init__(self, villager: Villager, handle: int) -> None:
        home = BY_LABEL[villager.shift_at(6.0).station]
        self.villager, self.handle = villager, handle
        self.x, self.y = home.x, home.y
        self.goal: tuple[float, float] | None = None


class Village:
    """A dozen and two villagers and a player, the same for the same seed and commands.

    Take :meth:`frame`, decide, and hand the commands to :meth:`advance`.
    """

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self._random = random.Random(seed)
        self._tick = 1
        self._lives = [_Life(v, 100 + i) for i, v in enumerate(VILLAGERS)]
        self._by_key = {name_key(life.villager.name): life for life in self._lives}
        self._frame = self._see()

    def frame(self) -> Frame:
        """The world as it stands."""
        return self._frame

    def advance(self, commands: Sequence[Command]) -> Frame:
        """Let the commands take effect and one sweep's time pass; the frame after it."""
        for command in commands:
            life = self._by_key.get(name_key(command.name))
            if life is None or command.target is None:
                continue
            station = BY_LABEL.get(command.target.removeprefix("station:"))
            if station is not None:
                life.goal = (station.x, station.y)
        self._tick += 1
        for life in self._lives:
            _walk(life)
        self._frame = self._see()
        return self._frame

    def _see(self) -> Frame:
        hour = hour_at(self._tick)
        return Frame(
            world=MOCK_WORLD,
            tab=TAB,
            tick=self._tick,
            t=time_at(self._tick),
            characters=tuple(_character(life, hour) for life in self._lives),
            player=Player(x=-10.0, y=10.0),
            stations=STATIONS,
            night=is_night(self._tick),
        )


def _walk(life: _Life) -> None:
    if life.goal is None:
        return
    dx, dy = life.goal[0] - life.x, life.goal[1] - life.y
    way = (dx * dx + dy * dy) ** 0.5
    if way <= _PACE:
        (life.x, life.y), life.goal = life.goal, None
        return
    life.x += dx / way * _PACE
    life.y += dy / way * _PACE


def _character(life: _Life, hour: float) -> Character:
    villager = life.villager
    shift = villager.shift_at(hour)
    here = next((s.label for s in STATIONS if abs(s.x - life.x) + abs(s.y - life.y) < 3.0), None)
    return Character(
        name=villager.name,
        handle=life.handle,
        archetype=villager.archetype,
        x=life.x,
        y=life.y,
        traits=villager.traits,
        trust=villager.trust,
        station=here,
        scheduled=shift.station,
        on_duty=shift.on_duty,
    )
