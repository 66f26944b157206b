"""Thoughts that did not come, and allowances, as the trace tells them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.records.lines import line_blocks
from mindot.records.promises import lines_with
from mindot.records.reader import judge
from mindot.records.thinking import FailedThought, Standing, Thinking, read_mind

T = 1_800_000_000.0
BUDGET = {
    "minute": {
        "calls": 2,
        "callsAllowed": 2,
        "tokens": 812,
        "tokensAllowed": 4000,
        "renewsInS": 34.2,
    },
    "day": {"calls": 7, "tokens": 1930, "tokensAllowed": 200_000, "renewsInS": 80_000.0},
}


def response(after: float, **fields: Any) -> dict[str, Any]:
    return {
        "type": "executive.facet.response",
        "wallTime": round((T + after) * 1000),
        "tick": 5,
        "mind": "mock:gerdur",
        "facetId": "master",
        "latencyMs": 3.5,
        **fields,
    }


class Told:
    """What rows tell, asked for one time after the other."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self._rows = rows

    def failure_near(self, t: float) -> FailedThought | None:
        return self._thinking(t).failure_near(t)

    def standing_at(self, t: float) -> Standing | None:
        return self._thinking(t).standing_at(t)

    def _thinking(self, t: float) -> Thinking:
        thinking = Thinking("Gerdur", [t])
        for row in self._rows:
            thinking.take(row)
        return thinking


told = Told


def error_at(thinking: Thinking | Told, after: float) -> str | None:
    failed = thinking.failure_near(T + after)
    return failed.error if failed is not None else None


def calls_at(thinking: Thinking | Told, after: float) -> dict[str, Any] | None:
    """The calls of each period that is told of."""
    standing = thinking.standing_at(T + after)
    if standing is None:
        return None
    return {period: used["calls"] for period, used in standing.budget.items()}


def test_a_failed_thought_is_told_with_what_was_seen() -> None:
    failed = told(response(1.25, error="over-budget", detail="2 of 2 calls")).failure_near(T + 2)
    assert failed is not None
    assert failed.to_json() == {
        "error": "over-budget",
        "detail": "2 of 2 calls",
        "at": T + 1.25,
        "tick": 5,
    }


def test_a_failure_counts_for_five_seconds_before_and_after() -> None:
    thinking = told(response(10, error="timeout"))
    expected = {0: None, 4.99: None, 5: "timeout", 10: "timeout", 15: "timeout", 15.01: None}
    assert {after: error_at(thinking, after) for after in expected} == expected


def test_a_receipts_rounded_time_is_no_time_before() -> None:
    # Both are of 10.004: the receipt's time has two decimals.
    thinking = told(response(10.004, budget=BUDGET))
    assert calls_at(thinking, 10.0) == {"minute": 2, "day": 7}
    assert calls_at(thinking, 9.99) is None


def test_the_nearest_failure_counts_whatever_the_order_of_the_rows() -> None:
    first, second, same = (
        response(after, error=error) for after, error in [(1, "first"), (3, "second"), (3, "same")]
    )
    assert error_at(told(second, first), 4) == "second"
    assert error_at(told(second, first), 1.9) == "first"
    assert error_at(told(second, first), 2) == "second", "of two as near the later"
    assert error_at(told(first, second, same), 3) == "same", "the later row of one time"
    assert error_at(told(first, response(3.5)), 4) == "first", "a thought that came is no failure"


def test_the_newest_standing_holds_until_there_is_another() -> None:
    early = {"minute": BUDGET["minute"] | {"calls": 1}}
    thinking = told(response(20, budget=BUDGET), response(0, budget=early), response(21))
    expected = {
        -1: None,
        0: {"minute": 1},
        19: {"minute": 1},
        20: {"minute": 2, "day": 7},
        80_021: {"minute": 2, "day": 7},
    }
    assert {after: calls_at(thinking, after) for after in expected} == expected
    assert thinking.standing_at(T + 25) == (T + 20, BUDGET)


