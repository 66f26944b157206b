"""What a standing intention does in one sweep: the deliberator's word to the ladder."""

from dataclasses import dataclass

from mindot.game.frame import Command

__all__ = ["IntentionMove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentionMove:
    """One character's intention, as it stands in this sweep.

    ``acts`` false is a hold: the plan waits and nothing but ``episode`` is told of it.
    """

    episode: str
    """Id of the intention."""
    acts: bool
    over_order: bool = False
    """The step breaks a standing order, and ``line`` is said aloud."""
    desire: str = ""
    evidence: str = ""
    plan: tuple[str, ...] = ()
    step: int = 0
    subject: str | None = None
    """Lower-cased; None for the player."""
    target: str | None = None
    target_handle: int | None = None
    line: str | None = None
    commands: tuple[Command, ...] = ()
