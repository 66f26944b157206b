"""What the churn plot shows, as plain numbers: worked out here, drawn elsewhere.

A test can compare these with the report without looking at a picture.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from cognition.facet_counts import EndReason
from mindot.records.churn import ChurnReport, Watcher
from mindot.records.lanes import Lane, Lanes
from mindot.records.timeline import Step, Timeline

__all__ = ["OTHER", "OWN_REASONS", "Bar", "Picture", "gather"]

OWN_REASONS: Final = tuple(map(str, EndReason))
"""Reasons that always have a look of their own."""

OTHER: Final = "other"
"""All other minds' reasons together, but for the commonest."""

_COMMONEST: Final = 2
"""How many of those are kept apart: as many as a reader can tell from one another."""

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
        """Reasons that occur: mindot's own, then others by how common they are, ``other`` last."""
        counts: Counter[str] = Counter()
        for bar in self.bars:
            counts[bar.reason] += bar.count
        own = [reason for reason in OWN_REASONS if reason in counts]
        named = [reason for reason in counts if reason not in (*OWN_REASONS, OTHER)]
        named.sort(key=lambda reason: (-counts[reason], reason))
        return [*own, *named, *([OTHER] if OTHER in counts else [])]

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
    shown = _shown(steps)
    finished = lanes.finish(report.last_wall)
    for lane in finished:
        lane.ends = _summed(lane.ends.items(), shown)
    return Picture(
        first=report.first_wall,
        last=report.last_wall,
        step_width=timeline.width,
        steps=steps,
        bar_width=bar_width,
        bars=_bars(steps, bar_width, shown),
        lanes=finished,
        lost={key.key: key.lost for key in worst},
    )


def _shown(steps: list[Step]) -> set[str]:
    """The reasons that are kept apart."""
    counts: Counter[str] = Counter()
    for step in steps:
        counts.update(step.reasons)
    others = [reason for reason in counts if reason not in (*OWN_REASONS, OTHER)]
    others.sort(key=lambda reason: (-counts[reason], reason))
    return {*OWN_REASONS, *others[:_COMMONEST]}


def _summed(
    ends: Iterable[tuple[tuple[int, str], int]], shown: set[str]
) -> dict[tuple[int, str], int]:
    counts: dict[tuple[int, str], int] = {}
    for (start, reason), count in ends:
        place = (start, reason if reason in shown else OTHER)
        counts[place] = counts.get(place, 0) + count
    return counts


def _bars(steps: list[Step], width: int, shown: set[str]) -> list[Bar]:
    ends = (
        ((step.start - step.start % width, reason), count)
        for step in steps
        for reason, count in step.reasons.items()
    )
    return [Bar(*place, count) for place, count in sorted(_summed(ends, shown).items())]
