"""What the manifests leave of the head's leanings."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import ACTIONS
from mindot.game.manifest import Manifest, manifest_of
from mindot.student.features import DECIMALS

__all__ = ["ManifestMask"]

Floats = NDArray[np.float64]


class ManifestMask:
    """The manifests as columns to strike out, worked out once for each archetype."""

    def __init__(self, manifests: Mapping[str, Manifest]) -> None:
        self._manifests = manifests
        self._rows: dict[str, int] = {}
        self._table = np.zeros((0, len(ACTIONS)), dtype=np.bool_)
        self._barred: list[tuple[str, ...]] = []
        self._allowed: list[tuple[str, ...]] = []

    def rows(self, archetypes: Sequence[str]) -> NDArray[np.int64]:
        """For each archetype the number of its manifest, good for the other methods."""
        for archetype in dict.fromkeys(archetypes):
            if archetype not in self._rows:
                self._add(archetype)
        return np.fromiter(map(self._rows.__getitem__, archetypes), np.int64, len(archetypes))

    def _add(self, archetype: str) -> None:
        manifest = manifest_of(self._manifests, archetype)
        allowed = np.array([manifest.allows(a) for a in ACTIONS])
        self._rows[archetype] = len(self._table)
        self._table = np.vstack([self._table, allowed])
        self._allowed.append(tuple(a for a in ACTIONS if manifest.allows(a)))
        self._barred.append(tuple(a for a in ACTIONS if not manifest.allows(a)))

    def allowed(self, row: int) -> tuple[str, ...]:
        """The actions that manifest number ``row`` grants, in the head's order."""
        return self._allowed[row]

    def barred(self, row: int) -> tuple[str, ...]:
        """The actions that it takes away."""
        return self._barred[row]

    def apply(self, probabilities: Floats, rows: NDArray[np.int64]) -> Floats:
        """The probabilities with barred actions at 0 and the rest back to a sum of 1, rounded.

        Where the head leaned to nothing but barred actions, the granted ones share evenly.
        """
        granted = self._table.T[:, rows]
        kept = probabilities.T * granted
        total = _sum_down(kept)
        lost = total <= 0.0
        if lost.any():
            kept[:, lost] = granted[:, lost]
            total = _sum_down(kept)
        return (kept / total).round(DECIMALS).T

    def took(self, probabilities: Floats, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each character, whether a barred action had any probability at all."""
        barred = ~self._table.T[:, rows] & (probabilities.T > 0.0)
        return np.asarray(barred.any(axis=0), dtype=np.bool_)


def _sum_down(columns: Floats) -> Floats:
    """The sum over the first axis, one addition after the other."""
    total = np.zeros(columns.shape[1])
    for row in columns:
        total += row
    return total
