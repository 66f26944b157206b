"""LW4001: a character stays undecided again and again, and no intention ever comes of it.

Counted are a character's rows of the unsure tiers since its last intention row, as far as they lie
within a sliding window of record time. More of them than the threshold is starvation. One alert a
spell: the next one needs an intention row first, or a whole window in which the count did not
stand above the threshold. The count stands above it until so many rows have left the window as
are above it, not only up to the last row.
"""

from collections import Counter, deque
from dataclasses import asdict, dataclass
from typing import Any, Final

from mindot.game.contract import UNSURE_TIERS

__all__ = ["CODE", "STARVE_AFTER", "STARVE_WINDOW_S", "StarvationAlert", "StarvationWatch"]

CODE: Final = "LW4001"
STARVE_AFTER: Final = 30
"""Unsure rows that are still in order."""
STARVE_WINDOW_S: Final = 600.0
"""Seconds of record time over which they are counted."""


@dataclass(frozen=True, slots=True)
class StarvationAlert:
    """One character, at the moment the count went above the threshold."""

    name: str
    count: int
    since: float
    """Time of the first row counted, unix seconds."""
    tiers: dict[str, int]
    """The rows counted, by tier."""

    def to_json(self) -> dict[str, Any]:
        return {"alert": CODE, **asdict(self)}


class StarvationWatch:
    """Sees rows in the order of the record and says when a character starves."""

    def __init__(self, after: int = STARVE_AFTER, window_s: float = STARVE_WINDOW_S) -> None:
        if after < 0:
            raise ValueError(f"after must be at least 0, got {after!r}")
        if not window_s > 0:
            raise ValueError(f"window_s must be above 0 seconds, got {window_s!r}")
        self._after = after
        self._window = window_s
        self._spells: dict[str, _Spell] = {}

    def see(self, name: str, served: str, t: float) -> StarvationAlert | None:
        """Take in one row; only unsure and intention tiers have a say."""
        if served.startswith("intention"):
            self._spells.pop(name.lower(), None)
            return None
        if served not in UNSURE_TIERS:
            return None
        spell = self._spells.setdefault(name.lower(), _Spell())
        spell.add(t, served, self._window)
        if len(spell.rows) <= self._after:
            return None
        above_until = spell.above_until
        # The row whose leaving brings the count back to the threshold.
        spell.above_until = spell.rows[-1 - self._after][0] + self._window
        if above_until is not None and t - above_until <= self._window:
            return None
        tiers = Counter(tier for _, tier in spell.rows)
        return StarvationAlert(name, len(spell.rows), spell.rows[0][0], dict(tiers))


class _Spell:
    """The unsure rows of one character since its last intention."""

    __slots__ = ("above_until", "rows")

    def __init__(self) -> None:
        self.rows: deque[tuple[float, str]] = deque()
        self.above_until: float | None = None
        """When the count, with the rows so far, last stands above the threshold."""

    def add(self, t: float, tier: str, window: float) -> None:
        rows = self.rows
        if rows and t < rows[-1][0] - window:
            # The clock went back by more than a window: another run's rows follow in this file.
            rows.clear()
            self.above_until = None
        while rows and t - rows[0][0] > window:
            rows.popleft()
        rows.append((t, tier))
