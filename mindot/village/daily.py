"""What a day brings by itself: customers, work that turns up, needs that make themselves known."""

from typing import Final

from mindot.village.life import NEEDS, Life
from mindot.village.world import World

__all__ = ["CUSTOMER_WAITS", "Daily"]

_SELLERS: Final = frozenset({"smith", "merchant", "innkeeper", "healer"})
_WORKERS: Final = frozenset({"smith", "merchant", "innkeeper", "healer", "farmer"})
_CUSTOMER: Final = 0.022
"""Chance a tick that somebody comes to a seller on duty."""
CUSTOMER_WAITS: Final = 7
"""Ticks until an unserved customer leaves."""
_TASK: Final = 0.012
"""Chance a tick that work turns up beside a worker on duty."""
_TASK_LIES: Final = 7
"""Ticks until somebody else takes it up."""

_NOTICED: Final = 0.7
"""A need from which its owner notices it."""
_MET: Final = 0.5
"""A need below which it is no longer on the mind."""
_IN_WORDS: Final = {
    "food": "I have not eaten for hours.",
    "rest": "I can hardly keep my eyes open.",
    "company": "I have not spoken to a soul all day.",
    "safety": "I do not feel safe here.",
}


class Daily:
    """Brings the ordinary things of the day to each villager in turn."""

    def __init__(self, world: World) -> None:
        self._world = world

    def bring(self) -> None:
        """One tick of ordinary life."""
        for life in self._world.lives:
            self._customers(life)
            self._tasks(life)
            self._needs(life)

    def _at_work(self, life: Life) -> bool:
        shift = self._world.shift(life)
        return shift.on_duty and life.station == shift.station

    def _customers(self, life: Life) -> None:
        if life.villager.archetype not in _SELLERS:
            return
        tick = self._world.tick
        if life.customer_until is not None:
            if tick >= life.customer_until or not self._at_work(life):
                life.customer_until = None
        # drawn whether or not it counts, so that a detour does not shift everybody's luck
        elif self._world.dice.chance(_CUSTOMER) and self._at_work(life):
            life.customer_until = tick + CUSTOMER_WAITS

    def _tasks(self, life: Life) -> None:
        if life.villager.archetype not in _WORKERS:
            return
        tick = self._world.tick
        if life.working or life.task is not None:
            if tick >= life.task_ends:
                life.working, life.task = False, None
        elif self._world.dice.chance(_TASK) and self._at_work(life):
            life.task, life.task_ends = "open", tick + _TASK_LIES

    def _needs(self, life: Life) -> None:
        for need in NEEDS:
            pressure = life.needs[need]
            if pressure < _MET:
                life.asked_for.discard(need)
            elif pressure >= _NOTICED and need not in life.asked_for:
                life.asked_for.add(need)
                self._world.tell(
                    "need",
                    "",
                    (life.villager.name,),
                    _IN_WORDS[need],
                    gravity=round(pressure, 2),
                    need=need,
                )
