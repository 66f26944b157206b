"""The reflex receipt of a row, its fields always in the same order."""

from typing import Any, Final

from mindot.game.contract import FEATURES, RECORD_VERSION
from mindot.game.frame import Character, Command, Frame
from mindot.game.moves import IntentionMove
from mindot.student.rows import Dilemma
from mindot.student.scores import Scores

__all__ = ["ReceiptBook"]

_PLAN_ACTED: Final = ("intention", "intention-over-order")


class ReceiptBook:
    """The receipts of one sweep, ready to be written as JSON."""

    def __init__(self, frame: Frame, scores: Scores, tau: float) -> None:
        self._frame, self._scores, self._tau = frame, scores, tau
        self._t = round(frame.t, 2)

    def calm(self, i: int) -> dict[str, Any]:
        """The receipt of a character that nothing stands for or against."""
        receipt = self._head(i, "calm")
        mask = self._scores.masked(i, receipt["probs"])
        if mask is not None:
            receipt["mask"] = mask
        return receipt

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
        receipt = self._head(i, served)
        if served != "calm":
            receipt["features"] = dict(zip(FEATURES, self._scores.features(i), strict=True))
        episode = _episode(served, character, move)
        if episode is not None:
            receipt["episode"] = episode
        mask = self._scores.masked(i, receipt["probs"])
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

    def _head(self, i: int, served: str) -> dict[str, Any]:
        return {
            "v": RECORD_VERSION,
            "t": self._t,
            "world": self._frame.world,
            "tab": self._frame.tab,
            "npc": i,
            "name": self._frame.characters[i].name,
            "served": served,
            "action": self._scores.action(i),
            "conf": self._scores.conf(i),
            "tau": self._tau,
            "probs": self._scores.probabilities(i),
        }


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
    if move.target is not None:
        receipt["target"] = move.target
    if move.target_handle is not None:
        receipt["target_handle"] = move.target_handle
