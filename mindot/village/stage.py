"""Plays the scenes of the playbook when those they need have found each other."""

from collections.abc import Callable
from typing import Final

from mindot.game.frame import PLAYER, Lease, Order, name_key
from mindot.village.daily import CUSTOMER_WAITS
from mindot.village.life import Errand, Life
from mindot.village.places import BY_LABEL
from mindot.village.playbook import Scene
from mindot.village.world import CLOSE, World

__all__ = ["Stage"]

_PATIENCE: Final = 16
"""Ticks that an actor looks for the other; then the scene happens if it can, or not at all."""
_ALARM: Final = 8
"""Ticks of alarm after an assault."""
_EARSHOT: Final = 25.0
"""Game units within which a fight is heard. Children are brought in from wherever they are."""
_POSE_HOLDS: Final = 6
"""Ticks after which a cast slips out of its pose, give or take a few."""

# what being done to does to the one it is done to: stress, hurt, trust in the one who did it
_FELT: Final[dict[str, tuple[float, float, float]]] = {
    "greet": (-2.0, 0.0, 0.05),
    "talk": (0.0, 0.0, 0.03),
    "insult": (18.0, 0.0, -0.25),
    "theft": (28.0, 0.0, -0.45),
    "assault": (45.0, 0.35, -0.7),
    "amends": (-8.0, 0.0, 0.25),
    "trespass": (10.0, 0.0, -0.1),
}
_KINDS: Final = {"greet": "greeting"}
"""Kinds of event whose name is not the act's."""


class Stage:
    """The playbook under way: the visitor plays one scene after the other, villagers any time."""

    def __init__(self, world: World, playbook: tuple[Scene, ...]) -> None:
        self._world = world
        self._visitor = [s for s in playbook if s.actor == PLAYER]
        self._villagers = [s for s in playbook if s.actor != PLAYER]
        self._acts: dict[str, Callable[[Scene], None]] = {
            "draw": self._draw,
            "sheathe": self._draw,
            "order": self._order,
            "cast": self._cast,
            "custom": self._custom,
        }

    def play(self) -> None:
        """One tick: the visitor goes about its next scene, and what is ripe happens."""
        self._lapse()
        self._play_visitor()
        tick = self._world.tick
        self._villagers = [s for s in self._villagers if s.tick > tick or not self._ready(s)]

    # ------------------------------------------------------------------ the visitor

    def _play_visitor(self) -> None:
        world = self._world
        if not self._visitor or world.tick < self._visitor[0].tick:
            return
        scene = self._visitor[0]
        aim = self._aim(scene)
        there = world.visitor.walk(aim)
        overdue = world.tick >= scene.tick + _PATIENCE
        if not there and not overdue:
            return
        self._visitor.pop(0)
        if there or scene.whom is None:
            self._perform(scene)

    def _aim(self, scene: Scene) -> tuple[float, float]:
        if scene.place is not None:
            station = BY_LABEL[scene.place]
            return station.x, station.y
        point = self._world.point(name_key(scene.whom or PLAYER))
        return (self._world.visitor.x, self._world.visitor.y) if point is None else point

    # ------------------------------------------------------------------ the villagers

    def _ready(self, scene: Scene) -> bool:
        """Play a villager's scene or let it lapse; False while its actor is on the way."""
        world = self._world
        if scene.act in ("order", "cast", "custom"):
            self._perform(scene)
            return True
        actor, whom = world.by_key[name_key(scene.actor)], name_key(scene.whom or "")
        if world.apart(actor, whom) <= CLOSE:
            self._perform(scene)
            return True
        if world.tick >= scene.tick + _PATIENCE:
            return True
        if actor.lease is None and actor.order is None:
            # a scene is its actor's first concern, so this comes after the commands of the tick
            actor.errand = Errand("talk", whom=whom, until=world.tick)
        return False

    # ------------------------------------------------------------------ acts

    def _perform(self, scene: Scene) -> None:
        own = self._acts.get(scene.act)
        if own is not None:
            own(scene)
        elif scene.whom is not None:
            self._happen(scene, self._world.by_key[name_key(scene.whom)])

    def _draw(self, scene: Scene) -> None:
        self._world.visitor.armed = scene.act == "draw"

    def _happen(self, scene: Scene, whom: Life) -> None:
        world, act = self._world, scene.act
        stress, hurt, trust = _FELT[act]
        whom.feel(stress, hurt)
        whom.think_of(name_key(scene.actor), trust)
        concerns: tuple[str, ...] = (whom.villager.name,)
        if act in ("theft", "assault", "trespass"):
            concerns = world.witnesses(whom.villager.name)
            world.last_noise = (whom.x, whom.y)
        if scene.actor == PLAYER and act in ("talk", "amends", "greet"):
            world.visitor.speak(whom.villager.name, world.tick)
        world.tell(
            _KINDS.get(act, act),
            scene.actor,
            tuple(n for n in concerns if n != scene.actor),
            scene.text,
            gravity=scene.gravity,
            place=scene.place or whom.station,
        )
        if act == "assault":
            self._ring_the_bell(whom, concerns)

    def _ring_the_bell(self, victim: Life, knowing: tuple[str, ...]) -> None:
        world = self._world
        world.alarm_until = max(world.alarm_until, world.tick + _ALARM)
        hearing = [
            life.villager.name
            for life in world.lives
            if life.villager.name not in knowing
            and (life.villager.archetype == "child" or world.apart(life, victim.key) <= _EARSHOT)
        ]
        where = victim.station or "road"
        text = f"The bell is rung: there is fighting at the {where}."
        world.tell("alarm", "", tuple(hearing), text, gravity=0.5, place=victim.station)

    def _order(self, scene: Scene) -> None:
        world = self._world
        life = world.by_key[name_key(scene.whom or "")]
        life.order = Order(text=scene.text, by=scene.actor, forbids=scene.forbids)
        life.order_ends = world.tick + scene.ticks
        world.tell(
            "order", scene.actor, (life.villager.name,), f"{scene.text}, says {scene.actor}."
        )

    def _cast(self, scene: Scene) -> None:
        world = self._world
        life = world.by_key[name_key(scene.whom or "")]
        life.lease = Lease(role=scene.text, pose=scene.pose, reapply=True)
        life.lease_ends = world.tick + scene.ticks
        life.pose_slips = world.tick + _POSE_HOLDS

    def _custom(self, scene: Scene) -> None:
        life = self._world.by_key[name_key(scene.whom or "")]
        life.customer_until = self._world.tick + CUSTOMER_WAITS

    # ------------------------------------------------------------------ endings

    def _lapse(self) -> None:
        world = self._world
        for life in world.lives:
            if life.order is not None and world.tick >= life.order_ends:
                life.order = None
            lease = life.lease
            if lease is None:
                continue
            if world.tick >= life.lease_ends:
                life.lease = None
                continue
            slipped = world.tick >= life.pose_slips
            if slipped:
                life.pose_slips = world.tick + _POSE_HOLDS + world.dice.below(4)
            life.lease = Lease(role=lease.role, pose=lease.pose, reapply=slipped)
