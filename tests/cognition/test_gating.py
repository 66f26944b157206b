"""When the master thinks."""

import pytest

from cognition import Entity, ExecutiveParams, GateReason
from cognition.gating import MasterGate, bodily_crises
from tests.cognition.rig import news

PARAMS = ExecutiveParams(
    master_cooldown_ticks=10, master_interval_ticks=100, master_salience=0.8, fast_choice_ticks=30
)


def consider(gate: MasterGate, tick: int, *percepts: object, **options: object) -> GateReason:
    given = {"pending": False, "anything": False, "metrics": {}} | options
    metrics = given.pop("metrics")
    verdict = gate.consider(tick, percepts, metrics, **given)  # type: ignore[arg-type]
    assert verdict.opens == (
        verdict.reason not in (GateReason.WAITING, GateReason.PENDING, GateReason.NOTHING)
    )
    return verdict.reason


def test_salience_comes_together_over_percepts_and_each_counts_once() -> None:
    gate = MasterGate(PARAMS)
    first = news(1, salience=0.3, n=1)
    for tick in (1, 2, 3):
        assert consider(gate, tick, first) is GateReason.NOTHING
    second, third = news(3, salience=0.3, n=2), news(3, salience=0.3, n=3)
    assert consider(gate, 3, first, second) is GateReason.NOTHING
    assert consider(gate, 4, third) is GateReason.SALIENCE


def test_the_cooldown_holds_and_a_rupture_cuts_it_short() -> None:
    gate = MasterGate(PARAMS)
    gate.thought(10)
    loud = [news(11, salience=0.39, n=n) for n in range(5)]
    assert consider(gate, 11, *loud) is GateReason.WAITING
    assert consider(gate, 12, *loud, news(12, salience=0.4)) is GateReason.RUPTURE
    gate.thought(12)
    assert gate.salience == 0.0


@pytest.mark.parametrize("provenance", ["reafferent", "unknown"])
def test_the_minds_own_doing_is_no_rupture(provenance: str) -> None:
    gate = MasterGate(PARAMS)
    gate.thought(10)
    assert consider(gate, 11, news(11, provenance=provenance)) is GateReason.WAITING
    assert consider(gate, 20, news(20, n=1, provenance=provenance)) is GateReason.SALIENCE


def test_a_fast_choice_stands_longer_than_the_cooldown() -> None:
    gate = MasterGate(PARAMS)
    gate.thought(10)
    gate.chose_fast(10)
    own = [news(25, provenance="reafferent", n=n) for n in range(3)]
    assert consider(gate, 25, *own) is GateReason.WAITING
    assert consider(gate, 40) is GateReason.SALIENCE


def test_a_rupture_reopens_a_fast_choice() -> None:
    gate = MasterGate(PARAMS)
    gate.thought(10)
    gate.chose_fast(10)
    assert consider(gate, 11, news(11)) is GateReason.RUPTURE


def test_nothing_opens_while_work_is_pending() -> None:
    gate = MasterGate(PARAMS)
    crisis = {"sleep.pressure": 99.0}
    assert (
        consider(gate, 500, news(500), pending=True, anything=True, metrics=crisis)
        is GateReason.PENDING
    )
    # what came meanwhile is not forgotten
    assert consider(gate, 501, news(500), metrics=crisis) is GateReason.RUPTURE


@pytest.mark.parametrize(
    ("metrics", "crises"),
    [
        ({}, set()),
        ({"sleep.pressure": 65.0, "stress.load": 75.0, "energy.level": 15.0}, set()),
        ({"sleep.pressure": 65.1}, {"sleep.pressure"}),
        ({"stress.load": 75.1}, {"stress.load"}),
        ({"energy.level": 14.9}, {"energy.level"}),
        ({"energy.level": float("nan")}, set()),
    ],
)
def test_bodily_crises(metrics: dict[str, float], crises: set[str]) -> None:
    assert bodily_crises(metrics) == crises


def test_a_crisis_opens_when_it_begins_and_not_as_long_as_it_lasts() -> None:
    gate = MasterGate(PARAMS)
    tired = {"energy.level": 5.0}
    assert consider(gate, 1, metrics=tired) is GateReason.CRISIS
    gate.thought(1)
    assert consider(gate, 20, metrics=tired) is GateReason.NOTHING
    assert consider(gate, 21) is GateReason.NOTHING
    assert consider(gate, 22, metrics=tired) is GateReason.CRISIS


def test_a_crisis_that_begins_while_waiting_is_not_missed() -> None:
    gate = MasterGate(PARAMS)
    gate.thought(1)
    tired = {"energy.level": 5.0}
    assert consider(gate, 5, metrics=tired) is GateReason.WAITING
    assert consider(gate, 11, metrics=tired) is GateReason.CRISIS


def test_a_crisis_that_another_thought_met_asks_for_none_of_its_own() -> None:
    gate = MasterGate(PARAMS)
    tired = {"energy.level": 5.0}
    assert consider(gate, 1, news(1), metrics=tired) is GateReason.RUPTURE
    gate.thought(1)
    assert consider(gate, 20, metrics=tired) is GateReason.NOTHING


def test_the_interval_opens_only_for_something() -> None:
    gate = MasterGate(PARAMS)
    gate.thought(0)
    assert consider(gate, 99, anything=True) is GateReason.NOTHING
    assert consider(gate, 100) is GateReason.NOTHING
    assert consider(gate, 100, anything=True) is GateReason.INTERVAL


def test_time_that_goes_back_does_not_lock_the_gate() -> None:
    gate = MasterGate(PARAMS)
    gate.thought(1000)
    gate.rewind(5)
    assert consider(gate, 6, news(6)) is GateReason.RUPTURE
    assert consider(gate, 15, news(15, provenance="unknown")) is GateReason.SALIENCE


def ruptures(gate: MasterGate, tick: int, *percepts: Entity) -> bool:
    verdict = gate.consider(tick, percepts, {}, pending=False, anything=False)
    if verdict.opens:
        gate.thought(tick)
    return verdict.reason is GateReason.RUPTURE


def test_a_percept_that_grew_may_rupture() -> None:
    gate = MasterGate(ExecutiveParams(master_cooldown_ticks=100))
    assert not ruptures(gate, 1, news(1, salience=0.1, id="wolf"))
    assert ruptures(gate, 2, news(2, salience=0.6, id="wolf"))
    assert not ruptures(gate, 3, news(3, salience=0.6, id="wolf"))
    assert not ruptures(gate, 4, news(4, salience=0.5, id="wolf"))
    assert ruptures(gate, 5, news(5, salience=0.9, id="wolf"))


def test_a_percept_counts_again_by_how_much_it_grew() -> None:
    gate = MasterGate(ExecutiveParams(master_salience=100))
    for tick, salience in enumerate((0.1, 0.3, 0.2, 0.3), 1):
        ruptures(gate, tick, news(tick, salience=salience, id="hum", provenance="unknown"))
    assert gate.salience == pytest.approx(0.3)


def test_a_percept_of_the_next_tick_ruptures_when_its_tick_has_come() -> None:
    gate = MasterGate(ExecutiveParams())
    early = news(6, id="wolf")
    gate.thought(4)
    assert not ruptures(gate, 5, early)
    assert ruptures(gate, 6, early)
    assert not ruptures(gate, 7, early)
