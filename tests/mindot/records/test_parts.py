"""Large files in parts: what the parts give together is what the whole gives."""

import errno
import io
import os
import select
import signal
import subprocess
import sys
import tempfile
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


def test_without_a_place_for_temporary_files_all_is_done_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"a\nb\nc\nd\n")

    def nowhere() -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    def no_fork() -> int:
        raise AssertionError("a process")

    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    monkeypatch.setattr(os, "fork", no_fork)
    outputs = each_part(parts_of(path, 2), work)
    assert b"".join(output.read() for output in outputs) == b"A\nB\nC\nD\n"


class Full(io.FileIO):
    """A file on a device that has no room."""

    def write(self, _: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_without_room_what_is_written_is_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"a\nb\nc\nd\n")
    found = parts_of(path, 2)
    (tmp_path / "full").touch()
    monkeypatch.setattr(
        tempfile, "TemporaryFile", lambda: io.BufferedRandom(Full(tmp_path / "full", "r+"))
    )
    assert b"".join(output.read() for output in each_part(found, work)) == b"A\nB\nC\nD\n"
    path.unlink()
    with pytest.raises(FileNotFoundError) as error:
        list(each_part(found, work))
    assert error.value.filename == str(path)


def test_no_process_outlives_a_reading_that_ends_early(tmp_path: Path) -> None:
    here = os.getpid()
    never, held = os.pipe()

    def waits_elsewhere(part: Part, output: IO[bytes]) -> None:
        if os.getpid() != here:
            os.close(held)
            os.read(never, 1)
        if part.start:
            raise ValueError("a defect")

    try:
        outputs = each_part([Part(tmp_path)] * 3, waits_elsewhere)
        next(outputs)
        assert os.waitpid(-1, os.WNOHANG) == (0, 0), "two are at work"
        outputs.close()  # type: ignore[attr-defined]
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        with pytest.raises(ValueError, match="a defect"):
            list(each_part([Part(tmp_path, 1)] * 3, waits_elsewhere))
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
    finally:
        os.close(held)
        os.close(never)


_PARENT = """
import os, signal
from mindot.records.parts import each_part
parent = os.getpid()
def work(part, output):
    if os.getpid() != parent or part == 0:
        os.write(1, b"%d\\n" % os.getpid())
        signal.pause()
list(each_part([0, 1, 2], work))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_its_parent(number: int) -> None:
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(parent.stdout.readline()) for _ in range(3)]
        parent.send_signal(number)
        # They hold the pipe too: its end comes when the last of them is gone.
        ended, _, _ = select.select([parent.stdout], [], [], 60)
        if not ended:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        assert ended
        assert parent.stdout.read() == b""


@pytest.mark.parametrize("typed", [False, True])
def test_a_roster_by_parts_is_the_whole_roster(typed: bool) -> None:
    path = Path(__file__).parents[2] / "data" / "millbrook" / "receipts-20260912.jsonl"
    assert roster([path], typed=typed, part_size=500_000) == roster([path], typed=False)
