"""The commonest damage of this format, undone: a block written raw into a JSON string.

A model asked for JSON inside the ``reasoning`` string often forgets that the inner quotes and
line breaks need escaping there. The markers say where such a body begins and ends, so it can be
escaped, and the object then reads as if it had been written right.
"""

import re
from bisect import bisect_right
from typing import Final

import orjson

from llm_wire.contracts import BlockKind
from llm_wire.markers import Extent, MarkerMap

__all__ = ["EscapedText", "escape_raw_blocks"]

_RAW: Final = re.compile(r'[\x00-\x1f"]')
_FIRST_QUOTE: Final = re.compile(r'(?<!\\)\\*+"')
_OBJECT_GOES_ON: Final = re.compile(r'"\s*+(?:,\s*+"[A-Za-z_]{1,40}+"\s*+:|\}\s*+(?:\Z|[\n`]))')
_CONTROL: Final = re.compile(r"[\x00-\x1f]")


class EscapedText:
    """A text with some bodies escaped, and the way from an index in one to the other."""

    __slots__ = ("_escaped_ends", "_plain_ends", "_plain_starts", "text")

    def __init__(
        self,
        text: str,
        plain_starts: list[int],
        plain_ends: list[int],
        escaped_ends: list[int],
    ) -> None:
        self.text = text
        self._plain_starts = plain_starts
        self._plain_ends = plain_ends
        """Where each escaped body ends in the text as it was."""
        self._escaped_ends = escaped_ends
        """Where it ends in :attr:`text`."""

    def changed_after(self, at: int) -> bool:
        return bool(self._plain_ends) and self._plain_ends[-1] > at

    def is_in_body(self, at: int) -> bool:
        """Whether an index lies in a body that was escaped, and so has no place in the other."""
        index = bisect_right(self._plain_starts, at) - 1
        return index >= 0 and at < self._plain_ends[index]

    def to_escaped(self, at: int) -> int:
        """Of an index that lies in no escaped body."""
        index = bisect_right(self._plain_ends, at) - 1
        return at if index < 0 else at - self._plain_ends[index] + self._escaped_ends[index]

    def to_plain(self, at: int) -> int:
        index = bisect_right(self._escaped_ends, at) - 1
        plain = at if index < 0 else at - self._escaped_ends[index] + self._plain_ends[index]
        # In the middle of the next body, which is longer escaped, no further than its end.
        return (
            min(plain, self._plain_ends[index + 1]) if index + 1 < len(self._plain_ends) else plain
        )


def escape_raw_blocks(markers: MarkerMap) -> EscapedText:
    """The text of ``markers`` with every raw body escaped; bodies in order are left alone."""
    text = markers.text
    pieces: list[str] = []
    plain_starts: list[int] = []
    plain_ends: list[int] = []
    escaped_ends: list[int] = []
    at = length = 0
    for start, end, closes, tag in markers.found:
        if closes or start < at or not markers.may_hold(end, tag):
            continue
        extent = markers.extent(start, end, tag)
        stop = _body_end(markers, extent)
        if stop < 0:
            continue
        body = text[extent.body : stop]
        escaped = _escape(body)
        if escaped == body:
            continue
        pieces += (text[at : extent.body], escaped)
        length += extent.body - at + len(escaped)
        at = stop
        plain_starts.append(extent.body)
        plain_ends.append(stop)
        escaped_ends.append(length)
    pieces.append(text[at:])
    return EscapedText("".join(pieces), plain_starts, plain_ends, escaped_ends)


def _body_end(markers: MarkerMap, extent: Extent) -> int:
    """Where a body that may be escaped ends; -1 for one that may be something else.

    A tag that is only mentioned must not swallow the rest of the object up to a closer that
    belongs elsewhere, so words count as a body only while no key of the object comes in them.
    """
    if extent.payload_end > 0:
        return extent.closer if extent.closer >= 0 else extent.payload_end
    text = markers.text
    if extent.closer < 0 or 0 <= markers.opener_from(extent.block.tag, extent.body) < extent.closer:
        return -1
    if extent.block.kind is BlockKind.JSON and text[extent.payload] in "{[":
        return extent.closer
    if _OBJECT_GOES_ON.search(text, extent.body, extent.closer):
        return -1
    return extent.closer


def _escape(body: str) -> str:
    if not _RAW.search(body):
        return body
    quote = _FIRST_QUOTE.search(body)
    if quote and len(quote.group()) % 2:
        return orjson.dumps(body).decode()[1:-1]
    # The quotes were escaped as they should be, only the line breaks were not.
    return _CONTROL.sub(lambda raw: orjson.dumps(raw.group()).decode()[1:-1], body)
