"""The vectorised half of a sweep: every character's inputs and leanings at once."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import ACTIONS, CALM_ACTIONS, FEATURES
from mindot.student.features import DECIMALS
from mindot.student.head import Head, HeadError
from mindot.student.mask import ManifestMask
from mindot.student.rows import Dilemma

__all__ = ["Lean", "Scores", "by_action"]

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
        self._best: list[int] = best.tolist()
        self._second: list[int] = others.argmax(axis=1).tolist()
        self.probabilities: list[list[float]] = masked.tolist()
        """Of each character, the 16 in the order of ``ACTIONS``, masked and rounded."""
        self.action = [_NAMES[i] for i in self._best]
        """Of each character, the action with the highest probability."""
        self.conf: list[float] = masked[at, best].tolist()
        """Of each character, that probability."""
        self._manifest: list[int] = rows.tolist()
        self._rows: dict[int, list[float]] = {}
        lost = np.flatnonzero(mask.took(self._raw, rows))
        self._pre = dict(zip(lost.tolist(), self._raw[lost].tolist(), strict=True))

    def lean(self, i: int) -> Lean:
        best, second = self._best[i], self._second[i]
        calm = _CALM[best]
        return Lean(_NAMES[best], _NAMES[second], self.conf[i], calm, calm and _CALM[second])

    def content(self, tau: float) -> list[bool]:
        """For each character, whether the head is sure of a calm action and the day agrees.

        With nothing standing for or against it, such a character's row is ``calm``.
        """
        sure = np.array(self.conf) >= tau
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

    def mask(self, i: int, post: dict[str, float]) -> dict[str, object] | None:
        """What the manifest took from character ``i``, or None where nothing shows.

        ``post``: its probabilities as they are now.
        """
        pre = self._pre.get(i)
        if pre is None:
            return None
        return {
            "pre": by_action(pre),
            "post": post.copy(),
            "masked": list(self._mask.barred(self._manifest[i])),
        }

    def allows(self, i: int, verb: str) -> bool:
        return verb in self._mask.allowed(self._manifest[i])

    def dilemma(self, i: int, tup: str) -> Dilemma:
        """What character ``i`` is torn between, with the reason why it is."""
        best, second = self._best[i], self._second[i]
        first, other = self.probabilities[i][best], self.probabilities[i][second]
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


def by_action(row: Sequence[float]) -> dict[str, float]:
    """Sixteen numbers, in the order of ``ACTIONS``, by their actions.

    Spelled out, since a dict of known keys is made almost three times as fast as one from pairs,
    and a sweep makes one or two for every character.
    """
    (
        stay,
        watch,
        idle_social,
        greet_approach,
        serve,
        warn_say,
        investigate,
        flee,
        confront,
        call_help,
        claim_task,
        resume_task,
        complain,
        demand,
        guard_player,
        go_station,
    ) = row
    return {
        "stay": stay,
        "watch": watch,
        "idle_social": idle_social,
        "greet_approach": greet_approach,
        "serve": serve,
        "warn_say": warn_say,
        "investigate": investigate,
        "flee": flee,
        "confront": confront,
        "call_help": call_help,
        "claim_task": claim_task,
        "resume_task": resume_task,
        "complain": complain,
        "demand": demand,
        "guard_player": guard_player,
        "go_station": go_station,
    }
