"""An answer that came as one JSON string: its quotes escaped, its line breaks spelled out.

Whether a text is one is decided by how it begins, so that a stream and the whole agree.
"""

import re
from typing import Final

import regex

from llm_wire.json_strings import decode_escapes
from llm_wire.timed_pattern import TimedPattern

__all__ = ["Unquoter", "unquoted"]

_HEAD_LIMIT: Final = 256
"""Characters in which an escaped quote has to come; prose that begins with a quote has none."""

_LEAD: Final = r'[\s\ufeff]*+"[^"\\\n\[]*+(?:\\[nrt/\\][^"\\\n\[]*+)*+'
_SPACE: Final = r"(?:[ \t]|\\[nrt])*+"
_LIST: Final = rf"(?:\[{_SPACE}(?:\{{{_SPACE})?+)?+"
"""A list may be what was quoted; any other bracket is a marker's, perhaps of speech to come."""
_HEAD: Final = re.compile(rf'{_LEAD}{_LIST}\\"')
_HEAD_SO_FAR: Final = re.compile(rf"(?:[\s\ufeff]*+|{_LEAD}{_LIST}\\?)\Z")
# Stops at a quote that closes, and at an escape that may go on in the next piece.
_BODY: Final = TimedPattern(
    r"(?:[^\"\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u(?=[0-9a-fA-F]{0,3}[^0-9a-fA-F])"
    r"|\\u[0-9a-fA-F]{4}(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{0,3}[^0-9a-fA-F]))*+",
    regex.DOTALL,
)


class Unquoter:
    """Takes a text piece by piece and gives what it stands for; other text as it came."""

    __slots__ = ("_held", "_quoted")

    def __init__(self) -> None:
        self._held = ""
        self._quoted: bool | None = None
        """None until the beginning has shown which it is."""

    @property
    def passes_all(self) -> bool:
        """Whether text goes through unchanged from here on."""
        return self._quoted is False

    def feed(self, text: str) -> str:
        if self._quoted is False:
            return text
        text = self._held + text
        if self._quoted is None:
            head = text[:_HEAD_LIMIT]
            if _HEAD.match(head):
                self._quoted = True
                text = text[text.index('"') + 1 :]
            elif len(text) < _HEAD_LIMIT and _HEAD_SO_FAR.match(head):
                self._held = text
                return ""
            else:
                self._quoted, self._held = False, ""
                return text
        run = _BODY.match(text)
        end = run.end() if run else 0
        if text.startswith('"', end):
            self._quoted, self._held = False, ""
            return decode_escapes(text[:end]) + text[end + 1 :]
        self._held = text[end:]
        return decode_escapes(text[:end])

    def finish(self) -> str:
        held, self._held = self._held, ""
        return decode_escapes(held) if self._quoted else held


def unquoted(text: str) -> str:
    """What ``text`` stands for when it begins as one JSON string, else ``text`` itself."""
    if not _HEAD.match(text[:_HEAD_LIMIT]):
        return text
    unquoter = Unquoter()
    return unquoter.feed(text) + unquoter.finish()
