"""Which flywheel records belong to a receipt.

No record names its receipt. They are joined by the character's name, by time, and by the mark both
carry: the intention's id (a receipt calls it ``episode``) or the dilemma's tuple. Commands carry
neither, so a command belongs to the receipt that lists it, or to the nearest receipt of a tier
that sends such commands.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mindot.game.contract import INTENTION_TIERS
from mindot.records.reader import Record

__all__ = [
    "JOIN_SECONDS",
    "belonging",
    "commands_of",
    "decision_of",
    "kind_of",
    "name_of",
    "time_of",
]

JOIN_SECONDS: Final = 5.0
"""How far in time a record may lie from its receipt."""

_COMMANDS: Final = ("plan", "raw", "student")
_DILEMMA: Final = "student_escalation"
_VERDICT: Final = "student_escalation_verdict"
_SLACK: Final = 1e-6
"""Times have two decimals; their differences have binary dust."""

_Row = Mapping[str, Any]


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


def time_of(row: _Row) -> float | None:
    """The time of a row in unix seconds; None unless it is a finite number."""
    t = row.get("t")
    if isinstance(t, bool) or not isinstance(t, (int, float)):
        return None
    return t if math.isfinite(t) else None


def belonging(receipt: _Row, flywheel: Iterable[Record]) -> tuple[Record, ...]:
    """The records that belong to a receipt, the oldest first."""
    name, t = receipt.get("name"), time_of(receipt)
    if not isinstance(name, str) or t is None:
        return ()
    near = []
    for record in flywheel:
        other, when = name_of(record), time_of(record.value)
        if other is None or when is None or abs(when - t) > JOIN_SECONDS + _SLACK:
            continue
        if other.lower() == name.lower():
            near.append((when, record))
    near.sort(key=lambda pair: pair[0])
    chosen = [
        *_by_intention(receipt, near),
        *_by_dilemma(receipt, near, t),
        *_by_command(receipt, near, t),
    ]
    order = {id(record): position for position, (_, record) in enumerate(near)}
    return tuple(sorted(chosen, key=lambda record: order[id(record)]))


_Near = Sequence[tuple[float, Record]]


def _by_intention(receipt: _Row, near: _Near) -> list[Record]:
    """Records of the same intention, and those of no intention at all."""
    episode = receipt.get("episode")
    return [
        record
        for _, record in near
        if kind_of(record) not in (*_COMMANDS, _DILEMMA, _VERDICT)
        and ((mark := decision_of(record).get("id")) is None or mark == episode)
    ]


def _by_dilemma(receipt: _Row, near: _Near, t: float) -> list[Record]:
    """The dilemma a row of the unsure tiers or a verdict is about, and the mind's answer to it."""
    served = receipt.get("served")
    if served == "llm-verdict":
        verdict = _verdict_carried_out(receipt, near, t)
        if verdict is None:
            return []
        asked = [pair for pair in _about(near, _DILEMMA, _tuple_of(verdict)) if pair[0] <= t]
        return [*(record for _, record in asked[-1:]), verdict]
    if served not in ("escalated", "escalation-held"):
        return []
    situation = receipt.get("tup")
    dilemmas = _about(near, _DILEMMA, situation)
    if not dilemmas:
        return []
    asked_at, dilemma = min(dilemmas, key=lambda pair: abs(pair[0] - t))
    answers = [p for p in _about(near, _VERDICT, _tuple_of(dilemma)) if p[0] >= asked_at]
    return [dilemma, *(record for _, record in answers[:1])]


def _verdict_carried_out(receipt: _Row, near: _Near, t: float) -> Record | None:
    verdicts = _about(near, _VERDICT, None)
    before = [pair for pair in verdicts if pair[0] <= t + _SLACK] or verdicts[:1]
    verbs = {command.get("cmd") for command in commands_of(receipt)}
    same = [pair for pair in before if decision_of(pair[1]).get("verb") in verbs]
    chosen = same or before
    return chosen[-1][1] if chosen else None


def _about(near: _Near, kind: str, situation: object) -> list[tuple[float, Record]]:
    return [
        (when, record)
        for when, record in near
        if kind_of(record) == kind and situation in (None, _tuple_of(record))
    ]


def _tuple_of(record: Record) -> object:
    return decision_of(record).get("tuple", record.value.get("tuple"))


def _by_command(receipt: _Row, near: _Near, t: float) -> list[Record]:
    kind = _command_kind(receipt.get("served"))
    sent = [(when, record) for when, record in near if kind_of(record) in _COMMANDS]
    listed = commands_of(receipt)
    if not listed:
        fitting = [pair for pair in sent if kind_of(pair[1]) == kind]
        return [record for _, record in _nearest(fitting, t)]
    chosen: list[Record] = []
    for command in listed:
        same = [pair for pair in sent if _same_command(decision_of(pair[1]), command)]
        chosen += [r for _, r in _nearest(same, t) if all(r is not other for other in chosen)]
    return chosen


def _nearest(pairs: _Near, t: float) -> _Near:
    return [min(pairs, key=lambda pair: abs(pair[0] - t))] if pairs else []


def commands_of(receipt: _Row) -> list[dict[str, Any]]:
    """The commands a receipt lists."""
    commands = receipt.get("cmds")
    if not isinstance(commands, list):
        return []
    return [command for command in commands if isinstance(command, dict)]


def _same_command(one: _Row, other: _Row) -> bool:
    return all(one.get(field) == other.get(field) for field in ("cmd", "target", "say"))


def _command_kind(served: object) -> str | None:
    """Which of the command kinds a tier's commands are recorded as."""
    if served in ("emitted", "llm-verdict"):
        return "student"
    if served in INTENTION_TIERS:
        return "plan" if served != "intention-hold" else None
    return "raw" if served in ("recast", "routine") else None
