"""What a thousand minds cost a host: at a busy model, and at a dead one.

    python -m tests.benchmarks.bench_transports [--minds 1000] [--seconds 10]

The busy model answers after 200 ms, 64 at a time; every sweep half of the minds ask, a tenth of
those in conversation. Beside the stack a bare ``anyio.CapacityLimiter`` does the same: it keeps
the limit, and neither order nor bound. The dead model is a circuit that has opened.
"""

import argparse
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

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
    anyio.run(_busy, given.minds, given.seconds)
    anyio.run(_dead, given.minds)


if __name__ == "__main__":
    main()
