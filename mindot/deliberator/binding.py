"""Finding whom or what a step acts on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mindot.deliberator.operators import PROMISED, SCHEDULED, Operator
from mindot.deliberator.situation import allies_of, distance_to, is_player_key
from mindot.game.frame import Character, Frame, Station

__all__ = ["Bound", "bind", "what_is_missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What a step found to act on."""

    target: str | None = None
    """``guard``, ``ally:<name>``, ``subject:<name>``, ``station:<label>``, ``player`` or None."""
    handle: int | None = None
    xy: tuple[float, float] | None = None
    distance: float = 0.0
    """Game units."""
    name: str = ""
    """How a spoken line calls it."""
    archetype: str | None = None
    """Of a character."""


def bind(
    operator: Operator, character: Character, frame: Frame, subject_key: str | None
) -> Bound | None:
    """What the operator acts on in this frame, the first of its bindings that is there.

    None: nobody. Distance is told, not judged; nearest wins, then the name.
    """
    for binding in operator.binds:
        found = _bind_one(binding, operator, character, frame, subject_key)
        if found is not None:
            return found
    return None


def what_is_missing(operator: Operator, subject_key: str | None) -> str:
    """Why :func:`bind` found nobody, in one short clause."""
    return ", ".join(_missing(binding, operator, subject_key) for binding in operator.binds)


def _missing(binding: str, operator: Operator, subject: str | None) -> str:
    if binding in ("subject", PROMISED):
        return "it is about nobody" if subject is None else f"{subject} is not here"
    if binding == "player":
        return "the player is not here"
    if binding == "station":
        return f"there is no {' or '.join(operator.stations)} station"
    return f"no {binding} is here"


def _bind_one(
    binding: str, operator: Operator, me: Character, frame: Frame, subject: str | None
) -> Bound | None:
    if binding == "nobody":
        return Bound()
    if binding == "player":
        return _player(me, frame)
    if binding in ("subject", PROMISED):
        return _subject(binding, me, frame, subject)
    if binding == "station":
        return _nearest_place(operator, me, frame)
    about = None if subject is None else frame.by_key.get(subject)
    if binding == "ally":
        return _nearest((c for c in allies_of(me, frame) if c is not about), me, "ally:")
    others = _of(operator.roles[binding], me, frame)
    found = _nearest((c for c in others if c is not about), me, "")
    return None if found is None else _as_role(found, binding)


def _of(archetypes: Iterable[str], me: Character, frame: Frame) -> Iterator[Character]:
    """Everybody else of these archetypes who is alive."""
    for archetype in archetypes:
        for other in frame.by_archetype.get(archetype, ()):
            if other is not me and other.alive:
                yield other


def _player(me: Character, frame: Frame) -> Bound | None:
    player = frame.player
    if player is None:
        return None
    return Bound(
        target="player",
        handle=player.handle,
        xy=(player.x, player.y),
        distance=distance_to(me, player.x, player.y),
        name=player.name,
    )


def _subject(binding: str, me: Character, frame: Frame, subject: str | None) -> Bound | None:
    if subject is None:
        return None
    if is_player_key(subject, frame):
        return _player(me, frame)
    prefix = "ally:" if binding == PROMISED else "subject:"
    named = frame.by_key.get(subject)
    if named is not None and named is not me and named.alive:
        return _nearest((named,), me, prefix)
    if binding != PROMISED:
        # somebody else of that name's archetype is not the one who did it
        return None
    # a promise may name a role: "tell the guard" is kept with any guard
    by_role = _nearest(_of((subject,), me, frame), me, "")
    return None if by_role is None else _as_role(by_role, subject)


def _nearest(candidates: Iterable[Character], me: Character, prefix: str) -> Bound | None:
    best = min(candidates, key=lambda c: (distance_to(me, c.x, c.y), c.name), default=None)
    if best is None:
        return None
    return Bound(
        target=f"{prefix}{best.name}",
        handle=best.handle,
        xy=(best.x, best.y),
        distance=distance_to(me, best.x, best.y),
        name=best.name,
        archetype=best.archetype,
    )


def _as_role(found: Bound, role: str) -> Bound:
    return Bound(
        target=role,
        handle=found.handle,
        xy=found.xy,
        distance=found.distance,
        name=found.name,
        archetype=found.archetype,
    )


def _nearest_place(operator: Operator, me: Character, frame: Frame) -> Bound | None:
    wanted = [s for s in frame.stations if _suits(s, operator, me)]
    place = min(wanted, key=lambda s: (distance_to(me, s.x, s.y), s.label), default=None)
    if place is None:
        return None
    return Bound(
        target=f"station:{place.label}",
        xy=(place.x, place.y),
        distance=distance_to(me, place.x, place.y),
        name=place.label,
    )


def _suits(station: Station, operator: Operator, me: Character) -> bool:
    if station.kind and station.kind in operator.stations:
        return True
    return SCHEDULED in operator.stations and station.label == me.scheduled
