"""Market day: travellers who talk to the same few villagers, break off, and come back.

A preset for watching facets live and die: give the minds few facets and a short idle time, and
let more people want to talk than there is attention for.
"""

import random
from dataclasses import replace
from typing import Final

from mindot.game.frame import Frame, GameEvent

__all__ = ["Crowd"]

_TRAVELLERS: Final = (
    "Anneke", "Bertil", "Casimir", "Dorothea", "Egon", "Fenna", "Gustaf", "Hedwig",
)  # fmt: skip
_LISTENERS: Final = 3
"""Villagers whom the whole crowd wants to talk to."""
_TALK_CHANCE: Final = 0.18
"""Chance that a traveller in the middle of a talk says something in a sweep."""
_TALK_LENGTH: Final = 4
"""Remarks in one talk before the traveller walks on."""
_PAUSES: Final = (6, 20, 45)
"""Sweeps until a traveller comes back to the talk: a breath, an errand, a meal."""
_REMARKS: Final = (
    "What do they ask for a sack of barley here?",
    "I met a peddler who spoke well of this place.",
    "Is the road over the ridge open?",
    "You were telling me about the bridge.",
    "My cart needs a new wheel by tomorrow.",
    "Who would I see about a bed for the night?",
)


class _Traveller:
    """One visitor: with whom it talks, and when it speaks next."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.left = _TALK_LENGTH
        self.away_until = 0


class Crowd:
    """Adds the travellers' words to frames; the same for the same seed and frames."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._travellers = [_Traveller(name) for name in _TRAVELLERS]

    def visit(self, frame: Frame) -> Frame:
        """``frame`` with what travellers say in this sweep."""
        said = tuple(self._remarks(frame))
        return replace(frame, events=frame.events + said) if said else frame

    def _remarks(self, frame: Frame) -> list[GameEvent]:
        listeners = [c.name for c in frame.characters if c.alive][:_LISTENERS]
        events: list[GameEvent] = []
        for n, traveller in enumerate(self._travellers):
            if not listeners or frame.tick < traveller.away_until:
                continue
            if self._random.random() >= _TALK_CHANCE:
                continue
            events.append(
                GameEvent(
                    id=f"crowd-{frame.tick}-{n}",
                    kind="talk",
                    actor=traveller.name,
                    concerns=(listeners[n % len(listeners)],),
                    text=_REMARKS[self._below(len(_REMARKS))],
                )
            )
            traveller.left -= 1
            if traveller.left == 0:
                traveller.left = _TALK_LENGTH
                traveller.away_until = frame.tick + _PAUSES[self._below(len(_PAUSES))]
        return events

    def _below(self, bound: int) -> int:
        return int(self._random.random() * bound)
