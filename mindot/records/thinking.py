"""A character's thoughts as the trace tells them: those that did not come, and what is left of the
allowances of calls and tokens."""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mindot.records.fields import JOIN_SECONDS, SLACK
from mindot.records.promises import NEEDLE as PROMISE
from mindot.records.promises import PromiseStory, lines_with, promise_stories
from mindot.records.reader import judge

__all__ = ["Budget", "FailedThought", "Standing", "Thinking", "read_mind"]

Budget: TypeAlias = dict[str, dict[str, Any]]
"""By period (``minute``, ``day``) what was used and what is allowed, with the trace's names."""

_TYPE: Final = "executive.facet.response"
_RESPONSE: Final = _TYPE.encode()
_NEEDLES: Final = (b'"error"', b'"budget"')
"""One of them stands in each line that tells something of thoughts."""
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


_by_time: Final = attrgetter("at")


class Thinking:
    """What is known of one character's thoughts, and what of it held at a time.

    Rows are given to :meth:`take`, in whatever order; of two of the same time the later given
    counts as the newer.
    """

    def __init__(self, name: str) -> None:
        """For the character ``name``, in any case."""
        self._key = name.lower()
        self._needle = f'{self._key}"'.encode(errors="surrogatepass")
        self._failed: list[FailedThought] = []
        self._standings: list[Standing] = []

    def may_concern(self, line: bytes) -> bool:
        """Whether a line is worth decoding, or surely of another type or somebody else's.

        A name is surely another where its letters are not found, unless the line holds an escape
        or a letter beyond ASCII, which may stand for one of them.
        """
        return _RESPONSE in line and (
            self._needle in line.lower() or b"\\" in line or not line.isascii()
        )

    def take(self, row: Mapping[str, Any]) -> None:
        """Note what a row tells. Another's row, one of another type and wrong values tell
        nothing."""
        mind, at = row.get("mind"), _seconds(row.get("wallTime"))
        if row.get("type") != _TYPE or not isinstance(mind, str) or at is None:
            return
        if mind.rpartition(":")[2].lower() != self._key:
            return
        if error := _text(row.get("error")):
            tick = row.get("tick")
            known = tick if isinstance(tick, int) and not isinstance(tick, bool) else None
            failed = FailedThought(at, error, _text(row.get("detail")), known)
            insort(self._failed, failed, key=_by_time)
        if budget := _budget(row.get("budget")):
            insort(self._standings, Standing(at, budget), key=_by_time)

    def failure_near(self, t: float) -> FailedThought | None:
        """The thought that did not come nearest to ``t``, if that was shortly before or after.

        Of two as near the later one: a row that asks is told of what came of it.
        """
        first = bisect_left(self._failed, t - JOIN_SECONDS - SLACK, key=_by_time)
        last = bisect_right(self._failed, t + JOIN_SECONDS + SLACK, key=_by_time)
        near = self._failed[first:last]
        return min(reversed(near), key=lambda failed: abs(failed.at - t), default=None)

    def standing_at(self, t: float) -> Standing | None:
        """The newest standing known at ``t``."""
        place = bisect_right(self._standings, t + _ROUNDING, key=_by_time)
        return self._standings[place - 1] if place else None


def read_mind(directory: Path, name: str) -> tuple[list[PromiseStory], Thinking]:
    """The promises and the thoughts of one character (any case), in one pass over the traces.

    Raises:
        OSError: a trace cannot be read.
    """
    thinking = Thinking(name)
    promises: list[Mapping[str, Any]] = []
    for line in lines_with(directory, PROMISE, *_NEEDLES):
        of_promise = PROMISE in line
        if of_promise or thinking.may_concern(line):
            row, _, _ = judge(line)
            if row is not None:
                thinking.take(row)
                if of_promise:
                    promises.append(row)
    stories = [story for story in promise_stories(promises) if story.name == name.lower()]
    return stories, thinking


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


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
