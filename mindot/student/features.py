"""What the reflex head gets to see: a frame as an array of 43 columns."""

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import FEATURES
from mindot.game.frame import Frame, name_key
from mindot.student.crowd import GIVEN, Crowd
from mindot.student.neighbourhood import RIM

__all__ = ["DECIMALS", "feature_matrix", "features_of"]

DECIMALS: Final = 4
"""Places that features and probabilities are rounded to, before anything compares them."""

_REACH: Final = 40.0
"""Game units beyond which the player is out of reach."""
_NEAR: Final = 8.0
"""Game units within which the player counts as near."""
_CROWD_FULL: Final = 8.0
"""So many others are a full crowd."""

_ROW: Final = {name: i for i, name in enumerate(FEATURES)}
_EVENT_COLUMNS: Final = {
    "theft": "theft_seen",
    "insult": "insult_heard",
    "assault": "assault_seen",
    "trespass": "trespass_seen",
    "alarm": "alarm",
}
_SPEECH: Final = ("talk", "greeting")
_AS_GIVEN: Final = frozenset(FEATURES) - {"player_trust"}
"""Inputs that need no more than rounding."""

Floats = NDArray[np.float64]


def feature_matrix(frame: Frame, grudges: Mapping[str, float]) -> Floats:
    """The 43 inputs of every character of a frame, in the order of ``FEATURES``.

    Shape (characters, 43), values 0..1 rounded to four decimals; a value that is no finite
    number reads as unremarkable. ``grudges`` holds the strongest open one by name key.
    Work grows with characters, their trusts and events, never with pairs of characters.
    """
    if not frame.characters:
        return np.zeros((0, len(FEATURES)))
    return features_of(Crowd(frame), frame, grudges)


def features_of(crowd: Crowd, frame: Frame, grudges: Mapping[str, float]) -> Floats:
    """The same, of a frame whose characters were read already."""
    n = crowd.n
    # one row for each input, so that every step below runs over contiguous memory
    out = np.zeros((len(FEATURES), n))
    columns = _body_columns(crowd)
    columns |= _player_columns(frame, crowd)
    columns |= _company_columns(crowd)
    columns |= _event_columns(frame, crowd)
    columns["grudge"] = _column(grudges.get(k, 0.0) for k in crowd.keys) if grudges else np.zeros(n)
    columns["alarm"] = np.maximum(columns["alarm"], float(frame.alarm))
    columns["night"] = np.full(n, float(frame.night))
    columns["threat"] = _threat(columns)
    for name, column in columns.items():
        out[_ROW[name]] = column
    np.nan_to_num(out, copy=False, nan=0.0, posinf=1.0, neginf=0.0)
    np.clip(out, 0.0, 1.0, out=out)
    return out.round(DECIMALS).T


def _column(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _body_columns(crowd: Crowd) -> dict[str, Floats]:
    given = crowd.given
    columns: dict[str, Floats] = {name: given[name] for name in GIVEN if name in _AS_GIVEN}
    columns["unmet_need"] = given["unmet_need"]
    columns["energy_n"] = np.nan_to_num(given["energy"], nan=100.0) / 100.0
    columns["sleep_n"] = given["sleep"] / 100.0
    columns["stress_n"] = given["stress"] / 100.0
    columns["off_station"] = given["scheduled"] - given["at_station"]
    return columns


def _player_columns(frame: Frame, crowd: Crowd) -> dict[str, Floats]:
    n = crowd.n
    trust = crowd.given["player_trust"]
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
    there = np.clip([player.x, player.y], -RIM, RIM)
    dx, dy = crowd.x - there[0], crowd.y - there[1]
    distance = np.nan_to_num(np.sqrt(dx * dx + dy * dy), nan=_REACH)
    columns["dist_n"] = np.minimum(distance / _REACH, 1.0)
    columns["player_near"] = (distance <= _NEAR).astype(np.float64)
    if player.armed:
        columns["player_armed"] = np.ones(n)
        columns["armed_close"] = 1.0 - columns["dist_n"]
    if player.speaks_to is not None:
        spoken_to = crowd.index.get(name_key(player.speaks_to))
        if spoken_to is not None:
            columns["player_speaks"][spoken_to] = 1.0
    return columns


def _company_columns(crowd: Crowd) -> dict[str, Floats]:
    around = crowd.neighbourhood.around
    others = around(np.ones(crowd.n))
    known, allied = crowd.bonds()
    guards = around(crowd.given["guard"])
    children = around(crowd.given["child"])
    return {
        "crowd_n": others / _CROWD_FULL,
        "ally_near": (allied > 0).astype(np.float64),
        "guard_near": (guards > 0).astype(np.float64),
        "child_near": (children > 0).astype(np.float64),
        "stranger_near": (others - known > 0).astype(np.float64),
    }


def _event_columns(frame: Frame, crowd: Crowd) -> dict[str, Floats]:
    columns = {name: np.zeros(crowd.n) for name in _EVENT_COLUMNS.values()}
    talking = np.zeros(crowd.n)
    for event in frame.events:
        name = _EVENT_COLUMNS.get(event.kind)
        if name is not None:
            for who in event.concerns:
                at = crowd.index.get(name_key(who))
                if at is not None:
                    columns[name][at] = 1.0
        elif event.kind in _SPEECH:
            at = crowd.index.get(name_key(event.actor))
            if at is not None:
                talking[at] = 1.0
    columns["others_talk"] = (crowd.neighbourhood.around(talking) > 0).astype(np.float64)
    return columns


def _threat(columns: Mapping[str, Floats]) -> Floats:
    safe = 1.0 - 0.6 * columns["armed_close"]
    for name, weight in (("assault_seen", 0.9), ("alarm", 0.7), ("trespass_seen", 0.3)):
        safe = safe * (1.0 - weight * columns[name])
    return 1.0 - safe
