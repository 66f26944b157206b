"""Small traces written by hand, for tests that need a story with known figures."""

from pathlib import Path
from typing import Any

import orjson

DATA = Path(__file__).resolve().parents[2] / "data"
START_MS = 1_789_192_800_000
KEY = "conversation:mock:gerdur:brenna"


def event(kind: str, tick: int, facet: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": f"executive.facet.{kind}",
        "wallTime": START_MS + tick * 1000,
        "tick": tick,
        "mind": "mock:gerdur",
        "facetId": facet,
    } | fields


def cut_in_two(times: int = 4) -> list[dict[str, Any]]:
    """A conversation that is evicted again and again, in a mind that has room for two facets."""
    events = []
    for number in range(times + 1):
        tick = number * 10
        facet = f"facet-{number * 2 + 1}"
        events.append(event("spawn", tick, facet, key=KEY, totalFacets=2))
        if number < times:
            events.append(event("destroy", tick + 5, facet, key=KEY, reason="lru", totalFacets=1))
    events.append(event("spawn", 91, "facet-90", totalFacets=2))
    events.append(event("destroy", 120, "facet-90", reason="explicit", totalFacets=1))
    return events


def write(path: Path, events: list[dict[str, Any]]) -> Path:
    path.write_bytes(b"".join(orjson.dumps(e) + b"\n" for e in events))
    return path
