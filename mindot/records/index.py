"""A sidecar that says where a character's decisions stand in a receipt file.

``<file>.idx`` is never needed and never trusted: it is used as far as it agrees with the file, and
what it points at is decoded and compared all the same. Rows that were appended since are searched.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from mindot.records.encoding import MAX_LINE, decode, to_json
from mindot.records.lines import BLOCK_SIZE, is_compressed
from mindot.records.reader import CALM, Record, judge
from mindot.records.search import NameSearch, is_of, rows_backwards

__all__ = [
    "Index",
    "IndexDisagreesError",
    "build_index",
    "decisions_backwards",
    "index_path",
    "read_index",
    "write_index",
]

_FORMAT: Final = 1
_EDGE: Final = 4096
"""Bytes at either end of what was indexed whose checksum tells whether the file is still that."""
_FIRST_READ: Final = 4096


class Index(NamedTuple):
    """Where the decisions of each character begin, as of some size of the file."""

    size: int
    """Bytes of whole lines that were indexed."""
    mtime_ns: int
    checksum: int
    offsets: dict[str, list[int]]
    """By name key, in the order of the file; a character with calm rows only has none."""


def index_path(path: Path) -> Path:
    """The sidecar of a receipt file."""
    return path.with_name(path.name + ".idx")


def build_index(path: Path) -> Index:
    """Read a whole receipt file and note where the decisions are.

    Raises:
        OSError: the file cannot be opened.
        ValueError: the file is compressed: an offset leads nowhere in it.
    """
    from mindot.records.typed import CountedRow, scan

    with path.open("rb") as file:
        if is_compressed(file):
            raise ValueError(f"{str(path)!r} is compressed; unpack it to index it")
        size = _end_of_lines(file)
        offsets: dict[str, list[int]] = {}

        def rows(rows: list[Any], lines: list[bytes], offset: int) -> None:
            for row, line in zip(rows, lines, strict=True):
                _note(row.name, row.served, offset, offsets)
                offset += len(line) + 1

        def item(item: object) -> None:
            if isinstance(item, Record):
                _note(item.value.get("name"), item.value.get("served"), item.offset, offsets)

        scan(path, {CountedRow: rows}, item, stop=size)
        mtime = os.fstat(file.fileno()).st_mtime_ns
        return Index(size, mtime, _checksum(file, size), offsets)


def write_index(path: Path, index: Index) -> None:
    """Put the sidecar in place, whole or not at all.

    Raises:
        OSError: the directory cannot be written.
    """
    target = index_path(path)
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    draft.write_bytes(to_json({"format": _FORMAT, **index._asdict()}))
    draft.replace(target)


def read_index(path: Path) -> Index | None:
    """The sidecar of a file, if it has one that agrees with it."""
    try:
        held = decode(index_path(path).read_bytes())
        index = Index(held["size"], held["mtime_ns"], held["checksum"], held["offsets"])
        with path.open("rb") as file:
            if held["format"] != _FORMAT or not _agrees(file, index):
                return None
            return index
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _agrees(file: IO[bytes], index: Index) -> bool:
    """Whether the file is what was indexed, or that and more. One that did not grow must not have
    been touched either."""
    found = os.fstat(file.fileno())
    if found.st_size < index.size:
        return False
    if found.st_size == index.size and found.st_mtime_ns != index.mtime_ns:
        return False
    return _checksum(file, index.size) == index.checksum


class IndexDisagreesError(Exception):
    """What the index points at is not what it says."""


def decisions_backwards(path: Path, search: NameSearch, index: Index) -> Iterator[Record]:
    """A character's decisions, the newest line first. Rows that the index does not cover are
    searched for, and come whatever their tier.

    Raises:
        OSError: the file cannot be opened.
        IndexDisagreesError: an offset leads to no decision of the character.
    """
    yield from rows_backwards(path, search, start=index.size)
    with path.open("rb", buffering=0) as file:
        for offset in reversed(index.offsets.get(search.key, [])):
            decision = _record_at(file, offset)
            if decision is None or not _is_decision(decision, search.key):
                raise IndexDisagreesError(str(path))
            yield decision


def _is_decision(record: Record, key: str) -> bool:
    return is_of(record.value, key) and record.value["served"] != CALM


def _record_at(file: IO[bytes], offset: int) -> Record | None:
    file.seek(offset)
    line = b""
    size = _FIRST_READ
    while b"\n" not in line and len(line) <= MAX_LINE and (piece := file.read(size)):
        line += piece
        size *= 2
    line = line.partition(b"\n")[0]
    value, _, reason = judge(line)
    return Record(0, offset, line, value) if value is not None and reason is None else None


def _note(name: object, served: object, offset: int, offsets: dict[str, list[int]]) -> None:
    if isinstance(name, str) and served is not None:
        decisions = offsets.setdefault(name.lower(), [])
        if served != CALM:
            decisions.append(offset)


def _end_of_lines(file: IO[bytes]) -> int:
    """Where the last line that has its newline ends."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - BLOCK_SIZE)
        file.seek(start)
        if cut := file.read(end - start).rfind(b"\n") + 1:
            return start + cut
        end = start
    return 0


def _checksum(file: IO[bytes], size: int) -> int:
    """Of the first and the last bytes of what was indexed."""
    file.seek(0)
    start = file.read(min(_EDGE, size))
    file.seek(max(0, size - _EDGE))
    return zlib.crc32(file.read(min(_EDGE, size)), zlib.crc32(start))
