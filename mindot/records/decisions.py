"""The newest decisions of one character."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mindot.records.fields import JOIN_SECONDS, name_of, time_of
from mindot.records.index import (
    IndexDisagreesError,
    decisions_backwards,
    index_path,
    read_index,
)
from mindot.records.lines import Block, Tail, line_blocks
from mindot.records.logs import DayFile, Log, date_of
from mindot.records.reader import CALM, Record, is_newer, read_line, read_tail
from mindot.records.search import NameSearch, rows_backwards
from mindot.records.verdicts import VERDICT_TIER

__all__ = ["Found", "flywheel_of", "newest_decisions"]

_REACH: Final = JOIN_SECONDS + 1.0
"""A little further than a join goes; what is too far is sorted out there."""
_SEARCHED_BESIDE_INDEX: Final = 64 * 1024 * 1024
"""Bytes appended since an index was built that are still searched in no time."""
_BEGINS_WITH_TIME: Final = re.compile(rb'\{"v": ?\d{1,9}, ?"t": ?(\d{1,12}(?:\.\d{1,9})?),')

_Filter: TypeAlias = Callable[[dict[str, Any]], bool]


class Found(NamedTuple):
    """What was found of a character."""

    records: list[Record]
    """Its decisions, the newest last."""
    known: bool
    """Whether any row bears the name, be it a calm one."""
    newer: tuple[Path, ...] = ()
    """Files in which a row found is of a later format."""
    stale: tuple[Path, ...] = ()
    """Files whose index does not agree with them, or covers too little: it wants building anew."""
    before: tuple[Record, ...] = ()
    """The rows of served verdicts shortly before the oldest record, the newest last: they tell
    which answers of the mind were served already."""


def newest_decisions(
    files: Sequence[Path],
    name: str,
    *,
    last: int,
    at: float | None = None,
    tier: str | None = None,
) -> Found:
    """The newest decisions in receipt files, whatever the case of the name.

    Args:
        files: the files, the oldest first.
        last: how many at most.
        at: look from this time (unix seconds) back; None: from the end.
        tier: this tier only; None: every tier but ``calm``.

    Raises:
        OSError: a file cannot be opened.
    """
    wanted = _filter(at, tier)
    search = NameSearch(name)
    gathering = _Gathering(wanted, last)
    newer: tuple[Path, ...] = ()
    stale: tuple[Path, ...] = ()
    for path in reversed(files):
        if gathering.enough:
            break
        had = len(gathering.records)
        gathering, renew = _gather(path, search, gathering, indexed=tier != CALM)
        if any(is_newer(record.value) for record in gathering.records[had:]):
            newer = (path, *newer)
        stale = ((path,) if renew else ()) + stale
    return Found(
        gathering.records[::-1], gathering.known, newer, stale, tuple(gathering.before[::-1])
    )


class _Gathering:
    """What was found so far of rows that come in the newest first."""

    def __init__(self, wanted: _Filter, room: int) -> None:
        self._wanted = wanted
        self._room = room
        self.records: list[Record] = []
        self.before: list[Record] = []
        self.known = False
        self.enough = False
        self._since: float | None = None
        """Once the records are complete: how far back answers to them may lie."""

    def copy(self) -> "_Gathering":
        other = _Gathering(self._wanted, self._room)
        other.records, other.before = [*self.records], [*self.before]
        other.known, other.enough, other._since = self.known, self.enough, self._since
        return other

    def take(self, rows: Iterable[Record]) -> "_Gathering":
        for record in rows:
            self.known = True
            if self._since is not None:
                self._look_before(record, self._since)
            elif self._wanted(record.value):
                self.records.append(record)
                if len(self.records) == self._room:
                    self._since = _reach_of_answers(self.records)
                    self.enough = self._since is None
            if self.enough:
                break
        return self

    def _look_before(self, record: Record, since: float) -> None:
        t = time_of(record.value)
        if t is not None and t < since:
            self.enough = True
        elif record.value.get("served") == VERDICT_TIER:
            self.before.append(record)


def _reach_of_answers(records: Sequence[Record]) -> float | None:
    """How far back an answer may lie that one of the records carried out; None if none did."""
    times = [time_of(r.value) for r in records if r.value.get("served") == VERDICT_TIER]
    return min((t for t in times if t is not None), default=math.inf) - _REACH if times else None


def _gather(
    path: Path, search: NameSearch, gathering: _Gathering, *, indexed: bool
) -> tuple[_Gathering, bool]:
    """Go on in a file. The second value tells whether its index wants building anew."""
    stale = False
    if indexed and index_path(path).exists():
        index = read_index(path)
        try:
            if index is not None:
                here = gathering.copy().take(decisions_backwards(path, search, index))
                here.known = here.known or search.key in index.offsets
                return here, path.stat().st_size - index.size > _SEARCHED_BESIDE_INDEX
        except IndexDisagreesError:
            pass
        stale = True
    return gathering.take(rows_backwards(path, search)), stale


def flywheel_of(files: Sequence[DayFile], receipts: Sequence[Record]) -> list[Record]:
    """The flywheel records that may belong to receipts of one character.

    Raises:
        OSError: a file cannot be opened.
    """
    times = [t for receipt in receipts if (t := time_of(receipt.value)) is not None]
    if not times:
        return []
    first, last = min(times) - _REACH, max(times) + _REACH
    key = str(receipts[0].value.get("name")).lower()
    return [
        record
        for file in files
        if file.log is Log.FLYWHEEL and date_of(first) <= file.date <= date_of(last)
        for record in _records_between(file.path, first, last)
        if (name := name_of(record)) is not None and name.lower() == key
    ]


def _records_between(path: Path, first: float, last: float) -> Iterator[Record]:
    for part in line_blocks(path):
        if isinstance(part, Block):
            offset, number = part.offset, part.number
            for line in part.lines:
                if _may_be_between(line, first, last):
                    yield from _timely(read_line(line, number, offset), first, last)
                offset += len(line) + 1
                number += 1
        elif isinstance(part, Tail):
            yield from _timely(read_tail(part), first, last)


def _may_be_between(line: bytes, first: float, last: float) -> bool:
    """False only if the line surely is one record of another time.

    Records carry whole frames, so parsing each of a long file takes a while; the time stands at
    the beginning of those that this project writes.
    """
    begins = _BEGINS_WITH_TIME.match(line)
    if begins is None or first <= float(begins[1]) <= last:
        return True
    # A record that was recovered from behind a torn one has a time of its own.
    return line.find(b'"v"', begins.end()) >= 0


def _timely(items: Iterable[object], first: float, last: float) -> Iterator[Record]:
    for item in items:
        if isinstance(item, Record):
            t = time_of(item.value)
            if t is not None and first <= t <= last:
                yield item


def _filter(at: float | None, tier: str | None) -> _Filter:
    def wanted(row: dict[str, Any]) -> bool:
        if at is not None and ((t := time_of(row)) is None or t > at):
            return False
        served = row.get("served")
        return served != CALM if tier is None else served == tier

    return wanted
