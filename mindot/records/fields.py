"""What the rows of the logs hold, taken out of them whatever their values are."""

import math
from collections.abc import Mapping
from typing import Any, Final

from mindot.records.reader import Record

__all__ = [
    "JOIN_SECONDS",
    "SLACK",
    "commands_of",
    "decision_of",
    "kind_of",
    "name_of",
    "shown",
    "text_in",
    "time_of",
]

JOIN_SECONDS: Final = 5.0
"""How far in time a record may lie from its receipt."""
SLACK: Final = 1e-6
"""Times have two decimals; their differences have binary dust."""


def text_in(value: object) -> str | None:
    """A text that says something; None for anything else."""
    return value if isinstance(value, str) and value else None


def shown(value: object) -> str:
    """Any value as it stands, for text that people read."""
    try:
        return str(value)
    except RecursionError:
        return "(nested too deeply to show)"


def kind_of(record: Record) -> str:
    """A flywheel record's kind; empty if it has none."""
    kind = record.value.get("kind")
    return kind if isinstance(kind, str) else ""


def decision_of(record: Record) -> dict[str, Any]:
    """A flywheel record's payload; empty if it has none."""
    decision = record.value.get("decision")
    return decision if isinstance(decision, dict) else {}


def name_of(record: Record) -> str | None:
    """Whom a flywheel record is about."""
    name = decision_of(record).get("name")
    return name if isinstance(name, str) else None


def time_of(row: Mapping[str, Any]) -> float | None:
    """The time of a row in unix seconds; None unless it is a finite number."""
    t = row.get("t")
    if type(t) is float:  # nearly every row, and quicker than isinstance
        return t if math.isfinite(t) else None
    if isinstance(t, bool) or not isinstance(t, (int, float)):
        return None
    try:
        return t if math.isfinite(t) else None
    except OverflowError:  # an integer beyond every float
        return None


def commands_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The commands a receipt lists."""
    commands = row.get("cmds")
    if not isinstance(commands, list):
        return []
    return [command for command in commands if isinstance(command, dict)]
