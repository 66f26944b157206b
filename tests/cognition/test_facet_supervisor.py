"""One thread, one facet; every end says which population and why."""

import math
from typing import Any

import pytest

from cognition import ExecutiveParams, FacetSupervisor, StateView
from cognition.facet_supervisor import Attention, FacetHandle, FacetLife
from cognition.testing import FakeFacet, RecordingSink


def at(tick: int, **params: Any) -> StateView:
    return StateView(tick=tick, params=ExecutiveParams(**params))


def handle_of(supervisor: FacetSupervisor, state: StateView, key: str | None = None) -> FacetHandle:
    handle = supervisor.spawn(state, key).handle
    assert handle is not None
    return handle


def fake(handle: FacetHandle) -> FakeFacet:
    assert isinstance(handle.facet, FakeFacet)
    return handle.facet


@pytest.fixture
def sink() -> RecordingSink:
    return RecordingSink()


@pytest.fixture
def supervisor(sink: RecordingSink) -> FacetSupervisor:
    return FacetSupervisor(FakeFacet, trace=sink)


def test_an_open_key_gives_the_same_facet_and_marks_it_active(
    supervisor: FacetSupervisor, sink: RecordingSink
) -> None:
    first = handle_of(supervisor, at(1), "k")
    again = supervisor.spawn(at(7), "k")
    assert again.attention is Attention.AVAILABLE
    assert str(again.attention) == "available"
    assert again.handle is first
    assert first.facet.last_active_tick == 7
    assert len(supervisor) == 1
    assert sink.events == [
        {
            "type": "executive.facet.spawn",
            "tick": 1,
            "facetId": "facet-1",
            "key": "k",
            "totalFacets": 1,
        }
    ]


def test_ids_count_up_and_keyless_facets_are_never_shared(supervisor: FacetSupervisor) -> None:
    for _ in range(3):
        handle_of(supervisor, at(0))
    assert supervisor.live_facet_ids() == ["facet-1", "facet-2", "facet-3"]


@pytest.mark.parametrize(
    ("ceiling", "free", "allowed"),
    [
        (10, 1.0, 10),
        (10, 0.0, 1),
        (10, 0.25, 3),  # half rounds up
        (10, 0.35, 4),
        (10, 0.349, 3),
        (10, 0.04, 1),
        (3, 0.5, 2),
        (1, 1.0, 1),
        (10, 7.5, 10),
        (10, -1.0, 1),
        (10, math.inf, 10),
    ],
)
def test_attention_sets_the_allowance(ceiling: int, free: float, allowed: int) -> None:
    supervisor = FacetSupervisor(FakeFacet, trace=RecordingSink(), evict_on_pressure=False)
    supervisor.set_attention(free)
    state = at(0, max_facets=ceiling)
    spawned = [supervisor.spawn(state).attention for _ in range(ceiling + 2)]
    assert spawned.count(Attention.AVAILABLE) == allowed
    full = supervisor.spawn(state)
    assert (full.attention, full.handle) == ("full", None)
    assert supervisor.live_facet_ids()[-1] == f"facet-{allowed}"


def test_attention_must_be_a_number(supervisor: FacetSupervisor) -> None:
    with pytest.raises(ValueError, match="free attention must be a number, got nan"):
        supervisor.set_attention(math.nan)


def test_at_the_allowance_quiet_keyless_facets_give_way_first(
    supervisor: FacetSupervisor, sink: RecordingSink
) -> None:
    state = at(0, max_facets=3)
    keyed = handle_of(supervisor, state, "k")
    busy = handle_of(supervisor, state)
    quiet = handle_of(supervisor, state)
    fake(busy).busy = True
    fake(quiet).last_active_tick = 50  # the most recent one, and still the first to go
    new = handle_of(supervisor, at(60, max_facets=3), "new")
    assert quiet.life is FacetLife.EVICTED
    assert (keyed.life, busy.life, new.life) == (FacetLife.OPEN,) * 3
    assert sink.of_type("destroy") == [
        {
            "type": "executive.facet.destroy",
            "tick": 60,
            "facetId": "facet-3",
            "reason": "lru",
            "totalFacets": 2,
        }
    ]


def test_then_quiet_keyed_ones_and_then_all_by_last_use_and_age(
    supervisor: FacetSupervisor,
) -> None:
    state = at(0, max_facets=3)
    a, b, c = (handle_of(supervisor, state, key) for key in "abc")
    fake(a).busy = True
    fake(b).last_active_tick = 9
    fake(c).last_active_tick = 5
    handle_of(supervisor, at(10, max_facets=3), "d")
    assert c.life is FacetLife.EVICTED
    for facet_id in ("b", "d"):
        found = supervisor.handle_for(facet_id)
        assert found is not None
        fake(found).busy = True
        found.facet.last_active_tick = 20  # type: ignore[misc]
    fake(a).last_active_tick = 20
    handle_of(supervisor, at(30, max_facets=3))
    assert a.life is FacetLife.EVICTED  # all equal: the oldest


