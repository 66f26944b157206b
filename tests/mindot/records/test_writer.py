"""The writer: whole lines, the right day, and what is left when the system refuses."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mindot.records.encoding import MAX_LINE
from mindot.records.logs import DayFile, Log, date_of, day_files
from mindot.records.reader import BadLine, TornTail, read, read_records
from mindot.records.writer import FsyncPolicy, LogWriteError, LogWriter

DAY = 86_400
T = 1_789_192_800.0  # 2026-09-12


def row(n: int, t: float = T) -> dict[str, Any]:
    return {"v": 1, "t": t, "name": "Falk", "served": "calm", "n": n}


def numbers(path: Path) -> list[int]:
    return [record.value["n"] for record in read_records(path)]


def path_in(directory: Path) -> Path:
    return directory / "receipts-20260912.jsonl"


def test_rows_land_in_the_file_of_their_own_day(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "new", Log.RECEIPTS) as writer:
        writer.append([row(1), row(2, T + DAY), row(3), row(4, T + 3 * DAY)])
        writer.append([row(5)])
        writer.append([])
    files = day_files(tmp_path / "new")
    assert [(file.date, numbers(file.path)) for file in files] == [
        ("20260912", [1, 3, 5]),
        ("20260913", [2]),
        ("20260915", [4]),
    ]


@pytest.mark.parametrize(
    ("log", "row", "name"),
    [
        (Log.RECEIPTS, {"t": T}, "receipts-20260912.jsonl"),
        (Log.FLYWHEEL, {"t": T + DAY - 21600.01}, "2026-09-12.jsonl"),
        (Log.FLYWHEEL, {"t": 0}, "1970-01-01.jsonl"),
        (Log.TRACE, {"wallTime": int(T * 1000)}, "trace-20260912.jsonl"),
    ],
)
def test_the_names_of_files(tmp_path: Path, log: Log, row: dict[str, Any], name: str) -> None:
    with LogWriter(tmp_path, log) as writer:
        writer.append([row])
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    (file,) = day_files(tmp_path)
    assert file == DayFile(date_of(row.get("t", T)), tmp_path / name, log)


def test_other_files_are_no_logs(tmp_path: Path) -> None:
    for name in (
        "notes.jsonl",
        "receipts-2026.jsonl",
        "2026-09-12.jsonl.idx",
        "2026-09-12.jsonl.gz",
    ):
        (tmp_path / name).touch()
    assert [file.path.name for file in day_files(tmp_path)] == ["2026-09-12.jsonl.gz"]
    assert day_files(tmp_path / "missing") == []


@pytest.mark.parametrize("t", [None, "now", True, float("nan"), float("inf"), -1.0, 1e15])
def test_a_row_without_a_usable_time_is_refused(tmp_path: Path, t: object) -> None:
    with LogWriter(tmp_path, Log.RECEIPTS) as writer, pytest.raises(ValueError, match="'t'"):
        writer.append([row(1), {**row(2), "t": t}])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", [{1: 2}, {"x": object()}, {"x": {"y": {3: 4}, "z": 2**70}}])
def test_what_is_no_json_is_refused_whole(tmp_path: Path, bad: dict[Any, Any]) -> None:
    with LogWriter(tmp_path, Log.RECEIPTS) as writer, pytest.raises(TypeError):
        writer.append([row(1), {**row(2), **bad}])
    assert list(tmp_path.iterdir()) == []


def test_a_row_no_reader_takes_is_refused(tmp_path: Path) -> None:
    with LogWriter(tmp_path, Log.RECEIPTS) as writer, pytest.raises(ValueError, match="too long"):
        writer.append([row(1), {**row(2), "x": "a" * MAX_LINE}])
    assert list(tmp_path.iterdir()) == []


def test_numbers_without_a_word_in_json_become_null(tmp_path: Path) -> None:
    with LogWriter(tmp_path, Log.RECEIPTS) as writer:
        writer.append([{**row(1), "x": float("inf")}, {**row(2), "x": float("nan"), "y": 2**70}])
    assert [record.value["x"] for record in read_records(path_in(tmp_path))] == [None, None]


def test_the_next_writer_starts_on_a_fresh_line(tmp_path: Path) -> None:
    path_in(tmp_path).write_bytes(b'{"v":1,"t":17')
    with LogWriter(tmp_path, Log.RECEIPTS) as writer:
        writer.append([row(1)])
        with path_in(tmp_path).open("ab") as other:
            other.write(b'{"v":1')
        writer.append([row(2)])
    assert path_in(tmp_path).read_bytes().count(b"\n") == 4
    assert numbers(path_in(tmp_path)) == [1, 2]


def test_a_file_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    with LogWriter(tmp_path, Log.RECEIPTS) as writer:
        writer.append([row(1)])
        path_in(tmp_path).unlink()
        writer.append([row(2)])
    assert numbers(path_in(tmp_path)) == [2]


def test_a_closed_writer_says_so(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path, Log.RECEIPTS)
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.append([row(1)])


def full_after(size: int) -> Callable[[int, bytes], int]:
    """``os.write`` on a disk with room for so many bytes."""
    real, room = os.write, [size]

    def write(fd: int, data: bytes) -> int:
        if room[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(fd, bytes(data)[: room[0]])
        room[0] -= written
        return written

    return write


def test_a_full_disk_leaves_one_torn_line_and_says_which_rows_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(n) for n in range(10)]
    with LogWriter(tmp_path, Log.RECEIPTS) as writer:
        writer.append(rows[:3])
        size = path_in(tmp_path).stat().st_size // 3
        monkeypatch.setattr(os, "write", full_after(4 * size + 10))
        with pytest.raises(LogWriteError) as caught:
            writer.append([*rows[3:], row(99, T + DAY)])
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.unwritten == (*rows[7:], row(99, T + DAY))
        assert (caught.value.torn, caught.value.repeated) == (True, False)
        assert "4 row(s) not written; the last line is torn" in str(caught.value)
        with pytest.raises(LogWriteError) as again:
            writer.append(rows[7:])
        assert (again.value.torn, again.value.repeated) == (False, True)
        assert again.value.unwritten == tuple(rows[7:])
        found = list(read(path_in(tmp_path)))
        assert numbers(path_in(tmp_path)) == list(range(7))
        assert isinstance(found[-1], TornTail)
        monkeypatch.undo()
        writer.append(rows[7:])
    assert numbers(path_in(tmp_path)) == list(range(10))


def test_a_write_cut_short_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
    with LogWriter(tmp_path, Log.RECEIPTS) as writer:
        writer.append([row(n) for n in range(5)])
    assert numbers(path_in(tmp_path)) == list(range(5))


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with LogWriter(tmp_path / "file", Log.RECEIPTS) as writer, pytest.raises(LogWriteError):
        writer.append([row(1)])


@pytest.mark.parametrize(("policy", "batches"), [("never", 0), ("close", 0), ("batch", 2)])
def test_the_fsync_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: FsyncPolicy, batches: int
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_mode & 0o40000))
    writer = LogWriter(tmp_path, Log.RECEIPTS, fsync=policy)
    writer.append([row(1)])
    writer.append([row(2)])
    assert synced.count(0) == batches
    writer.flush()
    writer.close()
    assert synced.count(0) == (batches + 2 if policy != "never" else 0)
    assert synced.count(0o40000) == (policy != "never")


def test_an_unknown_fsync_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'always'"):
        LogWriter(tmp_path, Log.RECEIPTS, fsync="always")  # type: ignore[arg-type]


def test_a_disk_that_does_not_confirm_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int) -> None:
        if not os.fstat(fd).st_mode & 0o40000:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", refuse)
    writer = LogWriter(tmp_path, Log.RECEIPTS, fsync="batch")
    with pytest.raises(LogWriteError, match="did not confirm") as caught:
        writer.append([row(1)])
    assert caught.value.unwritten == ()
    monkeypatch.undo()
    writer.close()
    assert numbers(path_in(tmp_path)) == [1]


_OTHER_WRITER = """
import sys
from pathlib import Path
from mindot.records.logs import Log
from mindot.records.writer import LogWriter
with LogWriter(Path(sys.argv[1]), Log.RECEIPTS) as writer:
    for batch in range(40):
        writer.append([
            {"v": 1, "t": 1789192800.0, "writer": sys.argv[2], "n": batch * 50 + i, "x": "y" * 300}
            for i in range(50)
        ])
