"""The supervisor against a plain model, step by step, in any order hypothesis can think of."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cognition import ExecutiveParams, FacetSupervisor, StateView
from cognition.facet_supervisor import FacetHandle
from cognition.testing import FakeFacet, RecordingSink

KEYS = st.sampled_from(["a", "b", "c", "d", "e"])
CEILING = 4
TTL = 6


@dataclass
class Modelled:
    """A facet as the rules describe it."""

    facet_id: str
    key: str | None
    last: int
    busy: bool = False
    thoughts: list[str] = field(default_factory=list)


class SupervisorMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.sink = RecordingSink()
        self.tick = 0
        self.free = 1.0
        self.supervisor = FacetSupervisor(FakeFacet, trace=self.sink)
        self.handles: dict[str, FacetHandle] = {}
        self.live: list[Modelled] = []
        self.carried: dict[str, list[str]] = {}
        self.ended: list[tuple[str, str | None, str]] = []
        self.spawned = 0
        self.reaped: list[str] = []
        self.expect_reaped: list[str] = []

    # the world

    @property
    def state(self) -> StateView:
        params = ExecutiveParams(max_facets=CEILING, facet_idle_ttl_ticks=TTL)
        return StateView(tick=self.tick, params=params)

    def facet(self, modelled: Modelled) -> FakeFacet:
        facet = self.handles[modelled.facet_id].facet
        assert isinstance(facet, FakeFacet)
        return facet

    def end(self, modelled: Modelled, reason: str) -> None:
        self.live.remove(modelled)
        if modelled.key is not None:
            self.carried.pop(modelled.key, None)
            if modelled.thoughts:
                self.carried[modelled.key] = modelled.thoughts[-10:]
        self.ended.append((modelled.facet_id, modelled.key, reason))
        if reason != "explicit":
            self.expect_reaped.append(modelled.facet_id)

    @rule(ticks=st.integers(1, 4))
    def time_passes(self, ticks: int) -> None:
        self.tick += ticks

    @rule(free=st.sampled_from([0.0, 0.2, 0.375, 0.5, 0.8, 1.0, 3.0, -1.0]))
    def attention_changes(self, free: float) -> None:
        self.free = free
        self.supervisor.set_attention(free)

    # what owners do

    @rule(key=st.none() | KEYS)
    def spawn(self, key: str | None) -> None:
        before = len(self.live)
        result = self.supervisor.spawn(self.state, key)
        assert result.attention == "available"
        assert result.handle is not None
        known = next((m for m in self.live if key is not None and m.key == key), None)
        if known is not None:
            known.last = self.tick
            assert result.handle is self.handles[known.facet_id]
            return
        allowance = max(1, min(CEILING, int(CEILING * min(1.0, max(0.0, self.free)) + 0.5)))
        if len(self.live) >= allowance:
            quiet = [m for m in self.live if not m.busy]
            pool = [m for m in quiet if m.key is None] or quiet or self.live
            self.end(min(pool, key=lambda m: m.last), "lru")
        self.spawned += 1
        modelled = Modelled(f"facet-{self.spawned}", key, self.tick)
        if key is not None:
            modelled.thoughts = list(self.carried.pop(key, []))
        self.live.append(modelled)
        assert len(self.live) <= max(before, allowance)
        handle = result.handle
        self.handles[handle.facet_id] = handle
        handle.on_reaped(lambda: self.reaped.append(handle.facet_id))

    @rule()
    def pump(self) -> None:
        for modelled in list(self.live):
            if not modelled.busy and self.tick - modelled.last > TTL:
                self.end(modelled, "idle")
        before = {m.facet_id: len(self.facet(m).pumped) for m in self.live}
        self.supervisor.pump(self.state)
        for modelled in self.live:
            assert len(self.facet(modelled).pumped) == before[modelled.facet_id] + 1

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def go_busy(self, data: st.DataObject) -> None:
        modelled = data.draw(st.sampled_from(self.live))
        modelled.busy = self.facet(modelled).busy = True
        modelled.last = self.facet(modelled).last_active_tick = self.tick

    @precondition(lambda self: any(m.busy for m in self.live))
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        modelled = data.draw(st.sampled_from([m for m in self.live if m.busy]))
        modelled.busy = self.facet(modelled).busy = False
        thought = f"{modelled.key} {modelled.facet_id} {self.tick}"
        modelled.thoughts.append(thought)
        self.facet(modelled).reasoning_history.append(thought)

    @precondition(lambda self: self.handles)
    @rule(data=st.data())
    def destroy(self, data: st.DataObject) -> None:
        facet_id = data.draw(st.sampled_from(sorted(self.handles)))
        modelled = next((m for m in self.live if m.facet_id == facet_id), None)
        told = len(self.sink.events)
        self.handles[facet_id].destroy()
        if modelled is None:
            assert len(self.sink.events) == told
        else:
            self.end(modelled, "explicit")

    # the laws

    @invariant()
    def the_population_is_the_models(self) -> None:
        assert self.supervisor.live_facet_ids() == [m.facet_id for m in self.live]
        assert self.supervisor.busy_facet_ids() == [m.facet_id for m in self.live if m.busy]
        assert len(self.supervisor) == len(self.live)
        keys = [m.key for m in self.live if m.key is not None]
        assert len(set(keys)) == len(keys)
        for key in "abcde":
            expected = next((m.facet_id for m in self.live if m.key == key), None)
            found = self.supervisor.handle_for(key)
            assert (None if found is None else found.facet_id) == expected

    @invariant()
    def each_spawn_has_at_most_one_end_with_its_key_and_reason(self) -> None:
        ends = [(e["facetId"], e.get("key"), e["reason"]) for e in self.sink.of_type("destroy")]
        assert ends == self.ended
        assert len({facet_id for facet_id, _, _ in ends}) == len(ends)
        keys = {e["facetId"]: e.get("key") for e in self.sink.of_type("spawn")}
        assert all(keys[facet_id] == key for facet_id, key, _ in ends)

    @invariant()
    def owners_hear_of_what_they_did_not_ask_for(self) -> None:
        assert self.reaped == self.expect_reaped

    @invariant()
    def reasoning_never_crosses_keys(self) -> None:
        for modelled in self.live:
            history = self.facet(modelled).reasoning_history
            assert history[-10:] == modelled.thoughts[-10:]
            assert all(thought.startswith(f"{modelled.key} ") for thought in history)

    @invariant()
    def the_counts_are_those_of_the_trace(self) -> None:
        statistics = self.supervisor.statistics()
        counted: dict[tuple[str, str], int] = {}
        for _, key, reason in self.ended:
            cell = ("keyless" if key is None else "keyed", reason)
            counted[cell] = counted.get(cell, 0) + 1
        assert {(str(e.population), e.reason): e.count for e in statistics.ended} == counted
        assert statistics.spawned == self.spawned
        assert statistics.live == len(self.live)
        assert statistics.carried_threads == len(self.carried)
        totals: list[Any] = [event["totalFacets"] for event in self.sink.events]
        assert not totals or totals[-1] == len(self.live)


TestSupervisorMachine = SupervisorMachine.TestCase
TestSupervisorMachine.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
