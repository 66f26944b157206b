"""The wrappers together: right number of attempts, right name, whatever the server does."""

import random

import anyio
import pytest

from llm_wire.transport import Failure, Priority, Request, Transport, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Allowance
from llm_wire.transports.resilient.breaker import CircuitState
from llm_wire.transports.resilient.stack import Resilience, Stack
from llm_wire.transports.routed import Route
from llm_wire.transports.scripted import ScriptedTransport
from tests.llm_wire.transports.dialects import Dialect
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.loopback import Loopback, json_answer, refused_port
from tests.llm_wire.transports.players import (
    Gate,
    Player,
    failed,
    heard,
    request_of,
    settled,
)
from tests.llm_wire.transports.steps import cancelled_at_every_await

pytestmark = pytest.mark.anyio


def _stack(*transports: Transport, clock: ManualClock, settings: Resilience | None = None) -> Stack:
    """The transports as models ``0``, ``1``, …, each falling through to all those after it."""
    models = {str(n): transport for n, transport in enumerate(transports)}
    then = {name: list(models)[int(name) + 1 :] for name in models}
    return Stack(models, settings, then=then, rng=random.Random(7), clock=clock)


class _Patient(ManualClock):
    """Time that passes for whoever sleeps, at once: for retries against a real server."""

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize(
    ("status", "kind", "failure", "attempts"),
    [
        ("429 Too Many Requests", "slow", Failure.RATE_LIMITED, 3),
        ("429 Too Many Requests", "insufficient_quota", Failure.OVER_QUOTA, 1),
        ("500 Internal Server Error", "server_error", Failure.UNREACHABLE, 3),
        ("401 Unauthorized", "authentication_error", Failure.PROTOCOL, 1),
        ("400 Bad Request", "content_filter", Failure.REFUSED, 1),
    ],
)
async def test_the_number_of_attempts(
    dialect: Dialect, stream: bool, status: str, kind: str, failure: Failure, attempts: int
) -> None:
    with Loopback(
        [json_answer(dialect.error(kind), status=status, Retry_After="3")]
    ).serving() as s:
        clock = _Patient()
        stack = _stack(dialect.transport(s.base_url), clock=clock)
        async with no_leaks():
            with pytest.raises(TransportError) as caught:
                await (heard(stack, []) if stream else stack.ask(request_of()))
        await stack.aclose()
    assert caught.value.failure is failure
    assert len(s.seen) == attempts
    assert clock.now() >= 3 * (attempts - 1)


async def test_a_refused_port_is_tried_and_then_left_alone(dialect: Dialect) -> None:
    transport = dialect.transport(f"http://127.0.0.1:{refused_port()}/v1")
    stack = _stack(transport, clock=_Patient())
    for _ in range(7):
        with pytest.raises(TransportError) as caught:
            await stack.ask(request_of())
        assert caught.value.failure is Failure.UNREACHABLE
    await stack.aclose()
    (model,) = stack.statistics().models
    (endpoint,) = stack.statistics().endpoints
    assert model.retry.calls == 5  # of the first ask three, of the second two
    assert endpoint.breaker.state is CircuitState.OPEN
    assert endpoint.breaker.turned_away == 6


async def test_the_second_model_answers_while_the_first_is_down() -> None:
    first, second = Player(failed(Failure.UNREACHABLE)), Player("Hello")
    stack = _stack(first, second, clock=_Patient())
    for _ in range(10):
        assert (await stack.ask(request_of())).text == "Hello"
    assert len(first.calls) == 5
    assert dict(stack.statistics().chosen)["0"].answered_by == (0, 10)


async def test_models_of_a_dead_endpoint_share_what_is_known_of_it() -> None:
    dead, beside, elsewhere = Player(failed(Failure.UNREACHABLE)), Player("x"), Player("Hi")
    stack = Stack(
        {"dead": dead, "beside": beside, "elsewhere": elsewhere},
        Resilience(attempts=1),
        routes=[Route(kind=name, to=name) for name in ("beside", "elsewhere")],
        endpoints={"dead": "http://one", "beside": "http://one"},
        rng=random.Random(7),
        clock=ManualClock(),
    )
    for _ in range(5):
        with pytest.raises(TransportError):
            await stack.ask(request_of())
    with pytest.raises(TransportError, match="not asked"):
        await stack.ask(request_of(kind="beside"))
    assert (await stack.ask(request_of(kind="elsewhere"))).text == "Hi"
    assert (len(dead.calls), len(beside.calls)) == (5, 0)
    one, other = stack.statistics().endpoints
    assert (one.endpoint, one.breaker.state, one.breaker.turned_away) == (
        "http://one",
        CircuitState.OPEN,
        1,
    )
    assert (other.endpoint, other.breaker.state) == ("elsewhere", CircuitState.CLOSED)