@pytest.mark.parametrize(
    "odd",
    [
        {"mind": "mock:brenna"},
        {"mind": "gerdur:brenna"},
        {"mind": "mock:old gerdur"},
        {"mind": "mock:old:gerdur"},
        {"mind": 7},
        {"mind": None},
        {"type": "executive.facet.call"},
        {"type": ["executive.facet.response"]},
        {"wallTime": None},
        {"wallTime": "1800000000000"},
        {"wallTime": True},
        {"wallTime": 10**400},
        {"wallTime": float("inf")},
    ],
)
def test_rows_of_others_and_rows_that_cannot_be_placed_tell_nothing(odd: dict[str, Any]) -> None:
    # At every time, the moments after 1970 that a wrong value might come to included.
    row = response(0, error="timeout", budget=BUDGET)
    good, bad = told(row), told(row | odd)
    assert (good.failure_near(T), good.standing_at(T)) != (None, None)
    for t in (0.0, 0.001, T, float("inf")):
        assert bad.failure_near(t) is None
        assert bad.standing_at(t) is None


def test_wrong_values_are_passed_over_and_the_rest_of_the_row_counts() -> None:
    odd = response(0, error="timeout", detail={"a": 1}, tick="5", budget=[1])
    failed = told(odd).failure_near(T)
    assert failed is not None
    assert (failed.error, failed.detail, failed.tick) == ("timeout", None, None)
    assert told(odd).standing_at(T) is None
    truth = told(response(0, error="timeout", detail="", tick=True)).failure_near(T)
    assert truth is not None
    assert (truth.detail, truth.tick) == (None, None)
    for error in ("", None, 5, True, ["timeout"]):
        thinking = told(response(0, error=error, budget={"minute": {"calls": 1}}))
        assert thinking.failure_near(T) is None
        assert calls_at(thinking, 0) == {"minute": 1}


def test_a_budget_is_periods_of_plain_values() -> None:
    budget = {"minute": {"calls": [1], "tokens": {"a": 1}, "renewsInS": 5}, "day": 7, "x": [1]}
    assert told(response(0, budget=budget)).standing_at(T) == (T, {"minute": {"renewsInS": 5}})
    thinking = told(
        response(0, budget=BUDGET), response(1, budget={}), response(1, budget={"a": 1})
    )
    assert thinking.standing_at(T + 1) == (T, BUDGET), "what tells of no period is no standing"


def test_files_are_read_in_one_pass_packed_or_damaged(tmp_path: Path) -> None:
    promise = {"type": "executive.undertaking.start", "mind": "mock:gerdur", "what": "help"}
    first = [response(1, error="timeout"), promise, promise | {"mind": "mock:ulf"}]
    (tmp_path / "trace-20270114.jsonl.gz").write_bytes(
        gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in first))
    )
    noise = b'{"type":"executive.facet.response","mind":"mock:gerdur","error" torn\n\xff"error"\n\n'
    last = json.dumps(response(90_000, budget=BUDGET)).encode()
    (tmp_path / "trace-20270115.jsonl").write_bytes(noise + last)
    (tmp_path / "thoughts-20270115.jsonl").write_text(json.dumps(response(2, error="elsewhere")))
    stories, thinking = read_mind(tmp_path, "GERDUR", [T + 2, T + 90_000])
    assert [(story.mind, story.what) for story in stories] == [("mock:gerdur", "help")]
    assert error_at(thinking, 2) == "timeout"
    assert calls_at(thinking, 90_000) == {"minute": 2, "day": 7}
    _, nobody = read_mind(tmp_path, "brenna", [T + 2])
    assert error_at(nobody, 2) is None
    assert read_mind(tmp_path / "missing", "gerdur", [])[0] == []


