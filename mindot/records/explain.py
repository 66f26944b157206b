"""Why a character did what it did: one receipt, what it means, and the records that belong to it.

What the head leaned to (``action``) is the deed on few tiers only. On the others the deed is the
verdict's verb, the plan's operator, the station, the scene's pose, or nothing at all; it is worked
out here, once, for everybody who shows a row.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from mindot.game.contract import TIERS
from mindot.records.fields import commands_of, decision_of, kind_of, shown
from mindot.records.join import belonging
from mindot.records.reader import Record
from mindot.records.verdicts import LOOKED_BACK, VERDICT_KIND, VERDICT_TIER, own_verdict

__all__ = ["Explanation", "code_of", "deed_of", "explain", "explain_all", "meaning_of"]

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
        row = self.receipt.value
        verdict = row.get("served") == VERDICT_TIER
        told = (
            decision_of(record).get("because")
            for record in reversed(self.flywheel)
            if not verdict or kind_of(record) == VERDICT_KIND
        )
        for words in (row.get("because"), *told):
            if isinstance(words, str) and words.strip():
                return words
        return None


def explain(
    receipt: Record, flywheel: Iterable[Record], earlier: Iterable[Mapping[str, Any]] = ()
) -> Explanation:
    """Explain a receipt.

    Args:
        flywheel: flywheel records from around its time; those of others are passed over.
        earlier: the character's rows of served verdicts that stand before it in the log, as far
            as they may matter: those of the last seconds.
    """
    row = receipt.value
    joined = belonging(row, flywheel, earlier)
    return Explanation(
        receipt=receipt,
        meaning=meaning_of(row.get("served")),
        deed=deed_of(row, joined),
        code=_code(row, joined),
        flywheel=joined,
    )


def explain_all(
    receipts: Iterable[Record], flywheel: Sequence[Record], before: Iterable[Record] = ()
) -> list[Explanation]:
    """Explain receipts of one character that stand in their order.

    Args:
        flywheel: flywheel records from around their times.
        before: rows of served verdicts that stand shortly before the first of them.
    """
    served = deque((record.value for record in before), maxlen=LOOKED_BACK)
    explanations = []
    for receipt in receipts:
        explanations.append(explain(receipt, flywheel, served))
        if receipt.value.get("served") == VERDICT_TIER:
            served.append(receipt.value)
    return explanations


def meaning_of(served: object) -> str:
    """What a tier means; what is unknown is shown as it stands."""
    tier = TIERS.get(served) if isinstance(served, str) else None
    return tier.meaning if tier else shown(served)


def code_of(served: object) -> str | None:
    """The code of a tier, if it has one."""
    tier = TIERS.get(served) if isinstance(served, str) else None
    return tier.code if tier else None


def deed_of(row: Mapping[str, Any], flywheel: Sequence[Record] = ()) -> str | None:
    """What the character did in this row, as far as the row tells.

    Args:
        flywheel: the records that belong to it. Only a served verdict that does not say itself
            what it was has a use for them.
    """
    served = row.get("served")
    told = _told(commands_of(row))
    match served:
        case "intention" | "intention-over-order":
            return _words(row.get("desire"), row.get("target")) or told
        case "llm-verdict":
            return _verdict_words(row) or told or _answer_words(flywheel)
        case "emitted":
            return told or _words(row.get("action"))
        case "routine":
            return told or "go_station"
        case "recast":
            role = shown(row.get("episode", "")).removeprefix("cast:")
            return told or (f"back into the role of {role}" if role else None)
        case _:
            return told


def _verdict_words(row: Mapping[str, Any]) -> str | None:
    """The verb the mind named, by the row itself; a bodily stance such as ``rest`` leaves as
    another command, whose target is the verb's."""
    verdict = own_verdict(row)
    commands = commands_of(row)
    same = (_command_words(command) for command in commands if command.get("cmd") == verdict)
    targets = (command.get("target") for command in commands)
    target = next((t for t in targets if isinstance(t, str) and t), None)
    return next(filter(None, same), None) or _words(verdict, target)


def _answer_words(flywheel: Sequence[Record]) -> str | None:
    answers = [decision_of(record) for record in flywheel if kind_of(record) == VERDICT_KIND]
    sent = [decision_of(record) for record in flywheel if kind_of(record) == "student"]
    return next((words for a in answers if (words := _words(a.get("verb")))), _told(sent))


def _told(commands: Sequence[Mapping[str, Any]]) -> str | None:
    return "; ".join(filter(None, map(_command_words, commands))) or None if commands else None


def _command_words(command: Mapping[str, Any]) -> str | None:
    words = _words(command.get("cmd"), command.get("target"))
    say = command.get("say")
    if words and isinstance(say, str):
        return f'{words}, saying "{say}"'
    return words


def _words(verb: object, target: object = None) -> str | None:
    if not isinstance(verb, str) or not verb:
        return None
    # what is done to nobody in particular reads better without the word for it
    named = isinstance(target, str) and target and target != "self"
    return f"{verb} {target}" if named else verb


def _code(row: Mapping[str, Any], joined: Sequence[Record]) -> str | None:
    code = code_of(row.get("served"))
    if code is not None:
        return code
    return next((_KIND_CODES[kind] for r in joined if (kind := kind_of(r)) in _KIND_CODES), None)
