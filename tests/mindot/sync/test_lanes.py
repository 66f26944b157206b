"""Nothing leaves that is not on a lane's list, and texts leave by the gate alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindot.game.contract import DECISION_FIELDS, KINDS, LANES, RECEIPT_FIELDS
from mindot.records.reader import read_records
from mindot.sync.lanes import dry_run, payloads

MARKER = "Marker words of a text"
DATA = Path(__file__).parents[2] / "data" / "millbrook"

_texts = sorted({*DECISION_FIELDS, *RECEIPT_FIELDS, "tuple", "cmds", "later_field"})


def marked(depth: int) -> Any:
    """The marker as it stands, and inside what may hold it."""
    return [
        MARKER,
        [MARKER],
        {"plan": MARKER, MARKER: MARKER},
        [{"plan": [MARKER], "say": MARKER}],
    ][depth]


@given(
    st.sampled_from([*KINDS, "later_kind"]),
    st.dictionaries(st.sampled_from(_texts), st.integers(0, 3).map(marked), min_size=1),
    st.dictionaries(st.sampled_from(_texts), st.integers(0, 3).map(marked)),
)
def test_a_marker_in_any_text_leaves_by_the_gate_alone(
    kind: str, decision: dict[str, Any], top: dict[str, Any]
) -> None:
    row = {"v": 1, "t": 1.0, "kind": kind, "decision": decision, "state": MARKER} | top
    for payload in payloads(row | {"kind": kind, "decision": decision}, gate=True):
        if payload.lane != "gate":
            assert MARKER not in json.dumps(payload.values)
        assert set(payload.values) <= set(LANES[payload.lane].fields)
    assert all(payload.lane != "gate" for payload in payloads(row))


def test_a_marker_in_every_text_of_every_record_of_the_sample() -> None:
    """Names, free texts and everything unknown: nothing but tuples, words and numbers is left."""
    kept = {
        "tuple",
        "top2",
        "verb",
        "cls",
        "arch",
        "chosen",
        "composer",
        "plan",
        "kind",
        "situation",
    }

    def mark(value: Any, field: str = "") -> Any:
        if isinstance(value, str):
            return value if field in kept else MARKER
        if isinstance(value, list):
            return [mark(item, field) for item in value]
        if isinstance(value, dict):
            return {key: mark(item, key) for key, item in value.items()}
        return value

    found = dict.fromkeys(LANES, 0)
    for path in (DATA / "2026-09-12.jsonl", DATA / "receipts-20260912.jsonl"):
        for record in read_records(path):
            for payload in payloads(mark(record.value), gate=True):
                found[payload.lane] += 1
                assert (MARKER in json.dumps(payload.values)) is (payload.lane == "gate")
    assert found["student"] == 324
    assert found["gate"] > 90


DILEMMA = {
    "kind": "student_escalation",
    "decision": {
        "name": "Falk",
        "tuple": "arch=guard|need=none",
        "top2": [["flee", 0.5], ["stay", 0]],
        "why": "below tau",
        "verb": "flee",
        "cls": "wrong",
    },
}
RANKING = {
    "kind": "deliberator_escalation",
    "decision": {
        "name": "Falk",
        "cls": "wrong",
        "arch": "guard",
        "traits": {"brave": 0.5, "words about Falk": 0.1, "temper": "high"},
        "wake_text": "the axe is gone",
        "wake_t": 1.0,
        "situation": "arch=guard|night=1",
        "candidates": [{"plan": ["report", "demand"], "score": 0.4, "note": "for Falk"}],
    },
}


def test_the_student_lane_takes_its_three_fields() -> None:
    (payload,) = payloads(DILEMMA)
    assert payload == (
        "student",
        {"tuple": "arch=guard|need=none", "top2": [["flee", 0.5], ["stay", 0]], "verb": "flee"},
        (),
    )


def test_the_ranker_lane_keeps_forms_and_drops_the_rest() -> None:
    (payload,) = payloads(RANKING)
    assert payload.values == {
        "cls": "wrong",
        "arch": "guard",
        "traits": {"brave": 0.5},
        "situation": "arch=guard|night=1",
        "candidates": [{"plan": ["report", "demand"], "score": 0.4}],
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("situation", "Falk lost his axe"),
        ("arch", "a guard"),
        ("traits", ["brave"]),
        ("candidates", "report"),
        ("candidates", ["report"]),
        ("candidates", [{"score": 1}]),
        ("candidates", [{"plan": [1]}]),
        ("chosen", ["go and report"]),
        ("composer", 7),
    ],
)
def test_what_has_not_its_form_is_withheld(field: str, value: object) -> None:
    row = {"kind": RANKING["kind"], "decision": {"cls": "wrong", field: value}}
    (payload,) = payloads(row)
    assert (payload.values, payload.withheld) == ({"cls": "wrong"}, (field,))
    report = dry_run([row]).lanes["ranker"]
    assert (report.records, report.fields, report.withheld) == (1, ["cls"], {field: 1})


@pytest.mark.parametrize(
    "top2", ["flee", ["flee"], [["flee"]], [["run away", 1]], [["flee", True]]]
)
def test_top2_is_pairs_of_a_word_and_a_number(top2: object) -> None:
    (payload,) = payloads({"kind": "student_escalation", "decision": {"top2": top2}})
    assert (payload.values, payload.withheld) == ({}, ("top2",))


def test_the_gate_takes_texts_wherever_they_stand() -> None:
    row = {"evidence": "the axe", "cmds": [{"cmd": "warn_say", "say": "Stop"}, {"say": "Now"}, 7]}
    assert list(payloads(row)) == []
    (payload,) = payloads(row, gate=True)
    assert payload.values == {"evidence": ["the axe"], "say": ["Stop", "Now"]}


def test_the_dry_run_of_the_sample() -> None:
    rows = [record.value for record in read_records(DATA / "2026-09-12.jsonl")]
    shut = dry_run(rows).to_json()
    assert shut["blocked"] == {"gate": True}
    assert shut["lanes"]["gate"] == {"records": 0, "bytes": 0, "fields": [], "withheld": {}}
    assert shut["lanes"]["student"]["records"] == 324
    assert shut["lanes"]["student"]["fields"] == ["tuple", "top2", "verb"]
    sizes = [
        len(json.dumps(p.values, separators=(",", ":"))) + 1 for row in rows for p in payloads(row)
    ]
    assert shut["lanes"]["student"]["bytes"] == sum(sizes)
    open_ = dry_run(rows, gate=True).to_json()
    assert open_["blocked"] == {"gate": False}
    assert open_["lanes"]["gate"]["fields"] == ["line"]
