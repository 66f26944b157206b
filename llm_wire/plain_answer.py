"""The usual answer, found at one look: a strict object with nothing else around it to choose."""

import re
from typing import Final

import orjson

from llm_wire.answer import Answer, Route
from llm_wire.contracts import MARKER
from llm_wire.json_text import json_end
from llm_wire.think import THINK_TAG

__all__ = ["MAY_BE_LIST", "plain_answer"]

MAY_BE_LIST: Final = re.compile(r"\[\s*+[{\[\"]")
"""What may begin a list of actions, or of one answer."""
_SUSPECT: Final = re.compile(rf"{MAY_BE_LIST.pattern}|{MARKER.pattern}", re.IGNORECASE | re.ASCII)
_BLOCK_AHEAD: Final = re.compile(r"\}(?=\s*+(?:```\s*+)?+\[[A-Za-z])")
_TAIL: Final = 24
"""Characters after the last brace in which a block's closer is looked for."""


def plain_answer(text: str) -> Answer | None:
    """The answer where it is one strict object and nothing around it could be another; else None.

    This is the usual case, and the only one whose cost is measured against the JSON parser. The
    text after the object is the caller's to look at: it may hold blocks, but braces or lists
    outside of them would ask for the full search.
    """
    start = text.find("{")
    end = text.rfind("}") + 1
    if start >= 0 and text[end : end + _TAIL].lstrip().startswith("[/"):
        # The last brace is a block's: the object ends at an earlier one.
        before_block = _BLOCK_AHEAD.search(text, start)
        end = before_block.start() + 1 if before_block else end
    try:
        value = orjson.loads(text[start:end])
    except orjson.JSONDecodeError:
        end = json_end(text, start) if 0 <= start < end else -1
        if end < 0:
            return None
        try:
            value = orjson.loads(text[start:end])
        except orjson.JSONDecodeError:
            return None
    if "actions" not in value:
        return None
    actions = value["actions"]
    kind = type(actions)
    if (kind is not list and kind is not dict and kind is not str and actions is not None) or (
        "<" in text and THINK_TAG.search(text)
    ):
        return None
    if start:
        before = text[:start].rstrip()
        if before and (before[-1] in '[:"' or ("[" in before and _SUSPECT.search(before))):
            return None
    return Answer(Route.JSON, value, start, end)