"""


def test_two_writers_never_tear_each_others_rows(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _OTHER_WRITER, str(tmp_path), name])
        for name in ("one", "two")
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    rows = [record.value for record in read_records(path_in(tmp_path))]
    for name in ("one", "two"):
        assert [r["n"] for r in rows if r["writer"] == name] == list(range(2000))
    runs = [rows[i : i + 50] for i in range(0, 4000, 50)]
    assert all(len({r["writer"] for r in run}) == 1 for run in runs), "a batch stays together"
    assert len(rows) == path_in(tmp_path).read_bytes().count(b"\n") == 4000


_ENDLESS_WRITER = """
import sys
from pathlib import Path
from mindot.records.logs import Log
from mindot.records.writer import LogWriter
with LogWriter(Path(sys.argv[1]), Log.RECEIPTS) as writer:
    n = 0
    while True:
        writer.append([{"v": 1, "t": 1789192800.0, "n": n + i, "x": "y" * 300} for i in range(50)])
        n += 50
        print(n, flush=True)
"""


def test_a_writer_that_is_killed_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _ENDLESS_WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(20)][-1]
        process.kill()
    found = list(read(path_in(tmp_path)))
    assert not any(isinstance(item, BadLine) for item in found)
    before = numbers(path_in(tmp_path))
    assert before == list(range(len(before)))
    assert len(before) >= acknowledged
    with LogWriter(tmp_path, Log.RECEIPTS) as writer:
        writer.append([row(-1)])
    assert numbers(path_in(tmp_path)) == [*before, -1]
