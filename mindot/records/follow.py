"""Reading on in files that are still being written.

A follower holds back a line until its newline comes, goes on when a file is rotated away or
truncated under it, and picks up the next day's file when it appears. It does not wait: call
``poll`` as often as suits.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from mindot.records.encoding import MAX_LINE
from mindot.records.lines import BLOCK_SIZE, Tail
from mindot.records.logs import Log, day_files
from mindot.records.reader import TOO_LONG, BadLine, Record, TornTail, read_line, read_tail

__all__ = ["FileFollower", "LogFollower"]

_DAYS_FOLLOWED: Final = 2
"""Around midnight rows of two days come interleaved."""


class FileFollower:
    """Follows one file by its path. The file need not be there yet."""

    def __init__(self, path: Path, *, from_end: bool = False) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._offset = 0
        """Where the line begins that is not complete yet."""
        self._line = 1
        self._held = bytearray()
        self._skipping = False
        if from_end:
            self._open()
            self._to_end()

    def poll(self) -> Iterator[Record | BadLine | TornTail]:
        """What was written since the last poll, as far as its lines are complete.

        Line numbers count from where following began. A torn line is said only when its file was
        rotated away: as long as the file is there, the writer may finish it.
        """
        if self._file is None and not self._open():
            return
        yield from self._read_on()
        if self._was_replaced():
            yield from self._read_on()
            yield from read_tail(Tail(self._offset, self._line, bytes(self._held)))
            self.close()
            if self._open():
                yield from self._read_on()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
        self._start_over()

    def _open(self) -> bool:
        try:
            self._file = self._path.open("rb", buffering=0)
        except FileNotFoundError:
            return False
        return True

    def _to_end(self) -> None:
        """Begin with the line that is being written now, if one is."""
        if self._file is None:
            return
        end = self._file.seek(0, os.SEEK_END)
        self._offset = end
        while self._offset > 0:
            start = max(0, self._offset - BLOCK_SIZE)
            self._file.seek(start)
            block = self._file.read(self._offset - start)
            if cut := block.rfind(b"\n") + 1:
                self._offset = start + cut
                break
            self._offset = start
        self._file.seek(self._offset)

    def _start_over(self) -> None:
        self._offset, self._line = 0, 1
        self._held.clear()
        self._skipping = False

    def _was_replaced(self) -> bool:
        """Whether the path leads to another file now. A file only deleted is still followed."""
        if self._file is None:
            return False
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return False
        return not os.path.samestat(there, os.fstat(self._file.fileno()))

    def _read_on(self) -> Iterator[Record | BadLine]:
        if self._file is None:
            return
        if os.fstat(self._file.fileno()).st_size < self._file.tell():
            self._file.seek(0)
            self._start_over()
        while chunk := self._file.read(BLOCK_SIZE):
            yield from self._take(chunk)

    def _take(self, chunk: bytes) -> Iterator[Record | BadLine]:
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            line = bytes(self._held) + piece
            self._held.clear()
            if self._skipping:
                self._skipping = False
                yield BadLine(self._line, TOO_LONG)
            else:
                yield from read_line(line, self._line, self._offset)
            self._offset += len(line) + 1
            self._line += 1
        self._held += rest
        if len(self._held) > MAX_LINE or self._skipping:
            self._skipping = True
            self._offset += len(self._held)
            self._held.clear()


class LogFollower:
    """Follows the newest files of one log in a directory, and each new day's from its start."""

    def __init__(self, directory: Path, log: Log) -> None:
        self._directory = directory
        self._log = log
        self._files: dict[Path, FileFollower] = {}
        self._look(from_end=True)

    def poll(self) -> Iterator[tuple[Path, Record]]:
        """The rows written since the last poll, each with its file."""
        self._look(from_end=False)
        for path, follower in self._files.items():
            for item in follower.poll():
                if isinstance(item, Record):
                    yield path, item

    def close(self) -> None:
        while self._files:
            self._files.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _look(self, *, from_end: bool) -> None:
        newest = [
            file.path
            for file in day_files(self._directory, [self._log])
            if file.path.suffix == ".jsonl"
        ][-_DAYS_FOLLOWED:]
        for path in [path for path in self._files if path not in newest and len(newest) > 1]:
            self._files.pop(path).close()
        for path in newest:
            if path not in self._files:
                self._files[path] = FileFollower(path, from_end=from_end)
