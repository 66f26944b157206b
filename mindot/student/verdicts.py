"""Answers of the mind that wait for their sweep."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mindot.game.frame import name_key
from mindot.student.rows import SweepRow, VerdictFate

__all__ = ["ParkedVerdict", "ShelfStatistics", "VerdictShelf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedVerdict:
    """What the mind answered to one dilemma: a verb, and whom it means."""

    name: str
    """The character, as the frame writes it."""
    verb: str
    """One of the 16 actions; the caller has made sure that the manifest allows it."""
    tup: str
    """The dilemma it answers: the situation string of its ``escalated`` row."""
    top2: tuple[str, str]
    """The two actions the head was torn between, the likelier first."""
    t_parked: float
    """Record time at which the answer landed, unix seconds."""
    because: str = ""
    target: str | None = None

    @property
    def key(self) -> str:
        return name_key(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfStatistics:
    """What became of the verdicts that were ever parked."""

    parked: int = 0
    served: int = 0
    late: int = 0
    """Dropped: no longer fresh when the ladder came to them."""
    barred: int = 0
    """Dropped: the manifest does not grant the verb."""
    replaced: int = 0
    """Dropped: a newer answer of the same mind took the place."""
    waiting: int = 0


class VerdictShelf(Mapping[str, ParkedVerdict]):
    """One place a character, by name key, for the answer that its next sweeps may serve.

    Park what a mind answered, hand the shelf to the sweep, then :meth:`settle` with the rows.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, ParkedVerdict] = {}
        self._parked = self._replaced = 0
        self._fates: dict[VerdictFate, int] = {"served": 0, "late": 0, "barred": 0}

    def __getitem__(self, key: str) -> ParkedVerdict:
        return self._waiting[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)

    def park(self, verdict: ParkedVerdict) -> None:
        """Keep a verdict for the next sweep; a newer one takes the place of an older."""
        self._parked += 1
        if verdict.key in self._waiting:
            self._replaced += 1
        self._waiting[verdict.key] = verdict

    def settle(self, rows: Iterable[SweepRow]) -> tuple[ParkedVerdict, ...]:
        """Take away what the rows are done with; the verdicts that were dropped come back."""
        dropped: list[ParkedVerdict] = []
        for row in rows:
            if row.verdict is None:
                continue
            verdict = self._waiting.pop(row.key, None)
            if verdict is None:
                continue
            self._fates[row.verdict] += 1
            if row.verdict != "served":
                dropped.append(verdict)
        return tuple(dropped)

    def statistics(self) -> ShelfStatistics:
        return ShelfStatistics(
            parked=self._parked,
            served=self._fates["served"],
            late=self._fates["late"],
            barred=self._fates["barred"],
            replaced=self._replaced,
            waiting=len(self._waiting),
        )
