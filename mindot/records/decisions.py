"""The newest decisions of one character."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from mindot.records.join import JOIN_SECONDS, name_of, time_of
from mindot.records.logs import DayFile, Log, date_of
from mindot.records.reader import Record, is_newer, read_records
from mindot.records.search import NameSearch, rows_backwards

__all__ = ["Found", "flywheel_of", "newest_decisions"]

CALM: Final = "calm"


class Found(NamedTuple):
    """What was found of a character."""

    records: list[Record]
    """Its decisions, the newest last."""
    known: bool
    """Whether any row bears the name, be it a calm one."""
    newer: tuple[Path, ...]
    """Files in which a row found is of a later format."""


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
    """
    wanted = _filter(at, tier)
    search = NameSearch(name)
    found: list[Record] = []
    known = False
    newer = []
    for path in reversed(files):
        later = False
        for record in rows_backwards(path, search):
            known = True
            if wanted(record.value):
                found.append(record)
                later = later or is_newer(record.value)
                if len(found) >= last:
                    break
        if later:
            newer.append(path)
        if len(found) >= last:
            break
    return Found(found[::-1], known, tuple(newer))


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


def _filter(at: float | None, tier: str | None) -> Callable[[dict[str, Any]], bool]:
    def wanted(row: dict[str, Any]) -> bool:
        if at is not None and ((t := time_of(row)) is None or t > at):
            return False
        served = row.get("served")
        return served != CALM if tier is None else served == tier

    return wanted
