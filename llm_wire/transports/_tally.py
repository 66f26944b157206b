"""How often a transport was asked, and how that ended."""

from collections import Counter
from dataclasses import dataclass

from llm_wire.transport import Failure

__all__ = ["Statistics", "Tally"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts since the transport was made."""

    asked: int
    answered: int
    failures: tuple[tuple[Failure, int], ...]
    """By name, in alphabetical order; names that never happened are left out."""

    @property
    def failed(self) -> int:
        return sum(n for _, n in self.failures)


class Tally:
    __slots__ = ("answered", "asked", "failures")

    def __init__(self) -> None:
        self.asked = 0
        self.answered = 0
        self.failures: Counter[Failure] = Counter()

    def statistics(self) -> Statistics:
        return Statistics(
            asked=self.asked, answered=self.answered, failures=tuple(sorted(self.failures.items()))
        )
