"""Counting rows at memory speed: whole blocks of lines decoded by their types.

msgspec passes over what a type does not name without building it, several times quicker than a
parse into dictionaries. What it accepts is exactly what the plain reader accepts, given three
conditions that are checked on each block: the block is UTF-8 (passing over a string, msgspec does
not look), no line is longer than a reader takes, and every newline stands between two objects, so
that no value spans lines and no line holds two. A line that fails goes the plain way.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

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
Take: TypeAlias = Callable[[list[Any], bytes, int], None]
"""Takes rows of one type, the text of their lines, and the offset of that text in the file."""
_Decoder: TypeAlias = tuple[msgspec.json.Decoder[Any], Take]

_PATIENCE: Final = 16
"""Blocks that are read line by line after one that could not be decoded whole."""


class CountedRow(msgspec.Struct, gc=False):
    """A receipt, as far as it is counted. Any other field may be there."""

    name: str
    served: str
    v: Literal[1] = 1


class DecidedRow(msgspec.Struct, gc=False):
    """A receipt, as far as a line about its decision needs it. Any other field may be there."""

    name: str
    served: str
    t: int | float
    action: str = ""
    episode: str = ""
    desire: str = ""
    target: str = ""
    cmds: list[dict[str, Any]] = []
    v: Literal[1] = 1


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
    "A receipt of this version with no field unknown to it.",
    RECEIPT_FIELDS,
    {"v": Literal[1], "served": str},
)
FlywheelRow: Final = _all_of(
    "FlywheelRow",
    "A flywheel record of this version with no field unknown to it at the top.",
    FLYWHEEL_FIELDS,
    {"v": Literal[1], "kind": str, "decision": dict[str, msgspec.Raw]},
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
    decoders = [(msgspec.json.Decoder(kind), take) for kind, take in take_rows.items()]
    impatient = 0
    for part in line_blocks(path, start=start, stop=stop):
        if isinstance(part, Block):
            whole = _is_plain(part.text)
            if whole and not impatient:
                if _take_whole(part, decoders):
                    continue
                impatient = _PATIENCE
            impatient = max(0, impatient - 1)
            _line_by_line(part, decoders if whole else [], take_item)
        elif isinstance(part, Overlong):
            take_item(BadLine(part.number, TOO_LONG) if part.ended else TornTail(part.number))
        else:
            for item in read_tail(part):
                take_item(item)


def _is_plain(text: bytes) -> bool:
    """Whether the block is UTF-8 and surely holds no line that is too long."""
    if len(text) > MAX_LINE:
        return False
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _take_whole(block: Block, decoders: list[_Decoder]) -> bool:
    """Take the rows of a block if all of its lines are of one type."""
    text = block.text
    lines = text.count(b"\n")
    if text[:1] != b"{" or text[-2:] != b"}\n" or text.count(b"}\n{") != lines - 1:
        return False
    for position, (decoder, take) in enumerate(decoders):
        try:
            rows = decoder.decode_lines(text)
        except (ValueError, RecursionError):
            continue
        if len(rows) == lines:
            decoders.insert(0, decoders.pop(position))
            take(rows, text, block.offset)
            return True
    return False


def _line_by_line(
    block: Block, decoders: list[_Decoder], take_item: Callable[[Item], None]
) -> None:
    offset, number = block.offset, block.number
    for line in block.text.split(b"\n")[:-1]:
        for decoder, take in decoders:
            try:
                row = decoder.decode(line)
            except (ValueError, RecursionError):
                continue
            take([row], line, offset)
            break
        else:
            for item in read_line(line, number, offset):
                take_item(item)
        offset += len(line) + 1
        number += 1
