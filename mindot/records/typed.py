"""Counting rows at memory speed: lines decoded by their types, a block at a time.

msgspec passes over what a type does not name without building it, several times quicker than a
parse into dictionaries. A line that it accepts is one that the plain reader accepts, as long as
the line is UTF-8 (passing over a string, msgspec does not look) and not too long. A line that
fails goes the plain way.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from mindot.game.contract import RECEIPT_FIELDS, TRACE_FIELDS
from mindot.records.check import FLYWHEEL_FIELDS
from mindot.records.encoding import MAX_LINE
from mindot.records.lines import Block, Overlong, line_blocks
from mindot.records.reader import TOO_LONG, BadLine, Record, TornTail, read_line, read_tail

__all__ = [
    "CountedRow",
    "DecidedRow",
    "FlywheelRow",
    "ReceiptRow",
    "Take",
    "TraceRow",
    "scan",
]

Item: TypeAlias = Record | BadLine | TornTail
Take: TypeAlias = Callable[[list[Any], list[bytes], int], None]
"""Takes rows of one type, their lines, and the offset of the first of them in the file."""
_Decoder: TypeAlias = tuple[Callable[[bytes], Any], Take]
_Version: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
"""Any other version is left to the plain reader."""

_PATIENCE: Final = 16
"""Blocks that are read line by line after one that could not be decoded whole."""


class CountedRow(msgspec.Struct, gc=False, kw_only=True):
    """A receipt, as far as it is counted. Any other field may be there."""

    v: _Version = 0
    name: str
    served: str


class DecidedRow(msgspec.Struct, gc=False, kw_only=True):
    """A receipt, as far as a line about its decision needs it. Any other field may be there."""

    v: _Version = 0
    t: int | float
    name: str
    served: str
    action: str = ""
    episode: str = ""
    desire: str = ""
    target: str = ""
    cmds: list[dict[str, Any]] | None = None
    verdict: str = ""


def _all_of(
    name: str, meaning: str, fields: Iterable[str], typed: dict[str, Any]
) -> type[msgspec.Struct]:
    """A type that knows these fields, demands the typed ones, and refuses every other."""
    required = list(typed.items())
    optional = [(field, msgspec.Raw, msgspec.Raw()) for field in fields if field not in typed]
    return msgspec.defstruct(
        name,
        [*required, *optional],
        namespace={"__doc__": meaning},
        forbid_unknown_fields=True,
        gc=False,
    )


ReceiptRow: Final = _all_of(
    "ReceiptRow",
    "A receipt with no field unknown to it.",
    RECEIPT_FIELDS,
    {"v": _Version, "served": str},
)
FlywheelRow: Final = _all_of(
    "FlywheelRow",
    "A flywheel record with no field unknown to it at the top.",
    FLYWHEEL_FIELDS,
    {"v": _Version, "kind": str, "decision": dict[str, msgspec.Raw]},
)
TraceRow: Final = _all_of(
    "TraceRow",
    "A trace event with no field unknown to it.",
    TRACE_FIELDS,
    {"type": str},
)


def scan(
    path: Path,
    take_rows: Mapping[type[msgspec.Struct], Take],
    take_item: Callable[[Item], None],
    *,
    start: int = 0,
    stop: int | None = None,
) -> None:
    """Read a file; hand on what is of one of the types as such, and the rest as the plain reader.

    Args:
        take_rows: by type, what takes its rows.
        take_item: gets what is of none of the types, and what is no row.
        start: offset of a line to begin with; line numbers count from there.
        stop: offset of a line to end before.

    Raises:
        OSError: the file cannot be opened.
    """
    decoders: list[_Decoder] = [
        (msgspec.json.Decoder(kind).decode, take) for kind, take in take_rows.items()
    ]
    impatient = 0
    for part in line_blocks(path, start=start, stop=stop):
        if isinstance(part, Block):
            if not impatient and _take_whole(part, decoders):
                continue
            impatient = _PATIENCE if not impatient else impatient - 1
            _line_by_line(part, decoders, take_item)
        elif isinstance(part, Overlong):
            take_item(BadLine(part.number, TOO_LONG) if part.ended else TornTail(part.number))
        else:
            for item in read_tail(part):
                take_item(item)


def _take_whole(block: Block, decoders: list[_Decoder]) -> bool:
    """Take the rows of a block if all of its lines are of one type."""
    lines = block.lines
    # Only the first line of a block can be longer than what is read at a time.
    if len(lines[0]) > MAX_LINE:
        return False
    if not all(map(bytes.isascii, lines)) and not all(map(_is_utf8, lines)):
        return False
    for position, (decode, take) in enumerate(decoders):
        try:
            rows = list(map(decode, lines))
        except (ValueError, RecursionError):
            continue
        decoders.insert(0, decoders.pop(position))
        take(rows, lines, block.offset)
        return True
    return False


def _line_by_line(
    block: Block, decoders: list[_Decoder], take_item: Callable[[Item], None]
) -> None:
    offset, number = block.offset, block.number
    for line in block.lines:
        plain = len(line) <= MAX_LINE and _is_utf8(line)
        if not plain or not _take_line(line, offset, decoders):
            for item in read_line(line, number, offset):
                take_item(item)
        offset += len(line) + 1
        number += 1


def _take_line(line: bytes, offset: int, decoders: list[_Decoder]) -> bool:
    for decode, take in decoders:
        try:
            row = decode(line)
        except (ValueError, RecursionError):
            continue
        take([row], [line], offset)
        return True
    return False


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
