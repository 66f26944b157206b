"""What the day has in store: who does what to whom, from what tick on."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from mindot.game.frame import PLAYER
from mindot.village.dice import Dice

__all__ = ["Act", "Scene", "write_playbook"]

Act = Literal[
    "go",
    "draw",
    "sheathe",
    "greet",
    "talk",
    "insult",
    "theft",
    "assault",
    "amends",
    "trespass",
    "order",
    "cast",
    "custom",
]
"""What a scene comes to: the visitor's own business, something done to somebody, a bond, or
custom: somebody wants to be served."""

_JITTER: Final = 4
"""Ticks by which the seed moves a scene, from 0 up to this, not included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One thing that is to happen."""

    tick: int
    """Not before this tick; the actor sets out for it then."""
    actor: str
    """A villager's name, or ``player``."""
    act: Act
    whom: str | None = None
    place: str | None = None
    text: str = ""
    """What happened or was said, as whom it concerns tells it; the order; the role of a cast."""
    gravity: float = 0.0
    ticks: int = 0
    """How long an order or a cast lasts."""
    forbids: tuple[str, ...] = ()
    """What an order forbids; empty for all but the calm actions."""
    pose: str = ""
    """The action that puts a cast into its role."""


def _player(
    tick: int,
    act: Act,
    whom: str | None = None,
    text: str = "",
    *,
    place: str | None = None,
    gravity: float = 0.0,
) -> Scene:
    return Scene(
        tick=tick, actor=PLAYER, act=act, whom=whom, text=text, place=place, gravity=gravity
    )


_MORNING: Final = (
    _player(4, "greet", "Runa", "The stranger at the gate wishes me a good morning."),
    _player(10, "talk", "Runa", "Is the north road safe these days?"),
    _player(22, "talk", "Sunniva", "Would you tell Maren that her lamp oil has come in?"),
    _player(32, "talk", "Gerd", "Could you mend my axe by this evening?"),
    _player(42, "greet", "Pip", "The stranger waves at me."),
    _player(50, "talk", "Alrik", "Please let Halvard know that his boat is leaking."),
    _player(62, "draw", place="square"),
    _player(66, "theft", "Sunniva", "The stranger took a brooch from my stall.", gravity=0.6),
    _player(70, "sheathe", place="inn"),
    _player(82, "talk", "Tove", "Has anybody come by the water today?"),
    _player(98, "insult", "Gerd", "The stranger called my blades fit for butter.", gravity=0.4),
    _player(104, "draw", place="granary"),
    _player(107, "assault", "Kettil", "The stranger struck me with a sword.", gravity=0.85),
    _player(112, "sheathe", place="well"),
)

_AFTERNOON: Final = (
    _player(136, "talk", "Finn", "Well jested, fool! Did you think of that yourself?"),
    _player(
        146,
        "amends",
        "Sunniva",
        "I am sorry that I took your brooch. Here it is, and two silver for the fright.",
        gravity=0.6,
    ),
    _player(158, "amends", "Gerd", "I was wrong about your blades. Forgive me.", gravity=0.4),
    _player(168, "amends", "Kettil", "Sorry about that.", gravity=0.2),
    _player(178, "amends", "Maren", "I am sorry for whatever I did to you.", gravity=0.2),
    _player(188, "talk", "Maren", "Would you tell Ylva that the seed barley is dry?"),
    _player(202, "talk", "Odda", "Could you look after my horse until the morning?"),
    _player(214, "talk", "Sunniva", "Can you tell Alrik that I will stay the night?"),
    _player(232, "talk", "Torben", "If you see Halvard, tell him that the mill is to be sold."),
)

_NIGHT: Final = (
    _player(262, "talk", "Alrik", "What do people say about the old mill?"),
    _player(284, "greet", "Finn", "The stranger raises a mug to me."),
    _player(300, "trespass", "Odda", "Somebody is in the granary after dark.", place="granary",
            gravity=0.45),
    _player(322, "draw", place="watchtower"),
    _player(330, "sheathe", place="gate"),
    _player(352, "talk", "Torben", "Could you tell Runa that I leave at first light?"),
    _player(374, "go", place="gate"),
    # A blade at the stall for a minute and a quarter: long enough to starve whoever stands there
    # for want of a thought, and short enough for one who gets answers.
    _player(500, "draw", place="market"),
    _player(538, "sheathe", place="market"),
    _player(540, "go", place="gate"),
)  # fmt: skip

