"""Whom or what a reflex is aimed at, when nobody has said."""

from typing import Final

from mindot.game.frame import PLAYER, Character, Frame

__all__ = ["bind"]

_AT_THE_PLAYER: Final = frozenset({"confront", "demand", "guard_player", "warn_say"})
_TOWARD_COMPANY: Final = frozenset({"complain", "greet_approach"})
_EARSHOT: Final = 12.0
"""Game units within which the player is the one that company is sought with."""


def bind(action: str, character: Character, frame: Frame) -> str | None:
    """The target a reflex of ``action`` finds: ``player``, ``ally:<name>``, ``station:<label>``.

    None where the action needs no target or finds none. Looks at the character's own trusts
    alone, so a sweep stays linear.
    """
    if action == "go_station":
        return None if character.scheduled is None else f"station:{character.scheduled}"
    if action in _AT_THE_PLAYER:
        return None if frame.player is None else PLAYER
    if action in _TOWARD_COMPANY:
        return _company(character, frame)
    return None


def _company(character: Character, frame: Frame) -> str | None:
    player = frame.player
    if player is not None and _square(character, player.x, player.y) <= _EARSHOT**2:
        return PLAYER
    near = [
        (round(_square(character, other.x, other.y), 6), other.name)
        for who, trust in character.trust.items()
        if trust > 0 and (other := frame.by_key.get(who)) is not None and other.alive
    ]
    return f"ally:{min(near)[1]}" if near else None


def _square(character: Character, x: float, y: float) -> float:
    dx, dy = character.x - x, character.y - y
    return dx * dx + dy * dy  # a power would raise on what overflows
