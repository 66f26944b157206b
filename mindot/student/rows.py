"""What a sweep hands back about each character."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from mindot.game.frame import Command

__all__ = ["CommandSource", "Dilemma", "SweepRow", "VerdictFate"]

VerdictFate = Literal["served", "late", "barred"]
"""``late``: it was no longer fresh. ``barred``: the manifest does not grant its verb."""

CommandSource = Literal["plan", "raw", "student"]
"""The flywheel kinds under which commands are recorded."""

_SOURCES: Final[Mapping[str, CommandSource]] = {
    "intention": "plan",
    "intention-over-order": "plan",
    "recast": "raw",
    "routine": "raw",
}


class Dilemma(NamedTuple):
    """What the head could not decide, as it is put to the mind."""

    tup: str
    """The situation string; see :mod:`mindot.student.situation`."""
    top2: tuple[tuple[str, float], tuple[str, float]]
    """The two likeliest actions with their probabilities, the likelier first."""
    why: str
    """``close-call``, ``masked`` (the manifest took the favourite away) or ``below-tau``."""
    options: tuple[str, ...]
    """The verbs that the manifest grants, in the head's order."""

    @property
    def pair(self) -> tuple[str, str]:
        """The two actions alone, as a :class:`ParkedVerdict` wants them."""
        return self.top2[0][0], self.top2[1][0]


class SweepRow(NamedTuple):
    """What one sweep did about one character."""

    name: str
    key: str
    served: str
    """The tier."""
    receipt: dict[str, Any]
    """The reflex receipt, its fields in the order in which they are written."""
    commands: tuple[Command, ...] = ()
    dilemma: Dilemma | None = None
    """On ``escalated`` rows: what to ask the mind."""
    verdict: VerdictFate | None = None
    """What became of the character's parked verdict; None: there is none, or it still waits."""

    @property
    def source(self) -> CommandSource:
        """The flywheel kind under which this row's commands are recorded."""
        return _SOURCES.get(self.served, "student")
