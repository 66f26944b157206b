"""What would leave the machine, lane by lane. Nothing in here sends anything.

A lane is an allow-list twice over. Only its fields leave, and of the lanes for training only what
has a field's proper form: a tuple of the situation is a tuple, a verb is a word. Free text that
strayed into such a field stays here and is counted as withheld.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from mindot.game.contract import LANES, Lane
from mindot.records.encoding import to_json

__all__ = ["DryRun", "LaneReport", "Payload", "dry_run", "payloads"]

_WORD: Final = re.compile(r"[\w.:+-]{1,64}")
_PAIR: Final = r"[\w.:+-]{1,64}=[\w.:,+<>-]{0,64}"
_TUPLE: Final = re.compile(rf"{_PAIR}(?:\|{_PAIR})*")


class Payload(NamedTuple):
    """What of one record would leave by one lane."""

    lane: str
    values: dict[str, Any]
    withheld: tuple[str, ...]
    """Fields of the lane that stay, because what they hold has not their form."""


class LaneReport(NamedTuple):
    """What would leave by one lane."""

    records: int
    bytes: int
    """Of the payloads as JSON Lines."""
    fields: list[str]
    withheld: dict[str, int]


class DryRun(NamedTuple):
    """What would leave, by lane."""

    lanes: dict[str, LaneReport]
    blocked: dict[str, bool]
    """Lanes that need a switch of their own: whether they are shut."""

    def to_json(self) -> dict[str, Any]:
        return {
            "lanes": {name: lane._asdict() for name, lane in self.lanes.items()},
            "blocked": self.blocked,
        }


def dry_run(rows: Iterable[Mapping[str, Any]], *, gate: bool = False) -> DryRun:
    """Count what would leave of these rows.

    Args:
        rows: receipts and flywheel records in any order.
        gate: open the lane of the texts.
    """
    records: Counter[str] = Counter()
    size: Counter[str] = Counter()
    fields: dict[str, dict[str, None]] = {name: {} for name in LANES}
    withheld: dict[str, Counter[str]] = {name: Counter() for name in LANES}
    for row in rows:
        for payload in payloads(row, gate=gate):
            withheld[payload.lane].update(payload.withheld)
            if payload.values:
                try:
                    length = len(to_json(payload.values))
                except ValueError:  # nested too deeply to be written, so it cannot leave either
                    withheld[payload.lane].update(payload.values.keys())
                    continue
                records[payload.lane] += 1
                size[payload.lane] += length
                fields[payload.lane].update(dict.fromkeys(payload.values))
    lanes = {
        name: LaneReport(
            records[name],
            size[name],
            [field for field in lane.fields if field in fields[name]],
            dict(withheld[name]),
        )
        for name, lane in LANES.items()
    }
    blocked = {name: not gate for name, lane in LANES.items() if lane.needs_switch}
    return DryRun(lanes, blocked)


def payloads(row: Mapping[str, Any], *, gate: bool = False) -> Iterator[Payload]:
    """What of one row would leave, by each lane that takes anything of it."""
    for lane in LANES.values():
        if lane.needs_switch and not gate:
            continue
        payload = _texts(lane, row) if lane.needs_switch else _training(lane, row)
        if payload.values or payload.withheld:
            yield payload


def _training(lane: Lane, row: Mapping[str, Any]) -> Payload:
    decision = row.get("decision")
    kind = row.get("kind")
    if not (isinstance(kind, str) and kind in lane.kinds and isinstance(decision, dict)):
        return Payload(lane.name, {}, ())
    values: dict[str, Any] = {}
    withheld = []
    for field in lane.fields:
        if field not in decision:
            continue
        value = _FORMS[field](decision[field])
        if value is None:
            withheld.append(field)
        else:
            values[field] = value
    return Payload(lane.name, values, tuple(withheld))


def _texts(lane: Lane, row: Mapping[str, Any]) -> Payload:
    """The lane's fields of the row, of its decision and of the commands in either."""
    values: dict[str, Any] = {}
    for place in _places(row):
        for field in lane.fields:
            if field in place and place[field] is not None:
                values.setdefault(field, []).append(place[field])
    return Payload(lane.name, values, ())


def _places(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield row
    decision = row.get("decision")
    if isinstance(decision, dict):
        yield decision
    for holder in (row, decision):
        commands = holder.get("cmds") if isinstance(holder, Mapping) else None
        if isinstance(commands, list):
            yield from (command for command in commands if isinstance(command, dict))


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def _situation(value: object) -> str | None:
    return value if isinstance(value, str) and _TUPLE.fullmatch(value) else None


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _top2(value: object) -> list[list[Any]] | None:
    if not isinstance(value, list):
        return None
    pairs = []
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2:
            return None
        action, probability = _word(pair[0]), _number(pair[1])
        if action is None or probability is None:
            return None
        pairs.append([action, probability])
    return pairs


def _traits(value: object) -> dict[str, float] | None:
    if not isinstance(value, dict):
        return None
    return {
        name: number
        for name, given in value.items()
        if _word(name) and (number := _number(given)) is not None
    }


def _plan(value: object) -> list[str] | str | None:
    if isinstance(value, list):
        operators = [word for item in value if (word := _word(item)) is not None]
        return operators if len(operators) == len(value) else None
    return _word(value)


def _candidates(value: object) -> list[dict[str, Any]] | None:
    if not isinstance(value, list):
        return None
    candidates = []
    for item in value:
        if not isinstance(item, dict) or (plan := _plan(item.get("plan"))) is None:
            return None
        score = _number(item.get("score"))
        candidates.append({"plan": plan} if score is None else {"plan": plan, "score": score})
    return candidates


_FORMS: Final[dict[str, Callable[[object], object]]] = {
    "tuple": _situation,
    "top2": _top2,
    "verb": _word,
    "cls": _word,
    "arch": _word,
    "traits": _traits,
    "situation": _situation,
    "candidates": _candidates,
    "chosen": _plan,
    "composer": _plan,
}
"""The form of each field of the training lanes: what has it not comes out as None."""
