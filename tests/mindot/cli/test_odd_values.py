"""Values of any type in any field: a reading command shows them, and never ends in a traceback."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mindot.cli import main
from mindot.game.contract import DECISION_FIELDS, KINDS, RECEIPT_FIELDS, TIERS, TRACE_FIELDS
from mindot.records import lines
from tests.mindot.records.strategies import json_values

T = 1_789_192_800.0
CALLS = [
    ("why", "falk", "--last", "99"),
    ("watch", "--once", "--starve-after", "0"),
    ("names",),
    ("check",),
    ("sync", "--dry-run", "--gate"),
    ("promises",),
]

_numbers = st.sampled_from([10**400, -(10**400), 10**30, 1e308, -1.0, 0, 1.5, True])
_shapes = st.sampled_from(
    [
        [1],
        {},
        [],
        [[]],
        [[1]],
        {"masked": [[1]], "pre": {}, "post": {}},
        {"masked": [{}], "pre": [], "post": 1},
        [{"cmd": [1]}],
        [{"cmd": {}, "target": [], "say": 1}],
        [{"cmd": "say", "say": ["a"]}],
        [{"plan": [[1]], "score": {}}],
        [["stay", {}], [[1], 0.5]],
        "",
        "stay",
        "falk",
        "\ud800",
    ]
)
values = _numbers | _shapes | json_values


def _fields(known: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(sorted(known)), values, max_size=3)


receipts = st.builds(
    lambda served, odd: {"v": 1, "t": T, "name": "Falk", "served": served} | odd,
    st.sampled_from(sorted(TIERS)),
    _fields(dict.fromkeys(RECEIPT_FIELDS)),
)
flywheel = st.builds(
    lambda kind, decision, odd: (
        {"v": 1, "t": T, "kind": kind, "decision": {"name": "Falk"} | decision} | odd
    ),
    st.sampled_from(sorted(KINDS)),
    _fields(dict.fromkeys(DECISION_FIELDS)),
    _fields(dict.fromkeys(["v", "t", "kind", "decision", "state", "tuple"])),
)
trace = st.builds(
    lambda kind, odd: (
        {"type": kind, "wallTime": T * 1000, "tick": 1, "mind": "mock:falk", "what": "a"} | odd
    ),
    st.sampled_from([f"executive.undertaking.{event}" for event in ("start", "goal", "end")]),
    _fields(dict.fromkeys([*TRACE_FIELDS, "by", "since", "promisedTo"])),
)

periods = st.dictionaries(
    st.sampled_from(["minute", "day", "hour\x1b", "\ud800"]),
    values
    | _fields(dict.fromkeys(["calls", "callsAllowed", "tokens", "tokensAllowed", "renewsInS"])),
    max_size=3,
)
responses = st.builds(
    lambda budget, odd: (
        {
            "type": "executive.facet.response",
            "wallTime": T * 1000,
            "tick": 1,
            "mind": "mock:falk",
            "error": "over-budget",
            "budget": budget,
        }
        | odd
    ),
    periods,
    _fields(dict.fromkeys(TRACE_FIELDS)),
)


def _file(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("odd")


@pytest.mark.parametrize("typed", [False, True])
@given(
    st.lists(receipts, min_size=1, max_size=4),
    st.lists(flywheel, max_size=4),
    trace | responses,
)
@example([{"served": [1]}], [], {})
@example([{"name": "Falk", "served": {}}], [], {})
@example([{"name": "Falk", "served": "escalated", "t": 10**400}], [], {})
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_value_of_a_field_stops_a_reading_command(
    folder: Path,
    typed: bool,
    rows: list[dict[str, Any]],
    records: list[dict[str, Any]],
    event: dict[str, Any],
) -> None:
    (folder / "receipts-20260912.jsonl").write_bytes(_file(rows))
    (folder / "2026-09-12.jsonl").write_bytes(_file(records))
    (folder / "trace-20260912.jsonl").write_bytes(_file([event]))
    large = lines._LARGE
    lines._LARGE = 0 if typed else large  # type: ignore[misc]
    try:
        for call in CALLS:
            for form in ((), ("--json",)):
                arguments = [*call, "--dir", str(folder), *form]
                result = CliRunner().invoke(main, arguments, catch_exceptions=False)
                assert result.exit_code in (0, 1, 2), result.output
                if result.exit_code == 2:
                    assert "no rows of" in result.stderr, "only a name may be missing"
                elif form:
                    for line in result.stdout_bytes.splitlines():
                        json.loads(line)
    finally:
        lines._LARGE = large  # type: ignore[misc]


def test_odd_rows_are_shown_as_they_stand(folder: Path) -> None:
    rows = [
        {"v": 1, "t": 10**30, "name": "Falk", "served": [1]},
        {"v": 1, "t": T, "name": "Falk", "served": "held", "mask": {"masked": [[1]], "pre": {}}},
        {"v": 1, "t": T, "name": "Falk", "served": "later", "cmds": [{"cmd": [1]}]},
    ]
    (folder / "receipts-20260912.jsonl").write_bytes(_file(rows))
    result = CliRunner().invoke(main, ["why", "falk", "--dir", str(folder)], catch_exceptions=False)
    assert "Falk  [1]  -" in result.stdout
    assert "the manifest took away [1]" in result.stdout
    assert "Falk  later  -" in result.stdout


def test_a_row_beside_what_is_no_unicode_keeps_its_bytes(folder: Path) -> None:
    line = b'{"v":1,"t":1789192800.10,"name":"Falk","served":"intention","desire":"\\ud800"}'
    (folder / "receipts-20260912.jsonl").write_bytes(line + b"\n")
    call = ["why", "falk", "--dir", str(folder), "--json"]
    result = CliRunner().invoke(main, call, catch_exceptions=False)
    assert b'"receipt":' + line in result.stdout_bytes
    assert json.loads(result.stdout_bytes)[0]["deed"] == "\ud800"


@pytest.mark.parametrize(
    "field",
    ["v", "t", "name", "served", "mask", "cmds", "top2", "plan", "conf", "episode", "decision"],
)
@pytest.mark.parametrize("depth", [250, 600, 1020])
def test_deep_values_stop_no_reading_command(folder: Path, field: str, depth: int) -> None:
    row = {"v": 1, "t": T, "name": "Falk", "served": "held", field: "DEEP"}
    text = {"v": 1, "t": T, "kind": "plan", "decision": {"name": "Falk", "say": "DEEP"}}
    files = (("receipts-20260912.jsonl", [row, row]), ("2026-09-12.jsonl", [text]))
    for name, rows in files:
        deep = b"[" * depth + b"]" * depth
        (folder / name).write_bytes(_file(rows).replace(b'"DEEP"', deep))
    for call in CALLS:
        for form in ((), ("--json",)):
            arguments = [*call, "--dir", str(folder), *form]
            CliRunner().invoke(main, arguments, catch_exceptions=False)
