"""Strings in JSON as models write it: where one ends, and what its escapes stand for."""

import re
from typing import Final

import orjson

__all__ = [
    "BAD_ESCAPE",
    "CLEAN_STRING",
    "COLON",
    "CONTROL",
    "GAP",
    "IN_LIST",
    "IN_OBJECT",
    "KEYS",
    "OPENING",
    "Follow",
    "decode_escapes",
    "stands_in_string",
]

GAP: Final = r"[\s\ufeff\u200b]*+"
_QUOTES: Final = "\"'“”„‘’«»`"
_KEY_AHEAD: Final = (
    rf"(?:[{_QUOTES}][^{_QUOTES}\n]{{0,64}}+(?:[{_QUOTES}]\s*+:|\Z)|[A-Za-z_$][\w$-]{{0,63}}+\s*+:)"
)

# What follows a quote decides whether it closes the string it stands in.
_AFTER_KEY: Final = rf"{GAP}:"
_AFTER_IN_OBJECT: Final = (
    rf"{GAP}(?:\}}|\]{GAP}(?:[,}}\]]|\Z)|\Z|//|/\*|</think|,{GAP}(?:{_KEY_AHEAD}|[,}}]|\Z|//|/\*))"
    rf"|[^\S\n]*+(?:\n[ \t]*+|(?<=\s))\"[A-Za-z_]{{1,40}}+\"\s*+:"
)
_AFTER_IN_LIST: Final = (
    rf"{GAP}(?:[}}\]:]|\Z|//|/\*|</think|,{GAP}(?:[{_QUOTES}\[{{\],0-9-]|\Z|//|/\*"
    rf"|(?:true|false|null|True|False|None)\b))"
)

# A key of the answer at the start of a line ends a string whose closing quote was forgotten.
_FORGOTTEN: Final = (
    r"\n[ \t]*+\"(?:actions|reasoning|confidence|undertakings|escalation|type|target|args"
    r"|expectedOutcome)\"\s*+:"
)

CLEAN_STRING: Final = re.compile(r'"([^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+)"', re.DOTALL)
COLON: Final = re.compile(_AFTER_KEY)
OPENING: Final = {
    '"': '"', "'": "'", "`": "`", "«": "»",
    "“": '”"', "”": '”"', "„": '”“"', "‘": "’'", "’": "’'",
}  # fmt: skip
"""A quote that opens a string: the quotes that may close it."""


class Follow:
    """What may follow a closing quote in one place of the grammar, ready for each quote."""

    __slots__ = ("after", "bodies")

    def __init__(self, after: str) -> None:
        self.after = re.compile(after)
        self.bodies = {
            opening: re.compile(
                rf"(?:[^{re.escape(closing)}\\\n]++|\\.|(?!{_FORGOTTEN})\n|[{re.escape(closing)}](?!{after}))*+",
                re.DOTALL,
            )
            for opening, closing in OPENING.items()
        }
        """Opening quote: everything before the quote that closes."""


# A key holds no quote of its own kind: one that is not followed by a colon is no key at all.
KEYS: Final = {
    opening: re.compile(rf"(?:[^{re.escape(closing)}\\\n]++|\\.)*+", re.DOTALL)
    for opening, closing in OPENING.items()
}
CONTROL: Final = re.compile(r"[\x00-\x1f]")
IN_OBJECT: Final = Follow(_AFTER_IN_OBJECT)
IN_LIST: Final = Follow(_AFTER_IN_LIST)

_TO_STRING: Final = re.compile(r'[^"]*+')
_STRING_END: Final = re.compile(r'(?:[^"\\]++|\\.)*+("\s*+(?:[,:}\]]|\Z))?', re.DOTALL)
_BRACE_WITH_KEY: Final = re.compile(r"\{\s*+[\"'“”‘’„«A-Za-z_$]")

_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|(.))", re.DOTALL
)
BAD_ESCAPE: Final = re.compile(r"(?<!\\)(?:\\\\)*+\\(?![\"\\/bfnrt]|u[0-9a-fA-F]{4})")
_ESCAPES: Final = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "'": "'", "\n": "\n", "`": "`",
}  # fmt: skip


def decode_escapes(raw: str) -> str:
    """The inside of a JSON string as text; what is no escape stays as it is.

    Half a surrogate pair becomes U+FFFD, so that the result can be encoded.
    """
    if "\\" not in raw:
        return raw
    try:
        decoded: str = orjson.loads(f'"{raw}"')
    except orjson.JSONDecodeError:
        return _ESCAPE.sub(_escaped, raw)
    return decoded


def _escaped(escape: re.Match[str]) -> str:
    high, low, char = escape.groups()
    if char is not None:
        return _ESCAPES.get(char, "\\" + char)
    code = int(high, 16)
    if not 0xD800 <= code < 0xE000:
        first = chr(code)
    elif code < 0xDC00 and low is not None:
        return chr(0x10000 + ((code - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    else:
        first = "\ufffd"
    return first if low is None else first + "\ufffd"


def stands_in_string(text: str, start: int, at: int) -> bool:
    """Whether ``at`` stands in a string, written as it should be, of the value from ``start``.

    A string that the end of the text cut counts unless an object begins in the rest of it: more
    likely its quote was forgotten then.
    """
    place = start
    while True:
        quote = _TO_STRING.match(text, place)
        place = quote.end() + 1 if quote else at + 1
        if place > at:
            return False
        string = _STRING_END.match(text, place)
        if string is None:
            return False
        if string.end() > at:
            return string.group(1) is not None or (
                string.end() == len(text) and not _BRACE_WITH_KEY.search(text, at)
            )
        place = string.end()
