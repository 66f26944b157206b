"""The three logs: which file a row belongs to, and which files of a directory hold a log.

A log is one file a day, and the day is UTC and comes from the row's own time, so that a row lands
in the same file whoever writes it and whenever.
"""

import math
import re
import time
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["SECONDS_PER_DAY", "DayFile", "Log", "date_of", "day_files"]

SECONDS_PER_DAY: Final = 86_400

_LAST_DAY: Final = 2_932_896
"""9999-12-31: later days have no name of eight digits."""


class Log(Enum):
    """One of the logs: its files' names, and the field that dates a row."""

    RECEIPTS = ("receipts-%Y%m%d.jsonl", r"receipts-(\d{8})\.jsonl(?:\.gz)?", "t", 1.0)
    """Reflex receipts: one row a character and sweep."""
    FLYWHEEL = ("%Y-%m-%d.jsonl", r"(\d{4}-\d\d-\d\d)\.jsonl(?:\.gz)?", "t", 1.0)
    """Flywheel records: deliberator events, commands and spoken lines."""
    TRACE = ("trace-%Y%m%d.jsonl", r"trace-(\d{8})\.jsonl(?:\.gz)?", "wallTime", 0.001)
    """The minds' trace; its time is in milliseconds."""
    THOUGHTS = (
        "thoughts-%Y%m%d.jsonl",
        r"thoughts-(\d{8})\.jsonl(?:\.gz)?",
        "wallTime",
        0.001,
    )
    """Each thought's prompt and raw answer, where a host keeps them; rows of the trace's form."""

    def __init__(self, pattern: str, matcher: str, time_field: str, unit: float) -> None:
        self.pattern = pattern
        """``strftime`` pattern of the file name."""
        self.time_field = time_field
        self.unit = unit
        """Seconds in one unit of the time field."""
        self.day_length = SECONDS_PER_DAY / unit
        """A day in units of the time field."""
        self._matcher = re.compile(matcher)

    def day_of(self, row: Mapping[str, Any]) -> int:
        """The UTC day of a row, in days since 1970-01-01.

        Raises:
            ValueError: the time field is missing, no finite number, or outside 1970..9999.
        """
        when = row.get(self.time_field)
        if not isinstance(when, (int, float)) or isinstance(when, bool) or not math.isfinite(when):
            raise ValueError(
                f"{self.time_field!r} dates the row and must be a finite number, got {when!r}"
            )
        day = int(when // self.day_length)
        if not 0 <= day <= _LAST_DAY:
            raise ValueError(
                f"{self.time_field!r} must lie in the years 1970 to 9999, got {when!r}"
            )
        return day

    def file_name(self, day: int) -> str:
        """Name of the file of a day, given in days since 1970-01-01."""
        return time.strftime(self.pattern, time.gmtime(day * SECONDS_PER_DAY))

    def date_in(self, file_name: str) -> str | None:
        """The date in a file's name as ``YYYYMMDD``; None for a file of another log."""
        match = self._matcher.fullmatch(file_name)
        return match[1].replace("-", "") if match else None


def date_of(t: float) -> str:
    """The UTC date of a time in unix seconds as ``YYYYMMDD``, as in :attr:`DayFile.date`."""
    day = min(max(t // SECONDS_PER_DAY, 0), _LAST_DAY)
    return time.strftime("%Y%m%d", time.gmtime(day * SECONDS_PER_DAY))


class DayFile(NamedTuple):
    """One file of a log. Tuples of one log sort by day."""

    date: str
    """``YYYYMMDD``"""
    path: Path
    log: Log


def day_files(directory: Path, logs: Iterable[Log] = Log) -> list[DayFile]:
    """The logs' files in a directory, the oldest day first; empty without such a directory."""
    try:
        names = sorted(entry.name for entry in directory.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [
        DayFile(date, directory / name, log)
        for log in logs
        for name in names
        if (date := log.date_in(name)) is not None
    ]
    return sorted(found, key=lambda file: (file.date, file.path.name))
