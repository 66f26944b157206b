"""The executive of one mind: percepts in, questions out, answers in, decisions out.

It does no I/O and has no clock. A host drives it tick by tick::

    executive.perceive(percept)              # what the mind notices
    executive.report(key, focus, tick=7)     # what a facet should think about
    for ask in executive.pump(7, metrics):   # questions that leave at this tick
        ...                                  # have them answered, whenever that is
        executive.deliver(answer)
    for decision in executive.land(8):       # at a later boundary, in the order of asking
        ...

Every ask comes to exactly one end: it lands as a decision, or it is called off.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cognition._values import is_count, shown
from cognition.acts import Judgement
from cognition.asking import Ask, Decision, Focus, Outcome
from cognition.dispatch import Dispatch
from cognition.facet import Facet, FacetPhase
from cognition.facet_supervisor import FacetHandle, FacetSupervisor
from cognition.goals import Goal
from cognition.handoffs import Handoff
from cognition.holdings import Holdings
from cognition.landing import Landing
from cognition.master import Master
from cognition.memory import Memory
from cognition.percepts import HANDOFF_CATEGORIES, can_rupture, category_of, rebuilt_percept
from cognition.persona import Persona
from cognition.promises import Promise
from cognition.prompt import render_prompt
from cognition.remembered import Remembered
from cognition.speech import Listener, Speech
from cognition.state import Entity, ExecutiveParams, StateView
from cognition.statistics import ExecutiveStatistics, Tally
from cognition.thought_sink import ThoughtSink, guarded_sink
from cognition.trace import Event, Sink, guarded

__all__ = ["Executive", "Numbers"]


class Numbers(NamedTuple):
    """The number of the last ask, and of the facet spawned last; 0 before the first."""

    asked: int
    facets: int


class Executive:
    """One mind. One owner drives it, from one thread."""

    def __init__(
        self,
        mind: str,
        *,
        persona: Persona,
        affordances: Mapping[str, str],
        params: ExecutiveParams | None = None,
        trace: Sink | None = None,
        resolve_name: Callable[[str], str | None] | None = None,
        thought_sink: ThoughtSink | None = None,
        evict_on_pressure: bool = True,
    ) -> None:
        """``affordances``: what the mind can do, verb to meaning. ``resolve_name`` gives the id
        of whoever a name speaks of; without it names count as ids. ``thought_sink`` gets each
        question with what came of it."""
        self.mind = mind
        self.persona = persona
        self.params = params or ExecutiveParams()
        self._trace = guarded(trace or _nowhere)
        self._thought_sink = guarded_sink(thought_sink)
        self._evict_on_pressure = evict_on_pressure
        self._speech = Speech()
        self._tally = Tally()
        self._handles: dict[str, FacetHandle] = {}
        self._facets: dict[str, Facet] = {}
        known = dict(affordances)
        self._dispatch = Dispatch(
            mind, persona, known, speech=self._speech, tally=self._tally, trace=self._trace
        )
        self._judgement = Judgement(
            affordances=known,
            resolver=resolve_name or _as_named,
            self_id=persona.entity_id or persona.name,
        )
        self._begin(Holdings(self.params, self._trace), Master(self.params), self._supervise(0))

    # What comes in

    def perceive(self, percept: Entity) -> None:
        """Take note of a percept of :func:`percept_entity`; it is news for a few ticks.

        One that came off the wire is checked like any other: ValueError names what is wrong.
        """
        if percept.type != "percept":
            raise ValueError(
                f"perceive takes percepts, got an entity of type {percept.type!r}; "
                "evidence of a word sent goes to note_sent"
            )
        if category_of(percept) in HANDOFF_CATEGORIES:
            raise ValueError(f"category {category_of(percept)!r} is a handoff's: give it to push")
        self._holdings.perceive(rebuilt_percept(percept.id, percept.metadata))

    def report(self, key: str | None, focus: Focus, *, tick: int) -> bool:
        """Queue ``focus`` on the facet of ``key`` (None: a facet for this question only).

        It is asked at a later :meth:`pump`. False when attention is full.
        """
        handle = self._supervisor.spawn(self._holdings.state(tick), key).handle
        if handle is None:
            return False
        if handle.facet_id not in self._handles:
            self._handles[handle.facet_id] = handle
            handle.on_reaped(lambda: self._lost(handle))
        self._facets[handle.facet_id].report(focus, tick)
        return True

    def note_sent(
        self, target_entity_id: str, tick: int, what: str | None = None, *, record: Any = None
    ) -> None:
        """Evidence that the mind reached somebody: it keeps its promises to them.

        With ``what`` it keeps that promise only. ``record`` names the record that proves it, and
        comes back in the trace.
        """
        target = self._judgement.resolve(target_entity_id) or target_entity_id
        self._holdings.note_sent(target, tick, what, record)

    def push(self, handoff: Handoff) -> None:
        """Hand a promise or a task to the whole mind from outside its own thoughts."""
        self._holdings.buffer.push(handoff)

    def deliver(self, outcome: Outcome) -> None:
        """Hand in what came of an ask. It takes effect at the next :meth:`land`.

        What nobody waits for (its facet ended, time went back) is counted and dropped.
        """
        self._dispatch.deliver(outcome)

    def hear(self, ask_id: str, chunk: str) -> None:
        """A piece of an answer arrived: whoever listens to its thread gets the words in it."""
        ask = self._dispatch.waiting_for(ask_id)
        if ask is not None:
            self._speech.hear(ask_id, ask.key, chunk)

    def listened(self, key: str | None) -> bool:
        """Whether somebody listens to the thread ``key``: then its answers are worth streaming."""
        return self._speech.heard(key)

    def listen(self, key: str, listener: Listener) -> Callable[[], None]:
        """Have ``listener`` get the words spoken in the thread ``key``. The result ends that."""
        return self._speech.listen(key, listener)

    # The tick

    def pump(
        self, tick: int, metrics: Mapping[str, float], *, free_attention: float = 1.0
    ) -> list[Ask]:
        """Bring the mind to ``tick`` and give the questions that leave now.

        ``metrics``: the body (``energy.level``, ``sleep.pressure``, ``stress.load``, 0..100).
        """
        if tick < self._holdings.tick:
            self._rewind(tick)
        self._supervisor.set_attention(free_attention)
        self._holdings.sweep(tick, metrics)
        state = self._holdings.state(tick)
        self._supervisor.pump(state)
        self._pump_master(state)
        return self._dispatch.leaving()

    def land(self, tick: int) -> list[Decision]:
        """Let what was delivered take effect at the boundary ``tick``, in the order of asking."""
        if tick < self._holdings.tick:
            self._rewind(tick)
        decisions = []
        for ask_id in self._dispatch.arrived():
            # Landing tells listeners and sinks, and they may end what has not landed yet.
            arrived = self._dispatch.take(ask_id)
            if arrived is None:
                continue
            decision = self._land_one(*arrived, tick)
            if decision is not None:
                decisions.append(decision)
        return decisions

    # What ends

    def let_go(self, short_id: str, tick: int) -> bool:
        """Let the promise with this short id go. False when none has it."""
        return self._holdings.promises.let_go(short_id, tick) is not None

    def close_thread(self, key: str, tick: int) -> bool:
        """End the facet of ``key`` (``explicit``); its question, if one is out, is called off.
        False when none is open."""
        handle = self._supervisor.handle_for(key)
        if handle is None:
            return False
        self._end(handle, tick)
        return True

    def close(self, tick: int) -> None:
        """End every facet (``explicit``). What still comes back has no effect; handoffs that
        were pushed stay, and are in the next :meth:`snapshot`."""
        for handle in list(self._handles.values()):
            self._end(handle, tick)
        for ask in self._dispatch.outstanding():
            self._dispatch.call_off(ask.ask_id, tick)
        self._master.fail()

    # What can be seen

    @property
    def tick(self) -> int:
        """The tick of the last pump."""
        return self._holdings.tick

    def promises(self) -> tuple[Promise, ...]:
        """The promises that stand, oldest first."""
        return self._holdings.promises.all()

    def goals(self) -> tuple[Goal, ...]:
        """The goals by falling priority."""
        return self._holdings.goals.all()

    @property
    def memory(self) -> Memory:
        """What the mind holds to be true."""
        return self._holdings.memory

    def entities(self) -> Mapping[str, Entity]:
        """Everything the mind holds at this tick, by id."""
        return self._holdings.state(self.tick).entities

    def ruptured(self, tick: int) -> bool:
        """Whether something in the world surprises the mind at ``tick``."""
        return any(can_rupture(percept, tick) for percept in self._holdings.percepts(tick))

    def outstanding(self) -> tuple[Ask, ...]:
        """The asks that are out, in the order of asking."""
        return self._dispatch.outstanding()

    def statistics(self) -> ExecutiveStatistics:
        holdings = self._holdings
        return ExecutiveStatistics(
            facets=self._supervisor.statistics(),
            asked=self._dispatch.asked,
            outstanding=len(self._dispatch),
            landed=self._tally.landed,
            failures=self._tally.failures_by_name(),
            stale=self._tally.stale,
            dropped_reports=self._tally.dropped_reports
            + sum(facet.dropped_reports for facet in self._facets.values()),
            told_back=holdings.corrections.told,
            waiting_handoffs=len(holdings.buffer),
            promises=len(holdings.promises),
            goals=len(holdings.goals),
            entities=len(self.entities()),
        )

    def snapshot(self) -> dict[str, Any]:
        """What should outlive the process, as JSON values: see :mod:`cognition.lasting`."""
        return {
            "mind": self.mind,
            "tick": self.tick,
            "asked": self._dispatch.asked,
            "facets": self._supervisor.last_number,
            "reasoning": self._supervisor.reasoning_by_key(),
            "thoughts": list(self._master.thoughts),
            **self._holdings.to_json(),
        }

    def restore(self, document: Mapping[str, Any], *, tick: int | None = None) -> None:
        """Take over a document of :meth:`snapshot`; open facets end (``explicit``).

        ``tick`` is where the host's count stands now, if it does not go on from the document's.
        ValueError when the document is none of this mind's, and then nothing has changed.
        """
        if tick is not None and not is_count(tick):
            raise ValueError(f"tick must be None or a non-negative int, got {shown(tick)}")
        remembered = Remembered.of(document, self.mind, self.params, self._trace)
        self.close(self.tick)
        if tick is not None:
            # The host counts anew, but what happened by the old count did happen.
            remembered.holdings.weigh()
            remembered.holdings.rewind(tick)
        self._dispatch.asked = max(self._dispatch.asked, remembered.asked)
        master = Master(self.params)
        master.thoughts.extend(remembered.thoughts)
        supervisor = self._supervise(remembered.facets)
        for key, history in remembered.reasoning.items():
            supervisor.carry(key, history)
        self._begin(remembered.holdings, master, supervisor)

    def numbers(self) -> "Numbers":
        """How far asks and facets are numbered."""
        return Numbers(asked=self._dispatch.asked, facets=self._supervisor.last_number)

    def go_on_from(self, numbers: "Numbers") -> None:
        """Number on from there: a mind that takes another's place gives none of its ids again.

        For one that has not thought yet.
        """
        self._dispatch.asked = max(self._dispatch.asked, numbers.asked)
        last = max(self._supervisor.last_number, numbers.facets)
        self._begin(self._holdings, self._master, self._supervise(last))

    # How it is put together

    def _supervise(self, spawned_before: int) -> FacetSupervisor:
        return FacetSupervisor(
            self._new_facet,
            trace=self._trace,
            evict_on_pressure=self._evict_on_pressure,
            spawned_before=spawned_before,
        )

    def _begin(self, holdings: Holdings, master: Master, supervisor: FacetSupervisor) -> None:
        self._holdings = holdings
        self._master = master
        self._supervisor = supervisor
        self._landing = Landing(
            mind=self.mind,
            params=self.params,
            holdings=holdings,
            judgement=self._judgement,
            master=master,
            speech=self._speech,
            tally=self._tally,
            trace=self._trace,
            thought_sink=self._thought_sink,
        )

    def _new_facet(self, facet_id: str, key: str | None) -> Facet:
        facet = Facet(facet_id, key, launch=self._launch)
        for reasoning in self._master.thoughts:
            facet.hear_master(reasoning)
        self._facets[facet_id] = facet
        return facet

    def _launch(self, facet: Facet, focus: Focus, state: StateView) -> str:
        scene = self._holdings.scene(
            state.tick, facet.reasoning_history, facet.master_reasoning, own_key=facet.key
        )
        prompt = render_prompt(scene, focus, budget_tokens=self.params.prompt_tokens)
        ask = self._dispatch.send(facet.facet_id, facet.key, focus, prompt.text, state.tick)
        return ask.ask_id

    def _pump_master(self, state: StateView) -> None:
        holdings, master = self._holdings, self._master
        percepts = [e for e in state.entities.values() if e.type == "percept"]
        question = master.next_question(
            state.tick,
            percepts,
            state.metrics,
            lambda: master.signals(self._facets.values(), percepts),
            anything=bool(percepts) or len(holdings.goals) > 0,
        )
        if question is None:
            return
        prompt = render_prompt(
            holdings.scene(state.tick, master.thoughts),
            None,
            budget_tokens=self.params.prompt_tokens,
            stage=question.stage,
            candidates=question.candidates,
        )
        ask = self._dispatch.send(None, None, None, prompt.text, state.tick)
        master.asked(ask, question, prompt.told, holdings.requester)

    def _land_one(self, ask: Ask, outcome: Outcome, tick: int) -> Decision | None:
        facet = self._facets.get(ask.facet_id) if ask.facet_id is not None else None
        master, thoughts = self._master, tuple(self._master.thoughts)
        decision = self._landing.land(ask, outcome, facet, tick)
        if self._master is master and tuple(master.thoughts) != thoughts:
            self._publish_master()
        if facet is not None and facet.key is None and facet.phase is not FacetPhase.ENDED:
            self._end(self._handles[facet.facet_id], tick)
        if ask.key is not None and self._supervisor.handle_for(ask.key) is None:
            self._holdings.close_thread(ask.key)  # it was closed while its answer landed
        return decision

    def _publish_master(self) -> None:
        for facet in self._facets.values():
            facet.hear_master(self._master.thoughts[-1])

    def _end(self, handle: FacetHandle, tick: int) -> None:
        """End a facet on purpose; what it still had to do is called off."""
        facet = self._forget(handle)
        if facet.ask_id is not None:
            self._dispatch.call_off(facet.ask_id, tick)
        self._tally.dropped_reports += len(facet.queued)
        self._supervisor.see(tick)
        handle.destroy()

    def _lost(self, handle: FacetHandle) -> None:
        """A facet gave way: what it was asked comes to nothing, and its owners hear so."""
        facet = self._forget(handle)
        if facet.ask_id is not None:
            self._dispatch.cancel(facet.ask_id)
        for focus in facet.queued:
            self._dispatch.never_sent(facet.facet_id, facet.key, focus, self.tick)

    def _forget(self, handle: FacetHandle) -> Facet:
        del self._handles[handle.facet_id]
        facet = self._facets.pop(handle.facet_id)
        self._tally.dropped_reports += facet.dropped_reports
        if facet.key is not None:
            self._holdings.close_thread(facet.key)
        return facet

    def _rewind(self, tick: int) -> None:
        """Time went back: questions that are out were asked in a future that is gone."""
        self._supervisor.see(tick)
        for ask in self._dispatch.outstanding():
            self._dispatch.cancel(ask.ask_id)
        for facet in self._facets.values():
            facet.rewind(tick)
        self._holdings.rewind(tick)
        self._master.gate.rewind(tick)


def _as_named(name: str) -> str | None:
    """Where nobody knows names, a name is an id."""
    return name


def _nowhere(event: Event) -> None:
    """Where events go when nobody asked for them."""