async def test_a_model_that_fails_does_not_keep_its_neighbour_from_answering(stream: bool) -> None:
    error = TransportError(Failure.UNREACHABLE, "kaputt", status=500)
    failing, healthy = Player(error), Player("Hello")
    clock = ManualClock()
    stack = Stack(
        {"failing": failing, "healthy": healthy},
        Resilience(attempts=1),
        then={"failing": ["healthy"]},
        endpoints={"failing": "http://one", "healthy": "http://one"},
        rng=random.Random(7),
        clock=clock,
    )
    for _ in range(40):
        await (heard(stack, []) if stream else stack.ask(request_of()))
        clock.advance(1)
    assert len(healthy.calls) == 40
    assert 5 <= len(failing.calls) < 10  # five, and a few probes
    assert stack.statistics().endpoints[0].breaker.opened == 0


async def test_what_was_called_before_a_closed_door_is_paid_for(stream: bool) -> None:
    refusing, dead = Player(failed(Failure.REFUSED)), Player(failed(Failure.PROTOCOL))
    stack = Stack(
        {"refusing": refusing, "dead": dead},
        Resilience(attempts=1, breaker_failures=1, per_minute=Allowance(calls=5)),
        then={"refusing": ["dead"]},
        rng=random.Random(7),
        clock=ManualClock(),
    )
    seen = []
    for _ in range(9):
        with pytest.raises(TransportError) as caught:
            await (heard(stack, []) if stream else stack.ask(request_of()))
        seen.append(caught.value.failure)
    assert (len(refusing.calls), len(dead.calls)) == (5, 1)
    assert seen[5:] == [Failure.OVER_BUDGET] * 4


async def test_asked_or_streamed_a_dead_model_says_and_counts_the_same() -> None:
    told = []
    for stream in (False, True):
        stack = _stack(
            Player(failed(Failure.UNREACHABLE)),
            clock=ManualClock(),
            settings=Resilience(attempts=1, breaker_failures=2, per_day=Allowance(calls=3)),
        )
        errors = []
        for _ in range(6):
            with pytest.raises(TransportError) as caught:
                await (heard(stack, []) if stream else stack.ask(request_of()))
            errors.append((str(caught.value), caught.value.standing, caught.value.sent))
        told.append((errors, stack.statistics()))
    assert told[0] == told[1]
    errors, _ = told[0]
    assert [standing[0].calls for _, standing, _ in errors] == [1, 2, 2, 2, 2, 2]


async def test_a_model_that_hangs_does_not_hold_up_its_neighbours_probe() -> None:
    clock = ManualClock()
    gate, healthy = Gate(), Player(failed(Failure.UNREACHABLE), "Hello")
    stack = Stack(
        {"healthy": healthy, "hanging": gate},
        Resilience(attempts=1, breaker_failures=1, breaker_open_s=10),
        routes=[Route(kind="hang", to="hanging")],
        endpoints={"healthy": "http://one", "hanging": "http://one"},
        rng=random.Random(7),
        clock=clock,
    )
    with pytest.raises(TransportError):
        await stack.ask(request_of())
    clock.advance(10)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stack.ask, request_of(kind="hang"))
        await settled()
        assert (await stack.ask(request_of())).text == "Hello"
        tasks.cancel_scope.cancel()


async def test_a_model_that_is_not_there_takes_no_other_with_it() -> None:
    missing, beside = Player(failed(Failure.PROTOCOL)), Player("Hello")
    clock = ManualClock()
    stack = Stack(
        {"missing": missing, "beside": beside},
        Resilience(attempts=1),
        routes=[Route(kind="beside", to="beside")],
        endpoints={"missing": "http://one", "beside": "http://one"},
        rng=random.Random(7),
        clock=clock,
    )
    for _ in range(9):
        with pytest.raises(TransportError):
            await stack.ask(request_of())
        assert (await stack.ask(request_of(kind="beside"))).text == "Hello"
    assert len(missing.calls) == 5
    assert [m.breaker.state for m in stack.statistics().models] == [
        CircuitState.OPEN,
        CircuitState.CLOSED,
    ]
    assert stack.statistics().endpoints[0].breaker.state is CircuitState.CLOSED


