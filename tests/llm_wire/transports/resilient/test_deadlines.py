from contextlib import aclosing
from typing import Any

import anyio
import pytest

from llm_wire.transport import Completion, Failure, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Deadlines
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.players import Player, Slow, request_of, settled

pytestmark = pytest.mark.anyio


async def _ended(limited: Deadlines, clock: ManualClock, stream: bool, **fields: Any) -> object:
    """How an ask ends when time passes in small steps."""
    ends: list[object] = []

    async def ask() -> None:
        request = request_of(**fields)
        try:
            if stream:
                async with aclosing(limited.stream(request)) as pieces:
                    ends.append([piece async for piece in pieces][-1])
            else:
                ends.append(await limited.ask(request))
        except TransportError as error:
            ends.append(error.failure)

    async with no_leaks(), anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await settled()
        while not ends:
            clock.advance(0.25)
            await settled()
    assert clock.waiting == 0
    return ends[0]


@pytest.mark.parametrize(
    ("waits", "failure"),
    [
        ([11, 1], Failure.TIMEOUT_FIRST_TOKEN),
        ([9, 6], Failure.TIMEOUT_STALLED),
        ([9, 4, 4, 4, 4], Failure.TIMEOUT_TOTAL),
    ],
)
async def test_each_limit_has_its_name(waits: list[float], failure: Failure, stream: bool) -> None:
    clock = ManualClock()
    limited = Deadlines(Slow(clock, waits), first_token_s=10, between_s=5, total_s=20, clock=clock)
    assert await _ended(limited, clock, stream) is failure
    statistics = limited.statistics()
    assert (statistics.late_to_start, statistics.stalled, statistics.too_long) == tuple(
        int(failure is name)
        for name in (
            Failure.TIMEOUT_FIRST_TOKEN,
            Failure.TIMEOUT_STALLED,
            Failure.TIMEOUT_TOTAL,
        )
    )


async def test_what_is_in_time_passes(stream: bool) -> None:
    clock = ManualClock()
    limited = Deadlines(
        Slow(clock, [9, 4, 4]), first_token_s=10, between_s=5, total_s=20, clock=clock
    )
    assert await _ended(limited, clock, stream) == Completion(text="...")
    assert clock.now() == 17


async def test_the_asker_may_have_less_patience(stream: bool) -> None:
    clock = ManualClock(start=100)
    limited = Deadlines(Slow(clock, [9]), clock=clock)
    assert await _ended(limited, clock, stream, deadline=103) is Failure.TIMEOUT_TOTAL
    assert clock.now() == pytest.approx(103, abs=0.3)


async def test_a_deadline_that_has_passed_before_the_call() -> None:
    clock = ManualClock(start=100)
    player = Player("Hello")
    limited = Deadlines(player, clock=clock)
    assert await _ended(limited, clock, False, deadline=99) is Failure.TIMEOUT_TOTAL


async def test_without_streaming_only_the_whole_is_limited() -> None:
    clock = ManualClock()
    limited = Deadlines(
        Slow(clock, [15, 15]), first_token_s=10, between_s=5, streams=False, clock=clock
    )
    assert await _ended(limited, clock, False) == Completion(text="..")


async def test_the_event_loops_own_clock_is_the_default() -> None:
    limited = Deadlines(Player("Hello"))
    assert (await limited.ask(request_of())).text == "Hello"
