"""The lives of a few keys as stretches of time, for a picture with one lane a key."""

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Lane", "Lanes"]


@dataclass(slots=True)
class Lane:
    """One key: when its facet was alive, and where it ended."""

    key: str
    stretches: list[tuple[int, int]] = field(default_factory=list)
    """Start and end in unix milliseconds; lives closer than a step are drawn as one."""
    ends: dict[tuple[int, str], int] = field(default_factory=dict)
    """Ends by time (the beginning of the step, unix milliseconds) and reason."""
    alive: int = 0
    since: int = 0


class Lanes:
    """A watcher that follows the keys it is given and passes over all others."""

    def __init__(self, keys: Iterable[str], width: int) -> None:
        """Follow ``keys``, and merge what lies within ``width`` milliseconds."""
        self.lanes = {key: Lane(key) for key in keys}
        self._width = width

    def spawned(self, wall: int, key: str | None) -> None:
        lane = self.lanes.get(key) if key is not None else None
        if lane is None:
            return
        if lane.alive == 0:
            lane.since = wall
        lane.alive += 1

    def ended(self, wall: int, reason: str, key: str | None) -> None:
        lane = self.lanes.get(key) if key is not None else None
        if lane is None:
            return
        step = (wall - wall % self._width, reason)
        lane.ends[step] = lane.ends.get(step, 0) + 1
        if lane.alive:
            lane.alive -= 1
            if lane.alive == 0:
                self._close(lane, wall)

    def lost(self, wall: int) -> None:
        """Lanes show ends and lives; that an end was a loss shows in the life that follows."""

    def level(self, wall: int, keyed: int, keyless: int) -> None:
        """How many facets live is the timeline's business."""

    def finish(self, wall: int) -> list[Lane]:
        """The lanes in the order in which the keys were given; what is alive lasts to ``wall``."""
        for lane in self.lanes.values():
            if lane.alive:
                self._close(lane, wall)
        return list(self.lanes.values())

    def _close(self, lane: Lane, wall: int) -> None:
        if lane.stretches and lane.since - lane.stretches[-1][1] < self._width // 4:
            lane.stretches[-1] = (lane.stretches[-1][0], wall)
        else:
            lane.stretches.append((lane.since, wall))
