"""The whole mind's own thinking: when, how hard, and what it settled for."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cognition._values import as_number
from cognition.asking import Ask
from cognition.effort import EffortSignals
from cognition.escalation_buffer import Requester
from cognition.executive_output import Action, ExecutiveOutput
from cognition.facet import Facet
from cognition.gating import GateReason, MasterGate
from cognition.percepts import Provenance
from cognition.prompt import MasterStage
from cognition.state import Entity, ExecutiveParams
from cognition.trace import shortened

__all__ = ["Master", "MasterQuestion", "Settled"]

MAX_THOUGHTS: Final = 5
"""Own reasoning entries it carries, the latest."""

MAX_ENTRY_CHARS: Final = 400
RECENT: Final = 8
"""Thoughts of the mind that its uncertainty is taken from."""

DOUBT: Final = 0.5
"""A thought below this confidence doubts itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterQuestion:
    """What the master asks next."""

    stage: MasterStage
    reason: GateReason
    candidates: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of an answer to the master."""

    final: bool
    """False: it proposed, and decides next."""
    actions: tuple[Action, ...] = ()
    alternatives: tuple[Action, ...] = ()


class Master:
    """Gating, effort and the propose-then-decide path. It asks one question at a time."""

    __slots__ = (
        "_candidates",
        "_confidence",
        "_doubts",
        "_params",
        "_question",
        "ask",
        "gate",
        "requester",
        "shown",
        "thoughts",
    )

    def __init__(self, params: ExecutiveParams) -> None:
        self._params = params
        self._candidates: tuple[Action, ...] = ()
        self._question: MasterQuestion | None = None
        self._confidence = 1.0
        self._doubts: deque[bool] = deque(maxlen=RECENT)
        self.gate = MasterGate(params)
        self.ask: Ask | None = None
        """The question that is out."""
        self.shown: tuple[str, ...] = ()
        """Ids of the handoffs that question had in its prompt, with all their words."""
        self.requester: Requester | None = None
        """On whose behalf it was asked."""
        self.thoughts: deque[str] = deque(maxlen=MAX_THOUGHTS)

    def next_question(
        self,
        tick: int,
        percepts: Iterable[Entity],
        metrics: Mapping[str, float],
        signals: Callable[[], EffortSignals],
        *,
        anything: bool,
    ) -> MasterQuestion | None:
        """What to ask at ``tick``, or None. ``signals`` are taken when a thought begins."""
        verdict = self.gate.consider(
            tick, percepts, metrics, pending=self.ask is not None, anything=anything
        )
        if self.ask is not None:
            return None
        if self._candidates:
            candidates, self._candidates = self._candidates, ()
            return MasterQuestion(
                stage=MasterStage.DECIDE, reason=GateReason.PENDING, candidates=candidates
            )
        if not verdict.opens:
            return None
        hard = signals().calls_for_deliberation(self._params.deliberate_threshold)
        self.gate.thought(tick)
        return MasterQuestion(
            stage=MasterStage.PROPOSE if hard else MasterStage.FAST, reason=verdict.reason
        )

    def asked(
        self,
        ask: Ask,
        question: MasterQuestion,
        shown: Iterable[str],
        requester: Requester | None,
    ) -> None:
        """The question is out."""
        self.requester = requester
        self.ask = ask
        self._question = question
        self.shown = tuple(shown)

    def settle(self, output: ExecutiveOutput, acts: Sequence[Action], tick: int) -> Settled:
        """Take in the answer to the question that was out; ``acts`` are its admissible ones."""
        question = self._over()
        self._confidence = output.confidence
        if output.reasoning:
            self.thoughts.append(shortened(output.reasoning, MAX_ENTRY_CHARS))
        if question is None or question.stage is MasterStage.FAST:
            self.gate.chose_fast(tick)
            return Settled(final=True, actions=tuple(acts))
        if question.stage is MasterStage.PROPOSE:
            if len(acts) > 1:
                self._candidates = tuple(acts)
                return Settled(final=False)
            return Settled(final=True, actions=tuple(acts))
        chosen = tuple(acts[:1])
        others = tuple(c for c in question.candidates if not any(_same(c, a) for a in chosen))
        return Settled(final=True, actions=chosen, alternatives=others)

    def fail(self) -> tuple[Action, ...]:
        """The question that was out has no answer. Gives what had been weighed so far."""
        question = self._over()
        self._candidates = ()
        return () if question is None else question.candidates

    def note_thought(self, confidence: float | None) -> None:
        """A thought of this mind is over; None: it did not come back."""
        self._doubts.append(confidence is None or confidence < DOUBT)

    def signals(self, facets: Iterable[Facet], percepts: Iterable[Entity]) -> EffortSignals:
        """What speaks for thinking hard at this moment."""
        busy = [facet for facet in facets if facet.busy]
        news = (
            as_number(percept.metadata.get("salience")) or 0.0
            for percept in percepts
            if percept.metadata.get("provenance") == Provenance.EXAFFERENT
        )
        return EffortSignals(
            uncertainty=self.uncertainty,
            low_confidence=1.0 - self._confidence,
            novelty=max(news, default=0.0),
            pending_message=1.0 if any(facet.converses for facet in busy) else 0.0,
            load=len(busy) / max(1, self._params.max_facets),
        )

    @property
    def uncertainty(self) -> float:
        """Share of the recent thoughts that failed or doubted themselves."""
        return sum(self._doubts) / len(self._doubts) if self._doubts else 0.0

    def _over(self) -> MasterQuestion | None:
        question, self._question = self._question, None
        self.ask = None
        self.shown = ()
        return question


def _same(one: Action, other: Action) -> bool:
    return (one.type, one.target) == (other.type, other.target)