@pytest.mark.parametrize(
    ("name", "mind"),
    [
        ("Gerdur", "mock:GERDUR"),
        ("Gerdur", "gerdur"),
        ("npc:1", "mock:npc:1"),
        ("Kell", "mock:\u212aell"),
        ("Þóra", "mock:þóra"),
        ("a/b", "mock:a/b"),
        ('the "Wolf"', 'mock:the "wolf"'),
        ("\udcff", "mock:\udcff"),
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_name_is_found_in_every_spelling(
    tmp_path: Path, name: str, mind: str, ascii_only: bool
) -> None:
    line = json.dumps(response(0, mind=mind, error="timeout"), ensure_ascii=ascii_only)
    path = tmp_path / "trace-20270115.jsonl"
    path.write_text(line + "\n", encoding="utf-8", errors="backslashreplace")
    _, thinking = read_mind(tmp_path, name, [T])
    assert error_at(thinking, 0) == "timeout"


def test_a_slash_may_be_escaped(tmp_path: Path) -> None:
    line = json.dumps(response(0, mind="mock:a/b", error="timeout")).replace("/", r"\/")
    (tmp_path / "trace-20270115.jsonl").write_text(line)
    assert error_at(read_mind(tmp_path, "a/b", [T])[1], 0) == "timeout"


def test_lines_come_in_the_files_order_whichever_needle_they_hold(tmp_path: Path) -> None:
    held = [b"b one", b"a two", b"b a three a", b"a four"]
    (tmp_path / "trace-20270115.jsonl").write_bytes(b"\n".join([b"", *held[:3], b"none", held[3]]))
    (tmp_path / "trace-20270114.jsonl").write_bytes(b"a zero\n")
    assert list(lines_with(tmp_path, b"a", b"b")) == [b"a zero", *held]
    assert list(lines_with(tmp_path, b"two", b"four")) == [held[1], held[3]]


def test_lines_of_no_concern_are_not_decoded() -> None:
    thinking = Thinking("Gerdur", [T])
    assert thinking.may_concern(json.dumps(response(0, error="x")).encode())
    assert not thinking.may_concern(json.dumps(response(0, error="x", mind="m:ulf")).encode())
    assert not thinking.may_concern(json.dumps(response(0, type="executive.thought")).encode())
    assert thinking.may_concern(json.dumps(response(-9, budget=BUDGET)).encode())
    assert not thinking.may_concern(json.dumps(response(1, budget=BUDGET)).encode()), "too late"
    assert not thinking.may_concern(json.dumps(response(6, error="x")).encode()), "too late"
    assert thinking.may_concern(json.dumps(response(1, error="x")).encode())


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.integers(-12, 12).map(lambda n: n / 2),
            st.sampled_from(["error", "budget", "both", "another's", "empty", "twice", "nested"]),
        ),
        max_size=12,
    ),
    st.lists(st.integers(-12, 12).map(lambda n: n / 2), min_size=1),
)
def test_lines_tell_what_all_of_their_rows_do(
    rows: list[tuple[float, str]], asked: list[float]
) -> None:
    lines, held = [], []
    for number, (after, kind) in enumerate(rows):
        row = response(after, tick=number)
        if kind != "error":
            row["budget"] = {"minute": {"calls": number}} if kind != "empty" else {}
        if kind in ("error", "both"):
            row["error"] = "timeout"
        if kind == "another's":
            row["mind"] = "mock:old gerdur"
        if kind == "nested":
            row["detail"] = {"wallTime": row.pop("wallTime")}
        line = json.dumps(row).encode()
        if kind == "twice":
            line = line.replace(b'"wallTime"', b'"wallTime": 1, "wallTime"')
        lines.append(line)
        held.append(json.loads(line))
    times = [T + after for after in asked]
    by_lines, by_rows = Thinking("Gerdur", times), Thinking("Gerdur", times)
    for begin in range(0, len(lines), 5):
        by_lines.take_lines(lines[begin : begin + 5])
    for row in held:
        by_rows.take(row)
    for t in times:
        assert by_lines.failure_near(t) == by_rows.failure_near(t) == Told(*held).failure_near(t)
        assert by_lines.standing_at(t) == by_rows.standing_at(t) == Told(*held).standing_at(t)
        known = [
            (row["wallTime"], row["tick"])
            for row in held
            if row["mind"] == "mock:gerdur" and row.get("budget") and "wallTime" in row
            if row["wallTime"] <= t * 1000
        ]
        standing = by_lines.standing_at(t)
        newest = standing and standing.budget["minute"]["calls"]
        assert newest == (max(known)[1] if known else None)


def test_little_is_decoded_and_kept_however_many_rows_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [response(n, budget={"minute": {"calls": n}}) for n in range(3000)]
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    (tmp_path / "trace-20270115.jsonl").write_bytes(lines)
    judged = []

    def counting(line: bytes) -> tuple[dict[str, Any] | None, int, str | None]:
        judged.append(line)
        return judge(line)

    monkeypatch.setattr("mindot.records.thinking.judge", counting)
    _, thinking = read_mind(tmp_path, "gerdur", [T + 2500.0, T + 70.0])
    assert [calls_at(thinking, after) for after in (70, 2500)] == [{"minute": 70}, {"minute": 2500}]
    blocks = len(list(line_blocks(tmp_path / "trace-20270115.jsonl")))
    assert len(judged) <= 2 * blocks < 20
