"""Finding the rows of one name without parsing the others.

A file is searched from its end in blocks of whole lines. A line that might bear the name is
decoded, and the decoded name decides: a name in somebody else's text is no hit, whatever the bytes
look like. What is passed over surely bears another name, for a JSON string spells a name in few
ways: as it is (the case may differ), or with ``\\u`` escapes, or with an escaped slash.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import orjson

from mindot.records.encoding import MAX_LINE
from mindot.records.lines import is_compressed
from mindot.records.reader import Record, judge, read_records

__all__ = ["NameSearch", "is_of", "rows_backwards"]

_BLOCK: Final = 1 << 21
_LONGEST: Final = MAX_LINE + 2
"""A block of this size without the beginning of a line is part of one that no reader takes."""

_ODD_CAPITALS: Final = {
    "k": "\u212a",
    "\u00e5": "\u212b",
    "\u03c9": "\u2126",
    "\u00df": "\u1e9e",
    "\u03b8": "\u03f4",
    "\u03c2": "\u03a3",
}
"""Characters that lower-case to a letter whose own capital is another."""
_DOTTED_I: Final = "i\u0307"
"""What the capital I with a dot lower-cases to: the one character that becomes two."""


class NameSearch:
    """Finds the lines that might bear a name, in any case and any spelling JSON allows."""

    def __init__(self, name: str) -> None:
        self.key = name.lower()
        ascii_only = self.key.isascii()
        self._needle = orjson.dumps(self.key).lower() if ascii_only else b""
        # A lone surrogate has no bytes: a name with one stands in a file by its escape alone.
        plain = not any("\ud800" <= char <= "\udfff" for char in self.key)
        self._pattern = re.compile(_any_case(self.key)) if plain and not ascii_only else None
        self._escapes = [b"\\u", *([b"\\/"] if "/" in self.key else [])]
        self._odd = b"\xe2\x84\xaa" if ascii_only and "k" in self.key else b""

    def starts(self, block: bytes) -> list[int]:
        """Where the lines begin in a block of lines that might bear the name, in order."""
        found: set[int] = set()
        if self._needle:
            _collect(found, block, block.lower(), self._needle)
        elif self._pattern is not None:
            for match in self._pattern.finditer(block):
                found.add(block.rfind(b"\n", 0, match.start()) + 1)
        if b"\\" in block:  # a single byte is found many times quicker than two
            for escape in self._escapes:
                _collect(found, block, block, escape)
        if self._odd and not block.isascii():
            _collect(found, block, block, self._odd)
        return sorted(found)


def is_of(row: dict[str, object], key: str) -> bool:
    """Whether a row is a receipt of the character with this key (its name in lower case)."""
    name = row.get("name")
    return isinstance(name, str) and name.lower() == key and "served" in row


def rows_backwards(path: Path, search: NameSearch, *, start: int = 0) -> Iterator[Record]:
    """The receipts that bear a name, the newest line first. Lines are not counted: ``line`` is 0.

    Args:
        start: offset of the line to go back to.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb", buffering=0) as file:
        if is_compressed(file):
            yield from _compressed_backwards(path, search, start)
            return
        for offset, block in _blocks_backwards(file, start):
            for begin in reversed(search.starts(block)):
                end = block.find(b"\n", begin)
                line = block[begin : end if end >= 0 else len(block)]
                value, inner, _ = judge(line)
                if value is not None and is_of(value, search.key):
                    yield Record(0, offset + begin + inner, line[inner:], value)


def _compressed_backwards(path: Path, search: NameSearch, start: int) -> Iterator[Record]:
    """A compressed file can only be read forwards; what is found is kept and turned round."""
    found = [
        record._replace(line=0)
        for record in read_records(path)
        if record.offset >= start and is_of(record.value, search.key)
    ]
    yield from reversed(found)


def _collect(found: set[int], block: bytes, text: bytes, needle: bytes) -> None:
    """Add the beginnings of the lines of a block that hold a needle in its text."""
    at = text.find(needle)
    while at >= 0:
        found.add(block.rfind(b"\n", 0, at) + 1)
        end = block.find(b"\n", at)
        at = text.find(needle, end) if end >= 0 else -1


def _any_case(key: str) -> bytes:
    """A pattern for every string of bytes that lower-cases to the key."""
    pieces = []
    for piece in re.findall(f"{_DOTTED_I}|.", key, re.DOTALL):
        spellings = {piece, piece.upper(), piece.title(), _ODD_CAPITALS.get(piece, piece)}
        if piece == _DOTTED_I:
            spellings |= {"\u0130", "I\u0307"}
        # A capital sigma becomes one letter inside a word and another at its end.
        alike = {s for s in spellings if s.lower() == piece or s == "\u03a3"}
        texts = sorted(orjson.dumps(spelling)[1:-1] for spelling in alike)
        pieces.append(b"(?:" + b"|".join(map(re.escape, texts)) + b")")
    return b"".join(pieces)


def _blocks_backwards(file: IO[bytes], start: int) -> Iterator[tuple[int, bytes]]:
    """The file from its end to ``start`` in blocks of whole lines, each with its offset."""
    end = file.seek(0, 2)
    size = _BLOCK
    inside_overlong = False
    while end > start:
        begin = max(start, end - size)
        block = _read_at(file, begin, end - begin)
        if inside_overlong:
            inside_overlong = (last := block.rfind(b"\n") + 1) == 0
            end = begin + last
            continue
        first = 0 if begin == start else block.find(b"\n") + 1
        if begin == start or 0 < first < len(block):
            yield begin + first, block[first:]
            end = begin + first
            size = _BLOCK
        elif size < _LONGEST:
            size = min(2 * size, _LONGEST)
        else:
            inside_overlong = True
            end = begin
            size = _BLOCK


def _read_at(file: IO[bytes], offset: int, size: int) -> bytes:
    file.seek(offset)
    pieces = []
    while size > 0 and (piece := file.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
