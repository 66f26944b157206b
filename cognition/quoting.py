"""Words from outside as data in a prompt: they can say anything and do nothing.

What players, games and models said enters a prompt as a JSON string on one line. In it, whatever
has a meaning to a model's chat format or to this project's own markers is written as a JSON
escape: it reads the same, and is no marker, fence, tag or role any more.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from cognition._values import thaw
from cognition.trace import shortened
from llm_wire import TAGGED_BLOCKS

__all__ = ["quoted", "quoted_json", "speakable"]

_MARKER: Final = re.compile(
    r"\[(?=\s*/?\s*(?:" + "|".join(sorted(TAGGED_BLOCKS, key=len, reverse=True)) + r")\b)",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"(?:```|~~~)+")
_TAG: Final = re.compile(r"<(?=[/|!?A-Za-z])")
_DECIMALS: Final = 4


def quoted(text: str, limit: int = 1000) -> str:
    """``text`` as one JSON string, cut to ``limit`` characters."""
    return _disarmed(json.dumps(shortened(text, limit), ensure_ascii=False))


def quoted_json(value: Any, limit: int = 1000) -> str:
    """A JSON value on one line; where it is longer than ``limit``, its beginning as a string."""
    text = json.dumps(_rounded(thaw(value)), ensure_ascii=False, default=str)
    return _disarmed(text) if len(text) <= limit else quoted(text, limit)


def speakable(text: str, limit: int = 2000) -> str:
    """``text`` for a line that has its own quotation rules and cannot hold JSON escapes.

    Line breaks and invisible characters become spaces, and brackets that would open a marker or
    a tag become parentheses, so that the line stays one line and says what was said.
    """
    line = "".join(ch if ch.isprintable() else " " for ch in shortened(text, limit))
    line = _MARKER.sub("(", line)
    line = _TAG.sub("(", line)
    return _FENCE.sub("'", line)


def _disarmed(text: str) -> str:
    # Most texts hold nothing of the kind, and a prompt is made of many.
    if "[" in text:
        text = _MARKER.sub(r"\\u005b", text)
    if "<" in text:
        text = _TAG.sub(r"\\u003c", text)
    if "`" in text or "~" in text:
        text = _FENCE.sub(lambda m: "".join(f"\\u{ord(ch):04x}" for ch in m.group()), text)
    if text.isprintable():
        return text
    return "".join(ch if ch.isprintable() else _escape(ch) for ch in text)


def _escape(ch: str) -> str:
    units = ch.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _rounded(value: Any) -> Any:
    """``value`` with floats short enough that the same number always has the same bytes."""
    match value:
        case float():
            return round(value, _DECIMALS)
        case Mapping():
            return {str(key): _rounded(item) for key, item in value.items()}
        case list():
            return [_rounded(item) for item in value]
        case _:
            return value
