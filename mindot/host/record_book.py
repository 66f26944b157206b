"""Where a host's records go: three logs in one directory, one append a log and sweep."""

from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from mindot.records.logs import Log
from mindot.records.writer import FsyncPolicy, LogWriteError, LogWriter

__all__ = ["MemoryBook", "RecordBook", "RecordSink"]


class RecordSink(Protocol):
    """Takes records as they are made; :meth:`flush` ends a sweep."""

    def add(self, log: Log, row: dict[str, Any]) -> None: ...

    def flush(self) -> None: ...


class MemoryBook:
    """Keeps every record in memory: for tests, and for games that store them elsewhere."""

    def __init__(self) -> None:
        self.rows: dict[Log, list[dict[str, Any]]] = {log: [] for log in Log}

    def add(self, log: Log, row: dict[str, Any]) -> None:
        self.rows[log].append(row)

    def flush(self) -> None:
        """Nothing waits here."""


class RecordBook:
    """Appends to the day files of ``directory``, a batch a sweep.

    A refused write (see :class:`~mindot.records.writer.LogWriteError`) keeps the rows that are in
    no file and hands them to the next :meth:`flush`, up to ``keep_at_most`` a log.
    """

    def __init__(
        self, directory: Path, *, fsync: FsyncPolicy = "never", keep_at_most: int = 100_000
    ) -> None:
        self.directory = directory
        self._keep_at_most = keep_at_most
        self._writers = {log: LogWriter(directory, log, fsync=fsync) for log in Log}
        self._waiting: dict[Log, list[dict[str, Any]]] = {log: [] for log in Log}

    def add(self, log: Log, row: dict[str, Any]) -> None:
        self._waiting[log].append(row)

    def flush(self) -> None:
        """Append what has come since the last time.

        Raises:
            LogWriteError: the system refused; what is in no file stays for the next flush.
        """
        refused: LogWriteError | None = None
        for log, rows in self._waiting.items():
            if not rows:
                continue
            self._waiting[log] = []
            try:
                self._writers[log].append(rows)
            except LogWriteError as error:
                left = [dict(row) for row in error.unwritten]
                self._waiting[log] = left[-self._keep_at_most :]
                refused = error
        if refused is not None:
            raise refused

    def close(self) -> None:
        try:
            self.flush()
        finally:
            for writer in self._writers.values():
                writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
