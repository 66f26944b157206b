"""The plain reader: what it takes, what it passes over, and what it says of it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindot.records.encoding import MAX_DEPTH, MAX_LINE, decode_exactly, encode
from mindot.records.reader import (
    EMPTY,
    NOT_AN_OBJECT,
    NOT_JSON,
    NOT_UTF8,
    TOO_LONG,
    BadLine,
    Record,
    TornTail,
    judge,
    read,
    read_records,
)
from tests.mindot.records.strategies import flywheel, receipts, trace_events

ROW = b'{"v":1,"t":1.5,"served":"calm","name":"Falk"}'


def _read(tmp_path: Path, content: bytes) -> list[Record | BadLine | TornTail]:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    return list(read(path))


def _outline(items: list[Record | BadLine | TornTail]) -> list[tuple[int, object]]:
    """By line: a row's name, a bad line's reason, or TornTail."""
    return [(item.line, _gist(item)) for item in items]


def _gist(item: Record | BadLine | TornTail) -> object:
    match item:
        case Record():
            return item.value.get("name")
        case BadLine():
            return item.reason
        case TornTail():
            return TornTail


def test_rows_come_with_their_place(tmp_path: Path) -> None:
    first, second = _read(tmp_path, ROW + b"\n" + ROW + b"\n")
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert (first.line, first.offset, first.text) == (1, 0, ROW)
    assert (second.line, second.offset) == (2, len(ROW) + 1)


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert _read(tmp_path, b"") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"not json", NOT_JSON),
        (b'{"v":NaN}', NOT_JSON),
        (b"", EMPTY),
        (b" \r", EMPTY),
        (b'{"v":"\xff"}', NOT_UTF8),
        (b"[1]", NOT_AN_OBJECT),
        (b"17", NOT_AN_OBJECT),
        (b'{"v":' + b"[" * 5000 + b"]" * 5000 + b"}", NOT_JSON),
    ],
)
def test_a_bad_line_costs_only_itself(tmp_path: Path, line: bytes, reason: str) -> None:
    found = _outline(_read(tmp_path, ROW + b"\n" + line + b"\n" + ROW + b"\n"))
    assert found == [(1, "Falk"), (2, reason), (3, "Falk")]


def test_only_the_newline_byte_ends_a_line(tmp_path: Path) -> None:
    name = "a\u2028b\u0085c\x0b"
    row = json.dumps({"v": 1, "name": name}, ensure_ascii=False).encode()
    found = _read(tmp_path, row.replace(b": ", b":\r") + b"\r\n")
    assert [item.value["name"] for item in found if isinstance(item, Record)] == [name]


def test_a_torn_tail_is_no_bad_line(tmp_path: Path) -> None:
    found = _outline(_read(tmp_path, ROW + b"\n" + ROW[:20]))
    assert found == [(1, "Falk"), (2, TornTail)]


def test_a_last_line_that_only_lacks_its_newline_is_a_row(tmp_path: Path) -> None:
    assert _outline(_read(tmp_path, ROW + b"\n" + ROW)) == [(1, "Falk"), (2, "Falk")]


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_whole_record_after_a_torn_one_is_recovered(tmp_path: Path, end: bytes) -> None:
    for cut in range(1, len(ROW)):
        found = _read(tmp_path, ROW[:cut] + ROW + end)
        bad, row = found
        assert isinstance(bad, BadLine)
        assert isinstance(row, Record)
        assert (row.text, row.offset, row.line) == (ROW, cut, 1)


def test_recovery_after_a_character_cut_in_half(tmp_path: Path) -> None:
    torn = '{"v":1,"name":"Þ'.encode()[:-1]
    assert _outline(_read(tmp_path, torn + ROW + b"\n")) == [(1, NOT_UTF8), (1, "Falk")]


@pytest.mark.parametrize(
    "inner",
    [
        b'{"name":"Falk"}',
        b'{"v":1,"name":"Falk"}',
        b'{"type":"x","name":"Falk"}',
    ],
)
def test_only_what_begins_a_record_is_recovered(tmp_path: Path, inner: bytes) -> None:
    assert _outline(_read(tmp_path, b'{"v":1,"state":' + inner + b"\n")) == [(1, NOT_JSON)]


@pytest.mark.parametrize(
    "record",
    [b'{"v":1,"kind":"plan"}', b'{"type":"x","tick":3}', b'{ "served":"calm","v":1}'],
)
def test_records_of_every_log_are_recovered(record: bytes) -> None:
    value, begin, reason = judge(b'{"v":1,"t' + record)
    assert (value, begin, reason) == (json.loads(record), 9, NOT_JSON)


def test_the_search_for_a_record_ends_on_a_line_of_openers() -> None:
    assert judge(b'{"a":' * 20_000)[0] is None


def test_a_line_beyond_the_limit_is_passed_over(tmp_path: Path) -> None:
    long = b'{"v":1,"x":"' + b"a" * MAX_LINE + b'"}'
    assert _outline(_read(tmp_path, ROW + b"\n" + long + b"\n" + ROW + b"\n")) == [
        (1, "Falk"),
        (2, TOO_LONG),
        (3, "Falk"),
    ]
    assert _outline(_read(tmp_path, long)) == [(1, TornTail)]


def test_a_line_at_the_limit_is_read(tmp_path: Path) -> None:
    line = b'{"name":"' + b"a" * (MAX_LINE - 11) + b'"}'
    assert len(line) == MAX_LINE
    (row,) = _read(tmp_path, line + b"\n")
    assert isinstance(row, Record)
    assert _outline(_read(tmp_path, line[:-2] + b' "}\n')) == [(1, TOO_LONG)]


def test_compressed_files_are_told_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(gzip.compress(ROW + b"\n") + gzip.compress(ROW + b"\n"))
    assert [row.line for row in read_records(path)] == [1, 2]


def test_a_compressed_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    rows = [b'{"v":1,"served":"calm","name":"%d"}\n' % n for n in range(9999)]
    whole = gzip.compress(b"".join(rows))
    path = tmp_path / "file.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    *found, torn = read(path)
    assert len(found) > 100
    assert torn == TornTail(len(found) + 1)
    path.write_bytes(whole[:200] + b"\x00" * 40 + whole[240:])
    *found, bad = read(path)
    assert isinstance(bad, BadLine)
    assert (bad.line, "damaged" in bad.reason) == (len(found) + 1, True)
    assert all(isinstance(item, Record) for item in found)


def test_a_whole_row_at_a_broken_end_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl.gz"
    path.write_bytes(gzip.compress(ROW)[:-4])
    assert [type(item) for item in read(path)] == [TornTail, Record]
    path.write_bytes(gzip.compress(ROW + b"\n")[:-4])
    assert [type(item) for item in read(path)] == [Record, TornTail]


@given(st.lists(receipts() | flywheel() | trace_events(), max_size=4))
def test_any_record_survives_write_then_read(rows: list[dict[str, Any]]) -> None:
    lines = b"".join(map(encode, rows))
    assert [decode_exactly(line) for line in lines.split(b"\n")[:-1]] == rows


def test_values_up_to_the_promised_depth_survive() -> None:
    value: Any = 2**70
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert decode_exactly(encode({"v": 1, "x": value})) == {"v": 1, "x": value}
    assert decode_exactly(encode({"v": 1, "x": value, "y": "\ud800"}))["x"] == value


@given(st.binary(max_size=80), st.lists(receipts(), min_size=1, max_size=3))
def test_byte_soup_costs_only_its_own_lines(
    folder: Path, soup: bytes, rows: list[dict[str, Any]]
) -> None:
    path = folder / "file.jsonl"
    lines = b"".join(map(encode, rows))
    path.write_bytes(lines + soup + b"\n" + lines)
    found = [record.text + b"\n" for record in read_records(path)]
    whole = lines.split(b"\n")[:-1]
    assert found[: len(rows)] == [line + b"\n" for line in whole]
    assert found[-len(rows) :] == [line + b"\n" for line in whole]
