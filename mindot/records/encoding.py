"""A row as the bytes of a line, and back, without losing anything JSON can say.

The fast library covers nearly every row. Integers beyond 64 bits and lone surrogates it cannot
carry, so such rows take the standard library's way: slower, exact, and escaped to ASCII.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

import orjson

__all__ = ["MAX_DEPTH", "MAX_LINE", "decode", "decode_exactly", "encode", "encode_batch", "to_json"]

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes of the longest line that is read or written, without its newline: beyond it a reader
would have to hold whatever a broken writer never ended."""

MAX_DEPTH: Final = 200
"""Nesting of the deepest value that is surely carried."""

_TOGETHER: Final = 64
"""Rows encoded before their bytes are joined. Many more at once and the allocator gives the memory
back and fetches it anew for every batch, which takes several times as long as the encoding."""

_LONG_DIGITS: Final = re.compile(rb"\d{19}")
"""Every integer beyond 64 bits has this; so have a few that fit."""


def to_json(value: object) -> bytes:
    """Any JSON value on one line, newline included, however long it gets.

    Numbers that JSON has no word for (NaN, infinities) become null.

    Raises:
        TypeError: a value or a key is of a type JSON does not have.
        ValueError: nested too deeply to write.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return _encode_slowly(value)


def encode(row: object) -> bytes:
    """The line of a row, newline included; raises as :func:`to_json` does, and too long a line
    is a ValueError."""
    line = to_json(row)
    if len(line) > MAX_LINE + 1:
        raise ValueError(f"a row of {len(line):,} bytes is too long; at most {MAX_LINE:,} are read")
    return line


def encode_batch(rows: Sequence[object]) -> bytes:
    """The lines of several rows, one after the other; raises as :func:`encode` does."""
    dumps, option = orjson.dumps, orjson.OPT_APPEND_NEWLINE
    try:
        batch = b"".join(
            [
                b"".join([dumps(row, option=option) for row in rows[start : start + _TOGETHER]])
                for start in range(0, len(rows), _TOGETHER)
            ]
        )
    except TypeError:
        return b"".join([encode(row) for row in rows])
    return batch if len(batch) <= MAX_LINE else b"".join([encode(row) for row in rows])


def decode(text: bytes | memoryview) -> Any:
    """The value of a line, quickly: an integer beyond 64 bits comes back as the nearest float.

    Raises:
        ValueError: no JSON, no UTF-8, or nested too deeply to read.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _decode_slowly(text)


def decode_exactly(text: bytes) -> Any:
    """The value of a line with every integer as it stands; raises as :func:`decode` does."""
    return _decode_slowly(text) if _LONG_DIGITS.search(text) else decode(text)


def _encode_slowly(row: object) -> bytes:
    import json

    try:
        text = json.dumps(_plain(row), allow_nan=False, separators=(",", ":"))
    except RecursionError:
        raise ValueError(f"a row must not be nested deeper than {MAX_DEPTH}") from None
    return text.encode("ascii") + b"\n"


def _plain(value: Any) -> Any:
    """The value as both libraries would write it; refuses what the fast one refuses."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            for key in value:
                if not isinstance(key, str):
                    raise TypeError(f"a key must be a string, got {key!r}")
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case None | bool() | int() | str():
            return value
        case _:
            raise TypeError(f"no JSON value: {value!r} of type {type(value).__name__}")


def _decode_slowly(text: bytes | memoryview) -> Any:
    import json  # few rows need it, and the reading commands want to start at once

    try:
        return json.loads(str(text, "utf-8"), parse_constant=_no_constant, parse_int=_integer)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _integer(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # past the interpreter's limit of digits; the line's own bytes stay exact
        return float(digits)
