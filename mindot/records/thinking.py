"""A character's thoughts as the trace tells them: those that did not come, and what is left of the
allowances of calls and tokens."""

import math
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mindot.records.fields import JOIN_SECONDS, SLACK, text_in
from mindot.records.promises import NEEDLE as PROMISE
from mindot.records.promises import PromiseStory, blocks_with, name_in, promise_stories
from mindot.records.reader import judge

__all__ = ["Budget", "FailedThought", "Standing", "Thinking", "read_mind"]

Budget: TypeAlias = dict[str, dict[str, Any]]
"""By period (``minute``, ``day``) what was used and what is allowed, with the trace's names."""

_TYPE: Final = "executive.facet.response"
_RESPONSE: Final = _TYPE.encode()
_NEEDLES: Final = (b'"error"', b'"budget"')
"""One of them stands in each line that tells something of thoughts."""
_WALL_TIME: Final = b'"wallTime"'
_WALL: Final = re.compile(_WALL_TIME + rb"[ \t]*:[ \t]*(-?\d{1,18})[ \t]*[,}]")
_ROUNDING: Final = 0.005 + SLACK
"""A receipt's time has two decimals, a trace's three: at one moment the former may be less."""


class FailedThought(NamedTuple):
    """A thought that did not come."""

    at: float
    """When that was known, unix seconds."""
    error: str
    """The failure's name."""
    detail: str | None
    """What was seen of it."""
    tick: int | None
    """The mind's own count of sweeps."""

    def to_json(self) -> dict[str, Any]:
        """As the commands print it."""
        return {"error": self.error, "detail": self.detail, "at": self.at, "tick": self.tick}


class Standing(NamedTuple):
    """What a character had used of its allowances."""

    at: float
    """When it was written down, unix seconds."""
    budget: Budget


class Thinking:
    """What is known of one character's thoughts at the times that are asked for.

    Nothing else is kept, however much the rows tell. They are given to :meth:`take`, in whatever
    order; of two of the same time the later given counts as the newer.
    """

    def __init__(self, name: str, times: Iterable[float]) -> None:
        """For the character ``name``, in any case, and the ``times`` of its receipts, the only
        ones that may be asked for."""
        self._key = name.lower()
        self._needle = f'{self._key}"'.encode(errors="surrogatepass")
        self._times = sorted(set(times))
        self._known_by = [t + _ROUNDING for t in self._times]
        self._standings: dict[int, tuple[float, int, Budget]] = {}
        """By the first of the times at which it was known the newest: when it was written, and its
        place among the rows."""
        self._told: list[int] = []
        """The keys of that in their order."""
        self._failed: dict[float, tuple[tuple[float, float, int], FailedThought]] = {}
        """By time the failure nearest to it, with how it compares to others."""
        self._taken = 0

    def may_be_of(self, line: bytes) -> bool:
        """Whether a line may name the character.

        A name is surely another where its letters are not found, unless the line holds an escape
        or a letter beyond ASCII, which may stand for one of them.
        """
        return self._needle in line.lower() or b"\\" in line or not line.isascii()

    def may_concern(self, line: bytes, place: int = 0) -> bool:
        """Whether a line is worth decoding: not surely of another type, somebody else's, or of a
        time at which it does not matter to those asked for.

        Args:
            place: its place among the rows.
        """
        wall = _WALL.search(line)
        # Where the word stands once and nothing is escaped, no other time can be the row's.
        if wall is not None and line.count(_WALL_TIME) == 1 and b"\\" not in line:
            at = int(wall[1]) / 1000.0
            if not self._is_newer(at, place) and not (b'"error"' in line and self._times_near(at)):
                return False
        return _RESPONSE in line and self.may_be_of(line)

    def take(self, row: Mapping[str, Any]) -> None:
        """Note what a row tells. Another's row, one of another type and wrong values tell
        nothing."""
        self._taken += 1
        self._take(row, self._taken)

    def take_lines(self, lines: Sequence[bytes]) -> None:
        """Note what the rows in lines tell; most of the lines are not decoded."""
        self._taken += len(lines)
        # From the last on: of the rows between two of the times it is mostly the only one needed.
        for place, line in zip(range(self._taken, 0, -1), reversed(lines), strict=False):
            if self.may_concern(line, place):
                row, _, _ = judge(line)
                if row is not None:
                    self._take(row, place)

    def failure_near(self, t: float) -> FailedThought | None:
        """The thought that did not come nearest to ``t``, if that was shortly before or after.

        Of two as near the later one: a row that asks is told of what came of it.
        """
        found = self._failed.get(t)
        return found[1] if found is not None else None

    def standing_at(self, t: float) -> Standing | None:
        """The newest standing known at ``t``."""
        place = bisect_left(self._told, bisect_right(self._times, t))
        if not place:
            return None
        at, _, budget = self._standings[self._told[place - 1]]
        return Standing(at, budget)

    def _take(self, row: Mapping[str, Any], place: int) -> None:
        mind, at = row.get("mind"), _seconds(row.get("wallTime"))
        if row.get("type") != _TYPE or not isinstance(mind, str) or at is None:
            return
        if name_in(mind).lower() != self._key:
            return
        if error := text_in(row.get("error")):
            tick = row.get("tick")
            known = tick if isinstance(tick, int) and not isinstance(tick, bool) else None
            self._fail(FailedThought(at, error, text_in(row.get("detail")), known), place)
        if (budget := _budget(row.get("budget"))) and self._is_newer(at, place):
            first = bisect_left(self._known_by, at)
            if first not in self._standings:
                insort(self._told, first)
            self._standings[first] = at, place, budget

    def _fail(self, failed: FailedThought, place: int) -> None:
        for t in self._times_near(failed.at):
            rank = (-abs(failed.at - t), failed.at, place)
            if t not in self._failed or self._failed[t][0] < rank:
                self._failed[t] = rank, failed

    def _is_newer(self, at: float, place: int) -> bool:
        """Whether a standing then would be the newest at one of the times."""
        first = bisect_left(self._known_by, at)
        if first == len(self._known_by):
            return False
        known = self._standings.get(first)
        return known is None or known[:2] < (at, place)

    def _times_near(self, at: float) -> list[float]:
        first = bisect_left(self._times, at - JOIN_SECONDS - SLACK)
        last = bisect_right(self._times, at + JOIN_SECONDS + SLACK)
        return self._times[first:last]


def read_mind(
    directory: Path, name: str, times: Iterable[float]
) -> tuple[list[PromiseStory], Thinking]:
    """The promises and, at these times, the thoughts of one character (any case), in one pass over
    the traces.

    Raises:
        OSError: a trace cannot be read.
    """
    thinking = Thinking(name, times)
    promises: list[Mapping[str, Any]] = []
    for lines in blocks_with(directory, PROMISE, *_NEEDLES):
        thinking.take_lines(lines)
        for line in lines:
            if PROMISE in line and thinking.may_be_of(line):
                row, _, _ = judge(line)
                if (
                    row is not None
                    and name_in(text_in(row.get("mind")) or "").lower() == name.lower()
                ):
                    promises.append(row)
    return promise_stories(promises), thinking


def _budget(value: object) -> Budget:
    """The periods in a row's budget with their plain values; empty where it holds none."""
    if not isinstance(value, dict):
        return {}
    return {
        period: {field: v for field, v in used.items() if not isinstance(v, list | dict)}
        for period, used in value.items()
        if isinstance(used, dict)
    }


def _seconds(milliseconds: object) -> float | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    try:
        seconds = milliseconds / 1000.0
    except OverflowError:  # an integer beyond every float
        return None
    return seconds if math.isfinite(seconds) else None
