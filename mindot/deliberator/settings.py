"""How a deliberator is tuned."""

from dataclasses import dataclass

__all__ = ["DeliberatorSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliberatorSettings:
    """Limits and thresholds. Scores and gravities are about 0..1."""

    deadline_s: float = 4.0
    """A ranking that takes longer is late: the composer decides."""
    act_at: float = 0.3
    """A plan that scores less is not worth acting on, and the wake is declined."""
    margin: float = 0.05
    """Plans this close to the best are too close to call."""
    swap_margin: float = 0.1
    """By how much graver a wrong has to be before a standing plan gives way."""
    amends_margin: float = 0.08
    """Amends this close to the grudge are for the mind to weigh."""
    step_pause_s: float = 4.0
    """Seconds a plan takes between two steps, so that it is seen to unfold."""
    defer_s: float = 120.0
    """How long what happened meanwhile may wait for a plan to end."""
    promise_age_s: float = 3600.0
    """How long a promise may wait, and how long it is tried again when nobody was there."""
    promise_retry_s: float = 120.0
    """Seconds between two tries to keep a promise."""
    defer_limit: int = 4
    """How many things may wait for one character; the least grave gives way."""
    journal_limit: int = 32
    """Entries a character remembers."""
