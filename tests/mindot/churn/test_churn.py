"""The report: pairing, filters, losses, and the sentences that say what to change."""

import json
from pathlib import Path
from typing import Any

import pytest

from mindot.records.churn import Churn, ChurnReport
from mindot.records.churn_json import json_pieces
from mindot.records.churn_verdict import verdict
from mindot.records.facet_events import TraceFile, trace_files
from tests.mindot.churn.traces import DATA, KEY, START_MS, cut_in_two, event, write


def report_on(*paths: Path, **selection: Any) -> ChurnReport:
    churn = Churn(**selection)
    for path in paths:
        with TraceFile(path) as trace:
            churn.read(trace)
    return churn.report()


def document(report: ChurnReport) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(b"".join(json_pieces(report)))
    return found


def ended(report: ChurnReport) -> dict[tuple[str, str], int]:
    return {(str(e.population), e.reason): e.count for e in report.statistics.ended}


@pytest.mark.parametrize("sample", ["millbrook", "millbrook-minds"])
def test_the_sample_day_has_its_answers(sample: str) -> None:
    answers = json.loads((DATA / sample / "answers.json").read_text())
    found = document(report_on(*trace_files(DATA / sample)))
    assert found["by"] == answers["churn"]
    assert {k["key"]: k["spawns"] for k in found["keys"]} == answers["spawns_by_key"]
    assert found["live"] == answers["live_facets_at_end"]
    assert found["destroyed"] == sum(row["count"] for row in answers["churn"])
    assert found["spawned"] == found["destroyed"] + found["live"]


def test_a_conversation_cut_in_two_is_found_and_named(tmp_path: Path) -> None:
    report = report_on(write(tmp_path / "trace.jsonl", cut_in_two()))
    assert document(report) == {
        "spawned": 6,
        "destroyed": 5,
        "live": 1,
        "by": [
            {"population": "keyed", "reason": "lru", "count": 4},
            {"population": "keyless", "reason": "explicit", "count": 1},
        ],
        "keys": [
            {
                "key": KEY,
                "spawns": 5,
                "destroys": {"lru": 4},
                "lost": 4,
                "resumed": 4,
                "median_life_ticks": 5,
                "longest_gap_ticks": 5,
            }
        ],
        "per_minute": {"spawns": 3.0, "losses": 2.0},
        "verdict": [f"{KEY} was evicted 4 times by pressure: raise max_facets from 2"],
    }


def test_an_idle_end_names_the_idle_time(tmp_path: Path) -> None:
    events = [
        event("spawn", 0, "facet-1", key=KEY),
        event("destroy", 9, "facet-1", key=KEY, reason="idle"),
        event("spawn", 49, "facet-2", key=KEY),
    ]
    assert verdict(report_on(write(tmp_path / "trace.jsonl", events))) == [
        (
            f"{KEY} went idle once and was back within 40 ticks: "
            "raise facet_idle_ttl_ticks by 40 or more"
        )
    ]


def test_there_is_no_verdict_when_all_is_well(tmp_path: Path) -> None:
    events = [
        event("spawn", 0, "facet-1", key=KEY),
        event("destroy", 9, "facet-1", key=KEY, reason="explicit"),
        event("spawn", 10, "facet-2", key=KEY),
        event("destroy", 20, "facet-2", key=KEY, reason="idle"),
        event("spawn", 5000, "facet-3", key=KEY),
        event("spawn", 5001, "facet-4"),
        event("destroy", 5001, "facet-4", reason="explicit"),
    ]
    report = report_on(write(tmp_path / "trace.jsonl", events))
    assert verdict(report) == []
    assert (report.lost, report.resumed) == (0, 1)
    assert report_on(tmp_path / "trace.jsonl", resume_window=4980).lost == 1


def test_keys_beyond_the_worst_share_a_sentence(tmp_path: Path) -> None:
    events = []
    for number in range(12):
        key = f"npc:mock:{number:02}"
        for turn, reason in enumerate(("lru", "idle", "")):
            tick, facet = number * 100 + turn * 10, f"facet-{number}-{turn}"
            events.append(event("spawn", tick, facet, key=key))
            if reason:
                events.append(event("destroy", tick + 5, facet, key=key, reason=reason))
    found = verdict(report_on(write(tmp_path / "trace.jsonl", events)))
    assert len(found) == 22
    assert found[:2] == [
        "npc:mock:00 was evicted once by pressure: raise max_facets",
        (
            "npc:mock:00 went idle once and was back within 5 ticks: "
            "raise facet_idle_ttl_ticks by 5 or more"
        ),
    ]
    assert found[-2:] == [
        "other keys were evicted 2 times by pressure: raise max_facets",
        "other keys went idle 2 times and came back: raise facet_idle_ttl_ticks",
    ]


def test_rows_that_name_no_mind_pair_within_their_file(tmp_path: Path) -> None:
    nameless = [
        [event("spawn", 0, "facet-1", key=KEY)],
        [event("spawn", 5, "facet-1"), event("destroy", 6, "facet-1", reason="explicit")],
    ]
    for events in nameless:
        for row in events:
            del row["mind"]
    paths = [
        write(tmp_path / f"{n}.jsonl", events) for n, events in zip("ab", nameless, strict=True)
    ]
    report = report_on(*paths)
    assert report.statistics.live == 1
    assert ended(report) == {("keyless", "explicit"): 1}


