"""What somebody asks for in a message, as far as the script can tell."""

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Favour", "favour_in"]

_TELL: Final = re.compile(
    r"\b(?:tell|let)\s+(?P<whom>[A-Z][a-z]+)\s+(?:know\s+)?that\s+(?P<what>[^.?!]+)"
)
_IF_YOU_SEE: Final = re.compile(
    r"\bsee\s+(?P<whom>[A-Z][a-z]+),\s+tell\s+(?:him|her|them)\s+that\s+(?P<what>[^.?!]+)"
)
_DO: Final = re.compile(
    r"\b(?:could|can|would|will)\s+you\s+"
    r"(?P<what>(?:mend|look\s+after|have|bake|keep|watch)\s[^.?!]+)",
    re.IGNORECASE,
)
_REPORTED: Final = tuple(
    (re.compile(rf"\b{said}\b"), passed_on)
    for said, passed_on in (
        ("I am", "they are"),
        ("I was", "they were"),
        ("I", "they"),
        ("me", "them"),
        ("my", "their"),
    )
)


@dataclass(frozen=True, slots=True)
class Favour:
    """Something to do for somebody."""

    what: str
    """In the words of the one who will do it."""
    target: str | None = None
    """Whom it is to reach; None where it is work."""
    gist: str | None = None
    """What is to be told."""


def favour_in(message: str) -> Favour | None:
    """The favour that a message asks for: word for somebody, or a piece of work."""
    told = _IF_YOU_SEE.search(message) or _TELL.search(message)
    if told is not None:
        whom, gist = told["whom"], _reported(told["what"])
        return Favour(f"tell {whom} that {gist}", whom, gist)
    work = _DO.search(message)
    if work is None:
        return None
    return Favour(_reported(work["what"]))


def _reported(text: str) -> str:
    """The words on one line, as somebody else would pass them on."""
    line = " ".join(text.split())
    for said, passed_on in _REPORTED:
        line = said.sub(passed_on, line)
    return line
