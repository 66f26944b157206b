"""The ladder: which part of the brain has the say, decided from what is passed in.

From the top rung down: a scene that puts its actor back into the pose, a standing intention, a
verdict of the mind, a sure reflex, and at the bottom the dilemma. The first rung that applies
serves the row. Everything here is a pure function of its arguments.
"""

from dataclasses import dataclass
from typing import Final

from mindot.game.moves import IntentionMove

__all__ = ["DEBOUNCE_SECONDS", "TAU", "LadderSettings", "dilemma_tier", "settled_tier"]

TAU: Final = 0.85
"""How sure the head has to be before its reflex counts as a decision."""

DEBOUNCE_SECONDS: Final = 10.0
"""For this long the same dilemma is not put to the mind again; some five sweeps of the village."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderSettings:
    """What a host may turn on the ladder."""

    tau: float = TAU
    debounce_s: float = DEBOUNCE_SECONDS
    verdict_fresh_s: float | None = None
    """Seconds for which a parked verdict is fresh; None: for the two sweeps after it."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.tau <= 1.0:
            raise ValueError(f"tau is {self.tau!r}; give a probability from 0 to 1")
        if not self.debounce_s >= 0.0:
            raise ValueError(f"debounce_s is {self.debounce_s!r}; give seconds, 0 or more")
        if self.verdict_fresh_s is not None and not self.verdict_fresh_s >= 0.0:
            raise ValueError(
                f"verdict_fresh_s is {self.verdict_fresh_s!r}; give seconds, 0 or more, or None"
            )


def settled_tier(
    *,
    recast: bool,
    move: IntentionMove | None,
    verdict: bool,
    sure: bool,
    calm: bool,
    off_station: bool,
    bound: bool,
) -> str | None:
    """The tier of a row that needs no dilemma settled, or None when it comes to one.

    ``recast``: a scene's pose has to be put on again. ``move``: the standing intention, if any.
    ``verdict``: a fresh one is parked. ``sure``: the head is at tau or above; ``calm``: what it
    leans to needs no deed. ``off_station``: the day wants the character where it is not.
    ``bound``: an order or a lease stands against what the head leans to.
    """
    if recast:
        return "recast"
    if move is not None:
        if not move.acts:
            return "intention-hold"
        return "intention-over-order" if move.over_order else "intention"
    if verdict:
        return "llm-verdict"
    if not sure:
        return None
    if calm:
        return "routine" if off_station else "calm"
    return "held" if bound else "emitted"


def dilemma_tier(*, both_calm: bool, asked: bool) -> str:
    """The tier of an undecided row: settled on the spot, still being asked, or asked now.

    ``both_calm``: neither of the two best actions needs a deed. ``asked``: the same dilemma was
    put to the mind within the debounce window.
    """
    if both_calm:
        return "quiet-dilemma"
    return "escalation-held" if asked else "escalated"
