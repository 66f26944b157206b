"""What wakes a deliberator, and what comes of it.

A wake is made from something that happened (see :func:`mindot.deliberator.events.wakes_from`) or
by the host, say for a promise that a mind made in conversation.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from mindot.game.frame import PLAYER, name_key

__all__ = ["NOW", "Outcome", "Wake", "WakeClass", "Wakened"]

NOW: Final = -1.0
"""Stands for the time of the last frame."""


class WakeClass(StrEnum):
    """The classes of things that wake a deliberator."""

    WRONG = "wrong"
    """A theft, an insult, an assault, a trespass: something that leaves a grudge."""
    NEED = "need"
    """The body or the mood wants something."""
    ORDER = "order"
    """Somebody with authority said what to do."""
    AMENDS = "amends"
    """Somebody tries to make good for a wrong."""
    UNDERTAKING = "undertaking"
    """The character itself promised something."""
    GREETING = "greeting"
    """Somebody was friendly."""


class Outcome(StrEnum):
    """What a wake came to."""

    INTENTION = "intention"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """One thing that happened, seen from one character."""

    name: str
    """Whose deliberator is woken."""
    cls: WakeClass
    text: str
    """What happened, or the words that were said; it becomes the evidence of the intention."""
    t: float = NOW
    """When it happened, unix seconds; :data:`NOW`: at the time of the last frame."""
    subject: str | None = None
    """Whom it is about: a character's name, ``player``, or None for nobody."""
    kind: str = ""
    """The kind of event within the class: ``theft``, ``insult``, ``alarm``, ..."""
    gravity: float = 0.0
    """0..1: how grave a wrong, how pressing anything else."""
    need: str | None = None
    """The need it speaks of, for class ``need``."""
    event_id: str = ""
    """Id of the event behind it, where there is one."""
    waited: bool = field(default=False, compare=False)
    """It was judged before and had to wait: what it leaves behind is remembered already."""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a wake's name may not be blank: it says whose deliberator is woken")
        if not 0.0 <= self.gravity <= 1.0:
            raise ValueError(f"a wake's gravity is between 0 and 1, not {self.gravity!r}")
        object.__setattr__(self, "cls", WakeClass(self.cls))

    @property
    def key(self) -> str:
        """The name key of the woken character."""
        return name_key(self.name)

    @property
    def subject_key(self) -> str | None:
        """The name key of the subject, :data:`~mindot.game.frame.PLAYER` for the player."""
        return None if self.subject is None else name_key(self.subject)

    @property
    def about_player(self) -> bool:
        return self.subject_key == PLAYER


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakened:
    """What ``wake`` came to."""

    outcome: Outcome
    id: str | None = None
    """Id of the intention that was made; None when declined."""
    plan: tuple[str, ...] = ()
    reason: str = ""
    """One short clause: why this, or why nothing."""
    explained: str = field(default="", compare=False)
    """How the composer scored what it chose, term by term."""
