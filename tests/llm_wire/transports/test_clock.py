import anyio
import pytest

from llm_wire.transports.clock import AnyioClock, ManualClock
from tests.llm_wire.transports.players import settled

pytestmark = pytest.mark.anyio


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    clock = ManualClock(start=5)
    woken: list[tuple[str, float]] = []

    async def sleep(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.now()))

    async with anyio.create_task_group() as tasks:
        for name, seconds in (("late", 3), ("early", 1), ("at-once", 0)):
            tasks.start_soon(sleep, name, seconds)
        await settled()
        assert woken == [("at-once", 5)]
        clock.advance(2)
        await settled()
        clock.advance(2)
    assert woken == [("at-once", 5), ("early", 7), ("late", 9)]
    assert clock.slept == [3, 1, 0] or sorted(clock.slept) == [0, 1, 3]  # trio starts in any order
    assert clock.waiting == 0


@pytest.mark.parametrize("seconds", [2, 0, -1])
async def test_a_limit_cancels_what_takes_longer(seconds: float) -> None:
    clock = ManualClock()

    async def limited() -> None:
        with clock.limit(seconds) as scope:
            await anyio.sleep_forever()
        assert scope.cancelled_caught

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(limited)
        await settled()
        clock.advance(2)
    assert clock.waiting == 0


async def test_a_limit_lets_pass_what_is_in_time() -> None:
    clock = ManualClock()
    with clock.limit(2) as scope:
        await settled()
    clock.advance(5)
    assert not scope.cancel_called


async def test_the_real_clock_is_the_event_loops() -> None:
    clock = AnyioClock()
    before = anyio.current_time()
    await clock.sleep(0)
    with clock.limit(0) as scope:
        await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert clock.now() >= before
