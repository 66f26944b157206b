"""What a thousand minds cost a host: at a busy model, and at a dead one.

    python -m tests.benchmarks.bench_transports [--minds 1000] [--seconds 10]

First a whole host: a crowd of which a few change their mind each sweep, swept twice a second, its
minds thinking at a model that answers after 200 ms, 64 at a time; then the same at a model that is
down. Then the wrappers alone, with more asks than the model can answer: half of the minds each
sweep, a tenth of them in conversation. Beside them a bare ``anyio.CapacityLimiter`` does the same:
it keeps the limit, and neither order nor bound.
"""

import argparse
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from llm_wire.transport import (
    Completion,
    Failure,
    Message,
    Priority,
    Request,
    TransportError,
)
from llm_wire.transports.clock import AnyioClock
from llm_wire.transports.resilient.stack import Resilience, Stack
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from mindot.game.frame import Frame, GameEvent
from mindot.host.host import Host
from mindot.host.thinking import Background
from mindot.records.logs import Log
from tests.benchmarks.bench_minds import ANSWER, resident_mib
from tests.benchmarks.bench_sweep import crowd

SEED = 7
RATE_HZ = 2.0
LATENCY_MS = 200.0
CONCURRENT = 64
PATIENCE_S = 3.0
"""An answer that takes longer is stale: the request's deadline."""

Ask = Callable[[Request], Awaitable[Completion]]


@dataclass
class _Seen:
    late_ms: list[float] = field(default_factory=list)
    talk_ms: list[float] = field(default_factory=list)
    muse_ms: list[float] = field(default_factory=list)
    unanswered: int = 0
    most_open: int = 0
    open: int = 0


def _request(mind: int, priority: Priority, deadline: float | None) -> Request:
    return Request(
        system="I run the mill.",
        messages=(Message(content="What now?"),),
        asker=f"mock:{mind}",
        priority=priority,
        deadline=deadline,
    )


