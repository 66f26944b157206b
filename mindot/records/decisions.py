"""The newest decisions of one character."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mindot.records.index import (
    IndexDisagreesError,
    decisions_backwards,
    index_path,
    read_index,
)
from mindot.records.join import JOIN_SECONDS, name_of, time_of
from mindot.records.lines import Block, Tail, line_blocks
from mindot.records.logs import DayFile, Log, date_of
from mindot.records.reader import CALM, Record, is_newer, read_line, read_tail
from mindot.records.search import NameSearch, rows_backwards

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
    found = Found([], known=False)
    for path in reversed(files):
        room = last - len(found.records)
        if room <= 0:
            break
        here = _newest_in(path, search, wanted, room, indexed=tier != CALM)
        found = Found(
            here.records + found.records,
            here.known or found.known,
            here.newer + found.newer,
            here.stale + found.stale,
        )
    return found


def _newest_in(
    path: Path, search: NameSearch, wanted: _Filter, room: int, *, indexed: bool
) -> Found:
    stale: tuple[Path, ...] = ()
    if indexed and index_path(path).exists():
        index = read_index(path)
        try:
            if index is not None:
                rows = decisions_backwards(path, search, index)
                found = _collect(path, rows, wanted, room)
                far = path.stat().st_size - index.size > _SEARCHED_BESIDE_INDEX
                return found._replace(
                    known=found.known or search.key in index.offsets, stale=(path,) if far else ()
                )
        except IndexDisagreesError:
            pass
        stale = (path,)
    return _collect(path, rows_backwards(path, search), wanted, room)._replace(stale=stale)


def _collect(path: Path, rows: Iterable[Record], wanted: _Filter, room: int) -> Found:
    records: list[Record] = []
    known = False
    for record in rows:
        known = True
        if wanted(record.value):
            records.append(record)
            if len(records) == room:
                break
    later = any(is_newer(record.value) for record in records)
    return Found(records[::-1], known, (path,) if later else ())


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
