"""The vectorised half of a sweep: every character's inputs and leanings at once."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import ACTIONS, CALM_ACTIONS, FEATURES
from mindot.student.features import DECIMALS
from mindot.student.head import Head, HeadError
from mindot.student.mask import ManifestMask
from mindot.student.rows import Dilemma

__all__ = ["Lean", "Scores"]

Floats = NDArray[np.float64]

_NAMES: Final = tuple(ACTIONS)
_CALM: Final = tuple(a in CALM_ACTIONS for a in _NAMES)
_OFF_STATION: Final = FEATURES.index("off_station")
_LEASE_HELD: Final = FEATURES.index("lease_held")
_CLOSE_CALL: Final = 0.1
"""A lead below this makes a dilemma a close call."""


class Lean(NamedTuple):
    """What the head leans to with one character."""

    action: str
    runner_up: str
    conf: float
    calm: bool
    both_calm: bool

    @property
    def pair(self) -> tuple[str, str]:
        return self.action, self.runner_up


class Scores:
    """The head's answer to a frame, masked and rounded before anything is compared.

    Ties go to the action that comes first in ``ACTIONS``.
    """

    def __init__(self, features: Floats, head: Head, mask: ManifestMask, rows: NDArray[np.int64]):
        """``rows``: the number of each character's manifest in ``mask``.

        Raises :class:`HeadError` when the head's answer has the wrong shape.
        """
        raw = head.probabilities(features)
        if raw.shape != (len(features), len(_NAMES)):
            raise HeadError(
                f"the head answered with shape {raw.shape!r} to {len(features)} characters; "
                f"give ({len(features)}, {len(_NAMES)})"
            )
        masked = mask.apply(raw, rows)
        at = np.arange(len(masked))
        best = masked.argmax(axis=1)
        others = masked.copy()
        others[at, best] = -1.0
        self._features, self._mask = features, mask
        self._raw = raw.round(DECIMALS)
        self._masked = masked.tolist()
        self._best: list[int] = best.tolist()
        self._second: list[int] = others.argmax(axis=1).tolist()
        self._conf: list[float] = masked[at, best].tolist()
        self._manifest: list[int] = rows.tolist()
        self._rows: dict[int, list[float]] = {}
        lost = np.flatnonzero(mask.took(self._raw, rows))
        self._pre = dict(zip(lost.tolist(), self._raw[lost].tolist(), strict=True))

    def action(self, i: int) -> str:
        """The action with the highest probability."""
        return _NAMES[self._best[i]]

    def conf(self, i: int) -> float:
        """That probability."""
        return self._conf[i]

    def lean(self, i: int) -> Lean:
        best, second = self._best[i], self._second[i]
        calm = _CALM[best]
        return Lean(_NAMES[best], _NAMES[second], self._conf[i], calm, calm and _CALM[second])

    def content(self, tau: float) -> list[bool]:
        """For each character, whether the head is sure of a calm action and the day agrees.

        With nothing standing for or against it, such a character's row is ``calm``.
        """
        sure = np.array(self._conf) >= tau
        calm = np.array(_CALM)[self._best] if self._best else np.zeros(0, dtype=np.bool_)
        off, leased = self._features[:, _OFF_STATION], self._features[:, _LEASE_HELD]
        content = sure & calm & (off == 0.0) & (leased == 0.0)
        # the others' inputs will be read one by one, and out of an array that is slow
        open_ = np.flatnonzero(~content)
        self._rows = dict(zip(open_.tolist(), self._features[open_].tolist(), strict=True))
        told: list[bool] = content.tolist()
        return told

    def features(self, i: int) -> list[float]:
        """The 43 inputs of character ``i``."""
        row = self._rows.get(i)
        if row is None:
            row = self._rows[i] = self._features[i].tolist()
        return row

    def probabilities(self, i: int) -> dict[str, float]:
        """The 16 probabilities of character ``i`` by action, masked and rounded."""
        return dict(zip(_NAMES, self._masked[i], strict=True))

    def masked(self, i: int, post: dict[str, float]) -> dict[str, object] | None:
        """What the manifest took from character ``i``, or None where nothing shows.

        ``post``: its probabilities as they are now.
        """
        pre = self._pre.get(i)
        if pre is None:
            return None
        return {
            "pre": dict(zip(_NAMES, pre, strict=True)),
            "post": post.copy(),
            "masked": list(self._mask.barred(self._manifest[i])),
        }

    def allows(self, i: int, verb: str) -> bool:
        return verb in self._mask.allowed(self._manifest[i])

    def dilemma(self, i: int, tup: str) -> Dilemma:
        """What character ``i`` is torn between, with the reason why it is."""
        best, second = self._best[i], self._second[i]
        first, other = self._masked[i][best], self._masked[i][second]
        if int(self._raw[i].argmax()) != best:
            why = "masked"
        else:
            lead = round(first - other, DECIMALS)
            why = "close-call" if lead < _CLOSE_CALL else "below-tau"
        return Dilemma(
            tup,
            ((_NAMES[best], first), (_NAMES[second], other)),
            why,
            self._mask.allowed(self._manifest[i]),
        )