async def _sweeps(ask: Ask, minds: int, seconds: float) -> _Seen:
    seen = _Seen()
    chance = random.Random(SEED)

    async def think(mind: int, priority: Priority) -> None:
        start = anyio.current_time()
        seen.open += 1
        seen.most_open = max(seen.most_open, seen.open)
        try:
            await ask(_request(mind, priority, start + PATIENCE_S))
        except TransportError:
            seen.unanswered += 1
        else:
            took = (anyio.current_time() - start) * 1000
            (seen.talk_ms if priority is Priority.CONVERSATION else seen.muse_ms).append(took)
        finally:
            seen.open -= 1

    async with anyio.create_task_group() as tasks:
        due = anyio.current_time()
        for _ in range(int(seconds * RATE_HZ)):
            await anyio.sleep(max(0.0, due - anyio.current_time()))
            seen.late_ms.append((anyio.current_time() - due) * 1000)
            due += 1 / RATE_HZ
            for mind in chance.sample(range(minds), minds // 2):
                talks = chance.random() < 0.1
                priority = Priority.CONVERSATION if talks else Priority.MUSING
                tasks.start_soon(think, mind, priority)
        await anyio.sleep(PATIENCE_S)
        tasks.cancel_scope.cancel()
    return seen


class _Nowhere:
    """Takes records and keeps none."""

    def add(self, log: Log, row: dict[str, Any]) -> None: ...

    def flush(self) -> None: ...


@dataclass
class _Timed:
    """A transport that is watched: what passes, and the processor time it takes to fail."""

    inner: Stack
    failed: int = 0
    failing_ms: float = 0.0
    """This sweep's."""
    talk_ms: list[float] = field(default_factory=list)

    async def ask(self, request: Request) -> Completion:
        start = time.perf_counter()
        try:
            completion = await self.inner.ask(request)
        except TransportError as error:
            # turned away by the open circuit, it came back without a wait: all of it is work
            if error.detail.startswith("not asked"):
                self.failed += 1
                self.failing_ms += (time.perf_counter() - start) * 1000
            raise
        if request.priority is Priority.CONVERSATION:
            self.talk_ms.append((time.perf_counter() - start) * 1000)
        return completion

    def stream(self, request: Request) -> Any:
        return self.inner.stream(request)

    async def aclose(self) -> None:
        await self.inner.aclose()


def _frames(minds: int, sweeps: int) -> Iterator[Frame]:
    """One crowd; each sweep a fiftieth of it is in another state, and twenty are spoken to."""
    chance = random.Random(SEED)
    people = list(crowd(minds, 0).characters)
    first = crowd(minds, 0)
    for tick in range(1, sweeps + 1):
        others = crowd(minds, tick % 7).characters
        for at in chance.sample(range(minds), minds // 50):
            people[at] = replace(others[at], x=people[at].x, y=people[at].y)
        talkers = chance.sample(range(minds), min(40, minds // 2 * 2))
        events = tuple(
            GameEvent(
                id=f"e{tick}-{speaker}",
                kind="talk",
                actor=people[speaker].name,
                concerns=(people[hearer].name,),
                text="What do you make of it?",
            )
            for speaker, hearer in zip(talkers[::2], talkers[1::2], strict=True)
        )
        yield replace(
            first,
            tick=tick,
            t=first.t + tick / RATE_HZ,
            characters=tuple(people),
            events=events,
        )


async def _host(name: str, reply: ScriptedReply, minds: int, seconds: float) -> None:
    script = ScriptedTransport(lambda _: reply, clock=AnyioClock())
    stack = Stack(
        {"m": script}, Resilience(concurrent=CONCURRENT, attempts=1), rng=random.Random(SEED)
    )
    timed = _Timed(stack)
    frames = list(_frames(minds, int(seconds * RATE_HZ)))
    before = resident_mib()
    late: list[float] = []
    took: list[float] = []
    failing: list[float] = []
    asked: list[float] = []
    async with anyio.create_task_group() as tasks:
        host = Host(transport=timed, thinking=Background(tasks), records=_Nowhere())
        due = anyio.current_time()
        for frame in frames:
            await anyio.sleep(max(0.0, due - anyio.current_time()))
            late.append((anyio.current_time() - due) * 1000)
            due += 1 / RATE_HZ
            failing.append(timed.failing_ms)
            timed.failing_ms = 0.0
            start, thoughts = time.perf_counter(), host.statistics().thoughts
            await host.step(frame)
            took.append((time.perf_counter() - start) * 1000)
            asked.append(host.statistics().thoughts - thoughts)
        await anyio.sleep(1 / RATE_HZ)
        tasks.cancel_scope.cancel()
    limit = stack.statistics().limit
    dropped = {priority.name.lower(): n for priority, n in limit.dropped}
    # The first sweep meets everybody; its minds are made, and each notices the others.
    print(
        f"{name}: {minds} minds, {len(frames)} sweeps at {RATE_HZ:g} Hz, "
        f"{_quantile(asked[1:], 0.5):.0f} thoughts a sweep (at most {max(asked[1:]):.0f})"
    )
    print(
        f"  sweeps late by p50 {_quantile(late, 0.5):.1f}, at most {max(late[1:]):.1f} ms; a step "
        f"takes p50 {_quantile(took[1:], 0.5):.0f}, at most {max(took[1:]):.0f} ms (the first "
        f"{took[0]:.0f} ms); memory {resident_mib() - before:+.0f} MiB"
    )
    if timed.failed:
        print(
            f"  turned away: {timed.failed} asks, p50 {_quantile(failing[2:], 0.5):.2f} ms of each "
            f"sweep, at most {max(failing[2:]):.2f} ms (target below 1)"
        )
    else:
        print(
            f"  conversations answered in p50 {_quantile(timed.talk_ms, 0.5):.0f}, at most "
            f"{max(timed.talk_ms):.0f} ms; queued at most {limit.most_queued}, "
            f"dropped {dropped or 'none'}"
        )


async def _busy(minds: int, seconds: float) -> None:
    script = ScriptedTransport(
        lambda _: ScriptedReply(text="stay", latency_ms=LATENCY_MS), clock=AnyioClock()
    )
    stack = Stack({"m": script}, Resilience(concurrent=CONCURRENT), rng=random.Random(SEED))
    _tell("stack", await _sweeps(stack.ask, minds, seconds))
    print(f"{'':<18}{stack.statistics().limit}")
    limiter = anyio.CapacityLimiter(CONCURRENT)

    async def plain(request: Request) -> Completion:
        async with limiter:
            return await script.ask(request)

    _tell("CapacityLimiter", await _sweeps(plain, minds, seconds))


def _tell(name: str, seen: _Seen) -> None:
    print(
        f"{name:<18}sweeps late by p50 {_quantile(seen.late_ms, 0.5):.1f} "
        f"p99 {_quantile(seen.late_ms, 0.99):.1f} ms; conversations p50 "
        f"{_quantile(seen.talk_ms, 0.5):.0f} p99 {_quantile(seen.talk_ms, 0.99):.0f} ms, musings "
        f"p50 {_quantile(seen.muse_ms, 0.5):.0f} ms; {len(seen.talk_ms) + len(seen.muse_ms)} "
        f"answered, {seen.unanswered} not; most open {seen.most_open}"
    )


async def _dead(minds: int) -> None:
    dead = ScriptedTransport(lambda _: ScriptedReply(failure=Failure.UNREACHABLE))
    stack = Stack({"m": dead}, Resilience(attempts=1), rng=random.Random(SEED))
    request = _request(0, Priority.DILEMMA, None)
    for _ in range(20):
        with suppress(TransportError):
            await stack.ask(request)
    took: list[float] = []
    for _ in range(minds * 10):
        start = time.perf_counter()
        with suppress(TransportError):
            await stack.ask(request)
        took.append((time.perf_counter() - start) * 1e6)
    calls = dead.statistics().asked
    print(
        f"{'dead model':<18}p50 {_quantile(took, 0.5):.0f} p99 {_quantile(took, 0.99):.0f} us an "
        f"ask; {len(took)} asks, {calls} calls before the circuit opened"
    )


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values) or [float("nan")]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minds", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    busy = ScriptedReply(text=ANSWER, latency_ms=LATENCY_MS)
    anyio.run(_host, "a host, 200 ms a thought", busy, given.minds, given.seconds)
    dead = ScriptedReply(failure=Failure.UNREACHABLE)
    anyio.run(_host, "a host, dead endpoint", dead, given.minds, given.seconds)
    anyio.run(_busy, given.minds, given.seconds)
    anyio.run(_dead, given.minds)


if __name__ == "__main__":
    main()
