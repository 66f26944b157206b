"""Fifty sweeps of the village, thought by a real model of 135 million parameters.

It is far too small to think well. What it shows is that a model that rambles, repeats itself and
breaks off costs nobody anything, and that what can be read of it is served.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from cognition.response import parse_response
from llm_wire.transport import Completion, Pieces, Priority, Request, Transport, TransportError
from llm_wire.transports.config import LlmConfig
from llm_wire.transports.recorded import RecordedTransport
from llm_wire.transports.resilient.stack import Resilience
from llm_wire.transports.spec import parse_model
from mindot.host.host import HostSettings
from mindot.host.models import open_models, replayed_models
from mindot.host.play import Play, Played, play_village
from mindot.student.ladder import LadderSettings

pytestmark = pytest.mark.llm

SWEEPS = 50
SEED = 7
ANSWER_TOKENS = 120

SETTINGS = HostSettings(
    # so high a threshold leaves bodies torn often, and fifty sweeps hold enough to think about
    ladder=LadderSettings(tau=0.99),
    answer_tokens=ANSWER_TOKENS,
)
PATIENT = Resilience(first_token_s=600, between_s=120, total_s=900, concurrent=1)


@dataclass
class _Ear:
    """Listens to what a transport is asked and answers."""

    inner: Transport
    asked: Counter[str] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    dilemmas: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    async def ask(self, request: Request) -> Completion:
        self.asked[f"{request.kind}/{request.priority.name.lower()}"] += 1
        try:
            completion = await self.inner.ask(request)
        except TransportError as error:
            self.failures[error.failure] += 1
            raise
        route = str(parse_response(completion.text).route)
        self.routes[route] += 1
        self.seconds.append(completion.latency_ms / 1000)
        if request.kind == "facet" and request.priority is Priority.DILEMMA:
            self.dilemmas[route] += 1
        return completion

    async def stream(self, request: Request) -> Pieces:
        async with aclosing(self.inner.stream(request)) as pieces:
            async for piece in pieces:
                yield piece

    async def aclose(self) -> None:
        await self.inner.aclose()

    @property
    def readable(self) -> int:
        return sum(n for route, n in self.routes.items() if route != "fallback")


def _play(base_url: str, directory: Path, *, schema: bool) -> tuple[Played, _Ear]:
    config = LlmConfig.of(parse_model("openai:smollm2", base_url=base_url))
    play = Play(
        directory=directory / "run", sweeps=SWEEPS, seed=SEED, settings=SETTINGS, keep_prompts=True
    )
    models = open_models(
        replace(config, resilience=PATIENT),
        SEED,
        lock_step=True,
        schema=schema,
        record=directory / "recording.jsonl",
        run=play.header(),
    )
    ear = _Ear(models.transport)
    played = anyio.run(play_village, play, replace(models, transport=ear))
    return played, ear


def _records(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(directory)), path.read_bytes()


@pytest.fixture(scope="module", params=[True, False], ids=["schema", "plain"])
def run(
    request: pytest.FixtureRequest, base_url: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[bool, Path, Played, _Ear]:
    directory = tmp_path_factory.mktemp("village")
    schema: bool = request.param
    return (schema, directory, *_play(base_url, directory, schema=schema))


def test_the_village_lives_on_a_real_model(
    run: tuple[bool, Path, Played, _Ear], capsys: pytest.CaptureFixture[str]
) -> None:
    schema, _, played, ear = run
    served = played.statistics.served.get("llm-verdict", 0)
    seconds = sorted(ear.seconds)
    shown = {
        "schema": schema,
        "asked": ear.asked,
        "routes": ear.routes,
        "routes of dilemmas": ear.dilemmas,
        "failures": ear.failures,
        "fallbacks": played.statistics.fallbacks,
        "served": played.statistics.served_in_order,
        "seconds a thought (median, longest)": (seconds[len(seconds) // 2], seconds[-1]),
    }
    with capsys.disabled():
        print()
        for name, value in shown.items():
            print(f"  {name}: {value if isinstance(value, tuple) else json.dumps(value)}")
    assert played.statistics.sweeps == SWEEPS
    assert not ear.failures
    if schema:
        assert ear.readable >= 10
        assert served * 2 >= ear.readable


def test_a_replay_leaves_the_same_bytes(
    run: tuple[bool, Path, Played, _Ear], tmp_path: Path
) -> None:
    _, directory, _, _ = run
    recorded = RecordedTransport(directory / "recording.jsonl")
    play = Play(
        directory=tmp_path / "run", sweeps=SWEEPS, seed=SEED, settings=SETTINGS, keep_prompts=True
    )
    anyio.run(play_village, play, replayed_models(recorded))
    assert recorded.unasked() == ()
    assert dict(_records(tmp_path / "run")) == dict(_records(directory / "run"))
