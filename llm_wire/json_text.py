"""JSON that stands in the middle of other text: where a value ends, and what it says exactly.

Everything here goes forward over the text once and keeps no recursion, so depth and length cost
no more than themselves.
"""

import re
from typing import Any, Final

import orjson

__all__ = [
    "DEPTH_LIMIT",
    "json_end",
    "kept_exactly",
    "may_be_inexact",
    "replace_surrogates",
    "unescape",
]

DEPTH_LIMIT: Final = 200
"""Containers inside containers that are kept, the outermost counted; records carry no more."""

_FAR: Final = 2.0**63
"""From here on the fast library gives a float for an integer, and may have rounded it."""

_LONG_NUMBER: Final = 19
"""Digits of the shortest integer that may not fit the fast library's 64 bits."""
_DIGIT: Final = re.compile("[0-9]")
_DIGITS: Final = re.compile(f"[0-9]{{{_LONG_NUMBER}}}")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# Runs of brackets are taken in one match each; a string is skipped whole. Letters that cannot
# stand outside a JSON string end the match, so prose is left at its first word.
_PLAIN: Final = r'[\s,:0-9.eE+\-truefalsn]++|"(?:[^"\\]++|\\.)*+"'
_RUN: Final = re.compile(rf"(?:{_PLAIN})*+(?:([\[{{]++)|([\]}}]++))", re.DOTALL)
# The same value when its quotes came escaped once more: \" delimits, \\\" is a quote inside.
_ESCAPED_PLAIN: Final = (
    r"[\s,:0-9.eE+\-truefalsn]++|\\[nrt]|"
    r'\\"(?:[^"\\]++|\\\\(?:\\.|[^\\])|\\[^"\\])*+\\"'
)
_ESCAPED_RUN: Final = re.compile(rf"(?:{_ESCAPED_PLAIN})*+(?:([\[{{]++)|([\]}}]++))", re.DOTALL)
_PLAIN_RUN: Final = re.compile(rf"(?:{_PLAIN})*+", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def json_end(text: str, start: int, *, escaped: bool = False) -> int:
    """The index after the value that begins at ``start`` with ``{``, ``[`` or a quote.

    Brackets are balanced and strings skipped; what stands between them is not checked further.
    A value without an end gives a negative number: minus one, minus the index of the first
    character that fits no JSON (the length of the text where it was merely cut).
    """
    if text.startswith('"', start):
        string = _STRING.match(text, start)
        return string.end() if string else -len(text) - 1
    runs = (_ESCAPED_RUN if escaped else _RUN).match
    depth, at = 0, start
    while run := runs(text, at):
        at = run.end()
        opened, closed = run.span(1), run.span(2)
        if opened[0] >= 0:
            depth += opened[1] - opened[0]
        elif closed[1] - closed[0] >= depth:
            return closed[0] + depth
        else:
            depth -= closed[1] - closed[0]
    rest = _PLAIN_RUN.match(text, at)
    at = rest.end() if rest else at
    return -(len(text) if text.startswith('"', at) else at) - 1


def replace_surrogates(text: str) -> str:
    """``text`` with each surrogate code point made U+FFFD, so that it can be encoded."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def unescape(text: str) -> str | None:
    """``text`` read as the inside of a JSON string; None when it is not one.

    Raw line breaks and tabs are let pass: a model that escaped its quotes twice often did not
    escape those.
    """
    if "\\" not in text:
        return None
    quoted = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    try:
        decoded: str = orjson.loads(f'"{quoted}"')
    except orjson.JSONDecodeError:
        return None
    return decoded


def may_be_inexact(text: str, begin: int = 0) -> bool:
    """Whether JSON in ``text`` may hold what :func:`kept_exactly` would refuse; False is sure.

    A number of 19 digits touches every nineteenth character, so a small sample rules it out.
    """
    if text.count("{", begin) + text.count("[", begin) > DEPTH_LIMIT:
        return True
    for digit in _DIGIT.finditer(text[begin::_LONG_NUMBER]):
        at = begin + digit.start() * _LONG_NUMBER
        # Nineteen digits around it would mean ten to its left or to its right.
        if not (text[max(0, at - 9) : at + 1].isdigit() or text[at : at + 10].isdigit()):
            continue
        if _DIGITS.search(text, max(begin, at - _LONG_NUMBER + 1), at + _LONG_NUMBER):
            return True
    return False


def kept_exactly(value: Any) -> bool:
    """Whether ``value``, as the fast library read it, is what the text said and not too deep.

    False asks for a second reading by the slower reader, which rounds no integer.
    """
    if type(value) is not dict and type(value) is not list:
        return type(value) is not float or -_FAR < value < _FAR
    level: list[Any] = [value]
    for _ in range(DEPTH_LIMIT):
        below: list[Any] = []
        for container in level:
            for item in container.values() if type(container) is dict else container:
                kind = type(item)
                if kind is dict or kind is list:
                    below.append(item)
                elif kind is float and not -_FAR < item < _FAR:
                    return False
        if not below:
            return True
        level = below
    return False
