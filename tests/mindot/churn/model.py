"""What a trace means, worked out in the plainest way, and traces from random lives.

The model keeps every event in lists and reads them again for every question; the report must come
to the same.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import orjson
from hypothesis import strategies as st

from cognition.facet_supervisor import FacetHandle, FacetSupervisor
from cognition.state import ExecutiveParams, StateView
from cognition.trace import Trace
from mindot.records.churn import ChurnReport

Event = dict[str, Any]
START_MS = 1_789_192_800_000


def line(event: Event) -> bytes:
    return orjson.dumps(event) + b"\n"


@dataclass
class KeyModel:
    spawns: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    resumed: int = 0
    lives: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)

    def facts(self) -> tuple[Any, ...]:
        return (
            self.spawns,
            dict(self.ends),
            self.lost,
            self.resumed,
            median(self.lives) if self.lives else None,
            max(self.gaps, default=None),
        )


@dataclass
class Model:
    """The counts over some events of minds that all give their name."""

    events: Sequence[Event]
    window: int = 3000

    def counts(self) -> dict[str, Any]:
        spawned = 0
        ended: Counter[tuple[str, str]] = Counter()
        live: dict[tuple[str, str], str | None] = {}
        for event in self.events:
            who = (event["mind"], event["facetId"])
            if event["type"] == "executive.facet.spawn":
                if who in live:
                    ended["keyless" if live[who] is None else "keyed", "unknown"] += 1
                live[who] = event.get("key")
                spawned += 1
            else:
                seen = who in live
                key = event.get("key", live.pop(who, None))
                population = "keyed" if key else "keyless" if seen else "unknown"
                ended[population, event.get("reason", "unknown")] += 1
        return {"spawned": spawned, "live": len(live), "ended": dict(ended)}

    def keys(self) -> dict[str, tuple[Any, ...]]:
        found: dict[str, KeyModel] = {}
        for mind, key in sorted({(e["mind"], k) for e, k in self._with_keys() if k}):
            model = found.setdefault(key, KeyModel())
            end: tuple[int, str] | None = None
            for kind, tick, reason, life in self._story(mind, key):
                if kind == "spawn":
                    model.spawns += 1
                    if end is not None and tick >= end[0]:
                        model.gaps.append(tick - end[0])
                        if tick - end[0] <= self.window:
                            model.resumed += 1
                            model.lost += end[1] in ("idle", "lru")
                    end = None
                else:
                    model.ends[reason] += 1
                    if life is not None and life >= 0:
                        model.lives.append(life)
                    end = (tick, reason)
        return {key: model.facts() for key, model in found.items()}

    def _with_keys(self) -> Iterable[tuple[Event, str | None]]:
        live: dict[tuple[str, str], str | None] = {}
        for event in self.events:
            who = (event["mind"], event["facetId"])
            if event["type"] == "executive.facet.spawn":
                live[who] = event.get("key")
                yield event, event.get("key")
            else:
                yield event, event.get("key", live.pop(who, None))

    def _story(self, mind: str, key: str) -> Iterable[tuple[str, int, str, int | None]]:
        born: dict[str, tuple[str | None, int]] = {}
        for event, its_key in self._with_keys():
            if event["mind"] != mind:
                continue
            facet, tick = event["facetId"], event["tick"]
            if event["type"] == "executive.facet.spawn":
                if facet in born and born[facet][0] == key:
                    yield "end", tick, "unknown", tick - born[facet][1]
                born[facet] = (its_key, tick)
                if its_key == key:
                    yield "spawn", tick, "", None
            else:
                began = born.pop(facet, None)
                if its_key == key:
                    reason = event.get("reason", "unknown")
                    yield "end", tick, reason, None if began is None else tick - began[1]


def told(report: ChurnReport) -> dict[str, Any]:
    """The report's counts, in the model's words."""
    counted = report.statistics
    return {
        "spawned": counted.spawned,
        "live": counted.live,
        "ended": {(str(e.population), e.reason): e.count for e in counted.ended},
    }


def told_keys(report: ChurnReport) -> dict[str, tuple[Any, ...]]:
    return {
        k.key: (
            k.spawns,
            k.destroys,
            k.lost,
            k.resumed,
            k.median_life_ticks,
            k.longest_gap_ticks,
        )
        for k in report.each_key()
    }


class Still:
    """A facet that does nothing."""

    def __init__(self) -> None:
        self.busy = False
        self.last_active_tick = 0
        self.reasoning_history: list[str] = []

    def mark_active(self, tick: int) -> None:
        self.last_active_tick = tick

    def restore_reasoning_history(self, history: list[str], /) -> None:
        self.reasoning_history = list(history)

    def pump(self, state: StateView) -> None:
        """It has nothing to do."""

    def destroy(self) -> None:
        """It holds nothing."""


@dataclass(frozen=True)
class Life:
    """What some supervisors wrote, and what the last supervisor of each mind counted."""

    events: list[Event]
    spawned: int
    live: int
    ended: dict[tuple[str, str], int]
    restarted: bool


STEPS = st.one_of(
    st.tuples(st.just("spawn"), st.sampled_from(["a", "b", "c", "d", "e", "ø\n"])),
    st.tuples(st.just("spawn"), st.sampled_from(["a", "b", "c", None])),
    st.tuples(st.just("spawn"), st.none()),
    st.tuples(st.just("close"), st.integers(0, 9)),
    st.tuples(st.just("wait"), st.sampled_from([1, 5, 5, 60, 60, 3000, 90_000])),
    st.tuples(st.just("attention"), st.sampled_from([0.0, 0.5, 1.0])),
    st.tuples(st.just("restart"), st.none()),
)


@st.composite
def lives(draw: st.DrawFn) -> Life:
    """Supervisors of one to three minds living some steps, traced."""
    minds = ["mock:gerdur", "mock:brenna", "mock:aldo"][: draw(st.integers(1, 3))]
    size = draw(st.sampled_from([60, 3, 25, 0]))
    steps = draw(st.lists(st.tuples(st.sampled_from(minds), STEPS), min_size=size, max_size=size))
    events: list[Event] = []
    tick = 0

    def begin(mind: str) -> FacetSupervisor:
        trace = Trace(events.append, mind=mind, wall_time=lambda: START_MS + tick * 500)
        return FacetSupervisor(lambda _id, _key: Still(), trace=trace, idle_ttl_ticks=50)

    supervisors = {mind: begin(mind) for mind in minds}
    handles: dict[str, list[FacetHandle]] = {mind: [] for mind in minds}
    restarted = False
    for mind, (step, value) in steps:
        supervisor = supervisors[mind]
        state = StateView(tick=tick, params=ExecutiveParams(max_facets=4))
        if step == "spawn":
            handle = supervisor.spawn(state, value).handle
            if handle is not None:
                handles[mind].append(handle)
        elif step == "close" and handles[mind]:
            supervisor.see(tick)
            handles[mind].pop(value % len(handles[mind])).destroy()
        elif step == "wait":
            tick += value
            supervisor.pump(StateView(tick=tick, params=ExecutiveParams(max_facets=4)))
        elif step == "attention":
            supervisor.set_attention(value)
        elif step == "restart":
            restarted = True
            handles[mind] = []
            supervisors[mind] = begin(mind)
    counted = [s.statistics() for s in supervisors.values()]
    ended: Counter[tuple[str, str]] = Counter()
    for statistics in counted:
        for end in statistics.ended:
            ended[str(end.population), end.reason] += end.count
    return Life(
        events,
        sum(s.spawned for s in counted),
        sum(s.live for s in counted),
        dict(ended),
        restarted,
    )
