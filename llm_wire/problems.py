"""What could not be kept of an answer, as values that a program and a person can read."""

from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["PROBLEM_LIMIT", "Problem", "ProblemCode", "ProblemLog"]

PROBLEM_LIMIT: Final = 100
"""Problems listed for one answer; one more then says how many there were besides."""

_EXCERPT: Final = 120
"""Characters of the dropped text that a problem shows."""


class ProblemCode(StrEnum):
    """Why something was dropped."""

    NO_ANSWER = "no-answer"
    """No object with actions, and no list of them, was found."""
    CUT_SHORT = "cut-short"
    """The object ended before it was closed; what was whole is used."""
    ACTION_UNUSABLE = "action-unusable"
    """An action without a type, or one that is no object."""
    ACTION_CUT = "action-cut"
    """An action whose closing brace was not seen."""
    FIELD_UNUSABLE = "field-unusable"
    """A field of the wrong kind (a target that is no text, arguments that are no object)."""
    UNDERTAKING_UNUSABLE = "undertaking-unusable"
    """An undertaking that does not say what is promised."""
    BLOCK_UNREADABLE = "block-unreadable"
    """A block whose body is no JSON, or no JSON of the block's kind."""
    BLOCK_CUT = "block-cut"
    """A block without its closer: the sentence ends where it began."""
    VALUE_UNKEPT = "value-unkept"
    """A value that lies too deep, or a number that nothing can hold."""
    MORE = "more"
    """Stands for all the problems after the last one listed."""


class Problem(NamedTuple):
    """One thing that was dropped."""

    code: ProblemCode
    where: str
    """Where it stood: a field of the answer, or a block's tag."""
    dropped: str
    """The text or value that was dropped, shortened."""


class ProblemLog:
    """Problems in the order they were met, at most :data:`PROBLEM_LIMIT` and a count."""

    __slots__ = ("_more", "_problems")

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._more = 0

    def add(self, code: ProblemCode, where: str, dropped: object = "") -> None:
        if len(self._problems) >= PROBLEM_LIMIT:
            self._more += 1
        else:
            self._problems.append(Problem(code, where, _excerpt(dropped)))

    def listed(self) -> list[Problem]:
        if not self._more:
            return self._problems
        return [*self._problems, Problem(ProblemCode.MORE, "", f"{self._more} more")]


def _excerpt(value: object) -> str:
    if isinstance(value, dict | list):
        # Only the outermost level is named: printing a value costs as much as it is deep.
        text = f"{type(value).__name__} of {len(value)}"
    elif isinstance(value, str):
        text = value.strip() if len(value) < 10 * _EXCERPT else value[: 2 * _EXCERPT].strip()
    elif isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        text = f"an integer of {value.bit_length()} bits"
    else:
        text = repr(value)
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
