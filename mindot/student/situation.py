"""The situation as one training string: keys sorted, values coarse, nobody named."""

from collections.abc import Sequence
from typing import Final

from mindot.game.contract import FEATURES

__all__ = ["situation_tuple"]

_FLAGS: Final = {
    "alarm": "alarm",
    "assault": "assault_seen",
    "bound": "has_command",
    "cast": "lease_held",
    "child": "child_near",
    "client": "customer_waiting",
    "duty": "on_duty",
    "guard": "guard_near",
    "insult": "insult_heard",
    "night": "night",
    "theft": "theft_seen",
    "trespass": "trespass_seen",
}
"""Keys that are 0 or 1, and the inputs they come from."""
_LEVELS: Final = {"crowd": "crowd_n", "grudge": "grudge", "stress": "stress_n", "tired": "sleep_n"}
"""Keys that are low, mid or high."""
_NEEDS: Final = ("food", "rest", "company", "safety")
_PRESSING: Final = 0.5
"""A need from which the string names it."""

_AT: Final = {name: i for i, name in enumerate(FEATURES)}


def situation_tuple(archetype: str, features: Sequence[float]) -> str:
    """``key=value`` pairs joined by ``|``, from the 43 inputs of one character.

    Values are quantised, so that like situations give the same string. An archetype's own
    ``|`` and ``=`` become ``_``.
    """
    pairs = {"arch": archetype.replace("|", "_").replace("=", "_")}
    for key, feature in _FLAGS.items():
        pairs[key] = "1" if features[_AT[feature]] >= 0.5 else "0"
    for key, feature in _LEVELS.items():
        pairs[key] = _level(features[_AT[feature]])
    pairs["armed"] = _armed(features)
    pairs["need"] = _need(features)
    pairs["player"] = _player(features)
    pairs["task"] = _task(features)
    return "|".join(f"{key}={pairs[key]}" for key in sorted(pairs))


def _level(value: float) -> str:
    if value < 1 / 3:
        return "low"
    return "mid" if value < 2 / 3 else "high"


def _armed(features: Sequence[float]) -> str:
    if not features[_AT["player_armed"]]:
        return "0"
    return "close" if features[_AT["armed_close"]] >= 0.5 else "far"


def _need(features: Sequence[float]) -> str:
    pressing = max(_NEEDS, key=lambda need: features[_AT[f"need_{need}"]])
    return pressing if features[_AT[f"need_{pressing}"]] >= _PRESSING else "none"


def _player(features: Sequence[float]) -> str:
    if features[_AT["player_speaks"]]:
        return "speaks"
    if features[_AT["player_near"]]:
        return "near"
    return "far" if features[_AT["dist_n"]] < 1 else "away"


def _task(features: Sequence[float]) -> str:
    if features[_AT["task_paused"]]:
        return "paused"
    return "open" if features[_AT["task_open"]] else "none"
