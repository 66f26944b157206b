"""What one thought does to a mind when it lands at a tick boundary."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cognition._values import is_blank
from cognition.acts import Correction, Judged, Judgement
from cognition.asking import (
    Answered,
    Ask,
    AskKind,
    Decision,
    Focus,
    Outcome,
    ThoughtFailure,
)
from cognition.escalation_buffer import Requester
from cognition.executive_output import Action, ExecutiveOutput
from cognition.facet import Facet
from cognition.handoffs import Escalation, Handoff, Undertaking
from cognition.holdings import Holdings
from cognition.master import Master
from cognition.mind_events import output_event, response_event
from cognition.reading import ReadThought, read_outcome, reflex_thought, vitals_of
from cognition.speech import Speech
from cognition.state import ExecutiveParams
from cognition.statistics import Tally
from cognition.thought_sink import ThoughtSink
from cognition.trace import Sink, shortened

__all__ = ["Landing"]

SELF_THREAD: Final = "self"
"""Where corrections of thoughts without a thread of attention are kept."""

MAX_MESSAGE_CHARS: Final = 120
"""Of what either side said, in a thread's own memory of it."""

MAX_RAISED: Final = 16
"""Promises taken from one thought; a model that lists more is rambling. The trace says how many
were left out."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """Reads outcomes and lets them take effect on the parts of one mind."""

    mind: str
    params: ExecutiveParams
    holdings: Holdings
    judgement: Judgement
    master: Master
    speech: Speech
    tally: Tally
    trace: Sink
    thought_sink: ThoughtSink

    def land(self, ask: Ask, outcome: Outcome, facet: Facet | None, tick: int) -> Decision | None:
        """Let ``outcome`` of ``ask`` take effect. ``facet`` is None for the master, and for a
        facet that ended meanwhile.

        None when there is nothing to decide yet: the master weighs what it proposed. Landing
        always comes to an end: what cannot take effect counts as unreadable and harms no other.
        """
        try:
            thought = self._read(ask, outcome, tick)
            shown, requester = self.master.shown, self.master.requester
            # From here on listeners, sinks and the trace are told, and each of them may end the
            # facet, or the whole mind.
            self._account(ask, outcome, thought, tick)
            if ask.kind is AskKind.MASTER:
                return self._land_master(ask, thought, shown, requester, tick)
            return self._land_facet(ask, thought, facet, tick)
        except Exception:  # noqa: BLE001 - one thought that goes wrong costs that thought only
            _log.exception("the thought %r could not take effect", ask.ask_id)
            self.tally.failed(ThoughtFailure.UNREADABLE)
            reflex = self._unreadable()
            return self._decision(ask, reflex, reflex.output.actions, [], (), tick)
        finally:
            self._over(ask, facet, tick)

    def _land_facet(
        self, ask: Ask, thought: ReadThought, facet: Facet | None, tick: int
    ) -> Decision:
        judged = self._judge(ask, thought)
        raised, dropped = self._raise(ask, thought, judged, tick)
        if thought.heard:
            self.holdings.adopt(thought.output, tick, _requester(ask), as_master=False)
        self._tell_output(ask, thought.output, dropped, tick)
        if facet is not None and facet.waits_for(ask.ask_id):
            came_back = thought.failure is None
            facet.settle(tick, _entry(thought.output, ask.focus) if came_back else None)
            if ask.key is not None and ask.focus is not None:
                worked_out = thought.output.because if came_back else ""
                promised = [h.body.what for h in raised if isinstance(h.body, Undertaking)]
                self.holdings.threads.note(ask.key, ask.focus, worked_out, promised, tick)
        return self._decision(ask, thought, judged.admissible, raised, (), tick)

    def _land_master(
        self,
        ask: Ask,
        thought: ReadThought,
        shown: tuple[str, ...],
        requester: Requester | None,
        tick: int,
    ) -> Decision | None:
        judged = self._judge(ask, thought)
        raised, dropped = self._raise(ask, thought, judged, tick)
        if thought.heard:
            self.holdings.adopt(thought.output, tick, requester, as_master=True)
        self._tell_output(ask, thought.output, dropped, tick)
        if thought.failure is None:
            self.holdings.promises.mark_seen(shown, tick)
            if self.holdings.requester == requester:
                self.holdings.requester = None
        if self.master.ask is not ask:  # the mind was closed on hearing of this answer
            return self._decision(ask, thought, judged.admissible, raised, (), tick)
        if thought.failure is not None:
            weighed = self.master.fail()
            return self._decision(ask, thought, judged.admissible, raised, weighed, tick)
        settled = self.master.settle(thought.output, judged.admissible, tick)
        if not settled.final:
            return None
        return self._decision(ask, thought, settled.actions, raised, settled.alternatives, tick)

    def _read(self, ask: Ask, outcome: Outcome, tick: int) -> ReadThought:
        try:
            return read_outcome(
                ask,
                outcome,
                vitals_of(self.holdings.metrics),
                tick=tick,
                deadline_ticks=self.params.thought_deadline_ticks,
            )
        except Exception:  # noqa: BLE001 - no answer may keep its ask from coming to an end
            _log.exception("the answer to %r could not be read", ask.ask_id)
            return self._unreadable()

    def _unreadable(self) -> ReadThought:
        return reflex_thought(vitals_of(self.holdings.metrics), ThoughtFailure.UNREADABLE)

    def _over(self, ask: Ask, facet: Facet | None, tick: int) -> None:
        """Nobody goes on waiting for an ask that landed, however that went."""
        if facet is not None and facet.waits_for(ask.ask_id):
            facet.settle(tick, None)
        if self.master.ask is ask:
            self.master.fail()

    def _account(self, ask: Ask, outcome: Outcome, thought: ReadThought, tick: int) -> None:
        """Tell the trace, the counters and whoever keeps thoughts what came back."""
        self.tally.landed += 1
        if thought.failure is not None:
            self.tally.failed(thought.failure)
        self.master.note_thought(thought.output.confidence if thought.failure is None else None)
        if ask.prompt:  # else it was called off before it could be asked
            self.trace(response_event(ask, outcome, thought, tick))
            self.thought_sink(ask, outcome)
        if isinstance(outcome, Answered) and thought.heard:
            self.speech.finish(ask.ask_id, ask.key, outcome.text)
        else:
            self.speech.discard(ask.ask_id)

    def _judge(self, ask: Ask, thought: ReadThought) -> Judged:
        actions = thought.output.actions
        if thought.failure is not None:
            # A reflex names bodily stances, which are always possible.
            return Judged(admissible=tuple(actions), promised=(), wrong={}, right=frozenset())
        judged = self.judgement.judge(actions, ask.focus)
        self.holdings.corrections.take_up(ask.key or SELF_THREAD, judged, ask.ask_id)
        return judged

    def _raise(
        self, ask: Ask, thought: ReadThought, judged: Judged, tick: int
    ) -> tuple[list[Handoff], int]:
        """Hand up what the thought promised, and the work it found too big for itself.

        Gives what was handed up, and how many promises were too many.
        """
        promised = self._promised(ask, thought.output.undertakings) if thought.heard else []
        promised += judged.promised
        bodies: list[Undertaking | Escalation] = [*promised[:MAX_RAISED]]
        escalation = thought.output.escalation if thought.heard else None
        if escalation is not None and not is_blank(escalation):
            bodies.append(Escalation(reasoning=escalation))
        focus = ask.focus
        raised = [
            Handoff(
                body=body,
                tick=tick,
                facet_id=ask.facet_id,
                subject_entity_id=None if focus is None else focus.interlocutor_id,
                subject_name=None if focus is None else focus.interlocutor_name,
                thread_id=ask.key,
            )
            for body in bodies
        ]
        for handoff in raised:
            self.holdings.buffer.push(handoff)
        return raised, max(0, len(promised) - MAX_RAISED)

    def _promised(self, ask: Ask, undertakings: Iterable[Any]) -> list[Undertaking]:
        out = []
        for item in undertakings:
            what = _field(item, "what")
            if what is None or self.holdings.promises.named(what) is not None:
                continue  # it speaks of a promise that stands
            target = self._addressee(ask, _field(item, "target"))
            out.append(Undertaking(what=what, target=target, gist=_field(item, "gist")))
        return out

    def _addressee(self, ask: Ask, target: str | None) -> str | None:
        """The id of whoever a promise is to reach.

        Contact with the one who is being spoken with proves nothing, so such a promise has no
        addressee. One that cannot be placed is kept as it was named: the promise stands, and the
        mind is told.
        """
        if target is None or self.judgement.is_interlocutor(target, ask.focus):
            return None
        found = self.judgement.resolve(target)
        if found == self.judgement.self_id:
            return None
        if found is None:
            wrong = Judged(
                admissible=(),
                promised=(),
                wrong={Correction.ADDRESSEE: target},
                right=frozenset(),
            )
            self.holdings.corrections.take_up(ask.key or SELF_THREAD, wrong, ask.ask_id)
        return found or target

    def _tell_output(self, ask: Ask, output: ExecutiveOutput, dropped: int, tick: int) -> None:
        if ask.prompt:
            self.trace(output_event(ask, output, tick, dropped_promises=dropped))

    def _decision(
        self,
        ask: Ask,
        thought: ReadThought,
        actions: Iterable[Action],
        raised: list[Handoff],
        alternatives: Iterable[Action],
        tick: int,
    ) -> Decision:
        return Decision(
            ask_id=ask.ask_id,
            mind=self.mind,
            kind=ask.kind,
            facet_id=ask.facet_id,
            key=ask.key,
            tick=tick,
            asked_tick=ask.tick,
            output=thought.output,
            actions=tuple(actions),
            failure=thought.failure,
            focus=ask.focus,
            reply=thought.output.speech if thought.heard else None,
            raised=tuple(raised),
            alternatives=tuple(alternatives),
        )


def _entry(output: ExecutiveOutput, focus: Focus | None) -> str | None:
    """What a thread remembers of a thought: what was said to it, why it did what, what it said.

    The next facet on the key has nothing else of the conversation to go by.
    """
    thought = output.because
    parts = []
    if focus is not None and focus.current_message:
        who = focus.interlocutor_name or focus.interlocutor_id or "somebody"
        parts.append(f"{who} said: {shortened(focus.current_message, MAX_MESSAGE_CHARS)}")
    if thought:
        parts.append(f"I thought: {thought}" if parts else thought)
    if output.speech:
        parts.append(f"I said: {shortened(output.speech, MAX_MESSAGE_CHARS)}")
    return " / ".join(parts) or None


def _requester(ask: Ask) -> Requester | None:
    focus: Focus | None = ask.focus
    if focus is None or focus.interlocutor_id is None:
        return None
    return Requester(entity_id=focus.interlocutor_id, thread_id=ask.key)


def _field(item: Any, name: str) -> str | None:
    value = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
    return value if isinstance(value, str) and not is_blank(value) else None
