"""Why a character did what it did: one receipt, what it means, and the records that belong to it.

What the head leaned to (``action``) is the deed on few tiers only. On the others the deed is the
verdict's verb, the plan's operator, the station, the scene's pose, or nothing at all; it is worked
out here, once, for everybody who shows a row.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from mindot.game.contract import TIERS
from mindot.records.join import belonging, commands_of, decision_of, kind_of
from mindot.records.reader import Record

__all__ = ["Explanation", "code_of", "deed_of", "explain", "meaning_of"]

_KIND_CODES: Final = {
    "deliberator_bind_skip": "LW3021",
    "deliberator_never_blocked": "LW3010",
}
"""Codes that a record carries, not a tier."""


class Explanation(NamedTuple):
    """What there is to say about one receipt."""

    receipt: Record
    meaning: str
    """What its tier means; an unknown tier's name as it stands."""
    deed: str | None
    """What was done; None where nothing was."""
    code: str | None
    """The condition that has a number, if there is one."""
    flywheel: tuple[Record, ...]
    """The flywheel records that belong to it, the oldest first."""

    @property
    def because(self) -> str | None:
        """The mind's own words, where the receipt or a record holds them."""
        told = (decision_of(record).get("because") for record in reversed(self.flywheel))
        for words in (self.receipt.value.get("because"), *told):
            if isinstance(words, str) and words.strip():
                return words
        return None


def explain(receipt: Record, flywheel: Iterable[Record]) -> Explanation:
    """Explain a receipt.

    Args:
        flywheel: flywheel records from around its time; those of others are passed over.
    """
    row = receipt.value
    joined = belonging(row, flywheel)
    return Explanation(
        receipt=receipt,
        meaning=meaning_of(row.get("served")),
        deed=deed_of(row, joined),
        code=_code(row, joined),
        flywheel=joined,
    )


def meaning_of(served: object) -> str:
    """What a tier means; what is unknown is shown as it stands."""
    tier = TIERS.get(served) if isinstance(served, str) else None
    return tier.meaning if tier else str(served)


def code_of(served: object) -> str | None:
    """The code of a tier, if it has one."""
    tier = TIERS.get(served) if isinstance(served, str) else None
    return tier.code if tier else None


def deed_of(row: Mapping[str, Any], flywheel: Sequence[Record] = ()) -> str | None:
    """What the character did in this row, as far as the row and its records tell."""
    served = row.get("served")
    commands = commands_of(row) or [
        decision_of(record) for record in flywheel if kind_of(record) in ("raw", "student")
    ]
    told = "; ".join(filter(None, map(_command_words, commands))) or None
    match served:
        case "intention" | "intention-over-order":
            return _words(row.get("desire"), row.get("target")) or told
        case "llm-verdict":
            return _verdict_words(commands, flywheel) or told
        case "emitted":
            return told or _words(row.get("action"))
        case "routine":
            return told or "go_station"
        case "recast":
            role = str(row.get("episode", "")).removeprefix("cast:")
            return told or (f"back into the role of {role}" if role else None)
        case _:
            return told


def _verdict_words(commands: Sequence[Mapping[str, Any]], flywheel: Sequence[Record]) -> str | None:
    """The verb the mind named: a bodily stance such as ``rest`` leaves as another command."""
    for record in reversed(flywheel):
        if kind_of(record) == "student_escalation_verdict":
            verb = decision_of(record).get("verb")
            if all(command.get("cmd") != verb for command in commands):
                return _words(verb)
    return None


def _command_words(command: Mapping[str, Any]) -> str | None:
    words = _words(command.get("cmd"), command.get("target"))
    say = command.get("say")
    if words and isinstance(say, str):
        return f'{words}, saying "{say}"'
    return words


def _words(verb: object, target: object = None) -> str | None:
    if not isinstance(verb, str) or not verb:
        return None
    return f"{verb} {target}" if isinstance(target, str) and target else verb


def _code(row: Mapping[str, Any], joined: Sequence[Record]) -> str | None:
    code = code_of(row.get("served"))
    if code is not None:
        return code
    return next((_KIND_CODES[kind] for r in joined if (kind := kind_of(r)) in _KIND_CODES), None)
