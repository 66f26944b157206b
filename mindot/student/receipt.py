"""The reflex receipt of a row, its fields always in the same order."""

from collections.abc import Sequence
from typing import Any, Final

from mindot.game.contract import FEATURES, RECORD_VERSION
from mindot.game.frame import Character, Command, Frame
from mindot.game.moves import IntentionMove
from mindot.student.rows import Dilemma
from mindot.student.scores import Scores, by_action

__all__ = ["ReceiptBook"]

_PLAN_ACTED: Final = ("intention", "intention-over-order")
_NOBODY_ELSE: Final = "self"
"""The target of a step that needs nobody and no place: to acknowledge, to flee."""


class ReceiptBook:
    """The receipts of one sweep, ready to be written as JSON."""

    def __init__(self, frame: Frame, names: Sequence[str], scores: Scores, tau: float) -> None:
        """``names``: of the frame's characters, in its order."""
        self._frame, self._names, self._scores, self._tau = frame, names, scores, tau
        self._t = round(frame.t, 2)

    def calm(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """The receipts of characters that nothing stands for or against; the bulk of a sweep."""
        receipts = self._always(indices, "calm")
        for receipt in receipts:
            mask = self._scores.mask(receipt["npc"], receipt["probs"])
            if mask is not None:
                receipt["mask"] = mask
        return receipts

    def of(
        self,
        i: int,
        served: str,
        *,
        move: IntentionMove | None,
        dilemma: Dilemma | None,
        commands: tuple[Command, ...],
    ) -> dict[str, Any]:
        """The receipt of character ``i``, with everything that its tier has to tell."""
        character = self._frame.characters[i]
        (receipt,) = self._always((i,), served)
        if served != "calm":
            receipt["features"] = dict(zip(FEATURES, self._scores.features(i), strict=True))
        episode = _episode(served, character, move)
        if episode is not None:
            receipt["episode"] = episode
        mask = self._scores.mask(i, receipt["probs"])
        if mask is not None:
            receipt["mask"] = mask
        if move is not None and served in _PLAN_ACTED:
            _tell_step(receipt, move)
        if dilemma is not None:
            receipt["top2"] = [list(pair) for pair in dilemma.top2]
            receipt["tup"] = dilemma.tup
            receipt["why"] = dilemma.why
        if commands:
            receipt["cmds"] = [c.to_json() for c in commands]
        return receipt

    def _always(self, indices: Sequence[int], served: str) -> list[dict[str, Any]]:
        """What every receipt has."""
        scores, names, tau, t = self._scores, self._names, self._tau, self._t
        world, tab = self._frame.world, self._frame.tab
        action, conf, probabilities = scores.action, scores.conf, scores.probabilities
        return [
            {
                "v": RECORD_VERSION,
                "t": t,
                "world": world,
                "tab": tab,
                "npc": i,
                "name": names[i],
                "served": served,
                "action": action[i],
                "conf": conf[i],
                "tau": tau,
                "probs": by_action(probabilities[i]),
            }
            for i in indices
        ]


def _episode(served: str, character: Character, move: IntentionMove | None) -> str | None:
    # an intention under a scene is told only while the scene leaves the character to it
    if move is not None and served != "recast":
        return move.episode
    return None if character.lease is None else f"cast:{character.lease.role}"


def _tell_step(receipt: dict[str, Any], move: IntentionMove) -> None:
    receipt["desire"] = move.desire
    receipt["evidence"] = move.evidence
    receipt["plan"] = list(move.plan)
    receipt["step"] = move.step
    if move.subject is not None:
        receipt["subject"] = move.subject
    receipt["target"] = _NOBODY_ELSE if move.target is None else move.target
    if move.target_handle is not None:
        receipt["target_handle"] = move.target_handle
