"""Metrics worked out from the rows of minds' traces.

No mind's name, key or id becomes an attribute: there may be any number of them, and each would be
a time series of its own.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from cognition.facet_counts import EndReason, FacetCounts, Life, Population, population_of_end
from cognition.trace import MASTER, Sink
from mindot.telemetry import names

__all__ = ["MindMetrics"]

CALL_BUCKETS_S: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48,
                         40.96, 81.92)  # fmt: skip
"""Bucket boundaries that the conventions for generative AI advise for the time of a call."""

TOKEN_BUCKETS: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304,
                        16777216, 67108864)  # fmt: skip
"""The same for tokens."""

LIFE_BUCKETS_S: Final = (1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 21600, 86400)
"""From a one-shot deliberation to a day: around the idle time of half an hour in small steps."""

READ_ALL_THE_SAME: Final = frozenset({"unreadable", "truncated"})
"""Failures of an answer that did come and was read, in vain."""


class MindMetrics:
    """Takes in trace rows as they happen, and feeds a meter. Any number of minds may share one."""

    def __init__(
        self,
        meter: Meter,
        *,
        provider_name: str = "_OTHER",
        model: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``clock`` gives seconds; lives of facets are measured on it."""
        self._clock = clock
        self._counts = FacetCounts()
        self._born: dict[tuple[str, str], float] = {}
        self._calls: dict[tuple[str, str], dict[str, float]] = {}
        # by mind and facet: the questions that are out, and when each left
        self._failed: dict[str, str] = {}  # by mind: how its thought that is landing failed
        self._call_attributes = {names.OPERATION: "chat", names.PROVIDER: provider_name}
        if model is not None:
            self._call_attributes[names.REQUEST_MODEL] = model
        self._make_instruments(meter)

    def sink(self, mind: str, then: Sink | None = None) -> Sink:
        """A trace sink for one mind, which passes each row on to ``then``."""

        def take(event: dict[str, Any]) -> None:
            self.take(mind, event)
            if then is not None:
                then(event)

        return take

    def take(self, mind: str, event: Mapping[str, Any]) -> None:
        """Take in one row. Types that say nothing about facets and thoughts are passed over."""
        kind = event.get("type")
        if kind == "executive.facet.spawn":
            self._spawned(mind, event)
        elif kind == "executive.facet.destroy":
            self._destroyed(mind, event)
        elif kind == "executive.facet.call":
            out = self._calls.setdefault((mind, event["facetId"]), {})
            out[str(event.get("askId"))] = self._clock()
        elif kind == "executive.facet.response":
            self._answered(mind, event)
        elif kind == "executive.facet.output":
            failure = self._failed.pop(mind, None)
            if failure is None or failure in READ_ALL_THE_SAME:
                self._parsed.add(1, {names.ANSWER_ROUTE: str(event.get("route"))})

    def _spawned(self, mind: str, event: Mapping[str, Any]) -> None:
        facet, key, tick = event["facetId"], event.get("key"), event["tick"]
        before = self._counts.spawned(mind, facet, key, tick)
        if before is not None:
            self._end(mind, facet, before[0], before, EndReason.UNKNOWN)
        self._born[mind, facet] = self._clock()
        population = Population.KEYLESS if key is None else Population.KEYED
        self._spawns.add(1, {names.POPULATION: population.value})

    def _destroyed(self, mind: str, event: Mapping[str, Any]) -> None:
        facet, key, tick = event["facetId"], event.get("key"), event["tick"]
        reason = event.get("reason") or EndReason.UNKNOWN
        life = self._counts.destroyed(mind, facet, key, reason, tick)
        self._end(mind, facet, key, life, reason)

    def _end(self, mind: str, facet: str, key: str | None, life: Life | None, reason: str) -> None:
        self._calls.pop((mind, facet), None)
        attributes = {
            names.POPULATION: population_of_end(key, life).value,
            names.END_REASON: str(reason),
        }
        self._ends.add(1, attributes)
        born = self._born.pop((mind, facet), None)
        if born is not None:
            self._lives.record(self._clock() - born, attributes)

    def _answered(self, mind: str, event: Mapping[str, Any]) -> None:
        place = (mind, event["facetId"])
        out = self._calls.get(place, {})
        left = out.pop(str(event.get("askId")), None)
        if not out:
            self._calls.pop(place, None)
        failure = event.get("error")
        seconds = event.get("latencyMs", 0) / 1000
        if not seconds and left is not None:
            seconds = self._clock() - left  # a failure often does not say how long it took
        outcome = {names.THOUGHT_OUTCOME: "answered" if failure is None else "failed"}
        call = dict(self._call_attributes)
        if failure is not None:
            self._failed[mind] = failure
            outcome[names.ERROR_TYPE] = call[names.ERROR_TYPE] = failure
            self._fallbacks.add(1, {names.ERROR_TYPE: failure})
        else:
            self._failed.pop(mind, None)
        self._thoughts.record(seconds, outcome)
        self._operations.record(seconds, call)
        for field, token_type in (("promptTokens", "input"), ("completionTokens", "output")):
            if (tokens := event.get(field)) is not None:
                self._tokens.record(tokens, self._call_attributes | {names.TOKEN_TYPE: token_type})

    def _live(self, _options: CallbackOptions) -> Iterable[Observation]:
        counts = self._counts
        yield Observation(counts.live_keyed, {names.POPULATION: Population.KEYED.value})
        yield Observation(counts.live_keyless, {names.POPULATION: Population.KEYLESS.value})

    def _busy(self, _options: CallbackOptions) -> Iterable[Observation]:
        # list() first: the exporter asks from a thread of its own
        yield Observation(sum(facet != MASTER for _, facet in list(self._calls)))

    def _make_instruments(self, meter: Meter) -> None:
        self._spawns = meter.create_counter(
            names.FACET_SPAWNED, "{facet}", "Facets that came to life."
        )
        self._ends = meter.create_counter(
            names.FACET_ENDED, "{facet}", "Facets that ended, by population and reason."
        )
        meter.create_observable_gauge(
            names.FACET_LIVE, [self._live], "{facet}", "Facets alive now."
        )
        meter.create_observable_gauge(
            names.FACET_BUSY, [self._busy], "{facet}", "Facets whose question is out now."
        )
        self._lives = meter.create_histogram(
            names.FACET_DURATION,
            "s",
            "How long facets lived.",
            explicit_bucket_boundaries_advisory=LIFE_BUCKETS_S,
        )
        self._thoughts = meter.create_histogram(
            names.THOUGHT_DURATION,
            "s",
            "From the question to the answer, or to the failure that came instead.",
            explicit_bucket_boundaries_advisory=CALL_BUCKETS_S,
        )
        self._fallbacks = meter.create_counter(
            names.THOUGHT_FALLBACK, "{thought}", "Thoughts that became a reflex, by cause."
        )
        self._parsed = meter.create_counter(
            names.ANSWER_PARSED, "{answer}", "Answers by the way in which they were read."
        )
        self._operations = meter.create_histogram(
            names.OPERATION_DURATION,
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=CALL_BUCKETS_S,
        )
        self._tokens = meter.create_histogram(
            names.TOKEN_USAGE,
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=TOKEN_BUCKETS,
        )