def test_one_spawn_evicts_at_most_one(supervisor: FacetSupervisor, sink: RecordingSink) -> None:
    for key in "abcdefgh":
        handle_of(supervisor, at(0), key)
    supervisor.set_attention(0.1)
    assert len(supervisor) == 8
    handle_of(supervisor, at(1), "new")
    assert len(supervisor) == 8
    assert len(sink.of_type("destroy")) == 1


def test_idle_facets_are_reaped_by_pump_alone(
    supervisor: FacetSupervisor, sink: RecordingSink
) -> None:
    state = at(0, facet_idle_ttl_ticks=5)
    handle = handle_of(supervisor, state, "k")
    busy = handle_of(supervisor, state)
    fake(busy).busy = True
    told: list[str] = []
    handle.on_reaped(lambda: told.append("reaped"))
    busy.on_reaped(lambda: told.append("wrong"))
    supervisor.pump(at(5, facet_idle_ttl_ticks=5))
    handle_of(supervisor, at(6, facet_idle_ttl_ticks=5))
    assert handle.facet_id in supervisor.live_facet_ids()
    supervisor.pump(at(6, facet_idle_ttl_ticks=5))
    assert handle.life is FacetLife.REAPED
    assert told == ["reaped"]
    assert sink.of_type("destroy") == [
        {
            "type": "executive.facet.destroy",
            "tick": 6,
            "facetId": "facet-1",
            "key": "k",
            "reason": "idle",
            "totalFacets": 2,
        }
    ]
    assert fake(handle).pumped == [5]
    assert fake(busy).pumped == [5, 6]


def test_the_constructors_idle_time_beats_the_params() -> None:
    supervisor = FacetSupervisor(FakeFacet, trace=RecordingSink(), idle_ttl_ticks=1)
    handle_of(supervisor, at(0))
    supervisor.pump(at(2))
    assert len(supervisor) == 0


def test_destroying_is_explicit_once_and_then_silent(
    supervisor: FacetSupervisor, sink: RecordingSink
) -> None:
    handle = handle_of(supervisor, at(3), "k")
    told: list[str] = []
    handle.on_reaped(lambda: told.append("reaped"))
    handle.destroy()
    handle.destroy()
    assert told == []
    assert fake(handle).destroyed == 1
    assert [(e["reason"], e["tick"], e["key"]) for e in sink.of_type("destroy")] == [
        ("explicit", 3, "k")
    ]
    assert supervisor.handle_for("k") is None


def test_reasoning_waits_for_its_own_key_however_the_facet_ended(
    supervisor: FacetSupervisor,
) -> None:
    first = handle_of(supervisor, at(0), "a")
    fake(first).reasoning_history = ["one", "two"]
    first.destroy()
    assert fake(handle_of(supervisor, at(1), "b")).reasoning_history == []
    assert fake(handle_of(supervisor, at(1))).reasoning_history == []
    again = handle_of(supervisor, at(2), "a")
    assert fake(again).reasoning_history == ["one", "two"]
    supervisor.pump(at(5000))
    assert again.life is FacetLife.REAPED
    assert fake(handle_of(supervisor, at(5001), "a")).reasoning_history == ["one", "two"]


def test_what_is_carried_is_bounded(supervisor: FacetSupervisor) -> None:
    for number in range(300):
        handle = handle_of(supervisor, at(number), f"k{number}")
        fake(handle).reasoning_history = ["x" * 5000] * 50
        handle.destroy()
    assert supervisor.statistics().carried_threads == 256
    assert fake(handle_of(supervisor, at(301), "k43")).reasoning_history == []
    carried = fake(handle_of(supervisor, at(301), "k44")).reasoning_history
    assert len(carried) == 10
    assert {len(entry) for entry in carried} == {400}


def test_an_owner_may_spawn_and_destroy_when_it_hears_of_a_reap(
    supervisor: FacetSupervisor,
) -> None:
    state = at(0, max_facets=2, facet_idle_ttl_ticks=3)
    first, second = handle_of(supervisor, state, "a"), handle_of(supervisor, state, "b")
    first.on_reaped(second.destroy)
    second.on_reaped(lambda: pytest.fail("its owner closed it"))
    first.on_reaped(lambda: handle_of(supervisor, at(9, max_facets=2), "a"))
    supervisor.pump(at(9, max_facets=2, facet_idle_ttl_ticks=3))
    assert second.life is FacetLife.CLOSED
    assert supervisor.live_facet_ids() == ["facet-3"]


def test_an_owner_who_spawns_on_eviction_stays_within_the_allowance(
    supervisor: FacetSupervisor,
) -> None:
    state = at(0, max_facets=2)
    first = handle_of(supervisor, state, "a")
    handle_of(supervisor, state, "b")
    first.on_reaped(lambda: handle_of(supervisor, state, "a"))
    handle_of(supervisor, state, "c")
    assert len(supervisor) == 2
    assert supervisor.handle_for("a") is not None


