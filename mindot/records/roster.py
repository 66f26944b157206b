"""Who is in the files, and how their rows divide among the tiers' families."""

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from mindot.game.contract import TIERS, Family
from mindot.records.lines import is_large
from mindot.records.reader import Record, is_newer, read

__all__ = ["OTHER", "Roster", "RosterEntry", "roster"]

OTHER: Final = "other"
"""The family of tiers this project does not know."""

_NAME_AND_TIER: Final = attrgetter("name", "served")
_FAMILY: Final = {tier.name: str(tier.family) for tier in TIERS.values()}
_FAMILIES: Final = (*map(str, Family), OTHER)


class RosterEntry(NamedTuple):
    """One character."""

    name: str
    """As most of its rows spell it."""
    rows: int
    families: dict[str, int]
    """Rows by tier family; every family is there."""
    served: dict[str, int]
    """Rows by tier."""

    def to_json(self) -> dict[str, Any]:
        return self._asdict()


class Roster(NamedTuple):
    """Everybody, in the order of the names."""

    entries: list[RosterEntry]
    newer: tuple[Path, ...]
    """Files with rows of a later format."""


def roster(files: Iterable[Path], *, typed: bool | None = None) -> Roster:
    """Count the rows of receipt files by character and tier. Case makes no other character.

    Args:
        typed: whether to count by blocks, which is the quicker the more rows there are; None
            leaves it to the size of each file. The counts are the same.

    Raises:
        OSError: a file cannot be opened.
    """
    counts: Counter[tuple[str, str]] = Counter()
    newer = []
    for path in files:
        counting = _Counting(counts)
        if typed if typed is not None else is_large(path):
            from mindot.records.typed import CountedRow, scan

            scan(path, {CountedRow: counting.rows}, counting.item)
        else:
            for item in read(path):
                counting.item(item)
        if counting.newer:
            newer.append(path)
    return Roster(_entries(counts), tuple(newer))


class _Counting:
    """Adds the rows of one file to the counts by name and tier."""

    def __init__(self, counts: Counter[tuple[str, str]]) -> None:
        self._counts = counts
        self.newer = False

    def rows(self, rows: list[Any]) -> None:
        self._counts.update(map(_NAME_AND_TIER, rows))

    def item(self, item: object) -> None:
        if isinstance(item, Record):
            row = item.value
            name, served = row.get("name"), row.get("served")
            self.newer = self.newer or is_newer(row)
            if isinstance(name, str) and isinstance(served, str):
                self._counts[name, served] += 1


def _entries(counts: Counter[tuple[str, str]]) -> list[RosterEntry]:
    spellings: dict[str, Counter[str]] = {}
    by_key: dict[str, Counter[str]] = {}
    for (name, served), n in counts.items():
        key = name.lower()
        spellings.setdefault(key, Counter())[name] += n
        by_key.setdefault(key, Counter())[served] += n
    return [_entry(_commonest(spellings[key]), by_key[key]) for key in sorted(by_key)]


def _commonest(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda name: (-spellings[name], name))


def _entry(name: str, served: Counter[str]) -> RosterEntry:
    families = dict.fromkeys(_FAMILIES, 0)
    for tier, n in served.items():
        families[_FAMILY.get(tier, OTHER)] += n
    return RosterEntry(name, served.total(), families, dict(served))