async def test_who_is_over_budget_takes_no_place() -> None:
    settings = Resilience(per_minute=Allowance(calls=1))
    stack = _stack(Player("Hello"), clock=ManualClock(), settings=settings)
    request = request_of(asker="mock:hod")
    await stack.ask(request)
    with pytest.raises(TransportError, match="over-budget"):
        await stack.ask(request)
    assert stack.standing("mock:hod")[0].used_up == "calls"
    assert stack.statistics().limit.served == 1


async def test_cancelled_at_any_await_it_is_as_before(stream: bool) -> None:
    stack = _stack(
        ScriptedTransport(lambda _: "Hello"),
        clock=ManualClock(),
        settings=Resilience(concurrent=1),
    )
    async with no_leaks():
        assert await cancelled_at_every_await(
            lambda: heard(stack, []) if stream else stack.ask(request_of())
        )
    statistics = stack.statistics()
    assert statistics.limit.running == statistics.limit.queued == 0
    assert statistics.endpoints[0].breaker.failures_in_a_row == 0
    assert statistics.models[0].breaker.failures_in_a_row == 0


async def test_a_dead_endpoint_is_not_asked_sweep_after_sweep() -> None:
    dead = Player(failed(Failure.UNREACHABLE))
    stack = _stack(dead, clock=ManualClock(), settings=Resilience(attempts=1))
    asked: list[Request] = []

    async def think(mind: int) -> None:
        request = request_of(asker=f"mock:{mind}", priority=Priority.MUSING)
        asked.append(request)
        with pytest.raises(TransportError):
            await stack.ask(request)

    for _ in range(20):
        async with anyio.create_task_group() as tasks:
            for mind in range(50):
                tasks.start_soon(think, mind)
            await settled()
    assert len(asked) == 1000
    assert len(dead.calls) <= 64  # what was under way when the circuit opened


@pytest.mark.parametrize("failure", [Failure.UNREACHABLE, Failure.PROTOCOL])
async def test_a_dead_model_is_probed_and_taken_back(failure: Failure, stream: bool) -> None:
    clock, player = ManualClock(), Player(*[failed(failure)] * 6, "Hello")
    stack = _stack(player, clock=clock, settings=Resilience(attempts=1, breaker_open_s=10))

    async def ask() -> str:
        try:
            await (heard(stack, []) if stream else stack.ask(request_of()))
        except TransportError as error:
            return "not asked" if error.detail.startswith("not asked") else "failed"
        return "answered"

    assert [await ask() for _ in range(7)] == ["failed"] * 5 + ["not asked"] * 2
    clock.advance(9.9)
    assert await ask() == "not asked"
    clock.advance(0.1)
    assert [await ask() for _ in range(2)] == ["failed", "not asked"]  # the probe
    clock.advance(20)
    assert [await ask() for _ in range(2)] == ["answered"] * 2
    assert len(player.calls) == 8
    statistics = stack.statistics()
    turned_away = statistics.models[0].breaker, statistics.endpoints[0].breaker
    assert sum(breaker.turned_away for breaker in turned_away) == 4
    assert dict(statistics.chosen)["0"].answered_by == (2,)
    assert dict(statistics.chosen)["0"].failed == 10
    assert statistics.budget.admitted == 8


async def test_routes_choose_the_model() -> None:
    small, large = Player("small"), Player("large")
    stack = Stack(
        {"small": small, "large": large},
        routes=[Route(to="large", character="Gerdur")],
        rng=random.Random(7),
    )
    assert (await stack.ask(request_of(asker="mock:gerdur"))).text == "large"
    assert (await stack.ask(request_of(asker="mock:hod"))).text == "small"
    await stack.aclose()
    assert small.closed
    assert large.closed


def test_models_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="at least one model"):
        Stack({}, rng=random.Random(7))
    with pytest.raises(ValueError, match="no model is named 'b'; there are 'a'"):
        Stack({"a": Player("x")}, then={"a": ["b"]}, rng=random.Random(7))
