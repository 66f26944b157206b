"""Where the blocks of a text begin and end: one scan, asked many times."""

import re
from bisect import bisect_left
from typing import Final, NamedTuple

from llm_wire.contracts import BLOCK_BY_TAG, MARKER, Block, BlockKind
from llm_wire.json_text import json_end

__all__ = ["Extent", "MarkerMap"]

_PAYLOAD: Final = re.compile(r"\s*+(?:`{3,}+[A-Za-z]*+\s*+)?+")
_MAY_LEAD: Final = frozenset("{` \t\r\n")
_ESCAPED_QUOTE: Final = re.compile(r'[\[{\s]*+\\"')

_TAGS: Final = {tag: tag for tag in BLOCK_BY_TAG}

_LEXING_ALLOWANCE: Final = 4
"""How many times its own length a text may be read in looking for the ends of payloads that have
none; ordinary text needs none of it, and hostile text gets no more."""


class Extent(NamedTuple):
    """One block as it stands in the text; the numbers are indices into it."""

    block: Block
    start: int
    """Of the opener."""
    body: int
    """The index after the opener."""
    payload: int
    """Of the first character that is neither blank nor a fence."""
    payload_end: int
    """After the payload's last bracket; -1 when the body is not bracketed or not balanced."""
    escaped: bool
    """Whether the payload's quotes came with a backslash before each."""
    closer: int
    """Of the closer; -1 when there is none."""
    end: int
    """After the closer; -1 when there is none."""


class MarkerMap:
    """All known markers of one text.

    The scan is linear, and so is asking for every extent: a closer is found by bisection, and
    reading payloads that never end is capped for the text as a whole.
    """

    __slots__ = ("_allowance", "_closers", "_extents", "_openers", "found", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[int, int, bool, str]] = [
            (*match.span(), match[1] != "", _TAGS.get(match[2]) or match[2].upper())
            for match in MARKER.finditer(text)
        ]
        """Start, end, whether it closes, and the tag, in the order of the text."""
        self._closers: dict[str, list[int]] = {}
        self._openers: dict[str, list[int]] = {}
        for start, _, closes, tag in self.found:
            (self._closers if closes else self._openers).setdefault(tag, []).append(start)
        self._extents: dict[int, Extent] = {}
        self._allowance = _LEXING_ALLOWANCE * len(text)

    def closer_from(self, tag: str, at: int) -> int:
        """Index of the first closer of ``tag`` at or after ``at``; -1 when there is none."""
        return _first_from(self._closers.get(tag, ()), at)

    def opener_from(self, tag: str, at: int) -> int:
        return _first_from(self._openers.get(tag, ()), at)

    def may_hold(self, body: int, tag: str) -> bool:
        """Whether the opener that ends at ``body`` may be more than a mention of its tag."""
        if tag in self._closers:
            return True
        text = self.text
        first = text[body : body + 1]
        if first == "[":
            return not MARKER.match(text, body)
        if first not in _MAY_LEAD:
            return False
        lead = _PAYLOAD.match(text, body)
        at = lead.end() if lead else body
        return text[at : at + 1] == "{" or (text[at : at + 1] == "[" and not MARKER.match(text, at))

    def pass_mentions(self, index: int, at: int) -> tuple[int, int]:
        """From the marker numbered ``index``, which begins at ``at``, past all that hold nothing.

        The number and the position of what comes after them.
        """
        found = self.found
        while index < len(found):
            start, end, closes, tag = found[index]
            if start != at or not (closes or not self.may_hold(end, tag)):
                break
            at = end
            index += 1
        return index, at

    def extent(self, start: int, body: int, tag: str) -> Extent:
        """The block whose opener stands at ``start`` and ends at ``body``."""
        known = self._extents.get(start)
        if known is None:
            known = self._extents[start] = self._measure(start, body, tag)
        return known

    def _measure(self, start: int, body: int, tag: str) -> Extent:
        text, block = self.text, BLOCK_BY_TAG[tag]
        payload = body
        if block.kind is not BlockKind.TEXT:
            lead = _PAYLOAD.match(text, body)
            payload = lead.end() if lead else body
        payload_end, escaped = -1, False
        if block.kind is not BlockKind.TEXT and text[payload : payload + 1] in ("{", "["):
            escaped = _ESCAPED_QUOTE.match(text, payload) is not None
            if self._allowance > 0:
                payload_end = json_end(text, payload, escaped=escaped)
            if payload_end < 0:
                self._allowance -= -payload_end - 1 - payload
                payload_end = -1
        after = max(payload_end, body)
        closer = self.closer_from(tag, after)
        if closer >= 0 and block.kind is not BlockKind.TEXT:
            rival = self.opener_from(tag, after)
            if 0 <= rival < closer:
                closer = -1  # that closer belongs to a later block of the same kind
        end = closer + len(tag) + 3 if closer >= 0 else -1
        return Extent(block, start, body, payload, payload_end, escaped, closer, end)


def _first_from(starts: "list[int] | tuple[()]", at: int) -> int:
    index = bisect_left(starts, at)
    return starts[index] if index < len(starts) else -1
