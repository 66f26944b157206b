"""What an archetype may do: the game author's word, kept in TOML.

One manifest serves three readers: it masks the reflex head, it limits what the deliberator may
compose, and it is what the last gate before the game checks. A file looks like this::

    [manifest.guard]
    allows = ["stay", "watch", "confront", "go_station"]
    rest = { action = "go_station", station = "bed" }
    withdraw = { action = "flee" }

Manifests come from :func:`load_manifests`; ask for one with :func:`manifest_of`, which has an
answer for archetypes that no file names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final, Literal

from mindot.game.contract import ACTIONS, CALM_ACTIONS
from mindot.game.frame import Character, Command, Frame, Station
from mindot.game.toml_table import TomlTable, parse_toml, read_toml

__all__ = [
    "ANY_ARCHETYPE",
    "SAY",
    "STANCES",
    "Manifest",
    "Stance",
    "StanceName",
    "load_manifests",
    "manifest_of",
    "parse_manifests",
]

StanceName = Literal["rest", "withdraw"]

STANCES: Final[tuple[StanceName, ...]] = ("rest", "withdraw")
"""The bodily stances a reflex fallback may intend."""

SAY: Final = "say"
"""The ``cmd`` of a line that is spoken without a deed. It is none of the 16 actions."""

ANY_ARCHETYPE: Final = "*"
"""The manifest of every archetype that has none of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """How an archetype carries out a bodily stance."""

    action: str
    station: str | None = None
    """The kind of station it goes to, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one archetype may do."""

    archetype: str
    actions: frozenset[str]
    rest: Stance
    withdraw: Stance
    speaks: bool = True
    """False for those who have no words: :data:`SAY` is barred, lines are dropped."""

    def allows(self, action: str) -> bool:
        """Whether a command of that name may leave. :data:`SAY` asks for the gift of speech."""
        if action == SAY:
            return self.speaks
        return action in self.actions

    def allowed_actions(self) -> tuple[str, ...]:
        """The actions it may take, in the head's order."""
        return tuple(a for a in ACTIONS if a in self.actions)

    def masked_actions(self) -> tuple[str, ...]:
        """The actions it may not take, in the head's order."""
        return tuple(a for a in ACTIONS if a not in self.actions)

    def stance(self, name: StanceName) -> Stance:
        """How it rests or withdraws."""
        return self.rest if name == "rest" else self.withdraw

    def stance_command(self, name: StanceName, character: Character, frame: Frame) -> Command:
        """The command that puts a character into a stance.

        A stance that names a kind of station goes to the nearest of that kind; where the frame
        shows none, the character stays, which every manifest allows.
        """
        stance = self.stance(name)
        if stance.station is None:
            return Command(cmd=stance.action, name=character.name)
        place = _nearest_station(stance.station, character, frame)
        if place is None:
            return Command(cmd="stay", name=character.name)
        return Command(cmd=stance.action, name=character.name, target=f"station:{place.label}")


_STAY: Final = Stance(action="stay")

_CALM_ONLY: Final = Manifest(
    archetype=ANY_ARCHETYPE, actions=CALM_ACTIONS, rest=_STAY, withdraw=_STAY
)


def _nearest_station(kind: str, character: Character, frame: Frame) -> Station | None:
    def distance(station: Station) -> tuple[float, str]:
        square = (station.x - character.x) ** 2 + (station.y - character.y) ** 2
        return round(square, 6), station.label

    return min((s for s in frame.stations if s.kind == kind), key=distance, default=None)


def manifest_of(manifests: Mapping[str, Manifest], archetype: str) -> Manifest:
    """The manifest of an archetype, else that of ``*``, else one of calm actions only.

    Nobody gets more than an author granted: an archetype that no file knows does nothing that
    needs a command.
    """
    found = manifests.get(archetype)
    if found is None:
        found = manifests.get(ANY_ARCHETYPE)
    return _CALM_ONLY if found is None else found


def _read_stance(table: TomlTable, name: StanceName, allows: tuple[str, ...]) -> Stance:
    if name not in table:
        return _stance_default(table, name, allows)
    inner = table.table(name)
    action = inner.text("action", one_of=ACTIONS)
    if action not in allows:
        raise inner.error("action", f"{action!r} is not among what this manifest allows", allows)
    station = inner.text("station") if "station" in inner else None
    inner.close()
    return Stance(action=action, station=station)


def _stance_default(table: TomlTable, name: StanceName, allows: tuple[str, ...]) -> Stance:
    table.know(name)
    if name == "withdraw" and "flee" in allows:
        return Stance(action="flee")
    return _STAY


def _read_manifest(table: TomlTable, archetype: str) -> Manifest:
    allows = table.texts("allows", one_of=ACTIONS)
    if "stay" not in allows:
        raise table.error("allows", "has to hold 'stay': a body can always stay where it is")
    manifest = Manifest(
        archetype=archetype,
        actions=frozenset(allows),
        rest=_read_stance(table, "rest", allows),
        withdraw=_read_stance(table, "withdraw", allows),
        speaks=table.flag("speaks", True),
    )
    table.close()
    return manifest


def parse_manifests(root: TomlTable) -> dict[str, Manifest]:
    """The manifests of a file by archetype. Raises ``TomlError`` for the first mistake."""
    section = root.table("manifest")
    root.close()
    if not section.names():
        raise root.error("manifest", "names no archetype; add one, such as [manifest.guard]")
    return {name: _read_manifest(t, name) for name, t in section.named_tables().items()}


def load_manifests(path: Path | None = None) -> dict[str, Manifest]:
    """The manifests of a TOML file; without a path, those that come with the package."""
    if path is not None:
        return parse_manifests(read_toml(path))
    packaged = resources.files("mindot.game") / "data" / "manifests.toml"
    return parse_manifests(parse_toml(packaged.read_text("utf-8"), "manifests.toml"))
