"""The village's clock: records run in seconds, village life in minutes, both by the tick."""

from typing import Final

__all__ = ["START", "SWEEP_SECONDS", "hour_at", "is_night", "time_at"]

START: Final = 1_798_761_600.0
"""Record time of tick 0: midnight UTC, so that a long run stays in one day's files."""

SWEEP_SECONDS: Final = 2.0
"""Record time from one sweep to the next."""

_START_HOUR: Final = 6.0
_MINUTES_A_TICK: Final = 3.0
"""Village time is the quicker one: 480 ticks are a day, so that a short run sees a whole one."""
_DAWN: Final = 5.5
_DUSK: Final = 21.0


def time_at(tick: int) -> float:
    """Unix seconds of a tick, two decimals."""
    return round(START + SWEEP_SECONDS * tick, 2)


def hour_at(tick: int) -> float:
    """Hour of the village's day, 0 up to 24."""
    return (_START_HOUR + tick * _MINUTES_A_TICK / 60.0) % 24.0


def is_night(tick: int) -> bool:
    """Whether it is dark: before half past five, and from nine in the evening on."""
    return not _DAWN <= hour_at(tick) < _DUSK
