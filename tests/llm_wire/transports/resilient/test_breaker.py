import time

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_wire.transport import Failure, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Breaker
from llm_wire.transports.resilient.breaker import Circuit, CircuitState
from tests.llm_wire.transports.players import Gate, Player, failed, request_of, settled

DOWN = Failure.UNREACHABLE


async def _ask(breaker: Breaker) -> object:
    try:
        return (await breaker.ask(request_of())).text
    except TransportError as error:
        return error.failure


@pytest.mark.anyio
async def test_it_opens_probes_and_closes() -> None:
    clock = ManualClock()
    player = Player(*[failed(DOWN)] * 4, "Hello")
    breaker = Breaker(player, failures=3, open_s=10, clock=clock)
    for _ in range(3):
        assert await _ask(breaker) is DOWN
    assert breaker.statistics().state is CircuitState.OPEN
    with pytest.raises(TransportError, match="not asked: 3 calls in a row failed") as caught:
        await breaker.ask(request_of())
    assert caught.value.retry_after_s == 10
    assert len(player.calls) == 3
    clock.advance(10)
    assert await _ask(breaker) is DOWN  # the probe, which fails
    assert len(player.calls) == 4
    clock.advance(19)
    assert await _ask(breaker) is DOWN
    assert len(player.calls) == 4  # open for twice as long
    clock.advance(1)
    assert await _ask(breaker) == "Hello"
    assert breaker.statistics().state is CircuitState.CLOSED
    assert breaker.statistics().opened == 2
    assert breaker.statistics().turned_away == 2


@pytest.mark.anyio
async def test_an_answer_in_between_begins_the_count_anew() -> None:
    player = Player(failed(DOWN), "Hello", failed(DOWN), failed(Failure.REFUSED), failed(DOWN))
    breaker = Breaker(player, failures=2, clock=ManualClock())
    for _ in range(5):
        await _ask(breaker)
    assert breaker.statistics().state is CircuitState.CLOSED


@pytest.mark.anyio
async def test_one_probe_at_a_time_and_a_cancelled_one_gives_its_place_back() -> None:
    clock = ManualClock()
    gate = Gate()
    breaker = Breaker(gate, failures=1, open_s=10, clock=clock)
    circuit = breaker._circuit
    era = circuit.admit(clock.now())
    assert era is not None
    circuit.failed(era, DOWN, clock.now())
    clock.advance(10)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_ask, breaker)
        await settled()
        assert gate.inside == [""]
        assert await _ask(breaker) is DOWN  # turned away while the probe is out
        tasks.cancel_scope.cancel()
    assert breaker.statistics().state is CircuitState.HALF_OPEN
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_ask, breaker)
        await settled()
        await gate.let_out("")
    assert breaker.statistics().state is CircuitState.CLOSED


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["admit", "ok", "fail", "left"]), st.floats(0, 30)), max_size=60
    )
)
def test_whatever_happens_few_probes_are_out_and_the_wait_is_bounded(
    steps: list[tuple[str, float]],
) -> None:
    circuit = Circuit(failures=2, open_s=5, longest_s=20, probes=2)
    now = 0.0
    out: list[int] = []
    for step, passed in steps:
        now += passed
        if step == "admit":
            era = circuit.admit(now)
            if era is not None:
                out.append(era)
        elif out:
            era = out.pop(0)
            if step == "ok":
                circuit.succeeded(era)
            elif step == "fail":
                circuit.failed(era, DOWN, now)
            else:
                circuit.left(era)
        probes = [era for era in out if era == circuit._era]
        if circuit.state is CircuitState.HALF_OPEN:
            assert len(probes) <= 2
        assert circuit.wait(now) <= 20
        assert (circuit.state is CircuitState.CLOSED) <= (circuit.failures < 2)


@pytest.mark.anyio
async def test_a_dead_endpoint_costs_next_to_nothing() -> None:
    breaker = Breaker(Player(failed(DOWN)), failures=1, clock=ManualClock())
    await _ask(breaker)
    start = time.perf_counter()
    for _ in range(100):
        await _ask(breaker)
    # no time is asserted but by orders of magnitude: a hundred asks in far less than a call
    assert time.perf_counter() - start < 5
    assert breaker.statistics().turned_away == 100
