"""Reading a record file row by row: the plain way, which every faster way has to agree with.

Nothing in a file stops a reader. What is no record is passed over and said: as a bad line, or as
the torn tail of a file whose writer broke off (or is still writing).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from mindot.game.contract import RECORD_VERSION
from mindot.records.encoding import MAX_LINE, decode
from mindot.records.lines import BREAKS_OFF, Block, Overlong, Tail, line_blocks

__all__ = [
    "CALM",
    "EMPTY",
    "NOT_AN_OBJECT",
    "NOT_JSON",
    "NOT_UTF8",
    "TOO_LONG",
    "BadLine",
    "Record",
    "TornTail",
    "begins_record",
    "is_newer",
    "judge",
    "read",
    "read_line",
    "read_records",
    "read_tail",
]

CALM: Final = "calm"
"""The tier of the rows in which nothing was decided: nine in ten of most files."""

TOO_LONG: Final = f"longer than {MAX_LINE // (1024 * 1024)} MiB"
EMPTY: Final = "empty"
NOT_UTF8: Final = "not UTF-8"
NOT_JSON: Final = "not JSON"
NOT_AN_OBJECT: Final = "not an object"

_OPENER: Final = re.compile(rb'\{[ \t\r]*"')
_RECOVERY_TRIES: Final = 256
"""How many openers of a long bad line are tried, so that the search stays linear in its length.
The shorter the rest, the less a try counts; a torn record holds one opener a character or so."""


class Record(NamedTuple):
    """A row."""

    line: int
    """Number of its line, from 1."""
    offset: int
    """Where it begins in the (uncompressed) file, in bytes."""
    text: bytes
    """Its own bytes: what the value cannot carry exactly is still exact in here."""
    value: dict[str, Any]


class BadLine(NamedTuple):
    """A line that is no record."""

    line: int
    """Its number, from 1."""
    reason: str


class TornTail(NamedTuple):
    """The file ends in the middle of a line."""

    line: int


def read(
    path: Path, *, start: int = 0, stop: int | None = None
) -> Iterator[Record | BadLine | TornTail]:
    """Everything in a file, in order.

    Args:
        start: offset of the line to begin with; lines are counted from there.
        stop: offset of the line to end before.

    Raises:
        OSError: the file cannot be opened.
    """
    for part in line_blocks(path, start=start, stop=stop):
        match part:
            case Block(offset, number, lines):
                for line in lines:
                    yield from read_line(line, number, offset)
                    offset += len(line) + 1
                    number += 1
            case Overlong(_, number, ended):
                yield BadLine(number, TOO_LONG) if ended else TornTail(number)
            case Tail():
                yield from read_tail(part)


def read_records(path: Path) -> Iterator[Record]:
    """The rows of a file, without what is broken in it."""
    return (item for item in read(path) if isinstance(item, Record))


def read_line(line: bytes, number: int, offset: int) -> Iterator[Record | BadLine]:
    """What one line holds: a row, or a bad line, or a bad line and the row recovered from it."""
    value, begin, reason = judge(line)
    if reason is not None:
        yield BadLine(number, reason)
    if value is not None:
        yield Record(number, offset + begin, line[begin:] if begin else line, value)


def read_tail(tail: Tail) -> Iterator[Record | BadLine | TornTail]:
    """What follows the last newline. A whole row that only lacks its newline is a row.

    Compressed data that breaks off is a torn tail, as an uncompressed file's would be; data that
    is damaged is a bad line. Either is said once, whatever is left of the line.
    """
    value, begin, reason = judge(tail.text)
    reason = reason if value is not None else None
    damaged = tail.damage is not None and tail.damage != BREAKS_OFF
    if damaged or reason is not None:
        yield BadLine(tail.number, reason or tail.damage or "")
    elif tail.damage is not None or (value is None and tail.text.strip()):
        yield TornTail(tail.number)
    if value is not None:
        yield Record(tail.number, tail.offset + begin, tail.text[begin:], value)


def judge(line: bytes) -> tuple[dict[str, Any] | None, int, str | None]:
    """The row in a line without its newline, where it begins, and what is wrong with the line.

    A line that is wrong may still end in a whole record: a writer broke off, and the next one
    began on the same line. That record is recovered.
    """
    if len(line) > MAX_LINE:
        return None, 0, TOO_LONG
    try:
        value = decode(line)
    except ValueError as error:
        reason = NOT_UTF8 if isinstance(error, UnicodeDecodeError) else NOT_JSON
        if not line.strip():
            reason = EMPTY
        return *_recover(line), reason
    if isinstance(value, dict):
        return value, 0, None
    return None, 0, NOT_AN_OBJECT


def begins_record(value: object) -> bool:
    """Whether an object carries the marks of a record of ours, of any log."""
    if not isinstance(value, dict):
        return False
    if "v" in value and ("served" in value or "kind" in value):
        return True
    return "type" in value and "tick" in value


def is_newer(value: dict[str, Any]) -> bool:
    """Whether the row was written in a later format than this project knows."""
    version = value.get("v")
    return isinstance(version, (int, float)) and version > RECORD_VERSION


def _recover(line: bytes) -> tuple[dict[str, Any] | None, int]:
    work = _RECOVERY_TRIES * len(line)
    view = memoryview(line)
    for opener in _OPENER.finditer(line, 1):
        begin = opener.start()
        work -= len(line) - begin
        if work < 0:
            break
        try:
            value = decode(view[begin:])
        except ValueError:
            continue
        if begins_record(value):
            return value, begin
    return None, 0
