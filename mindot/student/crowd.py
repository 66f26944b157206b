"""A frame's characters as columns, and who is around whom."""

from collections.abc import Sequence
from itertools import chain, repeat
from operator import methodcaller
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindot.game.frame import PLAYER, Character, Frame

__all__ = ["GIVEN", "RIM", "Crowd"]

Floats = NDArray[np.float64]

RIM: Final = 8.0e6
"""Game units beyond which a position is taken to be on the rim, so that a wild one stays one."""
_CELL: Final = 8.0
"""Edge of a neighbourhood cell: who stands in one's own or an adjoining cell is around."""
_LAST_CELL: Final = int(RIM / _CELL)
_TRUSTED: Final = 0.3
"""Trust from which somebody is an ally."""
_NAN: Final = float("nan")
_values: Final = methodcaller("values")
_NEEDS: Final = ("food", "rest", "company", "safety")

GIVEN: Final = (
    "x",
    "y",
    "energy",
    "sleep",
    "stress",
    "hurt",
    "needs",
    "need_food",
    "need_rest",
    "need_company",
    "need_safety",
    "brave",
    "warm",
    "temper",
    "dutiful",
    "curious",
    "player_trust",
    "on_duty",
    "scheduled",
    "at_station",
    "task_open",
    "task_paused",
    "customer_waiting",
    "has_command",
    "lease_held",
    "guard",
    "child",
)
"""What a character says of itself, in the order in which :func:`_read` reads it."""


class Crowd:
    """A frame's characters as columns, and how much of something is around each of them."""

    def __init__(self, frame: Frame) -> None:
        people = frame.characters
        self._people = people
        self.n = len(people)
        self.keys = [c.name.lower() for c in people]
        self.index = {k: i for i, k in enumerate(self.keys)}
        self.given = _read(people)
        """Columns by name: what each character says of itself, unscaled."""
        self.given["unmet_need"] = _strongest_need(people, self.given)
        self.x = np.clip(np.nan_to_num(self.given["x"]), -RIM, RIM)
        self.y = np.clip(np.nan_to_num(self.given["y"]), -RIM, RIM)
        self._ix, self._iy = _cell(self.x), _cell(self.y)
        self._cells, self._of = np.unique(self._id(self._ix, self._iy), return_inverse=True)
        self._neighbours = [
            self._find(self._ix + dx, self._iy + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
        ]

    @staticmethod
    def _id(ix: NDArray[np.int64], iy: NDArray[np.int64]) -> NDArray[np.int64]:
        return ix * np.int64(4 * _LAST_CELL) + iy

    def _find(
        self, ix: NDArray[np.int64], iy: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        wanted = self._id(ix, iy)
        at = np.minimum(np.searchsorted(self._cells, wanted), len(self._cells) - 1)
        return at, self._cells[at] == wanted

    def around(self, weight: Floats) -> Floats:
        """The sum of ``weight`` over everybody around, the character's own left out."""
        per_cell = _count(self._of, weight, len(self._cells))
        total = -weight
        for at, there in self._neighbours:
            total = total + np.where(there, per_cell[at], 0.0)
        return total

    def _together(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For pairs of indices: whether the two are around each other."""
        dx, dy = self._ix[a] - self._ix[b], self._iy[a] - self._iy[b]
        near: NDArray[np.bool_] = np.maximum(np.abs(dx), np.abs(dy)) <= 1
        return near

    def bonds(self) -> tuple[Floats, Floats]:
        """For each character, how many of those around it knows, and how many of them it trusts."""
        n, trusts = self.n, [c.trust for c in self._people]
        # one entry for each bond, laid out flat: whose it is, whom it is with, and how strong
        a = np.repeat(np.arange(n), [len(trust) for trust in trusts])
        names = chain.from_iterable(trusts)
        b = np.array(list(map(self.index.get, names, repeat(-1))), dtype=np.int64)
        strength = np.array(list(chain.from_iterable(map(_values, trusts))), dtype=np.float64)
        here = (b >= 0) & (b != a)
        a, b, strength = a[here], b[here], strength[here]
        near = self._together(a, b).astype(np.float64)
        allies = near * (strength >= _TRUSTED)
        return _count(a, near, n), _count(a, allies, n)


def _count(at: NDArray[np.int64], weight: Floats, n: int) -> Floats:
    return np.bincount(at, weights=weight, minlength=n).astype(np.float64)


def _cell(v: Floats) -> NDArray[np.int64]:
    return np.floor(v / _CELL).astype(np.int64)


def _read(people: Sequence[Character]) -> dict[str, Floats]:
    """Everything that a character says of itself, read in one pass."""
    flat: list[float] = []
    for c in people:
        needs, traits = c.needs.get, c.traits.get
        flat += (
            c.x,
            c.y,
            c.energy,
            c.sleep_pressure,
            c.stress,
            c.hurt,
            len(c.needs),
            needs("food", _NAN),
            needs("rest", _NAN),
            needs("company", _NAN),
            needs("safety", _NAN),
            traits("brave", 0.5),
            traits("warm", 0.5),
            traits("temper", 0.5),
            traits("dutiful", 0.5),
            traits("curious", 0.5),
            c.trust.get(PLAYER, _NAN),
            c.on_duty,
            c.scheduled is not None,
            c.scheduled is not None and c.scheduled == c.station,
            c.task == "open",
            c.task == "paused",
            c.customer,
            c.order is not None,
            c.lease is not None,
            c.archetype == "guard",
            c.archetype == "child",
        )
    table = np.array(flat, dtype=np.float64).reshape(len(people), len(GIVEN)).T.copy()
    return dict(zip(GIVEN, table, strict=True))


def _strongest_need(people: Sequence[Character], given: dict[str, Floats]) -> Floats:
    """The greatest need of each; the known four go by columns, a game's own one by one."""
    known = np.array([given[f"need_{need}"] for need in _NEEDS])
    strongest = np.fmax.reduce(np.vstack([known, np.zeros(len(people))]))
    further = given["needs"] > (~np.isnan(known)).sum(axis=0)
    for i in np.flatnonzero(further).tolist():
        strongest[i] = max(strongest[i], *people[i].needs.values())
    return np.asarray(strongest, dtype=np.float64)
