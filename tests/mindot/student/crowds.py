"""Frames for the tests of the student: by hand, and from hypothesis."""

from dataclasses import replace
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


_unit = st.floats(0, 1, allow_nan=False)
_place = st.floats(-60, 60, allow_nan=False)
_names = st.sampled_from(["Runa", "Gerd", "Pip", "Maren", "Alrik", "Tove"])
_stations = st.sampled_from([None, "gate", "inn"])
_orders = st.sampled_from([None, Order(text="stay"), Order(text="hush", forbids=("demand",))])
_leases = st.sampled_from(
    [None, Lease(role="fool", pose="watch"), Lease(role="fool", pose="flee", reapply=True)]
)


@st.composite
def characters(draw: st.DrawFn, name: str) -> Character:
    return Character(
        name=name,
        handle=draw(st.integers(0, 99)),
        archetype=draw(st.sampled_from(["guard", "child", "smith", "nobody"])),
        x=draw(_place),
        y=draw(_place),
        energy=draw(st.floats(0, 100)),
        sleep_pressure=draw(st.floats(0, 100)),
        stress=draw(st.floats(0, 100)),
        needs=draw(st.dictionaries(st.sampled_from(["food", "rest", "fame"]), _unit)),
        traits=draw(st.dictionaries(st.sampled_from(["brave", "warm", "temper"]), _unit)),
        trust=draw(st.dictionaries(_names.map(str.lower), st.floats(-1, 1))),
        station=draw(_stations),
        scheduled=draw(_stations),
        on_duty=draw(st.booleans()),
        task=draw(st.sampled_from([None, "open", "paused"])),
        customer=draw(st.booleans()),
        order=draw(_orders),
        lease=draw(_leases),
        alive=draw(st.sampled_from([True, True, True, False])),
    )


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    names = draw(st.lists(_names, unique=True, min_size=1, max_size=5))
    people = tuple(draw(characters(name)) for name in names)
    kinds = st.sampled_from(["theft", "insult", "assault", "talk", "alarm", "eclipse"])
    events = draw(
        st.lists(
            st.builds(
                GameEvent,
                id=st.just("e"),
                kind=kinds,
                actor=st.one_of(_names, st.just("player")),
                concerns=st.lists(_names, max_size=2).map(tuple),
                text=st.just("something"),
            ),
            max_size=3,
        )
    )
    player = draw(
        st.none()
        | st.builds(Player, x=_place, y=_place, armed=st.booleans(), speaks_to=st.none() | _names)
    )
    return frame_of(*people, events=tuple(events), player=player, night=draw(st.booleans()))
