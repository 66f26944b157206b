"""Facets over time in a bounded number of steps, however long the trace.

The width of a step doubles whenever there would be too many, so a trace of a minute and one of a
year both come out readable.
"""

from dataclasses import dataclass
from typing import Final

__all__ = ["Step", "Timeline"]

_SPAWNS, _ENDS, _LOSSES = 4, 5, 6
_NOTHING: Final = (0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What happened in one stretch of time."""

    start: int
    """Unix milliseconds."""
    keyed: int
    """Keyed facets alive at the fullest moment of the step."""
    keyless: int
    """Keyless ones at that same moment."""
    keyed_after: int
    """Keyed facets alive when the step is over, and until the next one."""
    keyless_after: int
    spawns: int
    ends: int
    losses: int
    """Ends in this step that turned out to be losses."""
    reasons: dict[str, int]
    """Ends by reason."""


class Timeline:
    """A watcher that sums events up by their wall time, in steps of equal width.

    A step keeps its fullest moment, as many facets live shorter than any step. Events may come out
    of order (files of several hosts): the level between steps stays right, and the fullest moment
    is that of the order in which they came.
    """

    def __init__(self, width: int, *, limit: int) -> None:
        """Steps of ``width`` milliseconds to begin with, at most ``limit`` from first to last."""
        self.width = width
        """Width of a step in milliseconds now."""
        self._limit = limit
        # by step number: change of keyed and keyless over the step, the same at its fullest
        # moment, spawns, ends, losses
        self._cells: dict[int, list[int]] = {}
        self._reasons: dict[tuple[int, str], int] = {}
        self._first = self._last = 0
        self._keyed = self._keyless = 0

    def spawned(self, wall: int, key: str | None) -> None:
        self._cell(wall)[_SPAWNS] += 1

    def ended(self, wall: int, reason: str, key: str | None) -> None:
        self._cell(wall)[_ENDS] += 1
        place = (wall // self.width, reason)
        self._reasons[place] = self._reasons.get(place, 0) + 1

    def level(self, wall: int, keyed: int, keyless: int) -> None:
        cell = self._cell(wall)
        cell[0] += keyed - self._keyed
        cell[1] += keyless - self._keyless
        self._keyed, self._keyless = keyed, keyless
        if cell[0] + cell[1] > cell[2] + cell[3]:
            cell[2], cell[3] = cell[0], cell[1]

    def lost(self, wall: int) -> None:
        self._cell(wall)[_LOSSES] += 1

    def steps(self) -> list[Step]:
        """The steps in order of time; those in which nothing happened are left out."""
        reasons: dict[int, dict[str, int]] = {}
        for (number, reason), count in sorted(self._reasons.items()):
            reasons.setdefault(number, {})[reason] = count
        found: list[Step] = []
        keyed = keyless = 0
        for number, cell in sorted(self._cells.items()):
            found.append(
                Step(
                    start=number * self.width,
                    keyed=keyed + cell[2],
                    keyless=keyless + cell[3],
                    keyed_after=keyed + cell[0],
                    keyless_after=keyless + cell[1],
                    spawns=cell[_SPAWNS],
                    ends=cell[_ENDS],
                    losses=cell[_LOSSES],
                    reasons=reasons.get(number, {}),
                )
            )
            keyed, keyless = found[-1].keyed_after, found[-1].keyless_after
        return found

    def _cell(self, wall: int) -> list[int]:
        number = wall // self.width
        cell = self._cells.get(number)
        if cell is None:
            while self._cells and not self._fits(number):
                self._halve()
                number = wall // self.width
            self._first = min(self._first, number) if self._cells else number
            self._last = max(self._last, number) if self._cells else number
            cell = self._cells.setdefault(number, list(_NOTHING))
        return cell

    def _fits(self, number: int) -> bool:
        return max(self._last, number) - min(self._first, number) < self._limit

    def _halve(self) -> None:
        self.width *= 2
        self._first //= 2
        self._last //= 2
        cells: dict[int, list[int]] = {}
        for number, cell in sorted(self._cells.items()):
            first = cells.setdefault(number // 2, list(_NOTHING))
            keyed, keyless = first[0] + cell[2], first[1] + cell[3]
            if keyed + keyless > first[2] + first[3]:
                first[2], first[3] = keyed, keyless
            for place in (0, 1, _SPAWNS, _ENDS, _LOSSES):
                first[place] += cell[place]
        reasons: dict[tuple[int, str], int] = {}
        for (number, reason), count in self._reasons.items():
            halved = (number // 2, reason)
            reasons[halved] = reasons.get(halved, 0) + count
        self._cells, self._reasons = cells, reasons
