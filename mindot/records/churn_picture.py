"""What the churn plot shows, as plain numbers: worked out here, drawn elsewhere.

A test can compare these with the report without looking at a picture.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mindot.records.churn import ChurnReport, Watcher
from mindot.records.lanes import Lane, Lanes
from mindot.records.timeline import Step, Timeline

__all__ = ["Bar", "Picture", "gather"]

LANES: Final = 10
"""Keys with a lane of their own: those lost most."""

_STEPS: Final = 480
"""Steps of the curve at most: two pixels each."""

_STEPS_PER_BAR: Final = 6
"""Steps that share one bar of ends: bars narrower than this cannot be told apart."""

_FIRST_WIDTH_MS: Final = 125
"""Doubled as often as needed, it gives bars of 12, 24 or 48 seconds and so on."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Ends for one reason in one stretch of time."""

    start: int
    """Unix milliseconds."""
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The plot's numbers. Times are unix milliseconds."""

    first: int
    last: int
    step_width: int
    steps: list[Step]
    bar_width: int
    bars: list[Bar]
    """In order of time, then reason."""
    lanes: list[Lane]
    lost: dict[str, int]
    """Losses of the key of each lane."""

    @property
    def reasons(self) -> list[str]:
        """Reasons that occur."""
        return sorted({bar.reason for bar in self.bars})

    def facts(self) -> dict[str, Any]:
        """What a picture of this has to show, as JSON values: kept in the file's metadata."""
        return {
            "first": self.first,
            "last": self.last,
            "live_at_most": max((s.keyed + s.keyless for s in self.steps), default=0),
            "ends": {
                reason: sum(bar.count for bar in self.bars if bar.reason == reason)
                for reason in self.reasons
            },
            "bars": len(self.bars),
            "lanes": [
                {
                    "key": lane.key,
                    "lost": self.lost[lane.key],
                    "stretches": len(lane.stretches),
                    "ends": {
                        reason: sum(n for (_, r), n in lane.ends.items() if r == reason)
                        for reason in sorted({reason for _, reason in lane.ends})
                    },
                }
                for lane in self.lanes
            ],
        }


def gather(report: ChurnReport, read: Callable[[Watcher], object]) -> Picture | None:
    """Read the trace twice more, for the curve and for the lanes, in bounded memory.

    Args:
        report: of the same trace; it says which keys get a lane.
        read: reads the trace from its beginning and tells the watcher.

    Returns:
        None where the trace has no event with a time.
    """
    if report.first_wall is None or report.last_wall is None:
        return None
    timeline = Timeline(_FIRST_WIDTH_MS, limit=_STEPS)
    read(timeline)
    worst = report.worst_keys(LANES)
    lanes = Lanes([key.key for key in worst], timeline.width)
    if worst:
        read(lanes)
    bar_width = timeline.width * _STEPS_PER_BAR
    steps = timeline.steps()
    return Picture(
        first=report.first_wall,
        last=report.last_wall,
        step_width=timeline.width,
        steps=steps,
        bar_width=bar_width,
        bars=_bars(steps, bar_width),
        lanes=lanes.finish(report.last_wall),
        lost={key.key: key.lost for key in worst},
    )


def _bars(steps: list[Step], width: int) -> list[Bar]:
    counts: dict[tuple[int, str], int] = {}
    for step in steps:
        for reason, count in step.reasons.items():
            place = (step.start - step.start % width, reason)
            counts[place] = counts.get(place, 0) + count
    return [Bar(start, reason, count) for (start, reason), count in sorted(counts.items())]
