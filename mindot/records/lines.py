"""A record file as blocks of whole lines, in bounded memory, whatever the file holds.

Lines end at the newline byte and nowhere else: a lone carriage return or U+2028 is content.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

from mindot.records.encoding import MAX_LINE

__all__ = [
    "BLOCK_SIZE",
    "BREAKS_OFF",
    "Block",
    "Overlong",
    "Tail",
    "is_compressed",
    "is_large",
    "line_blocks",
    "open_records",
]

BLOCK_SIZE: Final = 1 << 17
"""Bytes asked of the file at a time: what is made of them stays in the processor's cache."""

BREAKS_OFF: Final = "the compressed data breaks off"
"""What is wrong with a compressed file whose end is missing."""

_LARGE: Final = 1 << 20
_GZIP_MAGIC: Final = b"\x1f\x8b"


class Block(NamedTuple):
    """Whole lines, without their newlines."""

    offset: int
    """Where the block begins in the (uncompressed) file, in bytes."""
    number: int
    """Number of its first line, from 1."""
    lines: list[bytes]


class Overlong(NamedTuple):
    """A line longer than a reader takes. Its bytes were passed over."""

    offset: int
    number: int
    ended: bool
    """Whether its newline came."""


class Tail(NamedTuple):
    """What follows the last newline; empty after a file that ends as it should."""

    offset: int
    number: int
    text: bytes
    damage: str | None = None
    """Why a compressed file could not be read on."""


def open_records(path: Path) -> IO[bytes]:
    """The file's bytes, uncompressed if its content is gzip's, whatever its name.

    Raises:
        OSError: the file is not there, is a directory, or may not be read.
    """
    file = path.open("rb", buffering=0)
    try:
        compressed = is_compressed(file)
    except OSError:
        file.close()
        raise
    if not compressed:
        return file
    file.close()
    return cast("IO[bytes]", gzip.open(path, "rb"))


def is_large(path: Path) -> bool:
    """Whether a file has so many rows that it pays to import what counts them quicker.

    Raises:
        OSError: the file is not there.
    """
    return path.stat().st_size >= _LARGE


def is_compressed(file: IO[bytes]) -> bool:
    """Whether a file's content is gzip's. Leaves it at its beginning."""
    magic = file.read(len(_GZIP_MAGIC))
    file.seek(0)
    return magic == _GZIP_MAGIC


def line_blocks(
    path: Path, *, start: int = 0, stop: int | None = None, number: int = 1
) -> Iterator[Block | Overlong | Tail]:
    """The file in blocks, in order; the last item is always the tail.

    Args:
        start: offset of the line to begin with.
        stop: offset to end at; what is beyond it counts as not there.
        number: the number of the line at ``start``.
    """
    with open_records(path) as file:
        if start:
            file.seek(start)
        yield from _Splitter(file, start, stop, number)


class _Splitter:
    def __init__(self, file: IO[bytes], offset: int, stop: int | None, number: int) -> None:
        # Of compressed data, what came before the damage: ``read`` would lose it.
        self._read_some: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self._read_to = offset
        self._stop = stop
        self._offset = offset
        """Where the line begins that is not complete yet."""
        self._number = number
        self._held: list[bytes] = []
        self._held_size = 0
        self._damage: str | None = None

    def __iter__(self) -> Iterator[Block | Overlong | Tail]:
        passed_over = 0
        while chunk := self._read():
            if passed_over:
                cut = chunk.find(b"\n") + 1
                passed_over += cut or len(chunk)
                if not cut:
                    continue
                yield Overlong(self._offset, self._number, True)
                self._offset += passed_over
                self._number += 1
                passed_over = 0
                chunk = chunk[cut:]
            lines = chunk.split(b"\n")
            rest = lines.pop()
            if lines:
                yield self._block(lines)
            if rest:
                self._held.append(rest)
                self._held_size += len(rest)
            if self._held_size > MAX_LINE:
                passed_over = self._held_size
                self._drop()
        if passed_over:
            yield Overlong(self._offset, self._number, False)
        yield Tail(self._offset, self._number, b"".join(self._held), self._damage)

    def _block(self, lines: list[bytes]) -> Block:
        if self._held:
            lines[0] = b"".join((*self._held, lines[0]))
            self._drop()
        block = Block(self._offset, self._number, lines)
        self._offset += sum(map(len, lines)) + len(lines)
        self._number += len(lines)
        return block

    def _read(self) -> bytes:
        size = BLOCK_SIZE
        if self._stop is not None:
            size = min(size, self._stop - self._read_to)
        if size <= 0:
            return b""
        try:
            chunk = self._read_some(size)
        except EOFError:
            self._damage = BREAKS_OFF
            return b""
        except (gzip.BadGzipFile, zlib.error) as error:
            self._damage = f"the compressed data is damaged: {error}"
            return b""
        self._read_to += len(chunk)
        return chunk

    def _drop(self) -> None:
        self._held = []
        self._held_size = 0
