"""Who is in the files, and how their rows divide among the tiers' families."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from mindot.game.contract import TIERS, Family
from mindot.records.reader import is_newer, read_records

__all__ = ["OTHER", "Roster", "RosterEntry", "roster"]

OTHER: Final = "other"
"""The family of tiers this project does not know."""

_FAMILY: Final = {tier.name: str(tier.family) for tier in TIERS.values()}
_FAMILIES: Final = (*map(str, Family), OTHER)


class RosterEntry(NamedTuple):
    """One character."""

    name: str
    """As its newest row spells it."""
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


def roster(files: Iterable[Path]) -> Roster:
    """Count the rows of receipt files by character and tier. Case makes no other character.

    Raises:
        OSError: a file cannot be opened.
    """
    counts: Counter[tuple[str, str]] = Counter()
    newer = []
    for path in files:
        later = False
        for record in read_records(path):
            row = record.value
            name, served = row.get("name"), row.get("served")
            later = later or is_newer(row)
            if isinstance(name, str) and isinstance(served, str):
                counts[name, served] += 1
        if later:
            newer.append(path)
    return Roster(_entries(counts), tuple(newer))


def _entries(counts: Counter[tuple[str, str]]) -> list[RosterEntry]:
    spelling: dict[str, str] = {}
    by_key: dict[str, Counter[str]] = {}
    for (name, served), n in counts.items():
        spelling[name.lower()] = name
        by_key.setdefault(name.lower(), Counter())[served] += n
    return [_entry(spelling[key], by_key[key]) for key in sorted(by_key)]


def _entry(name: str, served: Counter[str]) -> RosterEntry:
    families = dict.fromkeys(_FAMILIES, 0)
    for tier, n in served.items():
        families[_FAMILY.get(tier, OTHER)] += n
    return RosterEntry(name, served.total(), families, dict(served))
