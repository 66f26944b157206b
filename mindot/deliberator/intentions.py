"""An intention: a plan that somebody has made their own, and how far it has come."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from mindot.deliberator.operators import Operator
from mindot.deliberator.wake import Wake, WakeClass

__all__ = ["SUCCESSORS", "AdvanceWhy", "Intention", "IntentionError", "IntentionState"]


class IntentionState(StrEnum):
    """Where in its life an intention is."""

    STANDING = "standing"
    DONE = "done"
    SWAPPED = "swapped"
    STOOD_DOWN = "stood-down"


SUCCESSORS: Final[Mapping[IntentionState, frozenset[IntentionState]]] = {
    IntentionState.STANDING: frozenset(
        {IntentionState.DONE, IntentionState.SWAPPED, IntentionState.STOOD_DOWN}
    ),
    IntentionState.DONE: frozenset(),
    IntentionState.SWAPPED: frozenset(),
    IntentionState.STOOD_DOWN: frozenset(),
}
"""What may follow what. An intention that has ended stays ended."""


class AdvanceWhy(StrEnum):
    """Why a plan moved on."""

    FIRES = "fires"
    TTL = "ttl"
    BIND_SKIP = "bind-skip"
    NEVER_BLOCKED = "never-blocked"


class IntentionError(Exception):
    """An intention was asked to go where it cannot: backwards, or back to life."""

    def __init__(self, intention_id: str, problem: str) -> None:
        self.intention_id = intention_id
        self.problem = problem
        super().__init__(f"intention {intention_id!r}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intention:
    """A plan in the course of being carried out. Its methods give the next value of it."""

    id: str
    wake: Wake
    steps: tuple[Operator, ...]
    """The operators themselves, so that laws that are reloaded change no plan under way."""
    began: float
    """unix seconds"""
    because: str = ""
    """Why this plan: the mind's words, or the law and how its plan scored."""
    cursor: int = 0
    since: float = 0.0
    """When the present step's turn came, unix seconds."""
    not_before: float = 0.0
    """The present step does not fire earlier, unix seconds."""
    announced: bool = False
    """The present step's waiting is on record."""
    served: bool = False
    """Some step has served the wake's need, or reached whom the promise was made to."""
    state: IntentionState = IntentionState.STANDING

    @property
    def plan(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)

    @property
    def step(self) -> Operator:
        """The operator whose turn it is."""
        return self.steps[self.cursor]

    @property
    def at_last_step(self) -> bool:
        return self.cursor == len(self.steps) - 1

    @property
    def owes_a_promise(self) -> bool:
        """Whether there is a promise to somebody behind it that no step has kept."""
        wake = self.wake
        promised = wake.cls is WakeClass.UNDERTAKING and wake.subject is not None
        return promised and not self.served

    def advanced(self, t: float, *, pause_s: float = 0.0) -> "Intention":
        """The plan with the next step's turn come, which fires after a pause at the earliest.

        The last step has no next: :meth:`ended`.
        """
        if self.state is not IntentionState.STANDING:
            raise IntentionError(self.id, f"is {self.state.value} and goes nowhere any more")
        if self.at_last_step:
            raise IntentionError(self.id, "is at its last step; end it instead")
        return replace(
            self, cursor=self.cursor + 1, since=t, not_before=t + pause_s, announced=False
        )

    def as_of(self, t: float) -> "Intention":
        """The same plan at a time before its step's turn came: a game went back to a save.

        What the plan has behind it stays; its present step's time begins anew.
        """
        return replace(self, since=t, not_before=t) if t < self.since else self

    def ended(self, state: IntentionState) -> "Intention":
        """The intention at its end. Raises :class:`IntentionError` when it has ended before."""
        if state not in SUCCESSORS[self.state]:
            raise IntentionError(self.id, f"cannot become {state.value}: it is {self.state.value}")
        return replace(self, state=state)

    def having_announced(self) -> "Intention":
        return replace(self, announced=True)

    def having_served(self) -> "Intention":
        return replace(self, served=True)