def test_an_end_in_the_next_days_file_finds_its_spawn(tmp_path: Path) -> None:
    rows = [event("spawn", 0, "facet-1"), event("destroy", 9, "facet-1", reason="explicit")]
    for row in rows:
        del row["mind"]
    paths = [
        write(tmp_path / f"trace-2026091{day}.jsonl", [row])
        for day, row in zip("23", rows, strict=True)
    ]
    assert ended(report_on(*paths)) == {("keyless", "explicit"): 1}


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (("20260912", "20260913"), 1),
        (("2026-09-12", "2026-09-13"), 1),
        (("12345678", "87654321"), 2),
    ],
    ids=["days", "dashed days", "numbers that are no days"],
)
def test_an_id_that_begins_again_in_the_next_days_file_ends_its_old_life(
    tmp_path: Path, days: tuple[str, str], found: int
) -> None:
    rows = [event("spawn", 0, "facet-1", key=KEY), event("spawn", 9, "facet-1")]
    for row in rows:
        del row["mind"]
    paths = [
        write(tmp_path / f"trace-{day}.jsonl", [row]) for day, row in zip(days, rows, strict=True)
    ]
    report = report_on(*paths)
    assert report.statistics.live == found
    assert ended(report) == ({("keyed", "unknown"): 1} if found == 1 else {})


def test_minds_of_one_id_in_two_files_are_one_mind(tmp_path: Path) -> None:
    one = write(tmp_path / "a.jsonl", [event("spawn", 0, "facet-1", key=KEY)])
    two = write(tmp_path / "b.jsonl", [event("destroy", 3, "facet-1", reason="idle")])
    assert ended(report_on(one, two)) == {("keyed", "idle"): 1}


@pytest.mark.parametrize("name", ["mock:gerdur", "gerdur", "Gerdur"])
def test_one_mind_alone(tmp_path: Path, name: str) -> None:
    other = [row | {"mind": "mock:aldo"} for row in cut_in_two(1)]
    nameless = {k: v for k, v in event("spawn", 3, "facet-7").items() if k != "mind"}
    path = write(tmp_path / "trace.jsonl", [*cut_in_two(2), *other, nameless])
    assert report_on(path, mind=name).statistics.spawned == 4
    assert report_on(path, mind="nobody").statistics.spawned == 0


def test_since_leaves_out_what_was_before(tmp_path: Path) -> None:
    path = write(tmp_path / "trace.jsonl", cut_in_two())
    report = report_on(path, since=(START_MS + 20_000) / 1000)
    assert report.statistics.spawned == 4
    assert report.first_wall == START_MS + 20_000


def test_rows_of_other_kinds_and_odd_values_are_passed_over(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"type": "executive.facet.call", "tick": 1, "facetId": "facet-1"},
        {"type": ["executive.facet.spawn"], "tick": 1},
        {"v": 1, "t": 3.0, "served": "calm"},
        event("spawn", 1, "facet-1", key=7, wallTime="noon", future={"x": [1]}),
        event("spawn", 2, "x", key=KEY) | {"facetId": 3, "tick": None},
        event("spawn", 3, "x") | {"facetId": None},
        event("destroy", 4, "facet-1", reason=5, totalFacets="many") | {"tick": 4.0},
        event("destroy", 5, "y", key=KEY, reason="lru") | {"facetId": "3", "mind": 9},
    ]
    churn = Churn()
    with TraceFile(write(tmp_path / "trace.jsonl", rows)) as trace:
        churn.read(trace)
    report = churn.report()
    assert (report.statistics.spawned, report.statistics.live, churn.unreadable) == (2, 1, 1)
    assert ended(report) == {("keyed", "lru"): 1, ("keyless", "unknown"): 1}


def test_a_trace_of_one_moment_has_no_rate(tmp_path: Path) -> None:
    path = write(tmp_path / "trace.jsonl", [event("spawn", 0, "facet-1")])
    assert document(report_on(path))["per_minute"] == {"spawns": None, "losses": None}


def test_nothing_at_all() -> None:
    assert document(Churn().report()) == {
        "spawned": 0,
        "destroyed": 0,
        "live": 0,
        "by": [],
        "keys": [],
        "per_minute": {"spawns": None, "losses": None},
        "verdict": [],
    }


def test_a_key_that_is_no_text_for_every_parser_is_still_told(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(json.dumps(event("spawn", 0, "facet-1", key="npc:\ud800")).encode() + b"\n")
    assert document(report_on(path))["keys"][0]["key"] == "npc:\ud800"


def test_an_approximate_median_says_so(tmp_path: Path) -> None:
    events = []
    for number in range(600):
        facet = f"facet-{number}"
        events.append(event("spawn", number * 10, facet, key=KEY))
        events.append(event("destroy", number * 10 + 5, facet, key=KEY, reason="explicit"))
    found = document(report_on(write(tmp_path / "trace.jsonl", events)))
    assert found["keys"][0]["median_is_approximate"] is True
    assert found["keys"][0]["median_life_ticks"] == 5
