"""Every quicker way of reading gives exactly what the plain reader gives."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.records import lines, reader, search, typed
from mindot.records.check import check_file
from mindot.records.decisions import flywheel_of
from mindot.records.encoding import MAX_LINE, encode
from mindot.records.fields import name_of, time_of
from mindot.records.logs import DayFile, Log
from mindot.records.reader import Record, read_records
from mindot.records.roster import roster
from mindot.records.search import NameSearch, is_of, rows_backwards
from tests.mindot.records.strategies import NAMES, file_pieces, flywheel, receipts, trace_events

DATA = Path(__file__).parents[2] / "data"
SAMPLES = sorted(DATA.glob("millbrook*/*.jsonl"))

_rows = (receipts() | receipts() | flywheel() | trace_events()).map(lambda row: encode(row)[:-1])
_sizes = st.sampled_from([(1 << 17, MAX_LINE), (64, MAX_LINE), (7, MAX_LINE), (64, 130), (7, 60)])
"""Bytes of a block, and of the longest line: with a low limit most lines are too long."""


@pytest.fixture(autouse=True)
def _blocks() -> Iterator[None]:
    yield
    _set_sizes(1 << 17, MAX_LINE)


def _set_sizes(block: int, limit: int) -> None:
    lines.BLOCK_SIZE = search._BLOCK = block  # type: ignore[misc]
    lines.MAX_LINE = reader.MAX_LINE = typed.MAX_LINE = limit  # type: ignore[attr-defined]
    search._LONGEST = limit + 2  # type: ignore[misc]


def agree(path: Path, names: list[str]) -> None:
    plain = list(read_records(path))
    assert check_file(path, typed=True) == check_file(path, typed=False)
    assert roster([path], typed=True) == roster([path], typed=False)
    for name in names:
        key = name.lower()
        wanted = [row._replace(line=0) for row in plain if is_of(row.value, key)]
        assert list(rows_backwards(path, NameSearch(name))) == wanted[::-1]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_on_the_sample_day(path: Path) -> None:
    names = [entry.name for entry in roster([path]).entries]
    agree(path, [*names, "Nobody"])


@given(file_pieces(_rows), _sizes, st.booleans())
def test_on_any_file(
    folder: Path, content: bytes, sizes: tuple[int, int], compressed: bool
) -> None:
    _set_sizes(*sizes)
    path = folder / "file.jsonl"
    path.write_bytes(gzip.compress(content) if compressed else content)
    agree(path, NAMES)


@settings(max_examples=50)
@given(file_pieces(flywheel().map(lambda row: encode(row)[:-1])), st.sampled_from(NAMES))
def test_flywheel_records_of_a_time_and_name(folder: Path, content: bytes, name: str) -> None:
    path = folder / "2026-09-12.jsonl"
    path.write_bytes(content)
    receipt = Record(1, 0, b"", {"name": name, "t": 1_789_193_100.0, "served": "held"})
    near = [
        record
        for record in read_records(path)
        if (other := name_of(record)) is not None
        and other.lower() == name.lower()
        and (t := time_of(record.value)) is not None
        and abs(t - 1_789_193_100.0) <= 6
    ]
    assert flywheel_of([DayFile("20260912", path, Log.FLYWHEEL)], [receipt]) == near
    assert flywheel_of([DayFile("20260914", path, Log.FLYWHEEL)], [receipt]) == []
    assert flywheel_of([DayFile("20260912", path, Log.FLYWHEEL)], []) == []


@settings(max_examples=50)
@given(st.lists(receipts(), max_size=6))
def test_every_name_in_a_file_is_found(folder: Path, rows: list[dict[str, str]]) -> None:
    path = folder / "names.jsonl"
    path.write_bytes(b"".join(map(encode, rows)))
    agree(path, [row["name"] for row in rows])
    agree(path, [row["name"].upper() for row in rows])


def test_every_character_is_found_in_every_case() -> None:
    """Whatever lower-cases to a character is found when that character is looked for."""
    odd = [c for c in map(chr, range(0x110000)) if c.lower() != c and not 0xD800 <= ord(c) < 0xE000]
    for capital in odd:
        block = encode({"v": 1, "served": "held", "name": f"x{capital}x"})
        assert NameSearch(f"x{capital.lower()}x").starts(block) == [0], hex(ord(capital))
