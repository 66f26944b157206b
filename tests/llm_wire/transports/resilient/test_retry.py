import random
from typing import Any

import anyio
import pytest

from llm_wire.transport import Completion, Failure, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Retry
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.players import Player, failed, heard, request_of, settled

pytestmark = pytest.mark.anyio

DOWN = Failure.UNREACHABLE
BUSY = Failure.RATE_LIMITED


async def _ended(retry: Retry, clock: ManualClock, **fields: Any) -> object:
    ends: list[object] = []

    async def ask() -> None:
        try:
            ends.append((await retry.ask(request_of(**fields))).text)
        except TransportError as error:
            ends.append(error.failure)

    async with no_leaks(), anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await settled()
        while not ends:
            clock.advance(0.01)
            await settled()
    return ends[0]


def _retry(player: Player, clock: ManualClock, **settings: object) -> Retry:
    return Retry(player, rng=random.Random(7), clock=clock, **settings)  # type: ignore[arg-type]


async def test_it_asks_again_until_an_answer_comes() -> None:
    clock = ManualClock()
    player = Player(failed(DOWN), failed(DOWN), "Hello")
    retry = _retry(player, clock)
    assert await _ended(retry, clock) == "Hello"
    assert len(player.calls) == 3
    assert 0 <= clock.slept[0] <= 0.5
    assert 0 <= clock.slept[1] <= 1.0
    assert retry.statistics().calls == 3
    assert retry.statistics().waited_s == sum(clock.slept)


async def test_it_gives_up_after_its_attempts() -> None:
    clock = ManualClock()
    player = Player(failed(DOWN))
    assert await _ended(_retry(player, clock, attempts=4), clock) is DOWN
    assert len(player.calls) == 4


@pytest.mark.parametrize(
    "failure",
    sorted(set(Failure) - {DOWN, BUSY, Failure.TIMEOUT_FIRST_TOKEN}),
)
async def test_what_would_fail_again_is_not_asked_again(failure: Failure) -> None:
    clock = ManualClock()
    player = Player(failed(failure), "Hello")
    assert await _ended(_retry(player, clock), clock) is failure
    assert len(player.calls) == 1


async def test_retry_after_is_never_cut_short() -> None:
    clock = ManualClock()
    player = Player(failed(BUSY, 7), "Hello")
    assert await _ended(_retry(player, clock), clock) == "Hello"
    assert 7 <= clock.slept[0] <= 7.5


async def test_retry_after_binds_the_asks_of_others_too() -> None:
    clock = ManualClock()
    player = Player(failed(BUSY, 7), "Hello")
    retry = _retry(player, clock, attempts=1)
    assert await _ended(retry, clock) is BUSY
    start = clock.now()
    assert await _ended(retry, clock) == "Hello"
    assert clock.now() - start >= 6.9
    assert len(player.calls) == 2


async def test_those_that_wait_for_one_moment_come_scattered() -> None:
    clock = ManualClock()
    player = Player(failed(BUSY, 7), "Hello")
    retry = _retry(player, clock, attempts=1)
    assert await _ended(retry, clock) is BUSY
    due = clock.now() + 7
    came: list[float] = []

    async def ask() -> None:
        await retry.ask(request_of())
        came.append(clock.now())

    async with no_leaks(), anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(ask)
        await settled()
        while len(came) < 8:
            clock.advance(0.01)
            await settled()
    assert all(due <= when <= due + 0.52 for when in came)
    assert len(set(came)) > 4


async def test_a_wait_that_is_too_long_is_not_begun() -> None:
    clock = ManualClock()
    player = Player(failed(BUSY, 3600))
    retry = _retry(player, clock)
    assert await _ended(retry, clock) is BUSY
    assert clock.slept == []
    # and while the server wants to be left alone, nobody troubles it
    assert await _ended(retry, clock) is BUSY
    assert len(player.calls) == 1
    assert retry.statistics().held_back == 1


async def test_a_wait_past_the_askers_deadline_is_not_begun() -> None:
    clock = ManualClock()
    player = Player(failed(BUSY, 7))
    assert await _ended(_retry(player, clock), clock, deadline=5.0) is BUSY
    assert len(player.calls) == 1


async def test_a_stream_that_has_begun_is_not_begun_again() -> None:
    player = Player(["Hel", failed(DOWN)], "Hello")
    retry = _retry(player, ManualClock())
    said: list[str | Completion] = []
    with pytest.raises(TransportError):
        await heard(retry, said)
    assert said == ["Hel"]
    assert len(player.calls) == 1


async def test_the_pauses_are_the_rngs() -> None:
    slept = []
    for _ in range(2):
        clock = ManualClock()
        await _ended(_retry(Player(failed(DOWN)), clock), clock)
        slept.append(clock.slept)
    assert slept[0] == slept[1]


def test_at_least_one_attempt() -> None:
    with pytest.raises(ValueError, match="attempts must be at least 1"):
        Retry(Player("Hello"), rng=random.Random(7), attempts=0)
