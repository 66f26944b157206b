"""What is in a record file, and what is broken in it."""

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from mindot.game.contract import (
    DECISION_FIELDS,
    KINDS,
    RECEIPT_FIELDS,
    RECORD_VERSION,
    TIERS,
    TRACE_FIELDS,
)
from mindot.records.fields import shown
from mindot.records.lines import is_large
from mindot.records.reader import BadLine, Record, TornTail, is_newer, read

__all__ = ["FLYWHEEL_FIELDS", "FileReport", "Tally", "check_file"]

FLYWHEEL_FIELDS: Final = frozenset({"v", "t", "kind", "decision", "state", "tuple"})
"""The top level of a flywheel record."""

_RECEIPT: Final = frozenset(RECEIPT_FIELDS)
_TRACE: Final = frozenset(TRACE_FIELDS)
_ANY: Final = _RECEIPT | FLYWHEEL_FIELDS | _TRACE
_VERSION, _SERVED = attrgetter("v"), attrgetter("served")
_KIND, _TYPE = attrgetter("kind"), attrgetter("type")
_ANY_DECISION: Final = frozenset(DECISION_FIELDS)
_DECISIONS: Final = {
    kind.name: frozenset(kind.fields) | frozenset(kind.optional) for kind in KINDS.values()
}


class FileReport(NamedTuple):
    """The counts of one file."""

    file: str
    rows: int
    bad_lines: list[BadLine]
    torn_tail: bool
    unknown_fields: dict[str, int]
    """Fields this project does not know, at the top level of a record and of ``decision``."""
    unknown_served: dict[str, int]
    versions: dict[str, int]
    served: dict[str, int]
    """Rows by tier, the unknown ones among them."""
    kinds: dict[str, int]
    """Rows by kind, in a trace by type."""
    newer: bool
    """Some rows are of a later format and were read as far as this project knows it."""

    @property
    def broken(self) -> bool:
        return bool(self.bad_lines) or self.torn_tail

    def to_json(self) -> dict[str, Any]:
        out = self._asdict()
        out["bad_lines"] = [bad._asdict() for bad in self.bad_lines]
        del out["newer"]
        return out


class Tally:
    """Counts rows. Rows of different logs may come in any order: their content tells them apart."""

    def __init__(self) -> None:
        self.rows = 0
        self.unknown_fields: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()
        self.served: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.newer = False

    def add(self, row: dict[str, Any]) -> None:
        self.rows += 1
        if "v" in row:
            self.versions[_word(row["v"])] += 1
            self.newer = self.newer or is_newer(row)
        if "served" in row:
            self.served[_word(row["served"])] += 1
            self.fields(row, _RECEIPT)
        elif "kind" in row:
            self.kinds[_word(row["kind"])] += 1
            self.fields(row, FLYWHEEL_FIELDS)
            decision = row.get("decision")
            if isinstance(decision, dict):
                self.fields(decision, _decision_fields(row["kind"]))
        elif "type" in row:
            self.kinds[_word(row["type"])] += 1
            self.fields(row, _TRACE)
        else:
            self.fields(row, _ANY)

    def fields(self, found: Iterable[str], known: frozenset[str]) -> None:
        for field in found:
            if field not in known:
                self.unknown_fields[field] += 1


def check_file(path: Path, *, typed: bool | None = None) -> FileReport:
    """Read a whole file and count.

    Args:
        typed: whether to count by blocks, which is the quicker the more rows there are; None
            leaves it to the size of the file. The counts are the same.

    Raises:
        OSError: the file cannot be opened.
    """
    counting = _Counting()
    if typed if typed is not None else is_large(path):
        from mindot.records.typed import FlywheelRow, ReceiptRow, TraceRow, scan

        types = (ReceiptRow, FlywheelRow, TraceRow)
        takers = (counting.receipts, counting.flywheel, counting.trace)
        scan(path, dict(zip(types, takers, strict=True)), counting.item)
    else:
        for item in read(path):
            counting.item(item)
    return counting.report(path)


class _Counting:
    """A tally, and what is broken."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._bad_lines: list[BadLine] = []
        self._torn_tail = False

    def item(self, item: Record | BadLine | TornTail) -> None:
        match item:
            case Record():
                self._tally.add(item.value)
            case BadLine():
                self._bad_lines.append(item)
            case TornTail():
                self._torn_tail = True

    def receipts(self, rows: list[Any], _lines: list[bytes], _offset: int) -> None:
        self._tally.rows += len(rows)
        self._versions(rows)
        self._tally.served.update(map(_SERVED, rows))

    def flywheel(self, rows: list[Any], _lines: list[bytes], _offset: int) -> None:
        self._tally.rows += len(rows)
        self._versions(rows)
        self._tally.kinds.update(map(_KIND, rows))
        for row in rows:
            self._tally.fields(row.decision, _decision_fields(row.kind))

    def _versions(self, rows: list[Any]) -> None:
        for version, n in Counter(map(_VERSION, rows)).items():
            self._tally.versions[str(version)] += n
            self._tally.newer = self._tally.newer or version > RECORD_VERSION

    def trace(self, rows: list[Any], _lines: list[bytes], _offset: int) -> None:
        self._tally.rows += len(rows)
        self._tally.kinds.update(map(_TYPE, rows))

    def report(self, path: Path) -> FileReport:
        tally = self._tally
        return FileReport(
            file=str(path),
            rows=tally.rows,
            bad_lines=self._bad_lines,
            torn_tail=self._torn_tail,
            unknown_fields=dict(tally.unknown_fields),
            unknown_served={tier: n for tier, n in tally.served.items() if tier not in TIERS},
            versions=dict(tally.versions),
            served=dict(tally.served),
            kinds=dict(tally.kinds),
            newer=tally.newer,
        )


def _decision_fields(kind: object) -> frozenset[str]:
    if isinstance(kind, str) and kind in _DECISIONS:
        return _DECISIONS[kind]
    return _ANY_DECISION


def _word(value: object) -> str:
    """A value as the key of a count: a string stands as it is, anything else as its JSON."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return shown(value)
