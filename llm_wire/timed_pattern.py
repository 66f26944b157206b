"""Patterns over a model's or a player's text, matched under a time limit.

The patterns of this package are written so that they cannot backtrack: their repeats are
possessive. The limit is the second lock on that door, for those that look ahead or repeat a choice:
whatever a text does to one of them, it costs its reader a moment and no more.
"""

import sys
from collections.abc import Iterator
from typing import Final

import regex

__all__ = ["TIME_LIMIT_S", "TimedPattern"]

TIME_LIMIT_S: Final = 2.0
"""Seconds for one match. A megabyte of the worst known text takes a hundredth of it."""


class TimedPattern:
    """A compiled pattern. A match that runs into the limit counts as none."""

    __slots__ = ("_pattern",)

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = regex.compile(pattern, flags)

    def match(self, text: str, at: int = 0, end: int = sys.maxsize) -> "regex.Match[str] | None":
        """A match that begins at ``at``."""
        try:
            return self._pattern.match(text, at, end, timeout=TIME_LIMIT_S)
        except TimeoutError:
            return None

    def search(self, text: str, at: int = 0, end: int = sys.maxsize) -> "regex.Match[str] | None":
        """The first match from ``at`` on."""
        try:
            return self._pattern.search(text, at, end, timeout=TIME_LIMIT_S)
        except TimeoutError:
            return None

    def finditer(self, text: str) -> "Iterator[regex.Match[str]]":
        """All matches, until the limit for all of them together is reached."""
        try:
            yield from self._pattern.finditer(text, timeout=TIME_LIMIT_S)
        except TimeoutError:
            return
