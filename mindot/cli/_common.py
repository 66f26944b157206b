"""What every command shares: where the files are, how output looks, how misuse ends."""

import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click
import orjson

from mindot.records.fields import shown

__all__ = [
    "EXIT_FOUND",
    "EXIT_MISUSE",
    "clock_time",
    "dir_option",
    "emit_json",
    "escape",
    "escape_lines",
    "fail",
    "fail_to_read",
    "json_option",
    "records_dir",
]

EXIT_FOUND: Final = 1
"""The command worked, and found something that wants a look."""
EXIT_MISUSE: Final = 2
"""The call was wrong, or there was nothing to read."""

_YEAR_10000: Final = 253_402_300_800

DEFAULT_DIR: Final = "~/lw-mining/decisions"

_F = TypeVar("_F", bound=Callable[..., Any])


def dir_option(help_text: str = "Directory with the records.") -> Callable[[_F], _F]:
    """``--dir``; the command passes the value through :func:`records_dir`."""
    return click.option(
        "--dir",
        "directory",
        type=click.Path(file_okay=False, path_type=Path),
        default=None,
        help=f"{help_text} [default: $MINDOT_DIR, else {DEFAULT_DIR}]",
    )


def json_option(function: _F) -> _F:
    return click.option(
        "--json", "as_json", is_flag=True, help="Print JSON on stdout and nothing else there."
    )(function)


def records_dir(given: Path | None) -> Path:
    """The directory in force: the option, else ``MINDOT_DIR``, else the default."""
    return (
        given
        if given is not None
        else Path(os.environ.get("MINDOT_DIR") or DEFAULT_DIR).expanduser()
    )


def emit_json(value: object) -> None:
    """One JSON document on a line of its own."""
    sys.stdout.buffer.write(orjson.dumps(value) + b"\n")
    sys.stdout.buffer.flush()


def escape(text: str) -> str:
    """Text from a game or a model, made safe for a terminal: control characters are spelled out.

    Bidirectional controls and lone surrogates are spelled out too; letters of any script stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _harmless(c) else _spelled(c) for c in text)


def escape_lines(text: str) -> str:
    """As :func:`escape`, but line breaks stay: for texts that are shown whole."""
    return "\n".join(escape(line) for line in text.split("\n"))


def clock_time(t: object) -> str:
    """A record's time for people, UTC; what is no time as it stands."""
    if isinstance(t, int | float) and not isinstance(t, bool) and 0 <= t < _YEAR_10000:
        return _second(int(t))
    return escape(shown(t))


@lru_cache(maxsize=64)  # the rows of a sweep share their seconds
def _second(t: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t))


def _harmless(char: str) -> bool:
    code = ord(char)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return False
    if 0xD800 <= code <= 0xDFFF:
        return False
    return not (
        code in (0x061C, 0x2028, 0x2029)
        or 0x200B <= code <= 0x200F
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )


def _spelled(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def fail_to_read(error: OSError, otherwise: str) -> NoReturn:
    """End with exit 2 because a file cannot be read; ``otherwise`` says what was being read where
    the error does not know its file, as one that breaks off a reading halfway does not."""
    what = repr(error.filename) if error.filename is not None else otherwise
    fail(f"cannot read {what}: {error.strerror or error}")


def fail(message: str) -> NoReturn:
    """End with exit 2: a message on stderr that says what to do."""
    click.echo(f"mindot: {message}", err=True)
    raise SystemExit(EXIT_MISUSE)
