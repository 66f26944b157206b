"""The one writer of flywheel records.

Whoever has something to put on record tells the coach; the coach gives it the record's form:
version, time, kind, a payload whose fields stand in the contract's order, the last frame seen as
``state``, and the situation as a training string where one can be built.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from mindot.game.contract import KINDS, RECORD_VERSION
from mindot.game.frame import Command, Frame

__all__ = ["Coach", "CommandSource", "RecordError"]

CommandSource = Literal["plan", "raw", "student"]
"""Where a command came from: a plan's step; host, order or scene; the head or a verdict."""

_NO_STATE: Final[dict[str, Any]] = {}


class RecordError(ValueError):
    """A payload does not have the fields of its kind: a mistake of the caller."""

    def __init__(self, kind: str, problem: str) -> None:
        self.kind = kind
        self.problem = problem
        super().__init__(f"flywheel record {kind!r}: {problem}")


class Coach:
    """Gives records their form and hands them to ``sink``, one call a record.

    ``sink`` gets a fresh dict each time, but ``state`` within it is shared by all records of one
    frame: write it out or copy it, do not change it. ``tuple_of(frame, name)`` builds the
    training string of a character's situation, or gives None where it cannot.
    """

    def __init__(
        self,
        sink: Callable[[dict[str, Any]], None],
        *,
        tuple_of: Callable[[Frame, str], str | None] | None = None,
    ) -> None:
        self._sink = sink
        self._tuple_of = tuple_of
        self._frame: Frame | None = None
        self._state: dict[str, Any] = _NO_STATE
        self._counts: dict[str, int] = {}

    def see(self, frame: Frame) -> None:
        """Take the frame that the following records carry as ``state``."""
        if frame is not self._frame:
            self._frame = frame
            self._state = frame.to_state()

    def record(
        self,
        kind: str,
        decision: Mapping[str, Any],
        *,
        t: float,
        tuple: str | None = None,  # noqa: A002 - named after the record's own field
    ) -> None:
        """Write one record. Raises :class:`RecordError` when fields are missing or unknown."""
        known = KINDS.get(kind)
        if known is None:
            raise RecordError(kind, "no such kind; see mindot.game.contract.KINDS")
        payload = {f: decision[f] for f in known.fields if f in decision}
        if len(payload) < len(known.fields):
            missing = ", ".join(repr(f) for f in known.fields if f not in payload)
            raise RecordError(kind, f"its payload lacks {missing}")
        payload.update({f: decision[f] for f in known.optional if f in decision})
        if len(payload) < len(decision):
            extra = ", ".join(repr(f) for f in decision if f not in payload)
            raise RecordError(kind, f"its payload has no field {extra}")
        self._write(kind, payload, t, tuple)

    def command(
        self,
        command: Command,
        source: CommandSource = "plan",
        *,
        t: float,
        tuple: str | None = None,  # noqa: A002 - named after the record's own field
    ) -> None:
        """Record a command that left for the game, under the kind of its source."""
        self.record(source, command.to_json(), t=t, tuple=tuple)

    def counts(self) -> dict[str, int]:
        """How many records of each kind were written, by kind."""
        return dict(sorted(self._counts.items()))

    def _write(self, kind: str, payload: dict[str, Any], t: float, given: str | None) -> None:
        row: dict[str, Any] = {
            "v": RECORD_VERSION,
            "t": round(t, 2),
            "kind": kind,
            "decision": payload,
            "state": self._state,
        }
        situation = given if given is not None else self._situation(payload["name"])
        if situation is not None:
            row["tuple"] = situation
        self._counts[kind] = self._counts.get(kind, 0) + 1
        self._sink(row)

    def _situation(self, name: str) -> str | None:
        if self._frame is None or self._tuple_of is None:
            return None
        return self._tuple_of(self._frame, name)
