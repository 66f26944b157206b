"""Appending rows to a log, so that no crash, full disk or second writer costs more than it must.

Every batch leaves as one write of whole lines to each day's file it touches, in append mode and
under the file's advisory lock. A write that breaks off leaves at most one torn last line; whoever
writes next starts on a fresh line.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Self, get_args

from mindot.records.encoding import encode_batch
from mindot.records.logs import Log

if sys.platform != "win32":
    import fcntl

__all__ = ["FsyncPolicy", "LogWriteError", "LogWriter", "Row"]

FsyncPolicy = Literal["never", "close", "batch"]
"""When the disk is asked to keep what was appended.

``never``: the system decides; a crash of the process loses nothing, a power cut may lose seconds.
``close``: on :meth:`LogWriter.flush`, when a day's file is done with, and at the end.
``batch``: before each ``append`` returns.
"""

_OPEN_DAYS: Final = 2
"""Files held open: around midnight rows of two days come interleaved."""

Row = Mapping[str, Any]

_NEWLINE: Final = 0x0A
_APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)


class LogWriteError(OSError):
    """Rows could not be appended. Those of every append that returned are written."""

    def __init__(
        self,
        cause: OSError,
        path: Path,
        *,
        unwritten: tuple[Row, ...],
        torn: bool = False,
        repeated: bool = False,
    ) -> None:
        self.path = path
        self.unwritten = unwritten
        """The rows of the batch that are in no file: append them again when there is room."""
        self.torn = torn
        """The file ends in the middle of a line; the next append starts on a fresh one."""
        self.repeated = repeated
        """The append before failed too, so whoever tells a person has told it already."""
        reason = cause.strerror or str(cause)
        if unwritten:
            what = f"{len(unwritten)} row(s) not written" + ("; the last line is torn" * torn)
        else:
            what = "written, but the disk did not confirm it"
        super().__init__(cause.errno, f"{reason} ({what})", str(path))


class LogWriter:
    """Appends rows to the day files of one log. Not for two threads at once: give each its own.

    Several writers, also of several processes, may append to the same files: a batch stays
    together, and no row is torn by another's.
    """

    def __init__(self, directory: Path, log: Log, *, fsync: FsyncPolicy = "never") -> None:
        if fsync not in get_args(FsyncPolicy):
            raise ValueError(f"fsync must be one of {get_args(FsyncPolicy)}, got {fsync!r}")
        self._directory = Path(directory)
        self._log = log
        self._fsync: FsyncPolicy = fsync
        self._files: dict[int, _DayAppender] = {}
        self._failing = False
        self._closed = False

    def append(self, rows: Sequence[Row]) -> None:
        """Append a batch, each row to the file of its own day. On return the rows are written.

        Raises:
            TypeError: a value is no JSON; nothing of the batch was written.
            ValueError: a row has no usable time or is longer than a reader takes, or the writer
                is closed; nothing of the batch was written.
            LogWriteError: the system refused; ``unwritten`` tells what is in no file.
        """
        if self._closed:
            raise ValueError("the writer is closed; open another to go on")
        waiting = self._by_day(rows)
        encoded = [(day, encode_batch(batch)) for day, batch in waiting.items()]
        for day, lines in encoded:
            try:
                outcome = self._file(day).write(lines)
            except OSError as error:
                outcome = _Outcome(0, error)
            batch = waiting.pop(day)
            if outcome.error is not None:
                left = list(batch[lines.count(b"\n", 0, outcome.written) :])
                left += [row for later in waiting.values() for row in later]
                torn = outcome.written > 0 and lines[outcome.written - 1] != _NEWLINE
                self._fail(outcome.error, day, tuple(left), torn=torn)
        self._failing = False

    def flush(self) -> None:
        """Have the disk keep what was appended, unless the policy is ``never``.

        Rows never wait in this object: what was appended is in the file.
        """
        if self._fsync != "never":
            for file in self._files.values():
                file.sync()

    def close(self) -> None:
        """Close the files. A second time does nothing."""
        self._closed = True
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

    def _by_day(self, rows: Sequence[Row]) -> dict[int, Sequence[Row]]:
        if rows and self._are_of_one_day(rows):
            return {self._log.day_of(rows[0]): rows}
        by_day: dict[int, list[Row]] = {}
        for row in rows:
            by_day.setdefault(self._log.day_of(row), []).append(row)
        return {**by_day}

    def _are_of_one_day(self, rows: Sequence[Row]) -> bool:
        """Whether all rows surely are of the first one's day, as those of a sweep nearly always
        are; asked of each row alone, the day costs as much as writing it."""
        field, length = self._log.time_field, self._log.day_length
        midnight = self._log.day_of(rows[0]) * length
        try:
            return all(0 <= row[field] - midnight < length for row in rows)
        except (KeyError, TypeError):
            return False

    def _file(self, day: int) -> "_DayAppender":
        file = self._files.pop(day, None)
        if file is not None and file.deleted():
            file.close()
            file = None
        if file is None:
            while len(self._files) >= _OPEN_DAYS:
                self._files.pop(next(iter(self._files))).close()
            file = _DayAppender(self._directory / self._log.file_name(day), self._fsync)
        self._files[day] = file  # the one used last stands last
        return file

    def _fail(self, cause: OSError, day: int, unwritten: tuple[Row, ...], *, torn: bool) -> None:
        repeated, self._failing = self._failing, True
        path = self._directory / self._log.file_name(day)
        raise LogWriteError(
            cause, path, unwritten=unwritten, torn=torn, repeated=repeated
        ) from cause


class _Outcome(NamedTuple):
    written: int
    """Bytes of the batch that are in the file."""
    error: OSError | None


class _DayAppender:
    """One day's file, open for appending."""

    def __init__(self, path: Path, fsync: FsyncPolicy) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, _APPEND, 0o644)
        self._fsync = fsync
        self._clean_end = 0
        """Where the file ended when it surely ended with a newline."""
        if fsync != "never":
            _sync_directory(path.parent)

    def write(self, lines: bytes) -> _Outcome:
        with _locked(self._fd):
            end = os.fstat(self._fd).st_size
            fresh = self._starts_fresh(end)
            prefix = b"" if fresh else b"\n"
            written, error = _write_all(self._fd, prefix + lines)
            if error is None:
                self._clean_end = end + written
        written = max(0, written - len(prefix))
        if error is None and self._fsync == "batch":
            try:
                self.sync()
            except OSError as refused:
                error = refused
        return _Outcome(written, error)

    def _starts_fresh(self, end: int) -> bool:
        """Whether the next byte begins a line; asks the file only if somebody else wrote."""
        if end in (0, self._clean_end):
            return True
        return os.pread(self._fd, 1, end - 1) == b"\n"

    def deleted(self) -> bool:
        """Whether the file has no name left, so that rows would go nowhere."""
        return os.fstat(self._fd).st_nlink == 0

    def sync(self) -> None:
        os.fsync(self._fd)

    def close(self) -> None:
        try:
            if self._fsync != "never":
                self.sync()
        finally:
            os.close(self._fd)


def _write_all(fd: int, data: bytes) -> tuple[int, OSError | None]:
    """Bytes written, and what stopped it. One system call unless the system cuts it short."""
    written = 0
    view = memoryview(data)
    while written < len(data):
        try:
            written += os.write(fd, view[written:])
        except OSError as error:
            return written, error
    return written, None


@contextmanager
def _locked(fd: int) -> Iterator[None]:
    """The file's advisory lock, where the system has one: it keeps a batch together even when
    the system cuts a write short."""
    if sys.platform == "win32":
        yield
        return
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _sync_directory(directory: Path) -> None:
    """A new file's name is safe only once its directory is."""
    if sys.platform == "win32":
        return
    fd = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
