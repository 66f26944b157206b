"""Several processes over a file that somebody is still writing: one end for all of them."""

import gzip
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from cognition.facet_counts import MAX_REASONS
from mindot.cli import main
from mindot.records.churn import Churn, Share
from mindot.records.churn_shares import ends_of, read_in_shares
from mindot.records.facet_events import TraceFile
from tests.mindot.churn.traces import event, write

MINDS = [f"mock:npc{number}" for number in range(20)]


def spawns(tick: int) -> list[dict[str, object]]:
    return [event("spawn", tick, f"facet-{tick}", key="k", mind=mind) for mind in MINDS]


def test_all_processes_read_to_the_same_end(tmp_path: Path) -> None:
    path = write(tmp_path / "trace-20260912.jsonl", [row for n in range(5) for row in spawns(n)])
    more = write(tmp_path / "more", spawns(9)).read_bytes()
    ends = ends_of([path])

    def read(churn: Churn, _share: Share | None) -> None:
        with path.open("ab") as file:  # the writer goes on before each reading
            file.write(more)
        with TraceFile(path, stop=ends[path]) as trace:
            churn.read(trace)

    churn = read_in_shares([Share(0, 2), Share(1, 2)], lambda share: Churn(share=share), read)
    assert [report.spawns for report in churn.report().each_key()] == [5 * len(MINDS)]


def test_the_command_fixes_the_ends_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "trace-20260912.jsonl", spawns(1))
    more = write(tmp_path / "more", spawns(2)).read_bytes()
    read_file = Churn.read

    def read(churn: Churn, trace: TraceFile) -> None:
        with path.open("ab") as file:
            file.write(more)
        read_file(churn, trace)

    monkeypatch.setattr(Churn, "read", read)
    monkeypatch.setattr("mindot.cli.churn.shares_of", lambda _: [Share(0, 2), Share(1, 2)])
    done = CliRunner().invoke(main, ["churn", str(path)])
    assert done.stdout.startswith(f"{len(MINDS)} spawned, 0 ended")


def test_a_compressed_files_size_is_no_end(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.jsonl", spawns(1))
    packed = tmp_path / "b.jsonl"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert ends_of([plain, packed]) == {plain: plain.stat().st_size, packed: None}


def test_a_stop_is_an_end(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.jsonl", spawns(1) + spawns(2))
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    lines = plain.read_bytes().splitlines(keepends=True)
    for rows in (0, 1, 7, len(lines)):
        for extra, torn in ((0, False), (9, rows < len(lines))):
            stop = len(b"".join(lines[:rows])) + extra
            for path in (plain, packed):
                with TraceFile(path, stop=stop) as trace:
                    assert sum(map(len, trace.batches())) == rows
                    assert (trace.damaged, trace.torn_tail) == (0, torn)


@pytest.mark.parametrize("fork", [True, False])
def test_what_is_damaged_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fork: bool
) -> None:
    # So many reasons that the file is read again, in one process.
    ends = [event("destroy", n, f"facet-{n}", reason=f"why{n}") for n in range(MAX_REASONS + 10)]
    path = write(tmp_path / "trace-20260912.jsonl", ends)
    with path.open("ab") as file:
        file.write(b"no json\n{torn")

    def no_fork() -> int:
        raise OSError("no more processes")

    if not fork:
        monkeypatch.setattr(os, "fork", no_fork)
    monkeypatch.setattr("mindot.cli.churn.shares_of", lambda _: [Share(0, 2), Share(1, 2)])
    done = CliRunner().invoke(main, ["churn", str(path)])
    said = done.stderr.splitlines()
    assert said == [
        f"mindot: {path}: 1 damaged line skipped",
        f"mindot: {path}: the last line is not finished",
    ]
