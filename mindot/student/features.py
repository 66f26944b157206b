"""What the reflex head gets to see: a frame as an array of 43 columns."""

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import FEATURES
from mindot.game.frame import PLAYER, Frame, name_key

__all__ = ["DECIMALS", "feature_matrix"]

DECIMALS: Final = 4
"""Places that features and probabilities are rounded to, before anything compares them."""

_REACH: Final = 40.0
"""Game units beyond which the player is out of reach."""
_NEAR: Final = 8.0
"""Game units within which the player counts as near."""
_CELL: Final = 8.0
"""Edge of a neighbourhood cell: who stands in one's own or an adjoining cell is around."""
_CROWD_FULL: Final = 8.0
"""So many others are a full crowd."""
_TRUSTED: Final = 0.3
"""Trust from which somebody is an ally."""
_FAR_CELL: Final = 1 << 20
"""Cells beyond this are folded into the rim, so that a wild position stays a position."""

_COLUMN: Final = {name: i for i, name in enumerate(FEATURES)}
_EVENT_COLUMNS: Final = {
    "theft": "theft_seen",
    "insult": "insult_heard",
    "assault": "assault_seen",
    "trespass": "trespass_seen",
    "alarm": "alarm",
}
_NEEDS: Final = ("food", "rest", "company", "safety")
_TRAITS: Final = ("brave", "warm", "temper", "dutiful", "curious")

Floats = NDArray[np.float64]


def feature_matrix(frame: Frame, grudges: Mapping[str, float]) -> Floats:
    """The 43 inputs of every character of a frame, in the order of ``FEATURES``.

    Shape (characters, 43), values 0..1 rounded to four decimals; a value that is no finite
    number reads as unremarkable. ``grudges`` holds the strongest open one by name key.
    Work grows with characters, their trusts and events, never with pairs of characters.
    """
    people = frame.characters
    out = np.zeros((len(people), len(FEATURES)))
    if not people:
        return out
    keys = [c.name.lower() for c in people]
    place = _Places(_column(c.x for c in people), _column(c.y for c in people))
    columns: dict[str, Floats] = {}
    columns |= _player_columns(frame, place, keys)
    columns |= _company_columns(frame, place, keys)
    columns |= _event_columns(frame, place, keys)
    columns |= _body_columns(frame)
    columns |= _duty_columns(frame)
    columns["grudge"] = _column(grudges.get(k, 0.0) for k in keys)
    columns["alarm"] = np.maximum(columns["alarm"], float(frame.alarm))
    columns["night"] = np.full(len(people), float(frame.night))
    columns["threat"] = _threat(columns)
    for name, column in columns.items():
        out[:, _COLUMN[name]] = column
    np.nan_to_num(out, copy=False, nan=0.0, posinf=1.0, neginf=0.0)
    np.clip(out, 0.0, 1.0, out=out)
    return out.round(DECIMALS)


def _column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=np.float64)


def _count(at: NDArray[np.int64], weight: Floats, n: int) -> Floats:
    return np.bincount(at, weights=weight, minlength=n).astype(np.float64)


class _Places:
    """Where everybody stands, and how much of something is around each of them."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self.x = np.nan_to_num(x, posinf=1e9, neginf=-1e9)
        self.y = np.nan_to_num(y, posinf=1e9, neginf=-1e9)
        self._ix, self._iy = _cell(self.x), _cell(self.y)
        self._cells, self._of = np.unique(self._id(self._ix, self._iy), return_inverse=True)
        self._neighbours = [
            self._find(self._ix + dx, self._iy + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
        ]

    @staticmethod
    def _id(ix: NDArray[np.int64], iy: NDArray[np.int64]) -> NDArray[np.int64]:
        return ix * np.int64(4 * _FAR_CELL) + iy

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

    def together(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For pairs of indices: whether the two are around each other."""
        dx, dy = self._ix[a] - self._ix[b], self._iy[a] - self._iy[b]
        near: NDArray[np.bool_] = np.maximum(np.abs(dx), np.abs(dy)) <= 1
        return near


def _cell(v: Floats) -> NDArray[np.int64]:
    return np.clip(np.floor(v / _CELL), -_FAR_CELL, _FAR_CELL).astype(np.int64)


