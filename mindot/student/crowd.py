"""A frame's characters as columns: everything a sweep reads of them, read once."""

from collections.abc import Mapping
from itertools import chain, repeat
from operator import methodcaller
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindot.game.frame import PLAYER, Frame
from mindot.student.neighbourhood import RIM, Neighbourhood

__all__ = ["GIVEN", "Crowd"]

Floats = NDArray[np.float64]

_TRUSTED: Final = 0.3
"""Trust from which somebody is an ally."""
_NAN: Final = float("nan")
_NEEDS: Final = ("food", "rest", "company", "safety")
_values: Final = methodcaller("values")

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
"""What a character says of itself, in the order in which it is read."""


class Crowd:
    """The characters of a frame, in its order.

    One pass touches each of them; what comes after works on columns and lists. In a crowd of
    thousands that is what keeps the processor from waiting for memory.
    """

    def __init__(self, frame: Frame) -> None:
        """``frame`` has at least one character."""
        self.n = len(frame.characters)
        self.names: list[str] = []
        self.keys: list[str] = []
        self.archetypes: list[str] = []
        self.living: list[bool] = []
        self._trusts: list[Mapping[str, float]] = []
        self.given = self._read(frame)
        """Columns by name: what each character says of itself, unscaled."""
        self.index = {key: i for i, key in enumerate(self.keys)}
        self.given["unmet_need"] = _strongest_need(frame, self.given)
        self.x = np.clip(np.nan_to_num(self.given["x"]), -RIM, RIM)
        self.y = np.clip(np.nan_to_num(self.given["y"]), -RIM, RIM)
        self.neighbourhood = Neighbourhood(self.x, self.y)

    def _read(self, frame: Frame) -> dict[str, Floats]:
        flat: list[float] = []
        for c in frame.characters:
            needs, traits, archetype = c.needs, c.traits, c.archetype
            self.names.append(c.name)
            self.keys.append(c.key)
            self.archetypes.append(archetype)
            self.living.append(c.alive)
            self._trusts.append(c.trust)
            flat += (
                c.x,
                c.y,
                c.energy,
                c.sleep_pressure,
                c.stress,
                c.hurt,
                len(needs),
                needs.get("food", _NAN),
                needs.get("rest", _NAN),
                needs.get("company", _NAN),
                needs.get("safety", _NAN),
                traits.get("brave", 0.5),
                traits.get("warm", 0.5),
                traits.get("temper", 0.5),
                traits.get("dutiful", 0.5),
                traits.get("curious", 0.5),
                c.trust.get(PLAYER, _NAN),
                c.on_duty,
                c.scheduled is not None,
                c.scheduled is not None and c.scheduled == c.station,
                c.task == "open",
                c.task == "paused",
                c.customer,
                c.order is not None,
                c.lease is not None,
                archetype == "guard",
                archetype == "child",
            )
        values = np.fromiter(flat, np.float64, len(flat))
        table = values.reshape(self.n, len(GIVEN)).T.copy()
        return dict(zip(GIVEN, table, strict=True))

    def bonds(self) -> tuple[Floats, Floats]:
        """For each character, how many of those around it knows, and how many of them it trusts."""
        # one entry for each bond, laid out flat: whose it is, whom it is with, and how strong
        a = np.repeat(np.arange(self.n), [len(trust) for trust in self._trusts])
        names = chain.from_iterable(self._trusts)
        b = np.fromiter(map(self.index.get, names, repeat(-1)), np.int64, len(a))
        values = chain.from_iterable(map(_values, self._trusts))
        strength = np.fromiter(values, np.float64, len(a))
        here = (b >= 0) & (b != a)
        a, b, strength = a[here], b[here], strength[here]
        near = self.neighbourhood.together(a, b).astype(np.float64)
        allies = near * (strength >= _TRUSTED)
        return (
            np.bincount(a, weights=near, minlength=self.n).astype(np.float64),
            np.bincount(a, weights=allies, minlength=self.n).astype(np.float64),
        )


def _strongest_need(frame: Frame, given: dict[str, Floats]) -> Floats:
    """The greatest need of each; the known four go by columns, a game's own one by one."""
    known = np.array([given[f"need_{need}"] for need in _NEEDS])
    strongest = np.fmax.reduce(np.vstack([known, np.zeros(known.shape[1])]))
    further = given["needs"] > (~np.isnan(known)).sum(axis=0)
    for i in np.flatnonzero(further).tolist():
        strongest[i] = max(strongest[i], *frame.characters[i].needs.values())
    return np.asarray(strongest, dtype=np.float64)
