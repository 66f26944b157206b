"""Following files that are written, rotated and truncated meanwhile."""

import os
from pathlib import Path

import pytest

from mindot.records import follow
from mindot.records.follow import FileFollower, LogFollower
from mindot.records.logs import Log
from mindot.records.reader import BadLine, Record, TornTail


def row(n: int) -> bytes:
    return b'{"v":1,"t":1789192800.0,"served":"calm","n":%d}\n' % n


def add(path: Path, text: bytes) -> None:
    with path.open("ab") as file:
        file.write(text)


def polled(follower: FileFollower) -> list[object]:
    """The numbers of the rows; for anything else its type."""
    return [item.value["n"] if isinstance(item, Record) else type(item) for item in follower.poll()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "receipts-20260912.jsonl"


def test_a_file_that_is_not_there_yet(path: Path) -> None:
    follower = FileFollower(path)
    assert polled(follower) == []
    add(path, row(1) + row(2))
    assert polled(follower) == [1, 2]
    assert polled(follower) == []
    follower.close()


def test_a_writer_in_the_middle_of_a_line(path: Path) -> None:
    follower = FileFollower(path)
    for byte in row(1)[:-1]:
        add(path, bytes([byte]))
        assert polled(follower) == []
    add(path, b"\n" + row(2)[:5])
    assert polled(follower) == [1]
    add(path, row(2)[5:])
    assert polled(follower) == [2]
    follower.close()


@pytest.mark.parametrize("block", [16, 1 << 20])
def test_from_the_end_begins_with_the_line_being_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(follow, "BLOCK_SIZE", block)
    add(path, row(1) + row(2)[:9])
    follower = FileFollower(path, from_end=True)
    add(path, row(2)[9:] + row(3))
    assert polled(follower) == [2, 3]
    follower.close()
    add(path, b"x" * 100)
    follower = FileFollower(path, from_end=True)
    add(path, b"\n" + row(4))
    assert polled(follower) == [BadLine, 4]
    follower.close()


def test_rotation_by_renaming(path: Path) -> None:
    follower = FileFollower(path)
    add(path, row(1))
    assert polled(follower) == [1]
    add(path, row(2) + row(3)[:-1])
    path.rename(path.with_suffix(".old"))
    assert polled(follower) == [2], "until a new file comes, the old one may go on"
    add(path, row(4))
    assert polled(follower) == [3, 4]
    follower.close()


def test_a_torn_line_is_said_when_its_file_is_gone(path: Path) -> None:
    follower = FileFollower(path)
    add(path, row(1) + row(2)[:7])
    assert polled(follower) == [1]
    path.unlink()
    assert polled(follower) == []
    add(path, row(3))
    assert polled(follower) == [TornTail, 3]
    follower.close()


def test_truncation(path: Path) -> None:
    follower = FileFollower(path)
    add(path, row(1) + row(2) + row(3)[:9])
    assert polled(follower) == [1, 2]
    os.truncate(path, 0)
    add(path, row(4))
    assert polled(follower) == [4]
    follower.close()


def test_what_is_no_record_is_said_and_passed_over(path: Path) -> None:
    follower = FileFollower(path)
    add(path, b"soup\n" + row(1)[:8] + row(2) + b"\n")
    assert polled(follower) == [BadLine, BadLine, 2, BadLine]
    follower.close()


def test_a_line_beyond_the_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "MAX_LINE", 100)
    follower = FileFollower(path)
    add(path, row(1) + b"x" * 150)
    assert polled(follower) == [1]
    add(path, b"y" * 150)
    assert polled(follower) == []
    add(path, b"z\n" + row(2))
    bad, _ = follower.poll()
    assert bad == BadLine(2, "longer than 16 MiB")
    add(path, row(3))
    (last,) = follower.poll()
    assert isinstance(last, Record)
    assert (last.line, last.offset) == (4, len(row(1)) + 302 + len(row(2)))
    follower.close()


def test_a_log_is_followed_from_day_to_day(tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"receipts-2026091{day}.jsonl" for day in (2, 3, 4))
    add(first, row(0))
    add(tmp_path / "2026-09-12.jsonl", row(99))
    with LogFollower(tmp_path, Log.RECEIPTS) as follower:

        def numbers() -> list[tuple[str, int]]:
            return [(path.name[-7:-6], record.value["n"]) for path, record in follower.poll()]

        assert numbers() == []
        add(first, row(1))
        add(second, row(2))
        assert numbers() == [("2", 1), ("3", 2)]
        add(first, row(3))
        assert numbers() == [("2", 3)], "rows of two days may come interleaved"
        add(third, b"soup\n" + row(4))
        add(first, row(5))
        assert numbers() == [("4", 4)]
