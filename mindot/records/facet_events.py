"""Trace files read for their facet events: many rows at a time, in bounded memory.

A trace may hold millions of rows and other writers' rows as well. Whole blocks of lines are parsed
in one call, which is several times faster than line by line; only a block that has something
wrong in it is read line by line, so that what is damaged is skipped, counted, and costs its
neighbours nothing.
"""

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import orjson

from mindot.records.logs import Log, day_files

__all__ = ["Row", "TraceFile", "in_order_of_time", "trace_files"]

Row: TypeAlias = dict[str, Any]
"""One row of a trace as it was parsed: the reader promises that it is an object, and no more."""

BLOCK_BYTES: Final = 1 << 15
"""Bytes read at once: as many as keep the parsed rows within a processor's cache."""

LINE_LIMIT_BYTES: Final = 8 << 20
"""A line longer than this is passed over as damaged: a trace row has a few kilobytes."""

_RECOVERY_TRIES: Final = 100
"""Braces at which a record is looked for on a damaged line; each try may read the whole line."""

_DAY: Final = re.compile(r"\d{8}|\d{4}-\d{2}-\d{2}")


def trace_files(directory: Path) -> list[Path]:
    """The trace files of a records directory, oldest day first."""
    return [file.path for file in day_files(directory, (Log.TRACE,))]


def in_order_of_time(paths: Iterable[Path]) -> list[Path]:
    """Files by the time of their first row, so that a facet's spawn is read before its end.

    A file without any time keeps its place at the front.
    """
    return sorted(dict.fromkeys(paths), key=lambda p: (_first_time(p), p.name))


def _first_time(path: Path) -> int:
    with TraceFile(path) as trace:
        for rows in trace.batches():
            for row in rows:
                wall = row.get("wallTime")
                if type(wall) is int:
                    return wall
            break
    return 0


class TraceFile:
    """One file, read from where the last reading stopped to its present end.

    Close it, or use it as a context manager.
    """

    def __init__(self, path: Path) -> None:
        """Open ``path``; raises ``OSError`` where that is not possible."""
        self.path = path
        self.series = str(path.with_name(_DAY.sub("*", path.name.removesuffix(".gz"))))
        """The log this file is one day of: the same for all days of one log in one directory."""
        self.damaged = 0
        """Lines, or stretches of compressed data, that could not be read."""
        self.rows = 0
        """Rows handed out, of whatever type."""
        self._file: io.BufferedIOBase
        self._read_some: Callable[[int], bytes]
        if path.suffix == ".gz":
            # read1 hands over what was unpacked before the data breaks off; read would lose it
            packed = gzip.GzipFile(path, "rb")
            self._file, self._read_some = packed, packed.read1
        else:
            plain = path.open("rb")
            self._file, self._read_some = plain, plain.read
        self._rest = b""
        self._overlong = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    @property
    def torn_tail(self) -> bool:
        """Whether the file ends in an unfinished line: a write was cut, or is under way."""
        return bool(self._rest.strip()) or self._overlong

    def batches(self) -> Iterator[list[Row]]:
        """All rows up to the present end of the file, some hundreds at a time.

        A last line without its line break counts when it is whole; when it is not, it is kept and
        read on with the next call, as its writer may be in the middle of it.
        """
        while block := self._read():
            cut = block.rfind(b"\n") + 1
            if cut == 0:
                self._keep(block)
                continue
            whole = self._rest + block[:cut]
            self._rest = block[cut:]
            if self._overlong:
                whole = whole[whole.find(b"\n") + 1 :]
                self._overlong = False
                self.damaged += 1
            if rows := self._parse(whole):
                self.rows += len(rows)
                yield rows
        if self._rest.rstrip().endswith(b"}"):
            damaged = self.damaged
            if rows := self._parse_each(self._rest):
                self._rest = b""
                self.rows += len(rows)
                yield rows
            else:
                self.damaged = damaged  # not damaged yet: its writer may still finish it

    def _read(self) -> bytes:
        try:
            return self._read_some(BLOCK_BYTES)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            self.damaged += 1
            self._read_some = io.BytesIO().read
            return b""

    def _keep(self, block: bytes) -> None:
        self._rest += block
        if len(self._rest) > LINE_LIMIT_BYTES:
            self._rest = b""
            self._overlong = True

    def _parse(self, lines: bytes) -> list[Row]:
        try:
            rows: list[Row] = orjson.loads(b"[" + lines[:-1].replace(b"\n", b",") + b"]")
        except orjson.JSONDecodeError:
            return self._parse_each(lines)
        # Lines torn inside a list could join to something valid; then the numbers differ.
        if len(rows) != lines.count(b"\n") or set(map(type, rows)) != {dict}:
            return self._parse_each(lines)
        return rows

    def _parse_each(self, lines: bytes) -> list[Row]:
        rows = []
        for line in lines.split(b"\n"):
            if not line.strip():
                continue
            row = _object(line)
            if row is None:
                self.damaged += 1
                rows += _records_inside(line)
            else:
                rows.append(row)
        return rows


def _object(line: bytes) -> Row | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        # the standard parser takes what the fast one will not: NaN, lone surrogates
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _records_inside(line: bytes) -> list[Row]:
    """Whole records on a damaged line, as when a writer went on after half a line."""
    text = line.decode("utf-8", "replace")
    decode = json.JSONDecoder().raw_decode
    found: list[Row] = []
    start = text.find("{")
    for _ in range(_RECOVERY_TRIES):
        if start < 0:
            break
        end = start + 1
        try:
            value, past = decode(text, start)
        except (ValueError, RecursionError):
            pass
        else:
            if "type" in value and "tick" in value:
                found.append(value)
                end = past
        start = text.find("{", end)
    return found
