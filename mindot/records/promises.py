"""Promises as the trace tells them: made, taken up as a goal, kept or otherwise ended."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from mindot.records.fields import text_in
from mindot.records.lines import Block, Overlong, line_blocks
from mindot.records.logs import Log, day_files
from mindot.records.reader import judge

__all__ = [
    "ENDS",
    "NEEDLE",
    "PromiseStory",
    "blocks_with",
    "lines_with",
    "name_in",
    "promise_stories",
    "read_promises",
]

ENDS: Final[Mapping[str, str]] = {
    "kept": "kept: they were reached",
    "seen": "settled: the whole mind has taken it in",
    "let-go": "let go by the mind itself",
    "age": "ended by age",
    "limit": "gave way to newer promises",
}
"""What each reason for an end comes to, in words."""

_PREFIX: Final = "executive.undertaking."
NEEDLE: Final = _PREFIX.encode()
"""Stands in each line that speaks of a promise."""


class PromiseStory(NamedTuple):
    """One promise, from what the trace holds of it."""

    mind: str
    """World and name; empty where the trace names no mind."""
    what: str
    target: str | None
    """Whom to reach; None for a promise that names nobody."""
    promised_to: str | None
    since: int | None
    """The mind's tick at which it was made."""
    made_t: float | None
    """When it was taken up, unix seconds; None where the trace begins later."""
    goal: str | None
    """The goal the mind made of it."""
    ended: str | None = None
    """The reason of its end as the trace gives it; None while it stands."""
    ended_t: float | None = None
    by: Mapping[str, Any] | None = None
    """The record that proves it kept: ``t``, ``served``, and ``episode`` or ``cmd``."""

    @property
    def name(self) -> str:
        """The character: the part of the mind's id after the world."""
        return name_in(self.mind)

    def stood_at(self, t: float) -> bool:
        """Whether it was made by ``t`` and had not ended before it."""
        made = self.made_t is None or self.made_t <= t
        return made and (self.ended_t is None or self.ended_t >= t)

    def to_json(self) -> dict[str, Any]:
        """As the commands print it."""
        return {
            "mind": self.mind,
            "what": self.what,
            "to": self.target,
            "promised_to": self.promised_to,
            "since_tick": self.since,
            "since": self.made_t,
            "goal": self.goal,
            "standing": self.ended is None,
            "ended": self.ended,
            "ended_at": self.ended_t,
            "by": self.by,
        }


def name_in(mind: str) -> str:
    """The character in a mind's id: what follows the world and its colon. A name may hold colons
    of its own; an id without any is a name."""
    _, colon, name = mind.partition(":")
    return name if colon else mind


def promise_stories(rows: Iterable[Mapping[str, Any]]) -> list[PromiseStory]:
    """The promises in a trace's rows, in the order in which they first appear.

    Rows of other types and rows that lack what is needed are passed over.
    """
    told: list[PromiseStory] = []
    standing: dict[tuple[str, str, str | None, int | None], int] = {}
    for row in rows:
        kind, what = row.get("type"), row.get("what")
        if not (isinstance(kind, str) and kind.startswith(_PREFIX) and isinstance(what, str)):
            continue
        mind = text_in(row.get("mind")) or ""
        since = row.get("since") if isinstance(row.get("since"), int) else None
        identity = (mind, what, text_in(row.get("target")), since)
        at = standing.get(identity)
        event = kind.removeprefix(_PREFIX)
        if at is None or event == "start":
            at = standing[identity] = len(told)
            told.append(_first(row, identity, made=event == "start"))
        if event == "goal":
            told[at] = told[at]._replace(goal=text_in(row.get("goal")))
        elif event == "end":
            by = row.get("by")
            told[at] = told[at]._replace(
                goal=text_in(row.get("goal")) or told[at].goal,
                ended=text_in(row.get("reason")) or "unknown",
                ended_t=_seconds(row),
                by=_facts(by) if isinstance(by, Mapping) else None,
            )
            del standing[identity]
    return told


def read_promises(directory: Path, name: str | None = None) -> list[PromiseStory]:
    """The promises in a directory's traces; with ``name`` those of one character (any case)."""
    stories = promise_stories(_rows(directory))
    if name is None:
        return stories
    return [story for story in stories if story.name.lower() == name.lower()]


def lines_with(directory: Path, *needles: bytes) -> Iterator[bytes]:
    """The lines of a directory's traces that hold one of the needles, in order, none decoded."""
    for lines in blocks_with(directory, *needles):
        yield from lines


def blocks_with(directory: Path, *needles: bytes) -> Iterator[list[bytes]]:
    """What :func:`lines_with` gives, as it stands together in one block of a file.

    A block is searched whole, which takes a fraction of the time of a look at each line.
    """
    for file in day_files(directory, [Log.TRACE]):
        for part in line_blocks(file.path):
            if isinstance(part, Block):
                yield _lines_of(b"\n".join(part.lines), needles)
            elif not isinstance(part, Overlong):
                yield _lines_of(part.text, needles)


def _lines_of(block: bytes, needles: Iterable[bytes]) -> list[bytes]:
    found: dict[int, int] = {}
    for needle in needles:
        at = block.find(needle)
        while at >= 0:
            end = block.find(b"\n", at)
            end = end if end >= 0 else len(block)
            found[block.rfind(b"\n", 0, at) + 1] = end
            at = block.find(needle, end)
    return [block[begin:end] for begin, end in sorted(found.items())]


def _rows(directory: Path) -> Iterator[Mapping[str, Any]]:
    """The rows that speak of promises. Only their lines are decoded: a trace holds a few promises
    among very many other events."""
    for line in lines_with(directory, NEEDLE):
        value, _, _ = judge(line)
        if value is not None:
            yield value


def _first(
    row: Mapping[str, Any], identity: tuple[str, str, str | None, int | None], *, made: bool
) -> PromiseStory:
    mind, what, target, since = identity
    return PromiseStory(
        mind=mind,
        what=what,
        target=target,
        promised_to=text_in(row.get("promisedTo")),
        since=since,
        made_t=_seconds(row) if made else None,
        goal=text_in(row.get("goal")),
    )


def _seconds(row: Mapping[str, Any]) -> float | None:
    wall = row.get("wallTime")
    try:
        return wall / 1000.0 if isinstance(wall, int | float) else None
    except OverflowError:  # an integer beyond every float
        return None


def _facts(record: Mapping[str, Any]) -> dict[str, Any]:
    return {field: v for field, v in record.items() if not isinstance(v, list | dict)}
