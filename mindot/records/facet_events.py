"""Trace files read for their facet events: many rows at a time, in bounded memory.

A trace may hold millions of rows and other writers' rows as well. Whole blocks of lines are parsed
in one call, and only for the fields that a facet event has, which is several times faster than
line by line; only a block that has something wrong in it is read line by line, so that what is
damaged is skipped, counted, and costs its neighbours nothing.
"""

import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from mindot.records.encoding import MAX_LINE
from mindot.records.lines import open_records
from mindot.records.logs import Log, day_files
from mindot.records.reader import judge

__all__ = [
    "LIMIT",
    "FacetRow",
    "TraceFile",
    "in_order_of_time",
    "trace_files",
    "whole_number",
]


class FacetRow(msgspec.Struct, gc=False, rename="camel"):
    """What a facet event has, of any row. Nothing about its values is promised: a field is None
    where the row lacks it, and otherwise what the row holds."""

    type: Any = None
    wall_time: Any = None
    tick: Any = None
    mind: Any = None
    facet_id: Any = None
    key: Any = None
    reason: Any = None
    total_facets: Any = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "FacetRow":
        return cls(*map(row.get, cls.__struct_encode_fields__))


_decode_rows: Final = msgspec.json.Decoder(list[FacetRow]).decode

BLOCK_BYTES: Final = 1 << 15
"""Bytes read at once: as many as keep the parsed rows within a processor's cache."""

_FIRST_BYTES: Final = 1 << 20
"""Where the search for a file's first time is given up."""

LIMIT: Final = 1 << 63
"""Ticks and times are integers of 64 bits; what is beyond them is not readable."""

_REMEMBERED: Final = 256
"""Bytes before the place read to that tell whether they are still the same."""

_DAY: Final = re.compile(
    r"(?<!\d)\d{4}(-?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)", re.ASCII
)


def trace_files(directory: Path) -> list[Path]:
    """The trace files of a records directory, oldest day first."""
    return [file.path for file in day_files(directory, (Log.TRACE,))]


def in_order_of_time(paths: Iterable[Path]) -> list[Path]:
    """Files by the time of their first row, so that a facet's spawn is read before its end.

    A file without any time keeps its place at the front.

    Raises:
        OSError: a file cannot be read; it has the file's name.
    """
    return sorted(dict.fromkeys(paths), key=lambda p: (_first_time(p), p.name))


def whole_number(value: object) -> int | None:
    """A finite number within 64 bits as an integer; None for anything else.

    The float of the lower limit may be any integer a little below it, which a decoder rounded.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    above = value > -LIMIT if isinstance(value, float) else value >= -LIMIT
    return int(value) if above and value < LIMIT else None


def _first_time(path: Path) -> int:
    try:
        with TraceFile(path, stop=_FIRST_BYTES) as trace:
            for rows in trace.batches():
                for row in rows:
                    if (wall := whole_number(row.wall_time)) is not None:
                        return wall
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
    return 0


class TraceFile:
    """One file, read from where the last reading stopped to its present end.

    Close it, or use it as a context manager.
    """

    def __init__(self, path: Path, *, stop: int | None = None) -> None:
        """Open ``path``; raises ``OSError`` where that is not possible.

        Args:
            stop: bytes, unpacked ones of a compressed file, after which what follows counts as
                not there; None for none.
        """
        self.path = path
        self.series = str(path.with_name(_DAY.sub("*", path.name.removesuffix(".gz"))))
        """The log this file is one day of: the same for all days of one log in one directory."""
        self.damaged = 0
        """Lines, or stretches of compressed data, that could not be read."""
        self.rows = 0
        """Rows handed out, of whatever type."""
        self._file = open_records(path)
        # read1 hands over what was unpacked before compressed data breaks off; read would lose it
        self._read_some: Callable[[int], bytes] = getattr(self._file, "read1", self._file.read)
        self._left = stop
        self._last_read = b""
        self._rest = bytearray()
        self._overlong = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    @property
    def replaced(self) -> bool:
        """Whether its path leads to another file now."""
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        return not os.path.samestat(there, os.fstat(self._file.fileno()))

    @property
    def rewritten(self) -> bool:
        """Whether what was read is there no more: cut short, written over, or replaced by a copy.

        A file that was moved aside or deleted is not rewritten: its rows did happen.
        """
        if self.replaced:
            return os.fstat(self._file.fileno()).st_nlink == 0
        is_packed = isinstance(self._file, gzip.GzipFile)
        if is_packed:  # its position is not one in the file
            return False
        here = self._file.tell()
        self._file.seek(max(here - len(self._last_read), 0))
        before = self._file.read(len(self._last_read))
        self._file.seek(here)
        return before != self._last_read

    @property
    def torn_tail(self) -> bool:
        """Whether the file ends in an unfinished line: a write was cut, or is under way."""
        return bool(self._rest.strip()) or self._overlong

    def batches(self) -> Iterator[list[FacetRow]]:
        """All rows up to the present end of the file, some hundreds at a time.

        A last line without its line break counts when it is whole; when it is not, it is kept and
        read on with the next call, as its writer may be in the middle of it.
        """
        while block := self._read():
            cut = block.rfind(b"\n") + 1
            if cut == 0:
                self._keep(block)
                continue
            whole = bytes(self._rest) + block[:cut]
            self._rest[:] = block[cut:]
            if self._overlong:
                whole = whole[whole.find(b"\n") + 1 :]
                self._overlong = False
                self.damaged += 1
            # only its first line, begun in an earlier block, can be longer than a reader takes
            parse = self._parse if len(whole) <= MAX_LINE else self._parse_each
            if rows := parse(whole):
                self.rows += len(rows)
                yield rows
        if self._rest.rstrip().endswith(b"}") and not self._overlong:
            damaged = self.damaged
            if rows := self._parse_each(bytes(self._rest)):
                self._rest.clear()
                self.rows += len(rows)
                yield rows
            else:
                self.damaged = damaged  # not damaged yet: its writer may still finish it

    def _read(self) -> bytes:
        size = BLOCK_BYTES if self._left is None else min(BLOCK_BYTES, self._left)
        if not size:
            return b""
        try:
            block = self._read_some(size)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            self.damaged += 1
            self._read_some = io.BytesIO().read
            return b""
        if self._left is not None:
            self._left -= len(block)
        self._last_read = block[-_REMEMBERED:] or self._last_read
        return block

    def _keep(self, block: bytes) -> None:
        if self._overlong:
            return
        self._rest += block
        if len(self._rest) > MAX_LINE:
            self._rest.clear()
            self._overlong = True

    def _parse(self, lines: bytes) -> list[FacetRow]:
        try:
            if not lines.isascii():
                lines.decode()  # msgspec does not look into the strings that it passes over
            rows = _decode_rows(b"[" + lines[:-1].replace(b"\n", b",") + b"]")
        except (ValueError, RecursionError):
            return self._parse_each(lines)
        # Lines torn inside a list could join to something valid; then the numbers differ. (Only
        # where another line of the block is two rows with a comma between do they agree again.)
        return rows if len(rows) == lines.count(b"\n") else self._parse_each(lines)

    def _parse_each(self, lines: bytes) -> list[FacetRow]:
        rows = []
        for line in lines.split(b"\n"):
            if line.strip():
                row, _, problem = judge(line)
                self.damaged += problem is not None
                if row is not None:
                    rows.append(FacetRow.of(row))
        return rows
