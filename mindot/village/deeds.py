"""What commands do to the village: errands set out on, work done, words that reach somebody."""

from collections.abc import Callable
from typing import Final

from mindot.game.frame import PLAYER, Command
from mindot.village.life import Errand, Life
from mindot.village.places import BY_LABEL, STATIONS
from mindot.village.world import CLOSE, World

__all__ = ["Deeds"]

_PATIENCE: Final = 14
"""Ticks after which an errand is given up: enough to cross the village."""
_WORK: Final = 6
"""Ticks that a piece of work takes."""
_GREETING_PAUSE: Final = 80
"""Ticks in which one villager greets another no more than once."""
_ALARM_PAUSE: Final = 40
"""Ticks in which calls for help raise the alarm no more than once."""
_ALARM: Final = 5
"""Ticks that a raised alarm lasts."""
_CALLS_ABOVE: Final = 30.0
"""Stress from which a call for help is urgent enough to raise the alarm."""

_SOCIAL: Final = frozenset(
    {"greet_approach", "confront", "demand", "warn_say", "complain", "guard_player", "call_help"}
)


class Deeds:
    """Carries out commands, and walks everybody on their errands."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._greeted: dict[tuple[str, str], int] = {}
        self._alarm_raised = -_ALARM_PAUSE
        self._on_arrival: dict[str, Callable[[Life, str], None]] = {
            "greet_approach": self._greet,
            "confront": self._face,
            "demand": self._face,
            "warn_say": self._face,
            "complain": self._pour_out,
            "call_help": self._call,
        }

    def carry_out(self, command: Command) -> None:
        """Let one command take effect; a name or target that is not there is passed over."""
        life = self._world.by_key.get(command.name.lower())
        if life is None:
            return
        if command.cmd == "serve":
            _serve(life)
        elif command.cmd in ("claim_task", "resume_task"):
            self._work(life)
        elif command.cmd == "flee":
            self._set_out(life, Errand("flee", place=self._refuge(life), until=self._until()))
        elif command.cmd in ("go_station", "investigate"):
            self._go(life, command)
        elif command.cmd in _SOCIAL:
            self._turn_to(life, command)

    def walk(self) -> None:
        """One tick's way for everybody on an errand; who arrives does what it came for."""
        world = self._world
        for life in world.lives:
            errand = life.errand
            if errand is None:
                continue
            aim = errand.place if errand.whom is None else world.point(errand.whom)
            if aim is None or world.tick > errand.until:
                life.errand = None
            elif life.walk(aim) or (errand.whom is not None and self._close(life, errand.whom)):
                life.errand = None
                self._arrive(life, errand.verb, errand.whom)

    # ------------------------------------------------------------------ setting out

    def _until(self) -> int:
        return self._world.tick + _PATIENCE

    def _set_out(self, life: Life, errand: Errand) -> None:
        if life.working:
            life.working, life.task, life.task_ends = False, "paused", self._world.tick + 60
        life.errand = errand

    def _go(self, life: Life, command: Command) -> None:
        world = self._world
        place = world.last_noise if command.cmd == "investigate" else None
        if command.target is not None:
            label = command.target.removeprefix("station:")
            if label in BY_LABEL:
                place = life.place(label)
            elif (whom := world.called(command.target, life)) is not None:
                place = world.point(whom)
        elif command.cmd == "go_station":
            place = life.place(world.shift(life).station)
        if place is not None:
            self._set_out(life, Errand(command.cmd, place=place, until=self._until()))

    def _turn_to(self, life: Life, command: Command) -> None:
        world = self._world
        target = command.target
        if target is None:
            target = "guard" if command.cmd == "call_help" else PLAYER
        whom = world.called(target, life)
        if whom is None:
            return
        if self._close(life, whom):
            self._arrive(life, command.cmd, whom)
        else:
            self._set_out(life, Errand(command.cmd, whom=whom, until=self._until()))

    def _refuge(self, life: Life) -> tuple[float, float]:
        """The bed that lies farthest from the visitor."""
        x, y = self._world.visitor.x, self._world.visitor.y
        beds = [s for s in STATIONS if s.kind == "bed"]
        farthest = max(beds, key=lambda s: ((s.x - x) ** 2 + (s.y - y) ** 2, s.label))
        return life.place(farthest.label)

    def _close(self, life: Life, whom: str) -> bool:
        return self._world.apart(life, whom) <= CLOSE / 2

    def _work(self, life: Life) -> None:
        if life.task is not None:
            life.task, life.working = None, True
            life.task_ends = self._world.tick + _WORK

    # ------------------------------------------------------------------ arriving

    def _arrive(self, life: Life, verb: str, whom: str | None) -> None:
        if verb == "flee":
            life.feel(-15.0)
        elif verb == "investigate":
            life.feel(-5.0)
        elif whom is not None and verb in self._on_arrival:
            self._on_arrival[verb](life, whom)

    def _greet(self, life: Life, whom: str) -> None:
        world = self._world
        life.needs["company"] = max(0.0, life.needs["company"] - 0.25)
        other = world.by_key.get(whom)
        pair = (life.key, whom)
        if (
            other is None
            or world.tick - self._greeted.get(pair, -_GREETING_PAUSE) < _GREETING_PAUSE
        ):
            return
        # a greeting that is answered is not a greeting to answer again
        self._greeted[pair] = self._greeted[(whom, life.key)] = world.tick
        other.think_of(life.key, 0.02)
        other.needs["company"] = max(0.0, other.needs["company"] - 0.15)
        name = life.villager.name
        world.tell("greeting", name, (other.villager.name,), f"{name} bids me a good day.")

    def _face(self, life: Life, whom: str) -> None:
        life.feel(-12.0)
        if whom != PLAYER:
            self._world.by_key[whom].feel(6.0)

    def _pour_out(self, life: Life, whom: str) -> None:
        life.feel(-6.0)
        life.needs["company"] = max(0.0, life.needs["company"] - 0.2)

    def _call(self, life: Life, whom: str) -> None:
        world = self._world
        urgent = life.stress >= _CALLS_ABOVE
        life.feel(-10.0)
        if not urgent or world.tick - self._alarm_raised < _ALARM_PAUSE:
            return
        self._alarm_raised = world.tick
        world.alarm_until = max(world.alarm_until, world.tick + _ALARM)
        name = life.villager.name
        guards = tuple(c.villager.name for c in world.lives if c.villager.archetype == "guard")
        heard = tuple(n for n in guards if n != name)
        world.tell("alarm", name, heard, f"{name} calls for help.", gravity=0.5)


def _serve(life: Life) -> None:
    if life.customer_until is not None:
        life.customer_until = None
        life.needs["company"] = max(0.0, life.needs["company"] - 0.1)
