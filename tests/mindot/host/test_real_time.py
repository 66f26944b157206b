"""A model that takes time: sweeps go on, answers land later, and a replay needs neither."""

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest
import trio.testing

from cognition.asking import Ask
from llm_wire.transport import Completion, Request
from llm_wire.transports.clock import AnyioClock
from llm_wire.transports.recorded import RecordedTransport, RecordingTransport
from llm_wire.transports.resilient import Allowance
from llm_wire.transports.resilient.stack import Resilience, Stack
from llm_wire.transports.scripted import Script, ScriptedReply, ScriptedTransport
from mindot.host.models import Models, replayed_models
from mindot.host.pace import paced
from mindot.host.play import Play, Played, play_village
from mindot.village.script import VillageScript


def virtually(run: Callable[[], Any]) -> Any:
    """Run on a clock that jumps over every wait."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    return anyio.run(run, backend="trio", backend_options={"clock": clock})


def script(latency_ms: float | None = None) -> Script:
    villager = VillageScript(7)

    def answer(request: Request) -> ScriptedReply:
        said = villager.answer(request.system, request.messages[0].content)
        took = said.latency_ms if latency_ms is None else latency_ms
        return ScriptedReply(text=said.text, latency_ms=took)

    return answer


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def play_in_time(play: Play, latency_ms: float | None, tape: Path | None = None) -> Played:
    async def run() -> Played:
        clock = AnyioClock()
        transport: Any = ScriptedTransport(script(latency_ms), clock=clock)
        landed = None
        if tape is not None:
            recording = RecordingTransport(transport, tape, run=play.header(), clock=clock)
            transport = recording

            def landed(ask: Ask, tick: int) -> None:
                recording.landed(ask.mind, ask.ask_id, tick)

        return await play_village(play, Models(transport=transport, landed=landed), paced(2.0))

    played: Played = virtually(run)
    return played


def test_answers_within_a_sweep_are_served_as_verdicts(tmp_path: Path) -> None:
    played = play_in_time(Play(directory=tmp_path, sweeps=150), latency_ms=300.0)
    assert played.statistics.served["llm-verdict"] > 2 * played.statistics.late
    assert played.statistics.stale == 0


def test_sweeps_do_not_wait_for_a_slow_model(tmp_path: Path) -> None:
    began: list[float] = []

    async def run() -> None:
        transport = ScriptedTransport(script(60_000.0), clock=AnyioClock())

        def seen(*_: object) -> None:
            began.append(anyio.current_time())

        await play_village(
            Play(directory=tmp_path, sweeps=60), Models(transport=transport), paced(2.0), seen
        )

    virtually(run)
    gaps = [b - a for a, b in pairwise(began)]
    assert gaps == pytest.approx([0.5] * 59)


def test_a_recorded_run_in_real_time_replays_to_the_byte(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    play = Play(directory=tmp_path / "a", sweeps=160, keep_prompts=True)
    played = play_in_time(play, None, tape)
    assert played.statistics.served["llm-verdict"] > 0
    recorded = RecordedTransport(tape)
    assert recorded.run is not None
    again = Play.from_header(recorded.run, tmp_path / "b")
    anyio.run(play_village, again, replayed_models(recorded))
    assert files(tmp_path / "a") == files(tmp_path / "b")


class Stuck:
    """A model that never answers, and counts who waits."""

    def __init__(self) -> None:
        self.waiting = 0

    async def ask(self, request: Request) -> Completion:
        self.waiting += 1
        try:
            await anyio.sleep_forever()
        finally:
            self.waiting -= 1
        raise AssertionError

    def stream(self, request: Request) -> Any:
        raise NotImplementedError

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_end_of_a_run_leaves_no_thought_behind(backend: str, tmp_path: Path) -> None:
    stuck = Stuck()

    async def run() -> Played:
        return await play_village(Play(directory=tmp_path, sweeps=40), Models(transport=stuck))

    with_time = anyio.run(run, backend=backend)
    assert with_time.statistics.thoughts > 0
    assert stuck.waiting == 0


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_cancelled_from_outside_only_the_cancellation_shows(backend: str, tmp_path: Path) -> None:
    stuck = Stuck()

    async def run() -> bool:
        with anyio.CancelScope() as scope:

            def stop(n: int, *_: object) -> None:
                if n == 30:
                    scope.cancel()

            await play_village(Play(directory=tmp_path), Models(transport=stuck), on_sweep=stop)
        return scope.cancelled_caught

    assert anyio.run(run, backend=backend)
    assert stuck.waiting == 0


def test_budgets_are_in_the_trace_and_in_its_replay(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    play = Play(directory=tmp_path / "a", sweeps=120)

    async def run() -> None:
        clock = AnyioClock()
        stack = Stack(
            {"m": ScriptedTransport(script(), clock=clock)},
            Resilience(per_minute=Allowance(calls=1), per_day=Allowance(tokens=1_000_000)),
            rng=random.Random(7),
            clock=clock,
        )
        recording = RecordingTransport(stack, tape, run=play.header(), clock=clock)

        def landed(ask: Ask, tick: int) -> None:
            recording.landed(ask.mind, ask.ask_id, tick)

        models = Models(transport=recording, landed=landed)
        played = await play_village(play, models, paced(2.0))
        assert played.statistics.fallbacks["over-budget"] > 0

    virtually(run)
    (trace,) = (tmp_path / "a").glob("trace-*")
    rows = [json.loads(line) for line in trace.read_text().splitlines()]
    told = [row for row in rows if "budget" in row]
    refused = [row for row in told if row.get("error") == "over-budget"]
    assert refused
    assert len(told) > len(refused)
    for row in told:
        assert row["budget"]["minute"]["callsAllowed"] == row["budget"]["minute"]["calls"] == 1
        assert row["budget"]["day"]["tokensAllowed"] == 1_000_000
        assert "callsAllowed" not in row["budget"]["day"]
    for row in refused:
        assert row["detail"].startswith(f"'{row['mind']}' has used 1 of 1 calls this minute")
    recorded = RecordedTransport(tape)
    again = Play.from_header(recorded.run or {}, tmp_path / "b")
    anyio.run(play_village, again, replayed_models(recorded))
    assert files(tmp_path / "a") == files(tmp_path / "b")
