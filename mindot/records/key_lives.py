"""What became of one key: how often its facet came to life, ended, and was missed.

There may be hundreds of thousands of keys in a trace, so a key's account is small, and stays small
however often its facet comes and goes.
"""

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from random import Random
from typing import Final

__all__ = ["EXACT_LIVES", "KeyLives", "median_life"]

EXACT_LIVES: Final = 512
"""Lives of one key that are kept exactly.

Past them the median is that of an unbiased sample of this size: its rank is off by about 2 %.
"""

_SEED: Final = 0
"""What a sample keeps must be the same in every run over the same files, and must not depend on
what became of other keys."""


class KeyLives:
    """One key in one mind, told of its facet's spawns and ends in the order of the trace."""

    __slots__ = (
        "_chance",
        "_other_ends",
        "crowd",
        "ended_reason",
        "ended_tick",
        "ended_wall",
        "explicit",
        "idle",
        "idle_pause",
        "lives",
        "lives_beyond",
        "longest_gap",
        "lost_idle",
        "lost_lru",
        "lru",
        "resumed",
        "spawns",
    )

    def __init__(self) -> None:
        self.spawns = 0
        self.explicit = 0
        self.idle = 0
        self.lru = 0
        self._other_ends: dict[str, int] | None = None
        self.resumed = 0
        """Spawns that followed an end within the resume window, whatever the end's reason."""
        self.lost_idle = 0
        """Idle ends that were losses: the key was back within the resume window."""
        self.lost_lru = 0
        """Evictions that were losses."""
        self.longest_gap: int | None = None
        """Longest time from an end to its re-spawn in ticks; None: it never came back."""
        self.idle_pause = 0
        """Longest such time in ticks among the idle ends that were losses."""
        self.crowd = 0
        """Most facets alive when this one was pushed out, itself counted; 0: not known."""
        self.ended_reason = ""
        """Reason of an end that no spawn has followed yet; empty while there is none."""
        self.ended_tick: int | None = None
        self.ended_wall: int | None = None
        """Wall time of that end in unix milliseconds."""
        self.lives: array[float] | None = None
        """Lengths of life in ticks: all of them, or a sample."""
        self.lives_beyond = 0
        """Lives seen since ``lives`` is full, and so only a sample."""
        self._chance: Random | None = None
        """Decides what the sample keeps."""

    @property
    def lost(self) -> int:
        """Ends that were losses."""
        return self.lost_idle + self.lost_lru

    def spawned(self, tick: int | None, window: int) -> bool:
        """Take in a spawn; true when it shows that the last end was a loss.

        ``window`` is how many ticks after its end a key still counts as the same conversation.
        Where a tick is None, not known, it is not told to be a loss.
        """
        self.spawns += 1
        reason = self.ended_reason
        if not reason:
            return False
        self.ended_reason = ""
        if tick is None or self.ended_tick is None:
            return False
        gap = tick - self.ended_tick
        if gap < 0:  # the mind's ticks began anew: how long it was away is not known
            return False
        if self.longest_gap is None or gap > self.longest_gap:
            self.longest_gap = gap
        if gap > window:
            return False
        self.resumed += 1
        if reason == "lru":
            self.lost_lru += 1
            return True
        if reason == "idle":
            self.lost_idle += 1
            self.idle_pause = max(self.idle_pause, gap)
            return True
        return False

    def ended(
        self,
        reason: str,
        tick: int | None,
        wall: int | None,
        ticks: int | None,
    ) -> None:
        """Take in an end.

        Args:
            reason: why it ended.
            tick: when, on the mind's clock; None where that is not known.
            wall: when, in unix milliseconds.
            ticks: length of the life; None where it is not known.
        """
        if reason == "explicit":
            self.explicit += 1
        elif reason == "idle":
            self.idle += 1
        elif reason == "lru":
            self.lru += 1
        else:
            if self._other_ends is None:
                self._other_ends = {}
            self._other_ends[reason] = self._other_ends.get(reason, 0) + 1
        self.ended_reason = reason
        self.ended_tick = tick
        self.ended_wall = wall
        if ticks is None or ticks < 0:  # the mind's ticks began anew: that is no length
            return
        lives = self.lives
        if lives is None:
            self.lives = array("d", (ticks,))
        elif len(lives) < EXACT_LIVES:
            lives.append(ticks)
        else:
            self.lives_beyond += 1
            if self._chance is None:
                self._chance = Random(_SEED)
            place = int(self._chance.random() * (EXACT_LIVES + self.lives_beyond))
            if place < EXACT_LIVES:
                lives[place] = ticks

    def crowded(self, left: object) -> None:
        """Take in how many facets the row of an eviction says were left after it."""
        if type(left) is int and left >= self.crowd:
            self.crowd = left + 1

    def ends(self) -> dict[str, int]:
        """Ends by reason, without the reasons that did not occur."""
        found = {}
        if self.explicit:
            found["explicit"] = self.explicit
        if self.idle:
            found["idle"] = self.idle
        if self.lru:
            found["lru"] = self.lru
        if self._other_ends is not None:
            found.update(sorted(self._other_ends.items()))
        return found


def median_life(accounts: Sequence[KeyLives]) -> tuple[float | None, bool]:
    """Median life in ticks over the accounts of one key, and whether it is exact.

    None where no life was seen from its beginning to its end.
    """
    seen = [account for account in accounts if account.lives]
    if not seen:
        return None, True
    if not any(account.lives_beyond for account in seen):
        every = sorted(chain.from_iterable(account.lives or () for account in seen))
        middle = len(every) // 2
        if len(every) % 2:
            return _plain(every[middle]), True
        return _plain((every[middle - 1] + every[middle]) / 2), True
    weighted = sorted(
        (ticks, 1 + account.lives_beyond / len(account.lives or ()))
        for account in seen
        for ticks in account.lives or ()
    )
    half = sum(weight for _, weight in weighted) / 2
    passed = accumulate(weight for _, weight in weighted)
    middle = next(at for at, weight in enumerate(passed) if weight >= half)
    return _plain(weighted[middle][0]), False


def _plain(number: float) -> float:
    return int(number) if number == int(number) else number
