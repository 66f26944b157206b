"""The built-in village, world id ``mock``: a seeded world that needs no game."""

from collections.abc import Sequence
from typing import Final

from mindot.game.frame import Command, Frame
from mindot.village.daily import Daily
from mindot.village.deeds import Deeds
from mindot.village.dice import Dice
from mindot.village.playbook import write_playbook
from mindot.village.stage import Stage
from mindot.village.world import World

__all__ = ["DEFAULT_SEED", "Village"]

DEFAULT_SEED: Final = 7


class Village:
    """Fourteen villagers and a visitor who is the player; one day of it is 480 sweeps.

    The same seed and the same commands give the same frames, on any machine. Take
    :meth:`frame`, decide, and hand the commands to :meth:`advance`.
    """

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        dice = Dice(seed)
        self._world = World(dice)
        self._deeds = Deeds(self._world)
        self._stage = Stage(self._world, write_playbook(dice))
        self._daily = Daily(self._world)
        self._frame = self._world.see()

    def frame(self) -> Frame:
        """The world as it stands."""
        return self._frame

    def advance(self, commands: Sequence[Command] = ()) -> Frame:
        """Let the commands take effect and one sweep's time pass; the frame after it.

        Commands for nobody in the village, and verbs that it does not know, change nothing.
        """
        world = self._world
        world.tick += 1
        for command in commands:
            self._deeds.carry_out(command)
        self._stage.play()
        self._deeds.walk()
        self._daily.bring()
        for life in world.lives:
            company = sum(1 for _ in world.around(life))
            life.live(world.shift(life), company=company, alarm=world.alarm)
        self._frame = world.see()
        return self._frame
