"""The executive of one mind: percepts in, questions out, answers in, decisions out.

It does no I/O and has no clock. A host drives it tick by tick::

    executive.perceive(percept)              # what the mind notices
    executive.report(key, focus, tick=7)     # what a facet should think about
    for ask in executive.pump(7, metrics):   # questions that leave at this tick
        ...                                  # have them answered, whenever that is
        executive.deliver(answer)
    for decision in executive.land(8):       # at a later boundary, in the order of asking
        ...
"""

from collections.abc import Callable, Mapping
from typing import Any

from cognition.asking import Ask, AskKind, Decision, Focus, NotAnswered, Outcome
from cognition.persona import Persona
from cognition.state import Entity, ExecutiveParams

__all__ = ["Executive"]


class Executive:
    """One mind. Not thread-safe; one owner drives it."""

    def __init__(
        self,
        mind: str,
        *,
        persona: Persona,
        affordances: Mapping[str, str],
        params: ExecutiveParams | None = None,
        trace: Callable[[dict[str, Any]], None] | None = None,
        resolve_name: Callable[[str], str | None] | None = None,
        thought_sink: Callable[[Ask, Outcome], None] | None = None,
    ) -> None:
        self.mind = mind
        self.persona = persona
        self.params = params or ExecutiveParams()
        self._affordances = dict(affordances)
        self._trace = trace
        self._resolve_name = resolve_name
        self._thought_sink = thought_sink
        self._entities: dict[str, Entity] = {}
        self._queue: list[tuple[str | None, Focus]] = []
        self._open: dict[str, tuple[Ask, Outcome | None]] = {}
        self._asked = 0

    def perceive(self, percept: Entity) -> None:
        """Take note of a percept; it is news for a few ticks."""
        self._entities[percept.id] = percept

    def report(self, key: str | None, focus: Focus, *, tick: int) -> bool:
        """Queue ``focus`` on the facet of ``key`` (None: a facet for this question only).

        It is asked at a later :meth:`pump`. False when attention is full.
        """
        self._queue.append((key, focus))
        return True

    def pump(
        self, tick: int, metrics: Mapping[str, float], *, free_attention: float = 1.0
    ) -> list[Ask]:
        """Bring the mind to ``tick`` and give the questions that leave now."""
        asks = []
        for key, focus in self._queue:
            self._asked += 1
            ask = Ask(
                ask_id=f"{self.mind}/ask-{self._asked}",
                mind=self.mind,
                facet_id=f"facet-{self._asked}",
                key=key,
                tick=tick,
                system=f"You are {self.persona.name}.",
                prompt=focus.text,
                kind=AskKind.FACET,
                focus=focus,
            )
            self._open[ask.ask_id] = (ask, None)
            asks.append(ask)
        self._queue.clear()
        self._metrics = dict(metrics)
        return asks

    def deliver(self, outcome: Outcome) -> None:
        """Hand in what came of an ask. It takes effect at the next :meth:`land`."""
        if outcome.ask_id in self._open:
            self._open[outcome.ask_id] = (self._open[outcome.ask_id][0], outcome)

    def land(self, tick: int) -> list[Decision]:
        """Let what was delivered take effect at the boundary ``tick``, in the order of asking."""
        from cognition.reflex import reflex_fallback
        from cognition.response import Vitals, parse_response

        decisions = []
        for ask_id, (ask, outcome) in list(self._open.items()):
            if outcome is None:
                continue
            del self._open[ask_id]
            vitals = Vitals()
            failure = outcome.failure if isinstance(outcome, NotAnswered) else None
            output = (
                reflex_fallback(vitals)
                if isinstance(outcome, NotAnswered)
                else parse_response(outcome.text, vitals)
            )
            decisions.append(
                Decision(
                    ask_id=ask_id,
                    mind=self.mind,
                    kind=ask.kind,
                    facet_id=ask.facet_id,
                    key=ask.key,
                    tick=tick,
                    asked_tick=ask.tick,
                    output=output,
                    actions=tuple(output.actions),
                    failure=failure,
                    focus=ask.focus,
                    reply=output.speech,
                )
            )
        return decisions

    def note_sent(self, target_entity_id: str, tick: int, what: str | None = None) -> None:
        """Evidence that the mind reached somebody: keeps its promises to them.

        With ``what`` it keeps that promise only.
        """

    def let_go(self, short_id: str, tick: int) -> bool:
        """Let the promise with this short id go. False when none has it."""
        return False

    def close_thread(self, key: str, tick: int) -> bool:
        """End the facet of ``key`` (``explicit``). False when none is open."""
        return False

    def close(self, tick: int) -> None:
        """End every facet (``explicit``); what comes back later has no effect."""

    def promises(self) -> tuple[Any, ...]:
        """The promises that stand, oldest first."""
        return ()

    def goals(self) -> tuple[Any, ...]:
        """The goals, pursued ones first."""
        return ()

    def statistics(self) -> Any:
        """Counts of this mind so far, frozen."""
        return None

    def snapshot(self) -> dict[str, Any]:
        """What should outlive the process, as one versioned JSON document."""
        return {}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Take over a document of :meth:`snapshot`; ValueError when it cannot be read."""
