"""What the commands that read records share."""

import math
import sys
from contextlib import suppress
from typing import Any, Final

import click
import orjson

from mindot.game.contract import RECORD_VERSION, TIERS, Family
from mindot.records.encoding import to_json

__all__ = ["emit_document", "fragment", "parse_time", "tier_style", "warn_newer"]

_COLOURS: Final = {
    Family.ACTED: "green",
    Family.QUIET: "blue",
    Family.REFUSAL: "yellow",
    Family.UNSURE: "magenta",
}


def emit_document(value: object) -> None:
    """One JSON document, also when a name in it is no proper Unicode."""
    sys.stdout.buffer.write(to_json(value))
    sys.stdout.buffer.flush()


def fragment(text: bytes) -> Any:
    """A record's own bytes, to stand in a JSON document as they are."""
    return orjson.Fragment(text)


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
            f"{text!r} is neither unix seconds nor an ISO 8601 time", param_hint="--at"
        ) from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
