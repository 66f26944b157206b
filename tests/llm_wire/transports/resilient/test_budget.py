from contextlib import aclosing
from dataclasses import replace

import pytest

from llm_wire.allowance import Standing
from llm_wire.transport import Completion, Failure, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Allowance, Breaker, Budget
from llm_wire.transports.resilient.budget import DAY_S
from llm_wire.transports.scripted import ScriptedTransport
from tests.llm_wire.transports.players import Gate, Player, failed, request_of, settled
from tests.llm_wire.transports.steps import cancelled_at_every_await

pytestmark = pytest.mark.anyio


async def _ask(budget: Budget, asker: str = "mock:gerdur") -> object:
    try:
        return (await budget.ask(request_of(asker=asker))).text
    except TransportError as error:
        return error.failure


async def test_calls_in_a_minute() -> None:
    clock = ManualClock(start=1000)
    budget = Budget(Player("Hello"), per_minute=Allowance(calls=2), clock=clock)
    assert await _ask(budget) == "Hello"
    clock.advance(50)
    assert await _ask(budget) == "Hello"
    with pytest.raises(
        TransportError, match=r"'mock:gerdur' has used 2 of 2 calls this minute; "
    ) as e:
        await budget.ask(request_of(asker="mock:gerdur"))
    assert e.value.failure is Failure.OVER_BUDGET
    assert e.value.retry_after_s == 10
    assert await _ask(budget, "mock:hod") == "Hello"
    clock.advance(10)
    assert await _ask(budget) == "Hello"
    assert budget.statistics().over_budget == 1


async def test_tokens_in_a_day() -> None:
    clock = ManualClock()
    budget = Budget(Player("Hello"), per_day=Allowance(tokens=40), clock=clock)
    for _ in range(3):
        assert await _ask(budget) == "Hello"  # 15 tokens each, as the player counts them
        clock.advance(100)
    assert await _ask(budget) is Failure.OVER_BUDGET
    minute, day = budget.standing("mock:gerdur")
    assert (day.tokens, day.calls, day.used_up) == (45, 3, "tokens")
    assert (minute.calls, minute.used_up) == (0, None)
    clock.advance(DAY_S - 300)
    assert await _ask(budget) == "Hello"
    assert budget.statistics().tokens == 60


async def test_what_comes_back_tells_how_the_asker_stands(stream: bool) -> None:
    clock = ManualClock()
    player = Player("Hello", failed(Failure.EMPTY), "Hello")
    budget = Budget(player, per_day=Allowance(calls=2, tokens=900), clock=clock)
    request = request_of(asker="mock:gerdur")

    async def ask() -> tuple[Standing, ...]:
        try:
            if not stream:
                return (await budget.ask(request)).standing
            async with aclosing(budget.stream(request)) as pieces:
                said = [piece async for piece in pieces]
        except TransportError as error:
            return error.standing
        assert isinstance(said[-1], Completion)
        return said[-1].standing

    expected = Standing(
        period="day",
        calls=1,
        tokens=15,
        allowance=Allowance(calls=2, tokens=900),
        renews_in_s=DAY_S,
    )
    assert await ask() == (expected,)
    clock.advance(10)
    failing = (replace(expected, calls=2, renews_in_s=DAY_S - 10),)
    assert await ask() == failing
    assert await ask() == failing
    assert len(player.calls) == 2


async def test_without_a_limit_there_is_nothing_to_tell() -> None:
    budget = Budget(Player("Hello", failed(Failure.EMPTY)), clock=ManualClock())
    assert (await budget.ask(request_of())).standing == ()
    with pytest.raises(TransportError) as caught:
        await budget.ask(request_of())
    assert caught.value.standing == ()


async def test_a_call_that_is_out_counts_as_an_estimate() -> None:
    import anyio

    gate = Gate()
    budget = Budget(gate, per_minute=Allowance(tokens=500), clock=ManualClock())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_ask, budget)
        await settled()
        minute, _ = budget.standing("mock:gerdur")
        assert minute.tokens > 500  # max_tokens of the answer, and the prompt
        assert await _ask(budget) is Failure.OVER_BUDGET
        await gate.let_out("")
    minute, _ = budget.standing("mock:gerdur")
    assert minute.tokens < 20  # the gate counts nothing, so the texts were measured


async def test_a_failed_or_cancelled_call_costs_its_call_alone() -> None:
    budget = Budget(Player(failed(Failure.EMPTY)), clock=ManualClock())
    assert await _ask(budget) is Failure.EMPTY
    minute, day = budget.standing("mock:gerdur")
    assert (minute.calls, minute.tokens, day.calls) == (1, 0, 1)


async def test_a_call_that_never_went_out_is_not_counted() -> None:
    clock = ManualClock()
    dead = Breaker(Player(failed(Failure.UNREACHABLE)), failures=1, clock=clock)
    budget = Budget(dead, per_minute=Allowance(calls=2), clock=clock)
    assert await _ask(budget) is Failure.UNREACHABLE
    for _ in range(5):
        assert await _ask(budget) is Failure.UNREACHABLE  # turned away by the open circuit
    minute, _ = budget.standing("mock:gerdur")
    assert (minute.calls, minute.tokens) == (1, 0)
    assert budget.statistics().admitted == 1


async def test_cancelled_at_any_await() -> None:
    budget = Budget(ScriptedTransport(lambda _: "Hello"), clock=ManualClock())
    awaits = await cancelled_at_every_await(lambda: budget.ask(request_of(asker="mock:hod")))
    minute, _ = budget.standing("mock:hod")
    assert minute.calls == awaits + 1
    assert minute.tokens < 20


async def test_nobody_is_remembered_longer_than_a_day() -> None:
    clock = ManualClock()
    budget = Budget(Player("Hello"), clock=clock)
    for n in range(50):
        await _ask(budget, f"mock:{n}")
    clock.advance(DAY_S)
    await _ask(budget)
    assert budget.statistics().askers == 1


def test_an_allowance_below_nothing() -> None:
    with pytest.raises(ValueError, match="calls must not be negative, not -1"):
        Allowance(calls=-1)
