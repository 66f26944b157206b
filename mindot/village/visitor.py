"""The player's character, as the village's playbook moves it."""

import math
from dataclasses import dataclass
from typing import Final

from mindot.game.frame import Player

__all__ = ["Visitor"]

_PACE: Final = 8.0
"""Game units walked in one tick; a visitor is quicker than those it follows."""
_ARM: Final = 2.0
"""It stops this short of what it walks to."""
_TALK_TICKS: Final = 2
"""For so long it counts as speaking to somebody."""


@dataclass(slots=True)
class Visitor:
    """Where the player is, and what it has in its hand."""

    x: float
    y: float
    armed: bool = False
    speaks_to: str | None = None
    speaks_until: int = 0

    def walk(self, aim: tuple[float, float]) -> bool:
        """One tick's way toward a point; True when it is within arm's reach."""
        dx, dy = aim[0] - self.x, aim[1] - self.y
        way = math.sqrt(dx * dx + dy * dy)
        step = min(_PACE, max(0.0, way - _ARM))
        if step > 0.0:
            self.x = round(self.x + dx / way * step, 2)
            self.y = round(self.y + dy / way * step, 2)
        return way - step <= _ARM + 0.01

    def speak(self, name: str, tick: int) -> None:
        self.speaks_to, self.speaks_until = name, tick + _TALK_TICKS

    def shown(self, tick: int) -> Player:
        """The player as a frame shows it."""
        speaking = self.speaks_to if tick < self.speaks_until else None
        return Player(x=self.x, y=self.y, armed=self.armed, speaks_to=speaking)
