"""The deeds of served verdicts, row by row, for whoever reads a log from its beginning on.

It comes to what an explanation of each row says, without holding the records of a whole day: of
the flywheel only the few kinds are kept that may tell such a deed, and only once a row does not
tell it itself.
"""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from mindot.records.explain import deed_of
from mindot.records.fields import JOIN_SECONDS, name_of, time_of
from mindot.records.join import belonging
from mindot.records.lines import Block, Tail, line_blocks
from mindot.records.logs import Log, date_of, day_files
from mindot.records.reader import Record, read_line, read_tail
from mindot.records.verdicts import LOOKED_BACK, tells_its_deed

__all__ = ["ServedDeeds"]

_REACH: Final = JOIN_SECONDS + 1.0
_MAY_TELL: Final = re.compile(rb'"kind"\s*:\s*"(?:student|[^"]*\\)')
_KEPT: Final[tuple[str, ...]] = ("t", "kind", "decision", "tuple")


class ServedDeeds:
    """Tells the deed of each row of a served verdict; takes them in the order of the log."""

    def __init__(self, folder: Path, *, live: bool = False) -> None:
        """``folder`` holds the flywheel records.

        Args:
            live: the files are still being written: read on in them, and wait for no row of a
                file that cannot be read.
        """
        self._folder = folder
        self._live = live
        self._served: dict[str, deque[Mapping[str, Any]]] = {}
        self._read_to: dict[Path, int] = {}
        self._dates: set[str] = set()
        self._answers: dict[str, list[tuple[float, Record]]] = {}
        """By name key, in order of time."""

    def deed_of(self, row: Mapping[str, Any]) -> str | None:
        """What was done in a row of this tier.

        Raises:
            OSError: a file of the folder cannot be read.
        """
        name, t = row.get("name"), time_of(row)
        if not isinstance(name, str) or t is None:
            return deed_of(row)
        earlier = self._served.setdefault(name.lower(), deque(maxlen=LOOKED_BACK))
        deed = deed_of(row)
        if not tells_its_deed(row):
            records = belonging(row, self._near(name.lower(), t), earlier)
            deed = deed_of(row, records) if records else deed
        earlier.append(row)
        return deed

    def _near(self, key: str, t: float) -> Iterator[Record]:
        dates = {date_of(t - _REACH), date_of(t)}
        if self._live:
            with suppress(OSError):
                self._read_days(dates)
        elif not dates <= self._dates:
            self._read_days(dates)
        answers = self._answers.get(key, [])
        first = bisect_left(answers, t - _REACH, key=_time)
        for when, record in answers[first:]:
            if when > t + _REACH:
                break
            yield record

    def _read_days(self, dates: set[str]) -> None:
        for file in day_files(self._folder, [Log.FLYWHEEL]):
            if file.date in dates and (self._live or file.date not in self._dates):
                self._read(file.path)
        self._dates |= dates
        for answers in self._answers.values():
            answers.sort(key=_time)

    def _read(self, path: Path) -> None:
        start = self._read_to.get(path, 0)
        if start > path.stat().st_size:
            start = 0
        for part in line_blocks(path, start=start):
            self._read_to[path] = part.offset
            if isinstance(part, Block):
                for line in part.lines:
                    if _MAY_TELL.search(line):
                        self._keep(read_line(line, 0, 0))
            elif isinstance(part, Tail) and not self._live:
                self._keep(read_tail(part))

    def _keep(self, items: Iterator[object]) -> None:
        for item in items:
            if isinstance(item, Record):
                name, t = name_of(item), time_of(item.value)
                if name is not None and t is not None:
                    value = {field: item.value[field] for field in _KEPT if field in item.value}
                    record = Record(0, 0, b"", value)
                    self._answers.setdefault(name.lower(), []).append((t, record))


def _time(pair: tuple[float, Record]) -> float:
    return pair[0]
