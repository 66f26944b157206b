"""A feed frame: what the game shows of its world in one sweep.

Everything the reflex brain, the deliberator and the minds know of the world comes from these
values. They are frozen; :meth:`Frame.to_state` gives the JSON object that flywheel records keep
as ``state``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

__all__ = [
    "PLAYER",
    "Character",
    "Command",
    "Frame",
    "GameEvent",
    "Lease",
    "Order",
    "Player",
    "Station",
    "name_key",
]

PLAYER: Final = "player"
"""How events and relations speak of the player."""

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


def name_key(name: str) -> str:
    """The form of a name that serves as a key: lower-cased."""
    return name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """A place with a name: the forge, the gate, the inn."""

    label: str
    x: float
    y: float
    kind: str = ""
    """What it is good for, when the game says so: ``bed``, ``food``, ``post``, ``work``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A standing command from somebody with authority; it binds the body."""

    text: str
    by: str = ""
    forbids: tuple[str, ...] = ()
    """Actions that would break it; empty: every action but the calm ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A scene has borrowed the character for a role."""

    role: str
    pose: str
    """The action that puts the character into its role."""
    reapply: bool = False
    """The pose slipped and has to be put on again this sweep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """One character as the frame shows it. Needs and traits are 0..1, trust is -1..1."""

    name: str
    handle: int
    """The engine's own number for it, stable over frames."""
    archetype: str
    x: float
    y: float
    energy: float = 100.0
    """0..100"""
    sleep_pressure: float = 0.0
    """0..100"""
    stress: float = 0.0
    """0..100"""
    hurt: float = 0.0
    """0..1"""
    needs: Mapping[str, float] = field(default_factory=_nothing)
    """Pressure of each need (``food``, ``rest``, ``company``, ``safety``), 0..1."""
    traits: Mapping[str, float] = field(default_factory=_nothing)
    """``brave``, ``warm``, ``temper``, ``dutiful``, ``curious``; 0..1, 0.5 when missing."""
    trust: Mapping[str, float] = field(default_factory=_nothing)
    """Trust in others by name key; ``player`` for the player."""
    station: str | None = None
    """Label of the station it stands at."""
    scheduled: str | None = None
    """Label of the station where the day wants it now."""
    on_duty: bool = False
    task: str | None = None
    """``open``, ``paused`` or None."""
    customer: bool = False
    """Somebody waits to be served."""
    order: Order | None = None
    lease: Lease | None = None
    alive: bool = True
    key: str = field(init=False, repr=False, compare=False)
    """The name as a key."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", name_key(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """The player's character."""

    x: float
    y: float
    name: str = "Player"
    handle: int = 1
    armed: bool = False
    speaks_to: str | None = None
    """Name of the character the player is talking to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEvent:
    """Something that happened since the last frame."""

    id: str
    kind: str
    """``theft``, ``insult``, ``assault``, ``trespass``, ``need``, ``order``, ``amends``,
    ``greeting``, ``talk``, ``alarm``; a game may send others."""
    actor: str
    """Who did it; :data:`PLAYER` for the player, empty for nobody in particular."""
    concerns: tuple[str, ...]
    """Names of the characters it concerns."""
    text: str
    """What happened, or the words that were said."""
    gravity: float = 0.0
    """0..1, for wrongs"""
    place: str | None = None
    need: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What leaves for the game. Commands address by name, never by index."""

    cmd: str
    name: str
    target: str | None = None
    say: str | None = None

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"cmd": self.cmd, "name": self.name}
        if self.target is not None:
            out["target"] = self.target
        if self.say is not None:
            out["say"] = self.say
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One sweep's view of the world."""

    world: str
    tab: str
    tick: int
    t: float
    """unix seconds"""
    characters: tuple[Character, ...]
    player: Player | None = None
    stations: tuple[Station, ...] = ()
    events: tuple[GameEvent, ...] = ()
    night: bool = False
    alarm: bool = False
    by_key: Mapping[str, Character] = field(init=False, repr=False, compare=False)
    """The characters by name key."""
    by_archetype: Mapping[str, tuple[Character, ...]] = field(init=False, repr=False, compare=False)
    """The characters of each archetype, in the frame's order."""
    by_concern: Mapping[str, tuple[GameEvent, ...]] = field(init=False, repr=False, compare=False)
    """By name key the events that concern somebody, in their order."""

    def __post_init__(self) -> None:
        index = {c.key: c for c in self.characters}
        object.__setattr__(self, "by_key", MappingProxyType(index))
        groups: dict[str, list[Character]] = {}
        for c in self.characters:
            groups.setdefault(c.archetype, []).append(c)
        grouped = {archetype: tuple(group) for archetype, group in groups.items()}
        object.__setattr__(self, "by_archetype", MappingProxyType(grouped))
        concerned: dict[str, list[GameEvent]] = {}
        for event in self.events:
            for key in dict.fromkeys(map(name_key, event.concerns)):
                concerned.setdefault(key, []).append(event)
        events = {key: tuple(events) for key, events in concerned.items()}
        object.__setattr__(self, "by_concern", MappingProxyType(events))

    def station_named(self, label: str) -> Station | None:
        return next((s for s in self.stations if s.label == label), None)

    def to_state(self) -> dict[str, Any]:
        """The frame as the JSON object that flywheel records carry."""
        state: dict[str, Any] = {
            "world": self.world,
            "tick": self.tick,
            "t": round(self.t, 2),
            "npcs": [
                {
                    "name": c.name,
                    "handle": c.handle,
                    "arch": c.archetype,
                    "xy": [round(c.x, 1), round(c.y, 1)],
                    "station": c.station,
                }
                for c in self.characters
            ],
            "night": self.night,
            "alarm": self.alarm,
        }
        if self.player is not None:
            p = self.player
            state["player"] = {"xy": [round(p.x, 1), round(p.y, 1)], "armed": p.armed}
        if self.events:
            state["events"] = [
                {"kind": e.kind, "actor": e.actor, "text": e.text} for e in self.events
            ]
        return state
