"""The block-wise reader of traces against everything that real files hold."""

import gzip
from pathlib import Path
from random import Random

import orjson
import pytest

from mindot.records import facet_events, lines, reader
from mindot.records.facet_events import TraceFile, in_order_of_time, trace_files, whole_number
from mindot.records.reader import read_records


def row(number: int, **more: object) -> bytes:
    fields = {"type": "executive.facet.spawn", "wallTime": 1000 * number, "tick": number}
    return orjson.dumps(fields | {"facetId": f"facet-{number}"} | more)


def ticks(trace: TraceFile) -> list[int]:
    return [row.tick for rows in trace.batches() for row in rows]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "found", "damaged", "torn"),
    [
        (b"", [], 0, False),
        (b"\n\n", [], 0, False),
        (row(1) + b"\n" + row(2) + b"\n", [1, 2], 0, False),
        (row(1) + b"\r\n" + row(2) + b"\r\n", [1, 2], 0, False),
        (row(1) + b"\n\n" + row(2), [1, 2], 0, False),
        (row(1) + b"\n" + row(2)[:-9], [1], 0, True),
        (row(1) + b"\nno json\n" + row(2) + b"\n", [1, 2], 1, False),
        (b"[1]\n5\n" + row(2) + b"\n", [2], 2, False),
        (row(1)[:30] + row(2) + b"\n" + row(3) + b"\n", [2, 3], 1, False),
        (row(1)[:30] + row(2), [2], 1, False),
        (b'{"a":[{"b":1}\n{"c":2}]}\n' + row(3) + b"\n", [3], 2, False),
        (
            row(1, x="\xff").replace("\xff".encode(), b"\xff") + b"\n" + row(2) + b"\n",
            [2],
            1,
            False,
        ),
        (row(1) + b"\n" + b"\0" * 50 + b"\n" + row(2) + b"\n", [1, 2], 1, False),
        (b'{"type":"x","tick":7,"x":"\\ud800"}\n' + row(2) + b"\n", [7, 2], 0, False),
    ],
)
def test_what_is_damaged_costs_its_neighbours_nothing(
    tmp_path: Path, data: bytes, found: list[int], damaged: int, torn: bool
) -> None:
    path = write(tmp_path / "trace.jsonl", data)
    with TraceFile(path) as trace:
        assert ticks(trace) == found
        assert (trace.damaged, trace.torn_tail, trace.rows) == (damaged, torn, len(found))
    assert [record.value["tick"] for record in read_records(path)] == found


def test_blocks_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "trace.jsonl", b"".join(row(n) + b"\n" for n in range(20)))
    for size in (1, 7, 100, 101, 4096):
        monkeypatch.setattr(facet_events, "BLOCK_BYTES", size)
        with TraceFile(path) as trace:
            assert ticks(trace) == list(range(20))


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facet_events, "BLOCK_BYTES", 64)
    monkeypatch.setattr(facet_events, "MAX_LINE", 1000)
    path = write(tmp_path / "trace.jsonl", b"x" * 5000 + b"\n" + row(1) + b"\n")
    with TraceFile(path) as trace:
        assert ticks(trace) == [1]
        assert trace.damaged == 1


@pytest.mark.parametrize("length", [990, 999, 1000, 1001, 1010, 1999, 2000, 2001, 5000])
@pytest.mark.parametrize("end", [b"\n", b"\n" + row(3) + b"\n", b""])
def test_too_long_a_line_is_what_the_plain_reader_takes_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int, end: bytes
) -> None:
    for module in (facet_events, lines, reader):
        monkeypatch.setattr(module, "MAX_LINE", 1000)
    line = row(2, x="y").replace(b"y", row(7).replace(b'"', b" ")).rstrip(b"}")
    line += b"x" * (length - len(line) - len(row(4))) + row(4)  # a record to be recovered
    whole = row(2, x="y" * (length - len(row(2, x=""))))
    for content in (line, whole):
        assert len(content) == length
        path = write(tmp_path / "trace.jsonl", row(1) + b"\n" + content + end)
        items = list(reader.read(path))
        plain = [item.value["tick"] for item in items if isinstance(item, reader.Record)]
        bad = sum(isinstance(item, reader.BadLine) for item in items)
        torn = any(isinstance(item, reader.TornTail) for item in items)
        assert (2 in plain) == (content is whole and length <= 1000)
        for size in (7, 64, 1 << 15):
            monkeypatch.setattr(facet_events, "BLOCK_BYTES", size)
            monkeypatch.setattr(lines, "BLOCK_SIZE", size)
            with TraceFile(path) as trace:
                assert (ticks(trace), trace.damaged, trace.torn_tail) == (plain, bad, torn)


