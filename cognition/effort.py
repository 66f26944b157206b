"""How hard the master thinks: the first idea, or several that are weighed against each other."""

from dataclasses import dataclass
from typing import Final

__all__ = ["WEIGHTS", "EffortSignals"]

WEIGHTS: Final = {
    "uncertainty": 0.30,
    "low_confidence": 0.25,
    "novelty": 0.20,
    "pending_message": 0.15,
    "load": 0.10,
}
"""What each signal adds to the effort; they sum to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortSignals:
    """What makes a thought worth more effort, each 0..1; values outside are clamped."""

    uncertainty: float = 0.0
    """How many of the recent thoughts failed or doubted themselves."""
    low_confidence: float = 0.0
    """How unsure the master's last thought was of itself."""
    novelty: float = 0.0
    """How much the strongest news from the world stands out."""
    pending_message: float = 0.0
    """Somebody waits for an answer."""
    load: float = 0.0
    """How many of the facets are at work."""

    @property
    def effort(self) -> float:
        """The weighted sum, 0..1."""
        signals = (getattr(self, name) for name in WEIGHTS)
        return float(
            sum(w * min(1.0, max(0.0, s)) for w, s in zip(WEIGHTS.values(), signals, strict=True))
        )

    def calls_for_deliberation(self, threshold: float) -> bool:
        """Whether the effort reaches ``threshold``."""
        return self.effort >= threshold
