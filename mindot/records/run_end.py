"""Where the run in a directory ended: a run that is added to it goes on from there."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from mindot.records.logs import Log, day_files

__all__ = ["RunEnd", "run_end"]

_SPAN: Final = 1 << 20
"""Bytes read from the end of a log. A log is in order of time but for what several writers
interleave, and its rows are far shorter than this."""


class RunEnd(NamedTuple):
    """The last moment of a run."""

    t: float
    """Unix seconds of its newest record."""
    tick: int
    """The newest tick in its trace; 0 without one."""


def run_end(directory: Path) -> RunEnd | None:
    """The end of the run in ``directory``; None without a readable record.

    Rows that cannot be read are passed over.
    """
    t: float | None = None
    tick = 0
    for log in Log:
        for file in day_files(directory, [log])[-1:]:
            for row in _last_rows(file.path):
                when = row.get(log.time_field)
                if isinstance(when, int | float) and not isinstance(when, bool):
                    t = max(when * log.unit, t if t is not None else when * log.unit)
                if log is Log.TRACE and isinstance(row.get("tick"), int):
                    tick = max(tick, row["tick"])
    return None if t is None else RunEnd(t, tick)


def _last_rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in _tail(path).split(b"\n"):
        try:
            row = orjson.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _tail(path: Path) -> bytes:
    if path.suffix == ".gz":
        with gzip.open(path) as packed:
            return packed.read()[-_SPAN:]
    with path.open("rb") as plain:
        size = plain.seek(0, 2)
        plain.seek(max(0, size - _SPAN))
        return plain.read()
