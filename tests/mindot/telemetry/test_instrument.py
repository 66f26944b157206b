"""Turning telemetry on, what a real thought leaves behind, and turning it off again."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from cognition.executive import Executive
from llm_wire.transport import Failure, TransportError
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from mindot.deliberator.coach import Coach
from mindot.deliberator.deliberator import Deliberator
from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.manifest import load_manifests
from mindot.mind import Mind
from mindot.telemetry import TelemetryUnavailableError, instrument, names

ANSWER = '{"actions": [{"type": "warn_say"}], "reasoning": "It is a trap.", "confidence": 0.8}'


@dataclass
class Watched:
    reader: InMemoryMetricReader
    exporter: InMemorySpanExporter
    meters: MeterProvider
    tracers: TracerProvider

    def spans(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]

    def metric_names(self) -> set[str]:
        data = self.reader.get_metrics_data()
        if data is None:
            return set()
        return {
            metric.name
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@pytest.fixture
def watched() -> Iterator[Watched]:
    reader, exporter = InMemoryMetricReader(), InMemorySpanExporter()
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    meters = MeterProvider([reader], shutdown_on_exit=False)
    yield Watched(reader, exporter, meters, tracers)
    meters.shutdown()
    tracers.shutdown()


def answering(text: str = ANSWER) -> ScriptedTransport:
    return ScriptedTransport(lambda _request: ScriptedReply(text=text, latency_ms=40.0))


def failing() -> ScriptedTransport:
    def fail(_request: Any) -> ScriptedReply:
        raise TransportError(Failure.RATE_LIMITED, "slow down")

    return ScriptedTransport(fail)


@pytest.mark.anyio
async def test_a_thought_leaves_its_spans_and_metrics(watched: Watched) -> None:
    with instrument(
        meter_provider=watched.meters,
        tracer_provider=watched.tracers,
        provider_name="openai",
        model="some-model",
    ):
        mind = Mind("Gerdur", transport=answering())
        thought = await mind.consider("An armed stranger blocks the bridge.", tick=12)
    assert thought.verb == "warn_say"
    (ask,) = watched.spans(names.ASK)
    (land,) = watched.spans(names.LAND)
    (parse,) = watched.spans(names.PARSE)
    assert ask.kind is SpanKind.CLIENT
    assert (
        dict(ask.attributes or {}).items()
        >= {
            names.OPERATION: "chat",
            names.PROVIDER: "openai",
            names.REQUEST_MODEL: "some-model",
            names.AGENT_ID: "mock:gerdur",
            names.CONVERSATION_ID: "npc:mock:gerdur",
            names.ASK_KIND: "facet",
        }.items()
    )
    assert parse.parent is not None
    assert land.context is not None
    assert parse.parent.span_id == land.context.span_id
    assert [link.context for link in parse.links] == [ask.context]
    assert dict(parse.attributes or {}) == {names.ANSWER_ROUTE: "json"}
    assert watched.metric_names() >= {
        names.FACET_SPAWNED,
        names.FACET_LIVE,
        names.FACET_BUSY,
        names.THOUGHT_DURATION,
        names.ANSWER_PARSED,
    }


@pytest.mark.anyio
async def test_a_failed_call_is_an_error_and_still_lands(watched: Watched) -> None:
    with instrument(meter_provider=watched.meters, tracer_provider=watched.tracers):
        await Mind("Gerdur", transport=failing()).consider("It is dark.", tick=3)
    (ask,) = watched.spans(names.ASK)
    assert ask.status.status_code is StatusCode.ERROR
    assert dict(ask.attributes or {})[names.ERROR_TYPE] == "rate-limited"
    assert len(watched.spans(names.LAND)) == 1
    assert watched.spans(names.PARSE) == []
    assert names.THOUGHT_FALLBACK in watched.metric_names()


def test_a_wake_says_its_class_and_what_it_came_to(watched: Watched) -> None:
    with instrument(meter_provider=watched.meters, tracer_provider=watched.tracers):
        deliberator = Deliberator(
            coach=Coach(lambda _record: None), clock=lambda: 0.0, manifests=load_manifests()
        )
        deliberator.begin(Wake(name="Gerdur", cls=WakeClass.NEED, text="hungry", t=5.0))
    (wake,) = watched.spans(names.WAKE)
    attributes = dict(wake.attributes or {})
    assert attributes[names.WAKE_CLASS] == "need"
    assert attributes[names.WAKE_OUTCOME] in ("intention", "declined", "asked")


@pytest.mark.anyio
async def test_minds_are_as_they_were_once_it_is_closed(watched: Watched) -> None:
    before = (Executive.__init__, Executive.land, Mind.think, Deliberator.begin)
    with instrument(meter_provider=watched.meters, tracer_provider=watched.tracers):
        assert (Executive.__init__, Executive.land, Mind.think, Deliberator.begin) != before
    assert (Executive.__init__, Executive.land, Mind.think, Deliberator.begin) == before
    await Mind("Gerdur", transport=answering()).consider("It is dark.", tick=3)
    assert watched.exporter.get_finished_spans() == ()


def test_there_is_one_at_a_time(watched: Watched) -> None:
    given = {"meter_provider": watched.meters, "tracer_provider": watched.tracers}
    with instrument(**given), pytest.raises(RuntimeError, match="close the first"):  # type: ignore[arg-type]
        instrument(**given)  # type: ignore[arg-type]
    instrument(**given).close()  # type: ignore[arg-type]


def test_without_the_extra_the_call_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [m for m in sys.modules if m.startswith("mindot.telemetry.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(TelemetryUnavailableError, match=r"pip install 'mindot-npc\[otel\]'"):
        instrument()


PLAY = """
import sys
if {absent}:
    sys.modules["opentelemetry"] = None  # as if it were not installed
import tempfile, pathlib, anyio
import mindot, mindot.telemetry, mindot.telemetry.names
from mindot.host.play import Play, play_village
directory = pathlib.Path(tempfile.mkdtemp())
anyio.run(play_village, Play(directory=directory, sweeps=12))
from mindot.cli import main
main(["churn", "--dir", str(directory), "--json"], standalone_mode=False)
loaded = sorted(m for m in sys.modules if m.startswith("opentelemetry") and sys.modules[m])
print(loaded, file=sys.stderr)
"""


@pytest.mark.parametrize("absent", [False, True])
def test_nothing_of_it_is_loaded_unless_it_is_asked_for(absent: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAY.format(absent=absent)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip().splitlines()[-1] == "[]"
