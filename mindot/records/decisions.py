"""The newest decisions of one character."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from mindot.records.index import (
    IndexDisagreesError,
    decisions_backwards,
    index_path,
    read_index,
)
from mindot.records.join import JOIN_SECONDS, name_of, time_of
from mindot.records.logs import DayFile, Log, date_of
from mindot.records.reader import CALM, Record, is_newer, read_records
from mindot.records.search import NameSearch, rows_backwards

__all__ = ["Found", "flywheel_of", "newest_decisions"]

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
    """Files whose index does not agree with them and wants building anew."""


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
                return found._replace(known=found.known or search.key in index.offsets)
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
    """The flywheel records that may belong to receipts of one character."""
    times = [t for receipt in receipts if (t := time_of(receipt.value)) is not None]
    if not times:
        return []
    first, last = min(times) - JOIN_SECONDS, max(times) + JOIN_SECONDS
    name = str(receipts[0].value.get("name")).lower()
    dates = [date_of(t) for t in (first, last)]
    return [
        record
        for file in files
        if file.log is Log.FLYWHEEL and dates[0] <= file.date <= dates[1]
        for record in read_records(file.path)
        if (other := name_of(record)) is not None
        and other.lower() == name
        and (t := time_of(record.value)) is not None
        and first - 1 <= t <= last + 1
    ]


def _filter(at: float | None, tier: str | None) -> _Filter:
    def wanted(row: dict[str, Any]) -> bool:
        if at is not None and ((t := time_of(row)) is None or t > at):
            return False
        served = row.get("served")
        return served != CALM if tier is None else served == tier

    return wanted
