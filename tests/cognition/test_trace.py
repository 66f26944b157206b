"""Sinks for the events of a mind's life."""

import io
import json
import logging
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture

from cognition.testing import ManualClock, RecordingSink
from cognition.trace import Trace, guarded, shortened, structlog_sink, writer_sink

EVENT = {"type": "executive.facet.spawn", "tick": 3, "facetId": "facet-1", "totalFacets": 1}


def test_an_event_gets_time_and_mind_in_the_records_order() -> None:
    sink = RecordingSink()
    clock = ManualClock(1_000)
    trace = Trace(sink, mind="mock:gerdur", wall_time=clock)
    trace(dict(EVENT))
    clock.advance(500)
    trace(dict(EVENT))
    assert [list(e) for e in sink.events] == [
        ["type", "wallTime", "tick", "mind", "facetId", "totalFacets"]
    ] * 2
    assert [e["wallTime"] for e in sink.events] == [1_000, 1_500]
    plain = RecordingSink()
    Trace(plain)(dict(EVENT))
    assert plain.events == [EVENT]


def test_a_sink_that_raises_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    got: list[Any] = []

    def broken(event: dict[str, Any]) -> None:
        got.append(event)
        raise OSError("disk full")

    sink = guarded(broken)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            sink(dict(EVENT))
    assert len(got) == 3
    assert [r.getMessage() for r in caplog.records] == [
        "a trace sink raised on 'executive.facet.spawn'; further failures of it go unreported"
    ]
    assert guarded(sink) is sink


def test_cancellation_is_nothing_a_sink_may_swallow() -> None:
    def cancelled(event: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(cancelled)(dict(EVENT))


def test_events_as_lines() -> None:
    out = io.StringIO()
    sink = writer_sink(out)
    sink({**EVENT, "reasoning": "a \u2028 line \ud800"})
    sink(dict(EVENT))
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["reasoning"] == "a \u2028 line \ud800"
    assert json.loads(lines[1]) == EVENT


def test_events_through_structlog() -> None:
    capture = LogCapture()
    logger = structlog.wrap_logger(None, processors=[capture])
    structlog_sink(logger)(dict(EVENT))
    assert capture.entries == [
        {
            "event": "executive.facet.spawn",
            "log_level": "info",
            "tick": 3,
            "facetId": "facet-1",
            "totalFacets": 1,
        }
    ]


def test_long_text_is_cut() -> None:
    assert shortened("x" * 500) == "x" * 500
    assert shortened("x" * 501) == "x" * 499 + "…"
