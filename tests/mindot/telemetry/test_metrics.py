"""Metrics of trace rows, read back with the in-memory exporter."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from cognition.facet_counts import FacetCounts
from mindot.telemetry import names
from mindot.telemetry.metrics import CALL_BUCKETS_S, MindMetrics

KEY = "conversation:mock:gerdur:brenna"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """Metrics under test, with what they say."""

    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.provider = MeterProvider([self.reader])
        self.clock = Clock()
        self.metrics = MindMetrics(
            self.provider.get_meter("mindot"), provider_name="openai", model="m", clock=self.clock
        )

    def take(self, kind: str, facet: str, *, mind: str = "mock:gerdur", **fields: Any) -> None:
        event = {"type": f"executive.facet.{kind}", "tick": 1, "facetId": facet} | fields
        self.metrics.take(mind, event)

    def metric(self, name: str) -> Any:
        data = self.reader.get_metrics_data()
        assert data is not None
        (found,) = (
            metric
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
        )
        return found

    def values(self, name: str) -> dict[tuple[tuple[str, Any], ...], Any]:
        return {
            tuple(sorted(point.attributes.items())): (
                point.value if hasattr(point, "value") else (point.count, point.sum)
            )
            for point in self.metric(name).data.data_points
        }


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.provider.shutdown()


def of(**attributes: str) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((getattr(names, key), value) for key, value in attributes.items()))


def test_spawns_ends_and_lives_by_population_and_reason(bench: Bench) -> None:
    bench.take("spawn", "facet-1", key=KEY)
    bench.take("spawn", "facet-2")
    bench.clock.now += 30
    bench.take("destroy", "facet-1", key=KEY, reason="lru")
    bench.take("destroy", "facet-2", reason="explicit")
    bench.take("destroy", "facet-9", reason="idle")
    keyed = of(POPULATION="keyed", END_REASON="lru")
    keyless = of(POPULATION="keyless", END_REASON="explicit")
    unknown = of(POPULATION="unknown", END_REASON="idle")
    assert bench.values(names.FACET_SPAWNED) == {
        of(POPULATION="keyed"): 1,
        of(POPULATION="keyless"): 1,
    }
    assert bench.values(names.FACET_ENDED) == {keyed: 1, keyless: 1, unknown: 1}
    assert bench.values(names.FACET_DURATION) == {keyed: (1, 30.0), keyless: (1, 30.0)}


def test_an_id_that_is_given_out_again_ends_its_old_life(bench: Bench) -> None:
    bench.take("spawn", "facet-1", key=KEY)
    bench.take("spawn", "facet-1")
    bench.take("spawn", "facet-1", mind="mock:aldo")
    assert bench.values(names.FACET_ENDED) == {of(POPULATION="keyed", END_REASON="unknown"): 1}
    assert bench.values(names.FACET_LIVE) == {
        of(POPULATION="keyed"): 0,
        of(POPULATION="keyless"): 2,
    }


def test_the_counts_are_those_of_the_supervisors_counting_code(bench: Bench) -> None:
    counts = FacetCounts()
    for number in range(30):
        facet, key = f"facet-{number % 7}", KEY if number % 3 else None
        if number % 2:
            bench.take("spawn", facet, **({"key": key} if key else {}))
            counts.spawned("mock:gerdur", facet, key, 1)
        else:
            bench.take("destroy", facet, reason="idle", **({"key": key} if key else {}))
            counts.destroyed("mock:gerdur", facet, key, "idle", 1)
    assert bench.values(names.FACET_ENDED) == {
        of(POPULATION=str(end.population), END_REASON=end.reason): end.count
        for end in counts.statistics().ended
    }


def test_a_facet_is_busy_while_its_question_is_out(bench: Bench) -> None:
    bench.take("spawn", "facet-1", key=KEY)
    bench.take("spawn", "facet-2")
    bench.take("call", "facet-1", askId="a1")
    bench.take("call", "facet-1", askId="a2")
    bench.take("call", "facet-2", askId="a3")
    bench.take("call", "master", askId="a4")
    assert bench.values(names.FACET_BUSY) == {(): 2}
    bench.take("response", "facet-1", askId="a1", latencyMs=5)
    assert bench.values(names.FACET_BUSY) == {(): 2}
    bench.take("response", "facet-1", askId="a2", latencyMs=5)
    bench.take("destroy", "facet-2", reason="explicit")
    assert bench.values(names.FACET_BUSY) == {(): 0}


def test_thoughts_by_outcome_with_tokens(bench: Bench) -> None:
    bench.take("call", "facet-1", askId="a1")
    bench.take(
        "response", "facet-1", askId="a1", latencyMs=1500, promptTokens=700, completionTokens=90
    )
    bench.take("output", "facet-1", askId="a1", route="repaired")
    call = {"OPERATION": "chat", "PROVIDER": "openai", "REQUEST_MODEL": "m"}
    assert bench.values(names.THOUGHT_DURATION) == {of(THOUGHT_OUTCOME="answered"): (1, 1.5)}
    assert bench.values(names.OPERATION_DURATION) == {of(**call): (1, 1.5)}
    assert bench.values(names.TOKEN_USAGE) == {
        of(**call, TOKEN_TYPE="input"): (1, 700),
        of(**call, TOKEN_TYPE="output"): (1, 90),
    }
    assert bench.values(names.ANSWER_PARSED) == {of(ANSWER_ROUTE="repaired"): 1}


def test_a_thought_that_never_came_is_timed_and_its_cause_counted(bench: Bench) -> None:
    bench.take("call", "facet-1", askId="a1")
    bench.clock.now += 8
    bench.take("response", "facet-1", askId="a1", latencyMs=0, error="timeout-total")
    bench.take("output", "facet-1", askId="a1", route="fallback")
    assert bench.values(names.THOUGHT_DURATION) == {
        of(THOUGHT_OUTCOME="failed", ERROR_TYPE="timeout-total"): (1, 8.0)
    }
    assert bench.values(names.THOUGHT_FALLBACK) == {of(ERROR_TYPE="timeout-total"): 1}
    with pytest.raises(ValueError, match="not enough values"):
        bench.metric(names.ANSWER_PARSED)


def test_an_answer_read_in_vain_counts_as_read(bench: Bench) -> None:
    bench.take("response", "facet-1", askId="a1", latencyMs=9, error="unreadable")
    bench.take("output", "facet-1", askId="a1", route="fallback")
    assert bench.values(names.ANSWER_PARSED) == {of(ANSWER_ROUTE="fallback"): 1}
    assert bench.values(names.THOUGHT_FALLBACK) == {of(ERROR_TYPE="unreadable"): 1}


def test_a_sink_passes_rows_on(bench: Bench) -> None:
    seen: list[dict[str, Any]] = []
    row = {"type": "executive.undertaking.end", "tick": 3}
    bench.metrics.sink("mock:gerdur", seen.append)(row)
    bench.metrics.sink("mock:gerdur")(row)
    assert seen == [row]


def test_names_and_units_follow_the_conventions(bench: Bench) -> None:
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
    from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
    from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE

    assert names.ERROR_TYPE == ERROR_TYPE
    assert names.OPERATION_DURATION == gen_ai_metrics.GEN_AI_CLIENT_OPERATION_DURATION
    assert names.TOKEN_USAGE == gen_ai_metrics.GEN_AI_CLIENT_TOKEN_USAGE
    for name in ("OPERATION", "PROVIDER", "REQUEST_MODEL", "TOKEN_TYPE", "AGENT_ID"):
        attribute = f"GEN_AI_{'OPERATION_NAME' if name == 'OPERATION' else name}"
        attribute = "GEN_AI_PROVIDER_NAME" if name == "PROVIDER" else attribute
        assert getattr(names, name) == getattr(gen_ai, attribute)
    ours = [v for k, v in vars(names).items() if k.isupper() and v.startswith("mindot.")]
    assert all(v == v.lower() and "total" not in v for v in ours)
    bench.take("spawn", "facet-1")
    bench.take("destroy", "facet-1", reason="explicit")
    bench.take("response", "facet-1", latencyMs=9)
    assert bench.metric(names.FACET_SPAWNED).unit == "{facet}"
    assert bench.metric(names.FACET_DURATION).unit == "s"
    (point,) = bench.metric(names.THOUGHT_DURATION).data.data_points
    assert tuple(point.explicit_bounds) == CALL_BUCKETS_S
