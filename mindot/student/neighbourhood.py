"""Who is around whom, without comparing everybody with everybody."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["RIM", "Neighbourhood"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

RIM: Final = 8.0e6
"""Game units beyond which a position is taken to be on the rim, so that a wild one stays one."""

_CELL: Final = 8.0
"""Edge of a cell: who stands in one's own or an adjoining cell is around."""
_STRIDE: Final = 4 * int(RIM / _CELL)
"""Between the ids of cells that lie above each other; wider than the ground."""


class Neighbourhood:
    """Points on the ground, sorted into square cells.

    Work grows with the number of points alone, however close together they are.
    """

    def __init__(self, x: Floats, y: Floats) -> None:
        """``x``, ``y``: shape (n,), finite, within the rim; n is at least 1."""
        self._ix, self._iy = _cell(x), _cell(y)
        home = self._ix * np.int64(_STRIDE) + self._iy
        self._cells, self._of = np.unique(home, return_inverse=True)
        self._beside = [
            self._find(home + (dx * _STRIDE + dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
        ]

    def _find(self, wanted: Indices) -> tuple[Indices, NDArray[np.bool_]]:
        at = np.minimum(np.searchsorted(self._cells, wanted), len(self._cells) - 1)
        return at, self._cells[at] == wanted

    def around(self, weight: Floats) -> Floats:
        """For each point the sum of ``weight`` over all around it, its own left out."""
        per_cell = np.bincount(self._of, weights=weight, minlength=len(self._cells))
        total = -weight
        for at, there in self._beside:
            total = total + np.where(there, per_cell[at], 0.0)
        return total

    def together(self, a: Indices, b: Indices) -> NDArray[np.bool_]:
        """For pairs of points, given by index: whether they are around each other."""
        dx, dy = self._ix[a] - self._ix[b], self._iy[a] - self._iy[b]
        near: NDArray[np.bool_] = np.maximum(np.abs(dx), np.abs(dy)) <= 1
        return near


def _cell(v: Floats) -> Indices:
    return np.floor(v / _CELL).astype(np.int64)
