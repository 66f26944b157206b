"""One thread of attention: what it is asked, what it thought so far, and whether it waits."""

from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from cognition.asking import Focus, FocusKind
from cognition.state import StateView
from cognition.trace import shortened

__all__ = ["Facet", "FacetPhase"]

MAX_HISTORY: Final = 10
"""Own reasoning entries a facet carries, the latest."""

MAX_ENTRY_CHARS: Final = 400
"""Of one entry."""

MAX_MASTER_ENTRIES: Final = 5
"""Of the master's reasoning, the latest, that a facet knows of."""

MAX_QUEUED: Final = 8
"""Reports that wait in one facet; the oldest gives way."""


class FacetPhase(StrEnum):
    """What a facet is doing."""

    QUIET = "quiet"
    QUEUED = "queued"
    ASKING = "asking"
    ENDED = "ended"


_SUCCESSORS: Final[dict[FacetPhase, frozenset[FacetPhase]]] = {
    FacetPhase.QUIET: frozenset({FacetPhase.QUEUED, FacetPhase.ENDED}),
    FacetPhase.QUEUED: frozenset({FacetPhase.ASKING, FacetPhase.ENDED}),
    FacetPhase.ASKING: frozenset({FacetPhase.QUIET, FacetPhase.QUEUED, FacetPhase.ENDED}),
    FacetPhase.ENDED: frozenset(),
}


class Facet:
    """A focused part of a mind. It asks only when it is pumped, one question at a time."""

    __slots__ = (
        "_conversing",
        "_history",
        "_last_active_tick",
        "_launch",
        "_master",
        "_phase",
        "_queue",
        "ask_id",
        "dropped_reports",
        "facet_id",
        "key",
    )

    def __init__(
        self,
        facet_id: str,
        key: str | None,
        *,
        launch: Callable[["Facet", Focus, StateView], str],
    ) -> None:
        """``launch`` sends a question off and gives the id of the ask."""
        self.facet_id = facet_id
        self.key = key
        self.ask_id: str | None = None
        self.dropped_reports = 0
        self._conversing = False
        self._launch = launch
        self._phase = FacetPhase.QUIET
        self._last_active_tick = 0
        self._queue: deque[Focus] = deque()
        self._history: deque[str] = deque(maxlen=MAX_HISTORY)
        self._master: deque[str] = deque(maxlen=MAX_MASTER_ENTRIES)

    @property
    def phase(self) -> FacetPhase:
        return self._phase

    @property
    def busy(self) -> bool:
        return self._phase in (FacetPhase.QUEUED, FacetPhase.ASKING)

    @property
    def converses(self) -> bool:
        """Somebody waits for words from it."""
        return self._conversing or any(f.kind is FocusKind.CONVERSATION for f in self._queue)

    @property
    def queued(self) -> tuple[Focus, ...]:
        """Reports that wait to be asked about, oldest first."""
        return tuple(self._queue)

    @property
    def last_active_tick(self) -> int:
        return self._last_active_tick

    @property
    def reasoning_history(self) -> list[str]:
        """What this thread thought so far, oldest first."""
        return list(self._history)

    @property
    def master_reasoning(self) -> list[str]:
        """What the whole mind thought lately, oldest first."""
        return list(self._master)

    def mark_active(self, tick: int) -> None:
        self._last_active_tick = max(self._last_active_tick, tick)

    def restore_reasoning_history(self, history: list[str]) -> None:
        self._history.clear()
        for entry in history:
            self._remember(entry)

    def hear_master(self, reasoning: str) -> None:
        """Learn what the whole mind thought."""
        self._master.append(shortened(reasoning, MAX_ENTRY_CHARS))

    def report(self, focus: Focus, tick: int) -> None:
        """Queue ``focus``. A dilemma takes the place of one that still waits: only the latest
        is the character's."""
        if focus.kind is FocusKind.DILEMMA:
            self._queue = deque(f for f in self._queue if f.kind is not FocusKind.DILEMMA)
        self._queue.append(focus)
        if len(self._queue) > MAX_QUEUED:
            self._queue.popleft()
            self.dropped_reports += 1
        self.mark_active(tick)
        if self._phase is FacetPhase.QUIET:
            self._advance(FacetPhase.QUEUED)

    def pump(self, state: StateView) -> None:
        """Ask about the next report, unless a question is out."""
        if self._phase is not FacetPhase.QUEUED:
            return
        self._advance(FacetPhase.ASKING)
        self.mark_active(state.tick)
        focus = self._queue.popleft()
        self._conversing = focus.kind is FocusKind.CONVERSATION
        self.ask_id = self._launch(self, focus, state)

    def waits_for(self, ask_id: str) -> bool:
        """Whether this question of it is out. It is not, once the facet has ended."""
        return self._phase is FacetPhase.ASKING and self.ask_id == ask_id

    def settle(self, tick: int, reasoning: str | None) -> None:
        """The question that was out is over; ``reasoning`` is what was thought, if anything."""
        self.ask_id = None
        self._conversing = False
        if reasoning:
            self._remember(reasoning)
        self.mark_active(tick)
        self._advance(FacetPhase.QUEUED if self._queue else FacetPhase.QUIET)

    def destroy(self) -> None:
        """End. What was out or queued stays readable, for whoever has to account for it."""
        if self._phase is not FacetPhase.ENDED:
            self._advance(FacetPhase.ENDED)

    def rewind(self, tick: int) -> None:
        """Time went back to ``tick``."""
        self._last_active_tick = min(self._last_active_tick, tick)

    def _remember(self, entry: str) -> None:
        self._history.append(shortened(entry, MAX_ENTRY_CHARS))

    def _advance(self, phase: FacetPhase) -> None:
        if phase not in _SUCCESSORS[self._phase]:
            raise RuntimeError(f"{self.facet_id} cannot go from {self._phase} to {phase}")
        self._phase = phase
