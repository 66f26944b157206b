"""The characters a host has met, each with its mind."""

from collections.abc import Callable, Iterator
from pathlib import Path

from cognition.executive import Numbers
from cognition.persona import Persona
from cognition.reflex import Vitals
from mindot.game.frame import PLAYER, Character, Frame, name_key
from mindot.mind import Mind

__all__ = ["Company", "plain_persona", "vitals_of"]


def vitals_of(character: Character) -> Vitals:
    """The body as a mind knows it."""
    return Vitals(
        energy=character.energy, sleep_pressure=character.sleep_pressure, stress=character.stress
    )


def plain_persona(character: Character) -> Persona:
    """Who a character is, as far as a frame tells."""
    return Persona(
        name=character.name,
        entity_id=character.key,
        archetype=character.archetype,
        traits=character.traits,
    )


class Company:
    """Minds by name key. One that is out of the frame keeps its mind; the dead lose theirs."""

    def __init__(
        self, make: Callable[[Frame, Character], Mind], *, lasting: Path | None = None
    ) -> None:
        self._make = make
        self._lasting = lasting
        self._minds: dict[str, Mind] = {}
        self._gone: dict[str, Numbers] = {}
        """By name key, how far the minds of the dead had come in numbering: one that is back, as an
        older save was loaded, goes on from there."""
        self._frame: Frame | None = None

    def meet(self, frame: Frame) -> tuple[list[Mind], list[Mind]]:
        """Take in a frame: the minds that are new with it, and those of the dead, closed."""
        self._frame = frame
        new = [
            self._join(frame, character)
            for character in frame.characters
            if character.alive and character.key not in self._minds
        ]
        dead = [c.key for c in frame.characters if not c.alive and c.key in self._minds]
        gone = [self._minds.pop(key) for key in dead]
        for key, mind in zip(dead, gone, strict=True):
            mind.close(frame.tick)
            self._gone[key] = mind.executive.numbers()
        return new, gone

    def mind_of(self, name: str) -> Mind | None:
        return self._minds.get(name_key(name))

    def all(self) -> tuple[Mind, ...]:
        """Every mind, in the order of meeting."""
        return tuple(self._minds.values())

    def present(self) -> Iterator[tuple[Character, Mind]]:
        """The characters in the frame that have a mind, in the order of meeting."""
        if self._frame is None:
            return
        for key, mind in tuple(self._minds.items()):
            character = self._frame.by_key.get(key)
            if character is not None:
                yield character, mind

    def entity_id(self, name: str) -> str | None:
        """Whom a mind names: a character, the player, or a role that somebody here has."""
        key, frame = name_key(name.strip()), self._frame
        if frame is None:
            return None
        if key in frame.by_key or key in self._minds:
            return key
        if frame.player is not None and key in (PLAYER, name_key(frame.player.name)):
            return PLAYER
        return key if any(c.archetype == key for c in frame.characters) else None

    def close(self) -> None:
        """End every facet, and save what lasts."""
        if self._frame is None:
            return
        for mind in self._minds.values():
            mind.close(self._frame.tick)
            if self._lasting is not None:
                mind.save(self._lasting)

    def _join(self, frame: Frame, character: Character) -> Mind:
        mind = self._make(frame, character)
        if self._lasting is not None:
            mind.load(self._lasting, tick=frame.tick)
        if character.key in self._gone:
            mind.executive.go_on_from(self._gone[character.key])
        self._minds[character.key] = mind
        return mind
