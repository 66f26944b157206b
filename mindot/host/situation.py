"""A character's situation in words: what a prompt tells of the frame."""

from math import hypot
from typing import Final

from mindot.game.frame import Character, Frame

__all__ = ["situation_in_words"]

NEAR: Final = 12.0
"""Game units within which somebody is worth a mention."""
_SPOKEN_OF: Final = 5
"""Most people named in one description."""
_PRESSING: Final = 0.5


def situation_in_words(frame: Frame, character: Character) -> str:
    """Where the character is, who is near, and what presses; one sentence each."""
    parts = [_where(character)]
    if frame.alarm:
        parts.append("The alarm is raised.")
    if frame.night:
        parts.append("It is night.")
    parts += _player(frame, character)
    parts += _company(frame, character)
    if character.order is not None:
        by = f" from {character.order.by}" if character.order.by else ""
        parts.append(f"I am under an order{by}: {character.order.text}.")
    if character.lease is not None:
        parts.append(f"I am playing a part in a scene: {character.lease.role}.")
    pressing = [n for n, p in sorted(character.needs.items()) if p >= _PRESSING]
    if pressing:
        parts.append(f"I feel the need for {' and '.join(pressing)}.")
    if character.customer:
        parts.append("Somebody waits to be served.")
    parts += [f"Just now: {event.text}" for event in frame.by_concern.get(character.key, ())]
    return " ".join(parts)


def _where(character: Character) -> str:
    here = f"I am at the {character.station}" if character.station else "I am out and about"
    if character.scheduled and character.scheduled != character.station:
        return f"{here}; at this hour I belong at the {character.scheduled}."
    return f"{here}."


def _player(frame: Frame, character: Character) -> list[str]:
    player = frame.player
    if player is None:
        return []
    away = hypot(player.x - character.x, player.y - character.y)
    if away > NEAR:
        return []
    armed = "with a drawn weapon" if player.armed else "empty-handed"
    return [f"{player.name} is {away:.0f} steps away, {armed}."]


def _company(frame: Frame, character: Character) -> list[str]:
    x, y, reach = character.x, character.y, NEAR + 1
    beside = (  # most of a crowd is out of reach: that is seen without a square root
        c for c in frame.characters if abs(c.x - x) < reach and abs(c.y - y) < reach
    )
    near = sorted(
        (round(hypot(c.x - x, c.y - y), 3), c.name, c.archetype)
        for c in beside
        if c.alive and c.key != character.key
    )
    named = [f"{name} the {arch}" for away, name, arch in near[:_SPOKEN_OF] if away <= NEAR]
    return [f"Near me: {', '.join(named)}."] if named else []
