"""Large files in parts: what the parts give together is what the whole gives."""

import os
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.records import parts
from mindot.records.encoding import encode
from mindot.records.parts import Part, each_part, parts_of
from mindot.records.roster import roster
from tests.mindot.records.strategies import file_pieces, receipts


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "processors", lambda: 4)


@settings(max_examples=40)
@given(file_pieces(receipts().map(lambda row: encode(row)[:-1])), st.integers(1, 400))
def test_parts_begin_and_end_with_lines(folder: Path, content: bytes, size: int) -> None:
    path = folder / "file.jsonl"
    path.write_bytes(content)
    found = parts_of(path, size)
    assert found[0].start == 0
    assert found[-1].stop is None
    assert [part.stop for part in found[:-1]] == [part.start for part in found[1:]]
    for part in found[1:]:
        assert content[part.start - 1 : part.start] in (b"\n", content[-1:])


def test_a_small_file_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"x\n" * 100)
    assert parts_of(path) == [Part(path)]
    assert len(parts_of(path, 20)) == 4


def work(part: Part, output: IO[bytes]) -> None:
    content = part.path.read_bytes()[part.start : part.stop]
    output.write(content.upper())


def test_results_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"".join(b"line %d\n" % n for n in range(100)))
    outputs = each_part(parts_of(path, 100), work)
    assert b"".join(output.read() for output in outputs) == path.read_bytes().upper()


def test_a_part_whose_process_fails_is_done_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"a\nb\nc\nd\n")
    here = os.getpid()

    def fails_elsewhere(part: Part, output: IO[bytes]) -> None:
        output.write(b"half")
        output.flush()
        if os.getpid() != here:
            os._exit(3)
        output.seek(0)
        output.truncate()
        work(part, output)

    outputs = each_part(parts_of(path, 2), fails_elsewhere)
    assert b"".join(output.read() for output in outputs) == b"A\nB\nC\nD\n"

    def no_fork() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", no_fork)
    outputs = each_part(parts_of(path, 2), work)
    assert b"".join(output.read() for output in outputs) == b"A\nB\nC\nD\n"


@pytest.mark.parametrize("typed", [False, True])
def test_a_roster_by_parts_is_the_whole_roster(typed: bool) -> None:
    path = Path(__file__).parents[2] / "data" / "millbrook" / "receipts-20260912.jsonl"
    assert roster([path], typed=typed, part_size=500_000) == roster([path], typed=False)
