"""The map of the built-in village: its stations, in game units."""

from typing import Final

from mindot.game.frame import Station

__all__ = ["BY_LABEL", "STATIONS", "station_at"]

STATIONS: Final[tuple[Station, ...]] = (
    Station(label="gate", x=0.0, y=10.0, kind="post"),
    Station(label="watchtower", x=58.0, y=36.0, kind="post"),
    Station(label="square", x=30.0, y=12.0, kind="meeting"),
    Station(label="market", x=36.0, y=16.0, kind="work"),
    Station(label="forge", x=46.0, y=6.0, kind="work"),
    Station(label="inn", x=24.0, y=22.0, kind="food"),
    Station(label="well", x=28.0, y=4.0, kind="meeting"),
    Station(label="field", x=64.0, y=22.0, kind="work"),
    Station(label="pier", x=14.0, y=38.0, kind="work"),
    Station(label="herb garden", x=44.0, y=30.0, kind="work"),
    Station(label="granary", x=54.0, y=14.0, kind="store"),
    Station(label="hall", x=32.0, y=28.0, kind="work"),
    Station(label="barracks", x=8.0, y=4.0, kind="bed"),
    Station(label="north cottage", x=40.0, y=-2.0, kind="bed"),
    Station(label="east cottage", x=56.0, y=28.0, kind="bed"),
    Station(label="loft", x=22.0, y=26.0, kind="bed"),
)
"""Everything with a name on the map. ``kind``: bed, food, meeting, post, store or work."""

BY_LABEL: Final[dict[str, Station]] = {s.label: s for s in STATIONS}

_AT: Final = 3.0
"""Game units around a station within which one stands at it."""


def station_at(x: float, y: float) -> str | None:
    """The label of the nearest station that a point is at, or None."""
    away = {s.label: (s.x - x) ** 2 + (s.y - y) ** 2 for s in STATIONS}
    nearest = min(away, key=away.__getitem__)
    return nearest if away[nearest] <= _AT * _AT else None
