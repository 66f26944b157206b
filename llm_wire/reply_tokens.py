"""What stands in a reply and is no word of it."""

import re
from collections.abc import Iterable
from typing import Final

from llm_wire.contracts import BLOCKS

__all__ = [
    "ANSWER_HEADS",
    "BEGINNING",
    "BLANKS_IN_HEAD",
    "CLOSERS",
    "OPENERS",
    "PARTS",
    "THINK_CLOSERS",
    "THINK_OPENERS",
    "UPPER",
    "WHOLE",
]

OPENERS: Final[dict[str, str]] = {block.opener: block.tag for block in BLOCKS}
CLOSERS: Final[dict[str, str]] = {block.closer: block.tag for block in BLOCKS}
THINK_OPENERS: Final = frozenset({"<THINK>", "<THINKING>"})
THINK_CLOSERS: Final = frozenset({"</THINK>", "</THINKING>"})
ANSWER_HEADS: Final = frozenset(
    f'{{"{key}"' for key in ("ACTIONS", "REASONING", "CONFIDENCE", "UNDERTAKINGS", "ESCALATION")
)
"""How an answer object begins; nobody says that aloud, so an unclosed reply ends in silence
where the object after it begins."""

WHOLE: Final = frozenset({*OPENERS, *CLOSERS, *THINK_OPENERS, *THINK_CLOSERS, *ANSWER_HEADS})
PARTS: Final = frozenset(token[:length] for token in WHOLE for length in range(1, len(token)))


BLANKS_IN_HEAD: Final = 32
"""Characters of an object's brace and the blanks after it that are waited for."""


def _beginning(tokens: Iterable[str]) -> str:
    """A pattern for as much of any of ``tokens`` as is there; it can match nothing at all."""
    by_first: dict[str, list[str]] = {}
    for token in tokens:
        if token:
            by_first.setdefault(token[0], []).append(token[1:])
    branches = [
        re.escape(first)
        + (rf"[ \t\r\n]{{0,{BLANKS_IN_HEAD - 1}}}+" if first == "{" else "")
        + _beginning(rest)
        for first, rest in sorted(by_first.items())
    ]
    return f"(?:{'|'.join(branches)})?" if branches else ""


BEGINNING: Final = re.compile(_beginning(WHOLE), re.IGNORECASE | re.ASCII)
UPPER: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
"""Turns ASCII letters, and only those, to capitals."""
