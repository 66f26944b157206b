import random
from contextlib import aclosing

import anyio
import pytest

from llm_wire.transport import Failure, Priority, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Limit
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.players import Gate, request_of, settled
from tests.llm_wire.transports.steps import cancelled_at_every_await

pytestmark = pytest.mark.anyio


class _Asks:
    """Asks in the background, and how they ended."""

    def __init__(self, limit: Limit, tasks: anyio.abc.TaskGroup) -> None:
        self._limit = limit
        self._tasks = tasks
        self.ends: dict[str, object] = {}

    async def start(self, ask_id: str, priority: Priority, deadline: float | None = None) -> None:
        self._tasks.start_soon(self._ask, ask_id, priority, deadline)
        await settled()

    async def _ask(self, ask_id: str, priority: Priority, deadline: float | None) -> None:
        request = request_of(ask_id=ask_id, priority=priority, deadline=deadline)
        try:
            self.ends[ask_id] = (await self._limit.ask(request)).text
        except TransportError as error:
            self.ends[ask_id] = error.failure


async def test_a_conversation_goes_before_older_musings() -> None:
    gate = Gate()
    limit = Limit(gate, concurrent=1)
    async with no_leaks(), anyio.create_task_group() as tasks:
        asks = _Asks(limit, tasks)
        for ask_id, priority in (
            ("first", Priority.MUSING),
            ("musing", Priority.MUSING),
            ("dilemma", Priority.DILEMMA),
            ("talk", Priority.CONVERSATION),
            ("talk-2", Priority.CONVERSATION),
        ):
            await asks.start(ask_id, priority)
        order = []
        for _ in range(5):
            (inside,) = gate.inside
            order.append(inside)
            await gate.let_out(inside)
    assert order == ["first", "talk", "talk-2", "dilemma", "musing"]
    assert limit.statistics().running == 0
    assert limit.statistics().most_queued == 4


async def test_the_oldest_musings_give_way_in_a_full_queue() -> None:
    gate = Gate()
    limit = Limit(gate, concurrent=1, queued=2)
    async with anyio.create_task_group() as tasks:
        asks = _Asks(limit, tasks)
        await asks.start("inside", Priority.DILEMMA)
        await asks.start("old", Priority.MUSING)
        await asks.start("new", Priority.MUSING)
        await asks.start("newer", Priority.MUSING)
        assert asks.ends == {"old": Failure.CANCELLED}
        await asks.start("talk", Priority.CONVERSATION)
        await asks.start("talk-2", Priority.CONVERSATION)
        assert set(asks.ends) == {"old", "new", "newer"}
        await asks.start("too-late", Priority.MUSING)
        assert asks.ends["too-late"] is Failure.CANCELLED
        assert limit.statistics().queued == 2
        for ask_id in ("inside", "talk", "talk-2"):
            await gate.let_out(ask_id)
    assert limit.statistics().dropped == ((Priority.MUSING, 4),)
    assert limit.statistics().served == 3


async def test_an_ask_whose_time_is_over_leaves_the_queue() -> None:
    clock = ManualClock()
    gate = Gate()
    limit = Limit(gate, concurrent=1, clock=clock)
    async with anyio.create_task_group() as tasks:
        asks = _Asks(limit, tasks)
        await asks.start("inside", Priority.DILEMMA)
        await asks.start("waits", Priority.DILEMMA, deadline=5)
        clock.advance(5)
        await settled()
        assert asks.ends == {"waits": Failure.TIMEOUT_TOTAL}
        assert limit.statistics().queued == 0
        assert limit.statistics().expired == 1
        await gate.let_out("inside")


async def test_a_place_is_never_lost_to_a_cancellation(stream: bool) -> None:
    limit = Limit(ScriptedTransport(lambda _: "Hello"), concurrent=1)

    async def ask() -> None:
        if stream:
            async with aclosing(limit.stream(request_of())) as pieces:
                async for _ in pieces:
                    pass
        else:
            await limit.ask(request_of())

    async def rivals() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(ask)

    async with no_leaks():
        await cancelled_at_every_await(rivals)
        await cancelled_at_every_await(ask)
    assert limit.statistics().running == 0
    assert limit.statistics().queued == 0
    assert (await limit.ask(request_of())).text == "Hello"


async def test_cancelled_in_the_moment_of_its_turn() -> None:
    gate = Gate()
    limit = Limit(gate, concurrent=1)
    async with anyio.create_task_group() as tasks:
        asks = _Asks(limit, tasks)
        await asks.start("inside", Priority.DILEMMA)
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as inner:
                await _Asks(limit, inner).start("unlucky", Priority.DILEMMA)
                gate._open.pop("inside").set()
                while limit.statistics().queued:
                    await anyio.lowlevel.checkpoint()
                scope.cancel()
        await settled()
        assert limit.statistics().running == 0


async def test_a_thousand_minds_at_a_limit_of_64() -> None:
    # 200 ms a call on a clock that is moved by hand, two sweeps a second
    clock = ManualClock()
    script = ScriptedTransport(lambda _: ScriptedReply(text="Hello", latency_ms=200), clock=clock)
    limit = Limit(script, concurrent=64, queued=256, clock=clock)
    rng = random.Random(7)
    waited: list[float] = []
    ends: list[object] = []

    async def think(mind: int, priority: Priority) -> None:
        start = clock.now()
        try:
            await limit.ask(request_of(asker=f"mock:{mind}", priority=priority, deadline=start + 5))
        except TransportError as error:
            ends.append(error.failure)
        else:
            ends.append(None)
            if priority is Priority.CONVERSATION:
                waited.append(clock.now() - start)

    asked = 0
    async with anyio.create_task_group() as tasks:
        for sweep in range(20):
            for mind in range(1000):
                if rng.random() < 0.25:
                    talks = rng.random() < 0.2
                    tasks.start_soon(
                        think, mind, Priority.CONVERSATION if talks else Priority.MUSING
                    )
                    asked += 1
            for _ in range(10):
                await settled()
                clock.advance(0.05)
            assert clock.now() == pytest.approx((sweep + 1) * 0.5)
        while len(ends) < asked:
            await settled()
            clock.advance(0.05)
    statistics = limit.statistics()
    assert statistics.most_queued <= 256
    assert statistics.running == statistics.queued == 0
    assert len(waited) == pytest.approx(asked * 0.2, rel=0.15)
    assert max(waited) < 0.7  # about one conversation's worth of queue, and the call
    assert [priority for priority, _ in statistics.dropped] == [Priority.MUSING]


def test_what_a_limit_cannot_be() -> None:
    with pytest.raises(ValueError, match="concurrent must be at least 1"):
        Limit(Gate(), concurrent=0)
    with pytest.raises(ValueError, match="queued must not be negative"):
        Limit(Gate(), queued=-1)