def test_a_file_that_grows_is_read_on(tmp_path: Path) -> None:
    path = write(tmp_path / "trace.jsonl", row(1) + b"\n" + row(2)[:20])
    with TraceFile(path) as trace:
        assert ticks(trace) == [1]
        assert trace.torn_tail
        with path.open("ab") as more:
            more.write(row(2)[20:])
        assert ticks(trace) == [2]
        with path.open("ab") as more:
            more.write(b"\n" + row(3) + b"\n")
        assert ticks(trace) == [3]
        assert (trace.damaged, trace.torn_tail) == (0, False)


def test_half_a_row_that_ends_like_a_whole_one_is_not_damaged_yet(tmp_path: Path) -> None:
    whole = row(1, x={"y": 2}) + b"\n"
    path = write(tmp_path / "trace.jsonl", whole[:-2])
    with TraceFile(path) as trace:
        assert ticks(trace) == []
        assert (trace.damaged, trace.torn_tail) == (0, True)
        with path.open("ab") as more:
            more.write(whole[-2:])
        assert ticks(trace) == [1]


def test_a_compressed_file_that_breaks_off(tmp_path: Path) -> None:
    chance = Random(5)
    rows = b"".join(row(n, x=chance.random()) + b"\n" for n in range(3000))
    path = write(tmp_path / "trace.jsonl.gz", gzip.compress(rows)[:-400])
    with TraceFile(path) as trace:
        found = ticks(trace)
        assert found == list(range(len(found)))
        assert len(found) > 1000
        assert trace.damaged == 1


def test_files_of_a_directory_by_day(tmp_path: Path) -> None:
    for name in ("trace-20260913.jsonl", "trace-20260912.jsonl.gz", "receipts-20260912.jsonl"):
        (tmp_path / name).touch()
    assert [p.name for p in trace_files(tmp_path)] == [
        "trace-20260912.jsonl.gz",
        "trace-20260913.jsonl",
    ]


def test_files_in_order_of_their_first_row(tmp_path: Path) -> None:
    late = write(tmp_path / "a.jsonl", row(9) + b"\n")
    early = write(tmp_path / "b.jsonl", row(3) + b"\n")
    empty = write(tmp_path / "c.jsonl", b"")
    assert in_order_of_time([late, early, empty, late]) == [empty, early, late]


def test_the_first_time_may_be_a_float_and_come_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = write(tmp_path / "a.jsonl", row(9, wallTime=9000.5) + b"\n")
    odd: list[object] = [None, True, "1", 1e300, float(-(2**63))]
    untimed = b"".join(row(1, wallTime=value) + b"\n" for value in odd) * 1000
    early = write(tmp_path / "b.jsonl", untimed + row(3) + b"\n")
    assert len(untimed) > 2 * facet_events.BLOCK_BYTES
    assert in_order_of_time([late, early]) == [early, late]
    endless = write(tmp_path / "c.jsonl", untimed + row(99) + b"\n")
    assert in_order_of_time([late, endless]) == [late, endless]
    monkeypatch.setattr(facet_events, "_FIRST_BYTES", len(untimed) // 2)
    assert in_order_of_time([late, endless]) == [endless, late], "no time within what is searched"


def test_an_integer_below_the_limit_is_none_whatever_stands_beside_it(tmp_path: Path) -> None:
    below = row(1).replace(b'"wallTime":1000', b'"wallTime":%d' % (-(2**63) - 1))
    for beside in (b"", b"no json\n"):
        path = write(tmp_path / "trace.jsonl", below + b"\n" + beside)
        with TraceFile(path) as trace:
            ((found,),) = trace.batches()
        assert whole_number(found.wall_time) is None
    assert whole_number(-(2**63)) == -(2**63)
    assert whole_number(-(2**63) + 1024.0) == -(2**63) + 1024
    assert whole_number(2.0**63) is None


def test_the_days_of_a_log_are_one_series(tmp_path: Path) -> None:
    paths = [
        tmp_path / name for name in ("trace-20260912.jsonl", "trace-20260913.jsonl", "b.jsonl")
    ]
    series = []
    for path in paths:
        with TraceFile(write(path, b"")) as trace:
            series.append(trace.series)
    assert series[0] == series[1] != series[2]
