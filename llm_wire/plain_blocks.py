"""Blocks in a text without surprises: each opened, closed, readable and by itself.

Nearly every answer is like this, and reading it so costs a fraction of the full reading. Whatever
is unusual gives None, and the full reading (:mod:`llm_wire.markers`, :mod:`llm_wire.outside`)
decides; the two never differ where this one answers.
"""

import re
from typing import Any, Final

from orjson import JSONDecodeError, loads

from llm_wire.contracts import (
    BLOCK_BY_MARKER,
    BLOCK_BY_TAG,
    LONGEST_MARKER,
    MARKER,
    Block,
    BlockKind,
)
from llm_wire.json_text import kept_exactly, may_be_inexact

__all__ = ["PlainBlocks", "plain_blocks"]

_BRACKETS_LOOKED_AT: Final = 64
"""Brackets in prose that are no markers; beyond these the full reading is the cheaper one."""
_SPOKEN: Final = re.compile(r"\[(?:REPLY_TEXT|NO_MESSAGE)\]", re.IGNORECASE | re.ASCII)


class PlainBlocks:
    """What the blocks of one text hold, and the prose between them."""

    __slots__ = ("prose", "reply", "silence", "values")

    def __init__(self) -> None:
        self.values: list[tuple[Block, Any]] = []
        """What each JSON block holds, in order."""
        self.reply: str | None = None
        """The body of the first reply, untouched; None when there is none."""
        self.silence: str | None = None
        self.prose: list[str] = []
        """The text between the blocks."""


def plain_blocks(text: str, begin: int = 0) -> PlainBlocks | None:
    """The blocks of ``text`` from ``begin`` on, or None when anything about them is unusual.

    Unusual is: an opener without a closer or the other way round, a body that is no JSON as it
    stands, a marker inside another block's words, braces or angle brackets in the prose around
    speech, and prose that would form a marker once the blocks are gone.
    """
    blocks = PlainBlocks()
    values, prose = blocks.values, blocks.prose
    find = text.find
    gap, brackets, has_json = begin, 0, False
    at = find("[", begin)
    while at >= 0:
        end = find("]", at, at + LONGEST_MARKER) + 1
        block = BLOCK_BY_MARKER.get(text[at:end])
        if block is None:
            opener = MARKER.match(text, at)
            if opener is None:
                brackets += 1
                if brackets > _BRACKETS_LOOKED_AT:
                    return None
                at = find("[", at + 1)
                continue
            if opener.group(1):
                return None  # a closer of nothing
            block = BLOCK_BY_TAG[opener.group(2).upper()]
        close = find("[/", end)
        if close < 0 or not _closes(text, close, block):
            return None
        body = text[end:close]
        if block.kind is BlockKind.JSON:
            try:
                value = loads(body)
            except JSONDecodeError:
                return None
            if type(value) is not dict and _SPOKEN.search(body):
                return None  # only an object's strings keep their markers to themselves
            values.append((block, value))
            has_json = True
        elif not _take(blocks, block, body):
            return None
        prose.append(text[gap:at])
        gap = close + len(block.closer)
        at = find("[", gap)
    prose.append(text[gap:])
    if len(prose) > 1:
        if brackets and MARKER.search("".join(prose)):
            return None
        if blocks.reply is not None or blocks.silence is not None:
            for between in prose:
                if "{" in between or "<" in between:
                    return None
        if has_json and may_be_inexact(text, begin):
            for _, value in values:
                if not kept_exactly(value):
                    return None
    return blocks


def _closes(text: str, close: int, block: Block) -> bool:
    if text.startswith(block.closer, close):
        return True
    closer = MARKER.match(text, close)
    return closer is not None and closer.group().upper() == block.closer


def _take(blocks: PlainBlocks, block: Block, body: str) -> bool:
    """File one block; False when its body is unusual."""
    if block.kind is BlockKind.TEXT:
        if "[" in body and MARKER.search(body):
            return False
        if block.tag == "REPLY_TEXT":
            if blocks.reply is None:
                blocks.reply = body
        elif "{" in body or "<" in body:
            return False
        elif blocks.silence is None:
            blocks.silence = body
        return True
    # Words in a block that is thrown away matter only where they hold a brace or a marker.
    if "{" in body or "[" in body or "<" in body:
        try:
            value = loads(body)
        except JSONDecodeError:
            return False
        return type(value) is dict or not _SPOKEN.search(body)
    return True