_VILLAGERS: Final = (
    Scene(
        tick=58,
        actor="Odda",
        act="order",
        whom="Runa",
        text="Hold the gate and leave it to nobody",
        ticks=70,
    ),
    Scene(
        tick=92,
        actor="Odda",
        act="order",
        whom="Kettil",
        text="Stay in the field until the barley is in",
        ticks=60,
    ),
    Scene(
        tick=95,
        actor="Sunniva",
        act="order",
        whom="Gerd",
        text="Not a word against the guests today",
        ticks=50,
        forbids=("confront", "demand", "complain", "warn_say"),
    ),
    Scene(
        tick=128,
        actor="Finn",
        act="cast",
        whom="Finn",
        text="fool",
        ticks=34,
        pose="idle_social",
    ),
    Scene(
        tick=128,
        actor="Finn",
        act="cast",
        whom="Lisbet",
        text="queen",
        ticks=34,
        pose="greet_approach",
    ),
    Scene(
        tick=130,
        actor="Finn",
        act="cast",
        whom="Eskil",
        text="herald",
        ticks=30,
        pose="call_help",
    ),
    Scene(
        tick=186,
        actor="Eskil",
        act="theft",
        whom="Tove",
        text="Eskil took two pike from my basket and laughed.",
        gravity=0.5,
    ),
    Scene(
        tick=204,
        actor="Odda",
        act="order",
        whom="Alrik",
        text="Serve nobody until the tax is paid",
        ticks=45,
        forbids=("serve",),
    ),
    Scene(tick=212, actor="Tove", act="custom", whom="Alrik"),
    Scene(tick=224, actor="Finn", act="custom", whom="Alrik"),
    Scene(tick=236, actor="Ylva", act="custom", whom="Alrik"),
    Scene(
        tick=210,
        actor="Torben",
        act="order",
        whom="Finn",
        text="Stay where I can see you",
        ticks=30,
    ),
    Scene(
        tick=242,
        actor="Gerd",
        act="insult",
        whom="Finn",
        text="Gerd said I could not mend a bucket.",
        gravity=0.35,
    ),
    Scene(
        tick=256,
        actor="Gerd",
        act="amends",
        whom="Finn",
        text="I spoke in anger. I am sorry, Finn; the next round is on me.",
        gravity=0.4,
    ),
)

_TALK: Final = (
    ("Ylva", "Kettil", "The east furrow is done. Shall we start on the barley?"),
    ("Pip", "Lisbet", "I saw an otter by the pier. Do you want to come and look?"),
    ("Torben", "Runa", "Could you tell Odda that the gate hinge is loose?"),
    ("Maren", "Lisbet", "Hold the basket for me, will you?"),
    ("Eskil", "Sunniva", "Would you let Gerd know that I have his hides?"),
    ("Alrik", "Gerd", "Could you have the cellar key ready by tomorrow?"),
    ("Tove", "Finn", "Did you sell any of those knives?"),
    ("Odda", "Maren", "Would you look after old Birk's cough tonight?"),
)
"""Who turns to whom with what, when they happen to meet."""


def write_playbook(dice: Dice) -> tuple[Scene, ...]:
    """The scenes of a day, in the order of their ticks; the seed moves each by a little."""
    scenes = [_moved(scene, dice) for scene in (*_MORNING, *_AFTERNOON, *_NIGHT, *_VILLAGERS)]
    tick = 26
    for actor, whom, text in _TALK:
        scenes.append(_moved(Scene(tick=tick, actor=actor, act="talk", whom=whom, text=text), dice))
        tick += 18 + dice.below(12)
    return tuple(sorted(scenes, key=lambda scene: scene.tick))


def _moved(scene: Scene, dice: Dice) -> Scene:
    return replace(scene, tick=scene.tick + dice.below(_JITTER))