def test_a_listener_that_raises_harms_nobody_else(supervisor: FacetSupervisor) -> None:
    told: list[int] = []

    def broken() -> None:
        raise RuntimeError("owner")

    handle = handle_of(supervisor, at(0))
    handle.on_reaped(broken)
    handle.on_reaped(lambda: told.append(1))
    other = handle_of(supervisor, at(5000))
    supervisor.pump(at(5001))
    assert told == [1]
    assert fake(other).pumped == [5001]


def test_a_trace_that_raises_stops_nothing() -> None:
    def broken(event: dict[str, Any]) -> None:
        raise OSError("disk full")

    supervisor = FacetSupervisor(FakeFacet, trace=broken)
    handle_of(supervisor, at(0), "k").destroy()
    assert len(supervisor) == 0


def test_a_facet_that_fails_to_pump_is_told_after_the_others_had_their_turn(
    supervisor: FacetSupervisor,
) -> None:
    first, second = handle_of(supervisor, at(0)), handle_of(supervisor, at(0))

    def broken(state: StateView) -> None:
        raise RuntimeError("facet")

    fake(first).pump = broken  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="facet"):
        supervisor.pump(at(1))
    assert fake(second).pumped == [1]


def test_a_facet_that_fails_to_clean_up_is_over_all_the_same(
    supervisor: FacetSupervisor, sink: RecordingSink
) -> None:
    def broken() -> None:
        raise RuntimeError("facet")

    handle = handle_of(supervisor, at(0, max_facets=1), "a")
    fake(handle).destroy = broken  # type: ignore[method-assign]
    handle_of(supervisor, at(1, max_facets=1), "b")
    assert supervisor.live_facet_ids() == ["facet-2"]
    assert [e["reason"] for e in sink.of_type("destroy")] == ["lru"]


def test_a_factory_that_fails_leaves_everybody_alive() -> None:
    broken = False

    def factory(facet_id: str, key: str | None) -> FakeFacet:
        if broken:
            raise RuntimeError("factory")
        return FakeFacet(facet_id, key)

    supervisor = FacetSupervisor(factory, trace=RecordingSink())
    handle = handle_of(supervisor, at(0, max_facets=1), "a")
    broken = True
    with pytest.raises(RuntimeError, match="factory"):
        supervisor.spawn(at(1, max_facets=1), "b")
    assert handle.life is FacetLife.OPEN
    assert supervisor.handle_for("b") is None


def test_a_factory_that_opens_the_thread_itself_makes_no_second_facet() -> None:
    made: list[FakeFacet] = []

    def factory(facet_id: str, key: str | None) -> FakeFacet:
        facet = FakeFacet(facet_id, key)
        made.append(facet)
        if len(made) == 1:
            opened.spawn(at(0), key)
        return facet

    opened = FacetSupervisor(factory, trace=RecordingSink())
    handle = handle_of(opened, at(0), "k")
    assert opened.live_facet_ids() == [handle.facet_id] == ["facet-2"]
    assert [facet.destroyed for facet in made] == [1, 0]


def test_statistics_are_frozen_and_count_by_population_and_reason(
    supervisor: FacetSupervisor,
) -> None:
    state = at(0, max_facets=2)
    keyed = handle_of(supervisor, state, "k")
    handle_of(supervisor, state)
    fake(keyed).busy = True
    handle_of(supervisor, state)
    statistics = supervisor.statistics()
    assert (statistics.live, statistics.busy, statistics.keyed) == (2, 1, 1)
    assert statistics.spawned == 3
    assert [(str(e.population), e.reason, e.count) for e in statistics.ended] == [
        ("keyless", "lru", 1)
    ]
    assert supervisor.busy_facet_ids() == ["facet-1"]
    with pytest.raises(AttributeError):
        statistics.live = 5  # type: ignore[misc]


class Mute(FakeFacet):
    """A facet that cannot say what it thought, and takes nothing up."""

    @property
    def reasoning_history(self) -> list[str]:
        raise RuntimeError("mute")

    @reasoning_history.setter
    def reasoning_history(self, history: list[str]) -> None:
        if history:
            raise RuntimeError("mute")


def test_a_facet_that_cannot_say_what_it_thought_has_its_end_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sink = RecordingSink()
    supervisor = FacetSupervisor(Mute, trace=sink)
    supervisor.carry("a", ["before"])
    handle = supervisor.spawn(StateView(tick=1), "a").handle
    assert handle is not None
    assert supervisor.reasoning_by_key() == {}
    handle.destroy()
    assert [e["type"].rsplit(".", 1)[1] for e in sink.events] == ["spawn", "destroy"]
    assert "facet-1 cannot say what it thought" in caplog.text
    assert "facet-1 cannot take up what its thread thought" in caplog.text