def _player_columns(frame: Frame, place: _Places, keys: list[str]) -> dict[str, Floats]:
    n = len(keys)
    trust = _column(c.trust.get(PLAYER, np.nan) for c in frame.characters)
    known = ~np.isnan(trust)
    trust = np.clip(np.where(known, trust, 0.0), -1.0, 1.0)
    columns = {
        "dist_n": np.ones(n),
        "player_near": np.zeros(n),
        "player_armed": np.zeros(n),
        "armed_close": np.zeros(n),
        "player_speaks": np.zeros(n),
        "player_known": np.where(known, 0.5 + np.abs(trust) / 2, 0.0),
        "player_trust": (trust + 1.0) / 2,
    }
    player = frame.player
    if player is None:
        return columns
    dx, dy = place.x - player.x, place.y - player.y
    distance = np.nan_to_num(np.sqrt(dx * dx + dy * dy), nan=_REACH, posinf=_REACH)
    columns["dist_n"] = np.minimum(distance / _REACH, 1.0)
    columns["player_near"] = (distance <= _NEAR).astype(np.float64)
    if player.armed:
        columns["player_armed"] = np.ones(n)
        columns["armed_close"] = 1.0 - columns["dist_n"]
    if player.speaks_to is not None:
        spoken_to = name_key(player.speaks_to)
        columns["player_speaks"] = _column(float(k == spoken_to) for k in keys)
    return columns


def _company_columns(frame: Frame, place: _Places, keys: list[str]) -> dict[str, Floats]:
    people = frame.characters
    n = len(people)
    others = place.around(np.ones(n))
    index = {k: i for i, k in enumerate(keys)}
    bonds = [
        (i, index[who], trust)
        for i, c in enumerate(people)
        for who, trust in c.trust.items()
        if who in index
    ]
    known: Floats = np.zeros(n)
    allied: Floats = np.zeros(n)
    if bonds:
        a = np.array([bond[0] for bond in bonds], dtype=np.int64)
        b = np.array([bond[1] for bond in bonds], dtype=np.int64)
        near = (place.together(a, b) & (a != b)).astype(np.float64)
        known = _count(a, near, n)
        trusted = np.array([bond[2] >= _TRUSTED for bond in bonds], dtype=np.float64)
        allied = _count(a, near * trusted, n)
    guards = place.around(_column(float(c.archetype == "guard") for c in people))
    children = place.around(_column(float(c.archetype == "child") for c in people))
    return {
        "crowd_n": others / _CROWD_FULL,
        "ally_near": (allied > 0).astype(np.float64),
        "guard_near": (guards > 0).astype(np.float64),
        "child_near": (children > 0).astype(np.float64),
        "stranger_near": (others - known > 0).astype(np.float64),
    }


def _event_columns(frame: Frame, place: _Places, keys: list[str]) -> dict[str, Floats]:
    n = len(keys)
    index = {k: i for i, k in enumerate(keys)}
    columns = {name: np.zeros(n) for name in _EVENT_COLUMNS.values()}
    talking = np.zeros(n)
    for event in frame.events:
        column = _EVENT_COLUMNS.get(event.kind)
        if column is not None:
            for who in event.concerns:
                at = index.get(name_key(who))
                if at is not None:
                    columns[column][at] = 1.0
        elif event.kind in ("talk", "greeting"):
            at = index.get(name_key(event.actor))
            if at is not None:
                talking[at] = 1.0
    columns["others_talk"] = (place.around(talking) > 0).astype(np.float64)
    return columns


def _body_columns(frame: Frame) -> dict[str, Floats]:
    people = frame.characters
    columns = {
        "energy_n": np.nan_to_num(_column(c.energy for c in people), nan=100.0) / 100.0,
        "sleep_n": _column(c.sleep_pressure for c in people) / 100.0,
        "stress_n": _column(c.stress for c in people) / 100.0,
        "hurt": _column(c.hurt for c in people),
        "unmet_need": _column(max(c.needs.values(), default=0.0) for c in people),
    }
    for need in _NEEDS:
        columns[f"need_{need}"] = _column(c.needs.get(need, 0.0) for c in people)
    for trait in _TRAITS:
        columns[trait] = _column(c.traits.get(trait, 0.5) for c in people)
    return columns


def _duty_columns(frame: Frame) -> dict[str, Floats]:
    people = frame.characters
    wanted = [c.scheduled is not None for c in people]
    there = [c.scheduled is not None and c.scheduled == c.station for c in people]
    at, due = _column(map(float, there)), _column(map(float, wanted))
    return {
        "on_duty": _column(float(c.on_duty) for c in people),
        "at_station": at,
        "off_station": due - at,
        "task_open": _column(float(c.task == "open") for c in people),
        "task_paused": _column(float(c.task == "paused") for c in people),
        "customer_waiting": _column(float(c.customer) for c in people),
        "has_command": _column(float(c.order is not None) for c in people),
        "lease_held": _column(float(c.lease is not None) for c in people),
    }


def _threat(columns: Mapping[str, Floats]) -> Floats:
    safe = 1.0 - 0.6 * columns["armed_close"]
    for name, weight in (("assault_seen", 0.9), ("alarm", 0.7), ("trespass_seen", 0.3)):
        safe = safe * (1.0 - weight * columns[name])
    return 1.0 - safe
