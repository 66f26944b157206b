"""Which flywheel records belong to a receipt.

No record names its receipt. They are joined by the character's name, by time, and by the mark both
carry: the intention's id (a receipt calls it ``episode``) or the dilemma's tuple. Commands carry
neither, so a command belongs to the receipt that lists it; where a receipt lists none, a plan's
belongs to the nearest one, and any other to the one of its own time.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mindot.game.contract import INTENTION_TIERS
from mindot.records.fields import (
    JOIN_SECONDS,
    SLACK,
    commands_of,
    decision_of,
    kind_of,
    name_of,
    time_of,
)
from mindot.records.reader import Record
from mindot.records.verdicts import VERDICT_KIND, VERDICT_TIER, answer_served

__all__ = ["belonging"]

_COMMANDS: Final = ("plan", "raw", "student")
_DILEMMA: Final = "student_escalation"

_Row = Mapping[str, Any]


def belonging(
    receipt: _Row, flywheel: Iterable[Record], earlier: Iterable[_Row] = ()
) -> tuple[Record, ...]:
    """The records that belong to a receipt, the oldest first.

    Args:
        flywheel: records from around its time; those of others are passed over.
        earlier: the character's rows of served verdicts that stand before it, as far as they lie
            within :data:`~mindot.records.fields.JOIN_SECONDS`. An answer served there is not
            served here.
    """
    name, t = receipt.get("name"), time_of(receipt)
    if not isinstance(name, str) or t is None:
        return ()
    near = []
    for record in flywheel:
        other, when = name_of(record), time_of(record.value)
        if other is None or when is None or abs(when - t) > JOIN_SECONDS + SLACK:
            continue
        if other.lower() == name.lower():
            near.append((when, record))
    if not near:
        return ()
    near.sort(key=lambda pair: pair[0])
    chosen = [
        *_by_intention(receipt, near),
        *_by_dilemma(receipt, near, t, earlier),
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
        if kind_of(record) not in (*_COMMANDS, _DILEMMA, VERDICT_KIND)
        and ((mark := decision_of(record).get("id")) is None or mark == episode)
    ]


def _by_dilemma(receipt: _Row, near: _Near, t: float, earlier: Iterable[_Row]) -> list[Record]:
    """The dilemma a row of the unsure tiers or a verdict is about, and the mind's answer to it."""
    served = receipt.get("served")
    if served == VERDICT_TIER:
        verdict = answer_served(receipt, near, earlier)
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
    answers = [p for p in _about(near, VERDICT_KIND, _tuple_of(dilemma)) if p[0] >= asked_at]
    return [dilemma, *(record for _, record in answers[:1])]


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
        reach = JOIN_SECONDS if kind == "plan" else 0.0
        fitting = [
            (when, record)
            for when, record in sent
            if kind_of(record) == kind and abs(when - t) <= reach + SLACK
        ]
        return [record for _, record in _nearest(fitting, t)]
    chosen: list[Record] = []
    for command in listed:
        same = [pair for pair in sent if _same_command(decision_of(pair[1]), command)]
        chosen += [r for _, r in _nearest(same, t) if all(r is not other for other in chosen)]
    return chosen


def _nearest(pairs: _Near, t: float) -> _Near:
    return [min(pairs, key=lambda pair: abs(pair[0] - t))] if pairs else []


def _same_command(one: _Row, other: _Row) -> bool:
    return all(one.get(field) == other.get(field) for field in ("cmd", "target", "say"))


def _command_kind(served: object) -> str | None:
    """Which of the command kinds a tier's commands are recorded as."""
    if served in ("emitted", VERDICT_TIER):
        return "student"
    if isinstance(served, str) and served in INTENTION_TIERS:
        return "plan" if served != "intention-hold" else None
    return "raw" if served in ("recast", "routine") else None
