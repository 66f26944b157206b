"""What a law, a never-rule or a score may look at: one character's situation as plain values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import hypot, inf, isfinite, isnan
from types import MappingProxyType
from typing import Final

from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.frame import PLAYER, Character, Frame, name_key

__all__ = [
    "ALLY_TRUST",
    "FLAGS",
    "GUARD",
    "NEAR",
    "SUBJECTS",
    "TRAITS",
    "Situation",
    "allies_of",
    "distance_to",
    "is_player_key",
    "situation_of",
]

TRAITS: Final = ("brave", "warm", "temper", "dutiful", "curious")
"""The traits a law may name; each 0..1, 0.5 where a character does not say."""

FLAGS: Final = (
    "alarm",
    "ally_near",
    "at_station",
    "customer",
    "forgiven",
    "guard_near",
    "leased",
    "night",
    "on_duty",
    "ordered",
    "player_armed",
    "player_near",
    "subject_near",
)
"""The yes-or-no facts a law may name. ``forgiven`` is true for amends that were accepted."""

SUBJECTS: Final = ("player", "character", "nobody")
"""What a subject can be."""

NEAR: Final = 12.0
"""Within this many game units somebody counts as near: a few steps, within earshot."""

ALLY_TRUST: Final = 0.3
"""Trust from which somebody counts as an ally (trust is -1..1)."""

GUARD: Final = "guard"
"""The archetype that the flag ``guard_near`` speaks of."""

_STEPS: Final = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One character in one moment, as far as laws can see it."""

    cls: str
    kind: str
    archetype: str
    subject: str
    """One of :data:`SUBJECTS`."""
    subject_archetype: str | None
    need: str | None
    text: str
    """The wake's words, lower-cased."""
    gravity: float
    trust: float
    """Trust in the subject, -1..1; 0 for nobody."""
    grudge: float
    """The open grudge against the subject, 0..1."""
    traits: Mapping[str, float]
    needs: Mapping[str, float]
    flags: Mapping[str, bool]

    @property
    def wants(self) -> str | None:
        """The need that an answer has to serve. A wrong may name one, but wants none served."""
        return self.need if self.cls == WakeClass.NEED.value else None

    def pressure(self, need: str | None) -> float:
        """How pressing a need is, 0..1."""
        return 0.0 if need is None else self.needs.get(need, 0.0)

    def with_flag(self, name: str, value: bool) -> "Situation":
        return replace(self, flags=MappingProxyType({**self.flags, name: value}))

    def summary(self) -> str:
        """``key=value`` joined by ``|``, keys sorted, values quantised, never a name."""
        facts = {
            "arch": self.archetype,
            "cls": self.cls,
            "gravity": _band(self.gravity),
            "grudge": _band(self.grudge),
            "kind": self.kind or "none",
            "need": self.need or "none",
            "pressure": _band(self.pressure(self.need)),
            "subject": self.subject,
            "trust": _band((self.trust + 1.0) / 2.0),
        }
        facts.update({name: str(int(value)) for name, value in self.flags.items()})
        facts.update({name: _band(value) for name, value in self.traits.items()})
        return "|".join(f"{name}={facts[name]}" for name in sorted(facts))


def _band(value: float) -> str:
    """A value of 0..1 as one of five bands, 0 to 4."""
    return str(sum(1 for step in _STEPS if value >= step))


def distance_to(character: Character, x: float, y: float) -> float:
    """Game units between a character and a point, rounded so that ties are ties everywhere.

    Infinitely many when the game does not know where one of the two is.
    """
    way = hypot(character.x - x, character.y - y)
    return inf if isnan(way) else round(way, 6)


def situation_of(wake: Wake, character: Character, frame: Frame, *, grudge: float) -> Situation:
    """What laws see when this wake finds this character in this frame."""
    subject_key = wake.subject_key
    other = frame.by_key.get(subject_key) if subject_key is not None else None
    is_player = subject_key is not None and is_player_key(subject_key, frame)
    subject = "player" if is_player else ("character" if subject_key is not None else "nobody")
    trusted = (PLAYER if is_player else subject_key) or ""
    return Situation(
        cls=wake.cls.value,
        kind=wake.kind,
        archetype=character.archetype,
        subject=subject,
        subject_archetype=None if other is None else other.archetype,
        need=wake.need,
        text=wake.text.lower(),
        gravity=wake.gravity,
        trust=_finite(character.trust.get(trusted, 0.0), 0.0, low=-1.0),
        grudge=grudge,
        traits=MappingProxyType({t: _finite(character.traits.get(t, 0.5), 0.5) for t in TRAITS}),
        needs=MappingProxyType(_needs(wake, character)),
        flags=MappingProxyType(_flags(character, frame, other, is_player)),
    )


def _finite(value: float, otherwise: float, *, low: float = 0.0) -> float:
    """A game's number within its bounds; one that is no number reads as unremarkable."""
    return min(1.0, max(low, value)) if isfinite(value) else otherwise


def _needs(wake: Wake, character: Character) -> dict[str, float]:
    """The body's needs; the one the wake speaks of is at least as pressing as the wake is."""
    needs = {need: _finite(pressure, 0.0) for need, pressure in character.needs.items()}
    if wake.need is not None and wake.cls is WakeClass.NEED:
        needs[wake.need] = max(wake.gravity, needs.get(wake.need, 0.0))
    return needs


def is_player_key(key: str, frame: Frame) -> bool:
    """Whether a name key speaks of the player, by role or by the player character's own name."""
    return key == PLAYER or (frame.player is not None and key == name_key(frame.player.name))


def allies_of(character: Character, frame: Frame) -> Iterator[Character]:
    """Whom a character trusts, as far as they are in the frame and alive.

    Goes through the character's own trusts, so that a crowd costs no more than a room.
    """
    for key, trust in character.trust.items():
        if trust >= ALLY_TRUST:
            other = frame.by_key.get(key)
            if other is not None and other is not character and other.alive:
                yield other


def _is_near(character: Character, other: Character) -> bool:
    return (
        other is not character and other.alive and distance_to(character, other.x, other.y) <= NEAR
    )


def _flags(
    character: Character, frame: Frame, other: Character | None, is_player: bool
) -> dict[str, bool]:
    player = frame.player
    player_near = player is not None and distance_to(character, player.x, player.y) <= NEAR
    other_near = other is not None and distance_to(character, other.x, other.y) <= NEAR
    return {
        "alarm": frame.alarm,
        "ally_near": any(_is_near(character, c) for c in allies_of(character, frame)),
        "at_station": character.station is not None and character.station == character.scheduled,
        "customer": character.customer,
        "forgiven": False,
        "guard_near": any(_is_near(character, c) for c in frame.by_archetype.get(GUARD, ())),
        "leased": character.lease is not None,
        "night": frame.night,
        "on_duty": character.on_duty,
        "ordered": character.order is not None,
        "player_armed": player is not None and player.armed,
        "player_near": player_near,
        "subject_near": player_near if is_player else other_near,
    }
