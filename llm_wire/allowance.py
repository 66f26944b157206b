"""What an asker may spend in a period, and how much of it is gone."""

from dataclasses import dataclass
from typing import Final

__all__ = ["UNLIMITED", "Allowance", "Standing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What may be spent in a period; None: no limit."""

    calls: int | None = None
    tokens: int | None = None
    """Of prompts and answers together."""

    def __post_init__(self) -> None:
        for name, value in (("calls", self.calls), ("tokens", self.tokens)):
            if value is not None and value < 0:
                raise ValueError(f"{name} must not be negative, not {value!r}")


UNLIMITED: Final = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How much of one allowance an asker has used. A period begins with its first call."""

    period: str
    """``minute`` or ``day``."""
    calls: int
    tokens: int
    allowance: Allowance
    renews_in_s: float
    """Until the period is over; 0 where none runs."""

    @property
    def used_up(self) -> str | None:
        """What there is nothing left of: ``calls``, ``tokens`` or None."""
        if self.allowance.calls is not None and self.calls >= self.allowance.calls:
            return "calls"
        if self.allowance.tokens is not None and self.tokens >= self.allowance.tokens:
            return "tokens"
        return None
