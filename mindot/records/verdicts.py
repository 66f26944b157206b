"""Which of the mind's answers a served verdict carried out.

A row of this tier says itself what was served, where its brain wrote that down: in ``verdict``, or
by the commands it lists. Of older rows, and for what else is known of the answer, the records of
answers are asked; one that an earlier row may have carried out already is not this row's.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mindot.game.contract import ACTIONS
from mindot.records.fields import (
    JOIN_SECONDS,
    SLACK,
    commands_of,
    decision_of,
    kind_of,
    text_in,
    time_of,
)
from mindot.records.reader import Record

__all__ = [
    "LOOKED_BACK",
    "VERDICT_KIND",
    "VERDICT_TIER",
    "answer_served",
    "own_verdict",
    "tells_its_deed",
]

VERDICT_TIER: Final = "llm-verdict"
VERDICT_KIND: Final = "student_escalation_verdict"
LOOKED_BACK: Final = 32
"""Rows of a character's served verdicts that are kept for those after them: more than the seconds
of a join hold, for a brain sweeps every second or two."""

_Row = Mapping[str, Any]


def own_verdict(row: _Row) -> str | None:
    """The verb that a row itself says was served."""
    return text_in(row.get("verdict"))


def tells_its_deed(row: _Row) -> bool:
    """Whether a row of this tier says what was done without any other record."""
    return own_verdict(row) is not None or bool(_verbs(row))


def answer_served(
    row: _Row, near: Sequence[tuple[float, Record]], earlier: Iterable[_Row]
) -> Record | None:
    """The record of the answer that a row of this tier carried out, if there is one.

    Args:
        near: records of the same character with their times, in order of time.
        earlier: rows of this tier of the same character that stand before it in the log.
    """
    t = time_of(row)
    if t is None:
        return None
    between = [
        (served, other)
        for other in earlier
        if (served := time_of(other)) is not None and served <= t + SLACK
    ]
    for when, record in near[::-1]:
        if kind_of(record) != VERDICT_KIND or not -SLACK <= t - when <= JOIN_SECONDS + SLACK:
            continue
        may_be = [other for served, other in between if when <= served + SLACK]
        if _goes_with(row, record) and not any(_goes_with(other, record) for other in may_be):
            return record
    return None


def _goes_with(row: _Row, answer: Record) -> bool:
    """Whether what a row says of itself goes together with an answer."""
    verb = decision_of(answer).get("verb")
    if (own := own_verdict(row)) is not None:
        return own == verb
    verbs = _verbs(row)
    # A bodily stance such as to rest is no action: it leaves as a command of another name.
    return not verbs or verb in verbs or not (isinstance(verb, str) and verb in ACTIONS)


def _verbs(row: _Row) -> list[str]:
    commands = (command.get("cmd") for command in commands_of(row))
    return [verb for verb in commands if isinstance(verb, str) and verb]
