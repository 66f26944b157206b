"""Chance in the village: seeded, and the same on every Python."""

import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Dice"]

_T = TypeVar("_T")


class Dice:
    """Draws from ``random.Random(seed).random()`` alone, the one method whose stream is promised.

    What the library derives from it (``choice``, ``shuffle``, ``randint``) may change between
    versions of Python, and with it every file of a run.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        return self._random.random() < p

    def below(self, n: int) -> int:
        """A whole number from 0 up to but not including ``n``."""
        return int(self._random.random() * n)

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self._random.random()

    def pick(self, items: Sequence[_T]) -> _T:
        """One of ``items``, which may not be empty."""
        return items[self.below(len(items))]
