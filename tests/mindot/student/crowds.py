"""Frames for the tests of the student: by hand, and from hypothesis."""

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from mindot.game.frame import Character, Frame, GameEvent, Lease, Order, Player
from mindot.game.manifest import Manifest, Stance

START = 1_000_000.0


def person(name: str = "Runa", **more: Any) -> Character:
    given: dict[str, Any] = {"handle": 1, "archetype": "guard", "x": 0.0, "y": 0.0}
    return Character(**(given | {"name": name} | more))


def frame_of(*characters: Character, tick: int = 0, **more: Any) -> Frame:
    """A frame two seconds a tick after :data:`START`; no characters gives Runa."""
    given: dict[str, Any] = {"world": "w", "tab": "t", "tick": tick, "t": START + 2 * tick}
    return Frame(**(given | {"characters": characters or (person(),)} | more))


def later(frame: Frame, seconds: float) -> Frame:
    return replace(frame, t=frame.t + seconds, tick=frame.tick + 1)


def manifest(*allows: str) -> Manifest:
    stay = Stance(action="stay")
    return Manifest(archetype="*", actions=frozenset(allows), rest=stay, withdraw=stay)


NAMES = ("Runa", "Gerd", "Pip", "Maren", "Alrik", "Tove")
_STATIONS = (None, "gate", "inn")
_ORDERS = (None, None, Order(text="stay"), Order(text="hush", forbids=("demand",)))
_LEASES = (
    None,
    None,
    Lease(role="fool", pose="watch"),
    Lease(role="fool", pose="flee", reapply=True),
)
_KINDS = ("theft", "insult", "assault", "talk", "alarm", "eclipse")


def _some(dice: Random, names: tuple[str, ...], low: float = 0.0) -> dict[str, float]:
    return {name: dice.uniform(low, 1.0) for name in names if dice.random() < 0.6}


def _anybody(name: str, dice: Random) -> Character:
    return Character(
        name=name,
        handle=dice.randrange(100),
        archetype=dice.choice(("guard", "child", "smith", "nobody")),
        x=dice.uniform(-30, 30),
        y=dice.uniform(-30, 30),
        energy=dice.uniform(0, 100),
        sleep_pressure=dice.uniform(0, 100),
        stress=dice.uniform(0, 100),
        needs=_some(dice, ("food", "rest", "fame")),
        traits=_some(dice, ("brave", "warm", "temper")),
        trust=_some(dice, ("runa", "gerd", "pip", "player"), -1.0),
        station=dice.choice(_STATIONS),
        scheduled=dice.choice(_STATIONS),
        on_duty=dice.random() < 0.5,
        task=dice.choice((None, "open", "paused")),
        customer=dice.random() < 0.2,
        order=dice.choice(_ORDERS),
        lease=dice.choice(_LEASES),
        alive=dice.random() < 0.9,
    )


def _any_event(dice: Random) -> GameEvent:
    return GameEvent(
        id="e",
        kind=dice.choice(_KINDS),
        actor=dice.choice((*NAMES, "player")),
        concerns=tuple(dice.sample(NAMES, dice.randrange(3))),
        text="something",
    )


def any_frame(seed: int, people: int, tick: int = 0) -> Frame:
    """A frame that a seed decides, with so many characters."""
    dice = Random(seed)
    who = dice.sample(NAMES, people)
    player = Player(
        x=dice.uniform(-30, 30),
        y=dice.uniform(-30, 30),
        armed=dice.random() < 0.4,
        speaks_to=dice.choice((None, *NAMES)),
    )
    return frame_of(
        *(_anybody(name, dice) for name in who),
        tick=tick,
        events=tuple(_any_event(dice) for _ in range(dice.randrange(3))),
        player=player if dice.random() < 0.8 else None,
        night=dice.random() < 0.5,
    )


def frames() -> st.SearchStrategy[Frame]:
    """Any frame. Hypothesis picks a seed, since drawing each number by itself is slow."""
    return st.builds(any_frame, st.integers(0, 2**32), st.integers(1, len(NAMES)))
