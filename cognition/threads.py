"""What each open thread of attention came to: how the whole mind knows of its facets' work."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from cognition.asking import Focus
from cognition.trace import shortened

__all__ = ["ThreadNote", "ThreadNotes"]

MAX_CHARS: Final = 400
"""Of what was worked out in one thread."""

MAX_PROMISES: Final = 4
"""Promises told of one thread, the latest."""

MAX_NOTES: Final = 16
"""Threads that are told of; the one that was quiet longest goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadNote:
    """One thread as the master sees it."""

    key: str
    name: str | None
    """Whom it is with."""
    worked_out: str
    promised: tuple[str, ...]
    tick: int


class ThreadNotes:
    """Notes of the keyed threads that are open, the latest last."""

    __slots__ = ("_notes",)

    def __init__(self) -> None:
        self._notes: dict[str, ThreadNote] = {}

    def all(self) -> tuple[ThreadNote, ...]:
        return tuple(self._notes.values())

    def note(
        self, key: str, focus: Focus, worked_out: str, promised: Iterable[str], tick: int
    ) -> None:
        """A facet's thought on ``key`` is over, and this is what came of it."""
        before = self._notes.pop(key, None)
        kept = () if before is None else before.promised
        fresh = ThreadNote(
            key=key,
            name=focus.interlocutor_name or focus.interlocutor_id,
            worked_out=shortened(worked_out, MAX_CHARS),
            promised=(*kept, *promised)[-MAX_PROMISES:],
            tick=tick,
        )
        if before is not None and not worked_out:
            fresh = replace(fresh, worked_out=before.worked_out)
        self._notes[key] = fresh
        while len(self._notes) > MAX_NOTES:
            del self._notes[next(iter(self._notes))]

    def drop(self, key: str) -> None:
        """The thread is not open any more."""
        self._notes.pop(key, None)
