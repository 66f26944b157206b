"""Stand-ins for testing what lives above the head."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import ACTIONS
from mindot.student.head import HeadError

__all__ = ["FixedHead"]

Floats = NDArray[np.float64]


class FixedHead:
    """A head that leans the way it is told, whatever it sees.

    One leaning is everybody's; of several the first is the first character's, and so on, the
    last also that of all who follow. What a leaning leaves of 1 goes to the other actions in
    equal parts. Raises ``HeadError`` for a name that is no action.
    """

    def __init__(self, *leanings: Mapping[str, float]) -> None:
        if not leanings:
            raise HeadError("a fixed head needs a leaning, such as {'stay': 1.0}")
        self._rows = np.array([_row(leaning) for leaning in leanings])
        self.seen: list[Floats] = []
        """The features it was given, sweep after sweep."""

    def probabilities(self, features: Floats) -> Floats:
        self.seen.append(features)
        at = np.minimum(np.arange(len(features)), len(self._rows) - 1)
        return self._rows[at]


def _row(leaning: Mapping[str, float]) -> Sequence[float]:
    unknown = [action for action in leaning if action not in ACTIONS]
    if unknown:
        raise HeadError(f"{unknown[0]!r} is no action; see mindot.game.contract")
    others = len(ACTIONS) - len(leaning)
    rest = max(0.0, 1.0 - sum(leaning.values())) / others if others else 0.0
    return [leaning.get(action, rest) for action in ACTIONS]
