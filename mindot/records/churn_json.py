"""The churn report as one JSON document, written piece by piece: it may hold very many keys."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from mindot.records.churn import ChurnReport, KeyReport
from mindot.records.churn_verdict import verdict
from mindot.records.encoding import to_json

__all__ = ["json_pieces"]

_TOGETHER: Final = 256
"""Keys encoded at once: enough to be quick, few enough to hold."""


def json_pieces(report: ChurnReport) -> Iterator[bytes]:
    """The document in pieces that join to one line of JSON, its line break included."""
    counted = report.statistics
    head = {
        "spawned": counted.spawned,
        "destroyed": counted.destroyed,
        "live": counted.live,
        "by": [
            {"population": end.population, "reason": end.reason, "count": end.count}
            for end in counted.ended
        ],
    }
    yield _dumps(head)[:-1] + b',"keys":['
    keys = map(_key, report.each_key())
    before = b""
    while batch := list(islice(keys, _TOGETHER)):
        yield before + _dumps(batch)[1:-1]
        before = b","
    tail = {
        "per_minute": {
            "spawns": report.per_minute(counted.spawned),
            "losses": report.per_minute(report.lost),
        },
        "verdict": verdict(report),
    }
    yield b"]," + _dumps(tail)[1:] + b"\n"


def _key(key: KeyReport) -> dict[str, Any]:
    out: dict[str, Any] = {
        "key": key.key,
        "spawns": key.spawns,
        "destroys": key.destroys,
        "lost": key.lost,
        "resumed": key.resumed,
        "median_life_ticks": key.median_life_ticks,
        "longest_gap_ticks": key.longest_gap_ticks,
    }
    if not key.median_is_exact:
        out["median_is_approximate"] = True
    return out


def _dumps(value: object) -> bytes:
    return to_json(value).rstrip(b"\n")
