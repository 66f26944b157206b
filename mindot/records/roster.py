"""Who is in the files, and how their rows divide among the tiers' families."""

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from mindot.game.contract import RECORD_VERSION, TIERS, Family
from mindot.records.encoding import decode, to_json
from mindot.records.lines import is_large
from mindot.records.parts import Part, each_part, parts_of
from mindot.records.reader import Record, is_newer, read

__all__ = ["OTHER", "Roster", "RosterEntry", "roster"]

OTHER: Final = "other"
"""The family of tiers this project does not know."""

_NAME_AND_TIER, _VERSION = attrgetter("name", "served"), attrgetter("v")
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


def roster(
    files: Iterable[Path], *, typed: bool | None = None, part_size: int | None = None
) -> Roster:
    """Count the rows of receipt files by character and tier. Case makes no other character.

    Args:
        typed: whether to count by blocks, which is the quicker the more rows there are; None
            leaves it to the size of each file. The counts are the same.
        part_size: let forked processes count a file in parts of at least so many bytes; None:
            everything is counted in this process.

    Raises:
        OSError: a file cannot be opened.
    """
    counts: Counter[tuple[str, str]] = Counter()
    newer = []
    for path in files:
        quick = typed if typed is not None else is_large(path)
        parts = [Part(path)] if part_size is None else parts_of(path, part_size)
        if len(parts) == 1:
            later = _count(parts[0], counts, typed=quick)
        else:
            later = _count_parts(parts, counts, typed=quick)
        if later:
            newer.append(path)
    return Roster(_entries(counts), tuple(newer))


def _count(part: Part, counts: Counter[tuple[str, str]], *, typed: bool) -> bool:
    """Add the rows of a part; tell whether any is of a later format."""
    counting = _Counting(counts)
    if typed:
        from mindot.records.typed import CountedRow, Take, scan

        takers: dict[Any, Take] = {CountedRow: counting.rows}
        scan(part.path, takers, counting.item, start=part.start, stop=part.stop)
    else:
        for item in read(part.path, start=part.start, stop=part.stop):
            counting.item(item)
    return counting.newer


def _count_parts(parts: list[Part], counts: Counter[tuple[str, str]], *, typed: bool) -> bool:
    def work(part: Part, output: IO[bytes]) -> None:
        own: Counter[tuple[str, str]] = Counter()
        later = _count(part, own, typed=typed)
        output.write(to_json([later, [[*key, n] for key, n in own.items()]]))

    any_later = False
    for output in each_part(parts, work):
        later, rows = decode(output.read())
        any_later = any_later or later
        for name, served, n in rows:
            counts[name, served] += n
    return any_later


class _Counting:
    """Adds the rows of one file to the counts by name and tier."""

    def __init__(self, counts: Counter[tuple[str, str]]) -> None:
        self._counts = counts
        self.newer = False

    def rows(self, rows: list[Any], _lines: list[bytes], _offset: int) -> None:
        self._counts.update(map(_NAME_AND_TIER, rows))
        self.newer = self.newer or max(map(_VERSION, rows)) > RECORD_VERSION

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
