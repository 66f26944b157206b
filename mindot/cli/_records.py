"""What the commands that read records share."""

import math
import sys
from contextlib import suppress
from typing import Final

import click
import orjson

from mindot.game.contract import RECORD_VERSION, TIERS, Family
from mindot.records.encoding import to_json

__all__ = ["emit_document", "parse_time", "tier_style", "warn_newer"]

_COLOURS: Final = {
    Family.ACTED: "green",
    Family.QUIET: "blue",
    Family.REFUSAL: "yellow",
    Family.UNSURE: "magenta",
}


def emit_document(value: object) -> None:
    """One JSON document, also when a name in it is no proper Unicode.

    Bytes in it are JSON already, such as a record's own, and stand in it as they are.
    """
    try:
        text = orjson.dumps(value, default=_as_fragment, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        text = _by_parts(value) + b"\n"
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def _as_fragment(value: object) -> orjson.Fragment:
    if isinstance(value, bytes):
        return orjson.Fragment(value)
    raise TypeError(f"no JSON value: {value!r}")


def _by_parts(value: object) -> bytes:
    """For a document with fragments in which something else is beyond the fast library."""
    match value:
        case bytes():
            return value
        case dict():
            pairs = (to_json(key)[:-1] + b":" + _by_parts(item) for key, item in value.items())
            return b"{" + b",".join(pairs) + b"}"
        case list():
            return b"[" + b",".join(map(_by_parts, value)) + b"]"
        case _:
            return to_json(value)[:-1]


def warn_newer(file: str) -> None:
    """Say, once a file, that it holds rows of a later format."""
    click.echo(
        f"mindot: {file!r} holds rows of a later format than {RECORD_VERSION}; "
        "they are read as far as this version knows them",
        err=True,
    )


def tier_style(tier: str) -> str:
    """A tier's name in its family's colour (colour reaches a terminal only)."""
    known = TIERS.get(tier)
    return click.style(tier, fg=_COLOURS[known.family] if known else None)


def parse_time(text: str) -> float:
    """Unix seconds from unix seconds or an ISO 8601 time (UTC unless it says otherwise)."""
    with suppress(ValueError):
        seconds = float(text)
        if not math.isfinite(seconds):
            raise click.BadParameter(f"{text!r} is no time", param_hint="--at")
        return seconds
    from datetime import UTC, datetime

    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither unix seconds nor an ISO 8601 time like 2026-09-12T06:03",
            param_hint="--at",
        ) from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
