"""The situation as one training string: keys sorted, values coarse, nobody named."""

from collections.abc import Callable, Sequence
from typing import Final

from mindot.game.contract import FEATURES

__all__ = ["situation_tuple"]

Inputs = Sequence[float]

_NEEDS: Final = ("food", "rest", "company", "safety")
_PRESSING: Final = 0.5
"""A need from which the string names it."""

_AT: Final = {name: i for i, name in enumerate(FEATURES)}


def situation_tuple(archetype: str, features: Inputs) -> str:
    """``key=value`` pairs joined by ``|``, from the 43 inputs of one character.

    Values are quantised, so that like situations give the same string. An archetype's own
    ``|`` and ``=`` become ``_``.
    """
    arch = archetype.replace("|", "_").replace("=", "_")
    values = [prefix + read(features) for prefix, read in _PARTS]
    values.insert(_ARCH_AT, f"arch={arch}")
    return "|".join(values)


def _flag(feature: str) -> Callable[[Inputs], str]:
    at = _AT[feature]
    return lambda features: "1" if features[at] >= 0.5 else "0"


def _level(feature: str) -> Callable[[Inputs], str]:
    at = _AT[feature]

    def read(features: Inputs) -> str:
        value = features[at]
        if value < 1 / 3:
            return "low"
        return "mid" if value < 2 / 3 else "high"

    return read


def _armed(features: Inputs) -> str:
    if not features[_AT["player_armed"]]:
        return "0"
    return "close" if features[_AT["armed_close"]] >= 0.5 else "far"


def _need(features: Inputs) -> str:
    pressing, pressure = "none", _PRESSING
    for need, at in _NEED_AT:
        # of equal ones the first of the four; at exactly the threshold a need is named
        if features[at] > pressure or (pressing == "none" and features[at] == pressure):
            pressing, pressure = need, features[at]
    return pressing


def _player(features: Inputs) -> str:
    if features[_AT["player_speaks"]]:
        return "speaks"
    if features[_AT["player_near"]]:
        return "near"
    return "far" if features[_AT["dist_n"]] < 1 else "away"


def _task(features: Inputs) -> str:
    if features[_AT["task_paused"]]:
        return "paused"
    return "open" if features[_AT["task_open"]] else "none"


_NEED_AT: Final = tuple((need, _AT[f"need_{need}"]) for need in _NEEDS)

_READERS: Final[dict[str, Callable[[Inputs], str]]] = {
    "alarm": _flag("alarm"),
    "armed": _armed,
    "assault": _flag("assault_seen"),
    "bound": _flag("has_command"),
    "cast": _flag("lease_held"),
    "child": _flag("child_near"),
    "client": _flag("customer_waiting"),
    "crowd": _level("crowd_n"),
    "duty": _flag("on_duty"),
    "grudge": _level("grudge"),
    "guard": _flag("guard_near"),
    "insult": _flag("insult_heard"),
    "need": _need,
    "night": _flag("night"),
    "player": _player,
    "stress": _level("stress_n"),
    "task": _task,
    "theft": _flag("theft_seen"),
    "tired": _level("sleep_n"),
    "trespass": _flag("trespass_seen"),
}
_PARTS: Final = tuple((f"{key}=", _READERS[key]) for key in sorted(_READERS))
_ARCH_AT: Final = sorted([*_READERS, "arch"]).index("arch")
