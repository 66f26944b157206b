"""A made-up day with the damage real logs carry, counted right."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mindot.records.check import check_file
from mindot.records.decisions import flywheel_of, newest_decisions
from mindot.records.explain import explain
from mindot.records.fields import JOIN_SECONDS
from mindot.records.flywheel import FlywheelRecord
from mindot.records.logs import Log, day_files
from mindot.records.reader import BadLine, read_records
from mindot.records.receipt import Receipt
from mindot.records.roster import roster
from mindot.records.starvation import StarvationWatch

FOLDER = Path(__file__).parents[2] / "data" / "millbrook"
RECEIPTS = FOLDER / "receipts-20260912.jsonl"
FLYWHEEL = FOLDER / "2026-09-12.jsonl"
TRACE = FOLDER / "trace-20260912.jsonl"
ANSWERS: dict[str, Any] = json.loads((FOLDER / "answers.json").read_bytes())
NAMES = sorted(ANSWERS["served_by_name"])


ANYWHERE = {"deliberator_wake", "obedience_broken"}
"""Kinds that may carry no intention's id: they belong to any decision of the moment."""


def plain_rows(path: Path) -> list[dict[str, Any]]:
    """The rows as the standard library reads them, line by line."""
    rows = []
    for line in path.read_bytes().split(b"\n"):
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def test_the_files_of_the_day() -> None:
    assert [(file.date, file.path) for file in day_files(FOLDER)] == [
        ("20260912", FLYWHEEL),
        ("20260912", RECEIPTS),
        ("20260912", TRACE),
    ]


@pytest.mark.parametrize("typed", [False, True])
def test_receipts_counted(typed: bool) -> None:
    report = check_file(RECEIPTS, typed=typed)
    served: Counter[str] = Counter()
    for counts in ANSWERS["served_by_name"].values():
        served.update(counts)
    assert report.rows == ANSWERS["rows"] == served.total()
    assert report.bad_lines == [BadLine(1601, "not JSON"), BadLine(2402, "not UTF-8")]
    assert len(report.bad_lines) == ANSWERS["bad_lines"]
    assert report.torn_tail is ANSWERS["torn_tail"]
    assert report.served == served
    assert report.unknown_fields == {"mood_v2": 44}
    assert (report.unknown_served, report.versions, report.kinds) == ({}, {"1": 4800}, {})


@pytest.mark.parametrize("typed", [False, True])
def test_flywheel_records_counted(typed: bool) -> None:
    report = check_file(FLYWHEEL, typed=typed)
    assert report.kinds == ANSWERS["kinds"]
    assert report.rows == sum(ANSWERS["kinds"].values())
    assert (report.unknown_fields, report.served, report.broken) == ({}, {}, False)


@pytest.mark.parametrize("typed", [False, True])
def test_trace_events_counted_by_type(typed: bool) -> None:
    report = check_file(TRACE, typed=typed)
    ended = sum(row["count"] for row in ANSWERS["churn"])
    spawned = ended + ANSWERS["live_facets_at_end"]
    assert report.kinds == {"executive.facet.spawn": spawned, "executive.facet.destroy": ended}
    assert (report.unknown_fields, report.versions, report.broken) == ({}, {}, False)


@pytest.mark.parametrize("typed", [False, True])
def test_everybody_is_in_the_roster(typed: bool) -> None:
    entries = roster([RECEIPTS], typed=typed).entries
    assert {entry.name: entry.served for entry in entries} == ANSWERS["served_by_name"]
    assert all(sum(entry.families.values()) == entry.rows for entry in entries)


def test_exactly_one_starves() -> None:
    watch = StarvationWatch(after=30)
    rows = [record.value for record in read_records(RECEIPTS)]
    alerts = [watch.see(row["name"], row["served"], row["t"]) for row in rows]
    (alert,) = filter(None, alerts)
    assert (alert.name, alert.count) == (ANSWERS["starving"], 31)


@pytest.mark.parametrize("after", [5, 10, 16, 17, 73, 74])
def test_who_starves_at_other_thresholds(after: int) -> None:
    watch = StarvationWatch(after=after)
    rows = [record.value for record in read_records(RECEIPTS)]
    alerts = filter(None, (watch.see(row["name"], row["served"], row["t"]) for row in rows))
    peaks = ANSWERS["peak_unsure_in_600s"]
    assert {alert.name for alert in alerts} == {name for name in peaks if peaks[name] > after}


@pytest.mark.parametrize("name", NAMES)
def test_every_decision_of_a_character_is_the_files_own(name: str) -> None:
    own = [
        row for row in plain_rows(RECEIPTS) if row.get("name") == name and row["served"] != "calm"
    ]
    found = newest_decisions([RECEIPTS], name.upper(), last=10_000)
    assert [record.value for record in found.records] == own
    assert [json.loads(record.text) for record in found.records] == own
    assert len(own) == ANSWERS["noncalm_by_name"][name]
    ten = newest_decisions([RECEIPTS], name.lower(), last=10).records
    assert [record.value for record in ten] == own[-10:]
    calm_too = newest_decisions([RECEIPTS], name, last=10_000, tier="calm").records
    assert len(calm_too) == ANSWERS["served_by_name"][name]["calm"]


@pytest.mark.parametrize("name", NAMES)
def test_every_decision_has_its_records_and_its_deed(name: str) -> None:
    receipts = newest_decisions([RECEIPTS], name, last=10_000).records
    flywheel = flywheel_of(day_files(FOLDER, [Log.FLYWHEEL]), receipts)
    for told in (explain(receipt, flywheel) for receipt in receipts):
        row = told.receipt.value
        kinds = [record.value["kind"] for record in told.flywheel]
        assert all(r.value["decision"]["name"] == name for r in told.flywheel)
        assert all(abs(r.value["t"] - row["t"]) <= JOIN_SECONDS for r in told.flywheel)
        match row["served"]:
            case "escalated":
                assert told.deed is None
                assert kinds.count("student_escalation") == 1
                assert all(r.value["tuple"] == row["tup"] for r in told.flywheel)
            case "llm-verdict":
                assert told.deed == row["cmds"][0]["cmd"]
                assert {"student_escalation_verdict", "student"} <= set(kinds)
            case "intention" | "intention-over-order":
                assert told.deed == f"{row['desire']} {row['target']}"
                assert {"deliberator_decided", "plan"} <= set(kinds)
            case "emitted":
                assert told.deed == row["action"]
                assert set(kinds) - ANYWHERE == {"student"}
            case "held":
                assert (told.deed, told.code) == (None, "LW3002")
                assert set(kinds) <= ANYWHERE
            case "routine":
                assert told.deed == "go_station"
            case "recast":
                assert told.deed == f"back into the role of {row['episode'][5:]}"
            case other:
                assert other in ("escalation-held", "quiet-dilemma", "intention-hold")
                assert told.deed is None
        marks = {r.value["decision"].get("id") for r in told.flywheel} - {None}
        assert marks <= {row.get("episode")}


def test_typed_records_keep_what_they_do_not_know() -> None:
    for record in read_records(RECEIPTS):
        assert Receipt.from_line(record.text).to_row() == record.value
    for record in read_records(FLYWHEEL):
        typed = FlywheelRecord.from_line(record.text)
        assert typed.to_row() == record.value
        assert typed.name == record.value["decision"]["name"]
