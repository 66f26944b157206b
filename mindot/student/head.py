"""The reflex head: 43 inputs in, 16 probabilities out, for a whole sweep at once."""

from collections.abc import Mapping
from math import factorial
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import ACTIONS, FEATURES
from mindot.student.weights import BIAS, SHARPNESS, WEIGHTS

__all__ = ["DefaultHead", "Head", "HeadError", "LinearHead", "softmax"]

Floats = NDArray[np.float64]

_LN2: Final = 0.6931471805599453
_SERIES: Final = tuple(1.0 / factorial(n) for n in range(11))
"""Taylor's coefficients; on [-ln2/2, ln2/2] they leave an error of some 1e-13."""
_FLOOR: Final = -700.0
"""Below it the exponential counts as this small, well before doubles lose digits."""


class HeadError(ValueError):
    """A head, or the table it is made of, does not fit the contract."""


class Head(Protocol):
    """Anything that leans: a hand-made table, or a trained student."""

    def probabilities(self, features: Floats) -> Floats:
        """Shape (n, 43) in, in the order of ``FEATURES``; shape (n, 16) out, as ``ACTIONS``.

        Each row of the answer is 0..1 and sums to 1. The same rows give the same bytes.
        """
        ...


class LinearHead:
    """A weighted sum for each action and a softmax over them.

    Sums run over the columns in one fixed order, one addition at a time, and the exponential is
    made of additions and multiplications alone: neither a BLAS nor the processor's own ``exp``
    has a say, so the answer is the same on every machine.
    """

    def __init__(
        self,
        weights: Mapping[str, Mapping[str, float]],
        bias: Mapping[str, float],
        *,
        sharpness: float = 1.0,
    ) -> None:
        """``weights``: action to feature to weight, sparse; ``bias``: action to its constant.

        ``sharpness`` multiplies every score. Raises :class:`HeadError` for a name that is no
        action or no feature.
        """
        for action, row in weights.items():
            _known(action, ACTIONS, "action")
            for feature in row:
                _known(feature, FEATURES, "feature")
        for action in bias:
            _known(action, ACTIONS, "action")
        self._bias = np.array([bias.get(a, 0.0) * sharpness for a in ACTIONS])
        # adding a zero changes no sum, so only what weighs something is kept
        self._terms = tuple(
            (a, f, weight * sharpness)
            for a, action in enumerate(ACTIONS)
            for f, feature in enumerate(FEATURES)
            if (weight := weights.get(action, {}).get(feature, 0.0))
        )

    def probabilities(self, features: Floats) -> Floats:
        """Raises :class:`HeadError` when ``features`` is not of shape (n, 43)."""
        if features.ndim != 2 or features.shape[1] != len(FEATURES):
            raise HeadError(f"features have shape {features.shape!r}; give (n, {len(FEATURES)})")
        # one row per action, so that each addition runs over contiguous memory
        scores = np.repeat(self._bias[:, None], len(features), axis=1)
        columns = np.ascontiguousarray(features.T)
        for a, f, weight in self._terms:
            scores[a] += weight * columns[f]
        return softmax(scores).T


def _known(name: str, names: object, what: str) -> None:
    if name not in names:  # type: ignore[operator]
        raise HeadError(f"{name!r} is no {what}; see mindot.game.contract")


def softmax(scores: Floats) -> Floats:
    """Scores of shape (actions, n) as probabilities over the first axis, the same everywhere."""
    powers = _exp(scores - scores.max(axis=0))
    total = np.zeros(scores.shape[1])
    for row in powers:
        total += row
    return powers / total


def _exp(x: Floats) -> Floats:
    """e to the x, for x from 0 down, by halving to a small remainder and a short series."""
    x = np.maximum(x, _FLOOR)
    halvings = np.floor(x / _LN2 + 0.5)
    rest = x - halvings * _LN2
    total = np.full_like(rest, _SERIES[-1])
    for coefficient in reversed(_SERIES[:-1]):
        total *= rest
        total += coefficient
    return np.ldexp(total, halvings.astype(np.int32))


class DefaultHead(LinearHead):
    """The head that comes with the product: the hand-set weights of ``student.weights``."""

    def __init__(self) -> None:
        super().__init__(WEIGHTS, BIAS, sharpness=SHARPNESS)
