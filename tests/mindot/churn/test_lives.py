"""The report on a trace equals what the supervisors that wrote it counted themselves."""

import gzip
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.records.churn import Churn, ChurnReport
from mindot.records.facet_events import TraceFile, in_order_of_time, trace_files
from tests.mindot.churn.model import START_MS, Event, Life, Model, line, lives, told, told_keys

FIRST_DAY = datetime(2026, 9, 1, tzinfo=UTC)


def report_on(paths: Sequence[Path]) -> ChurnReport:
    churn = Churn()
    for path in in_order_of_time(paths):
        with TraceFile(path) as trace:
            churn.read(trace)
    return churn.report()


def report_of(data: bytes) -> ChurnReport:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trace-20260912.jsonl"
        path.write_bytes(data)
        return report_on([path])


def joined(events: Sequence[Event]) -> bytes:
    return b"".join(map(line, events))


@settings(max_examples=80, deadline=None)
@given(lives())
def test_a_whole_life(life: Life) -> None:
    report = report_of(joined(life.events))
    model = Model(life.events)
    assert told(report) == model.counts()
    assert told_keys(report) == model.keys()
    if not life.restarted:
        assert told(report) == {"spawned": life.spawned, "live": life.live, "ended": life.ended}


@settings(max_examples=60, deadline=None)
@given(lives(), st.data())
def test_a_life_cut_at_any_byte(life: Life, data: st.DataObject) -> None:
    whole = joined(life.events)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    remaining = life.events[: cut.count(b"\n")]
    if cut.endswith(b"}"):  # only the line break is missing
        remaining = life.events[: cut.count(b"\n") + 1]
    report = report_of(cut)
    assert told(report) == Model(remaining).counts()
    assert told_keys(report) == Model(remaining).keys()


@settings(max_examples=60, deadline=None)
@given(lives(), st.data())
def test_a_life_read_from_the_middle(life: Life, data: st.DataObject) -> None:
    whole = joined(life.events)
    start = data.draw(st.integers(0, len(whole)))
    rest = whole[start:]
    begins_a_line = start == 0 or whole[start - 1 : start] == b"\n"
    missing = whole[:start].count(b"\n") + (0 if begins_a_line or not rest else 1)
    remaining = life.events[missing:]
    report = report_of(rest)
    assert told(report) == Model(remaining).counts()
    assert told_keys(report) == Model(remaining).keys()


@settings(max_examples=40, deadline=None)
@given(lives(), st.lists(st.booleans(), min_size=12, max_size=12))
def test_days_and_compression_change_nothing(life: Life, packed: list[bool]) -> None:
    days: dict[int, list[Event]] = {}
    for event in life.events:
        # a quarter of an hour stands for a day, so that a life lasts several
        days.setdefault((event["wallTime"] - START_MS) // 900_000, []).append(event)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for day, events in days.items():
            date = (FIRST_DAY + timedelta(days=day)).strftime("%Y%m%d")
            path = directory / f"trace-{date}.jsonl"
            if packed[day % len(packed)]:
                path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(joined(events)))
            else:
                path.write_bytes(joined(events))
        split = report_on(trace_files(directory))
        whole = report_of(joined(life.events))
    assert told(split) == told(whole)
    assert told_keys(split) == told_keys(whole)
    assert (split.first_wall, split.last_wall) == (whole.first_wall, whole.last_wall)


@settings(max_examples=40, deadline=None)
@given(lives(), st.integers(1, 40))
def test_a_trace_that_names_no_mind_survives_its_split_into_days(life: Life, size: int) -> None:
    only = [e for e in life.events if e["mind"] == "mock:gerdur"]
    nameless = [{k: v for k, v in e.items() if k != "mind"} for e in only]
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for day, at in enumerate(range(0, len(nameless), size)):
            date = (FIRST_DAY + timedelta(days=day)).strftime("%Y%m%d")
            (directory / f"trace-{date}.jsonl").write_bytes(joined(nameless[at : at + size]))
        split = report_on(trace_files(directory))
    assert told(split) == Model(only).counts()
    assert told_keys(split) == Model(only).keys()
