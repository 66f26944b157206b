"""The built-in village from end to end, on files."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest
import trio.testing
from click.testing import CliRunner

from mindot.cli import main
from mindot.game.contract import TIERS
from mindot.host.pace import paced
from mindot.host.play import Play, Played, play_village
from mindot.records.check import check_file
from mindot.records.promises import read_promises
from mindot.records.run_end import run_end


def play(play_: Play) -> Played:
    return anyio.run(play_village, play_)


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def rows(directory: Path, pattern: str) -> list[dict[str, Any]]:
    return [
        orjson.loads(line)
        for path in sorted(directory.glob(pattern))
        for line in path.read_bytes().split(b"\n")[:-1]
    ]


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Played]:
    directory = tmp_path_factory.mktemp("village")
    return directory, play(Play(directory=directory, keep_prompts=True))


def test_a_day_serves_every_tier(village: tuple[Path, Played]) -> None:
    statistics = village[1].statistics
    assert statistics.served_in_order.keys() == TIERS.keys()
    assert statistics.sweeps == 400
    assert statistics.fallbacks["unreadable"] > 0
    assert statistics.answered > statistics.fallback_count


def test_every_receipt_is_counted_and_every_file_is_clean(village: tuple[Path, Played]) -> None:
    played = village[1]
    reports = [check_file(path) for path in played.files]
    assert not any(report.broken for report in reports)
    assert [r.unknown_fields for r in reports if r.unknown_fields] == []
    served: dict[str, int] = {}
    for report in reports:
        for tier, count in report.served.items():
            served[tier] = served.get(tier, 0) + count
    assert served == played.statistics.served


def test_in_conversations_one_promise_is_kept_one_stands_and_one_becomes_a_goal(
    village: tuple[Path, Played],
) -> None:
    stories = read_promises(village[0])
    kept = [s for s in stories if s.ended == "kept"]
    assert kept
    assert all(s.target and s.by for s in kept)
    assert any(s.target and s.ended is None for s in stories)
    assert any(s.target is None and s.goal for s in stories)


def test_the_record_that_proves_a_promise_kept_is_there(village: tuple[Path, Played]) -> None:
    directory, _ = village
    receipts = rows(directory, "receipts-*.jsonl")
    proven = [s.by for s in read_promises(directory) if s.by and "episode" in s.by]
    assert proven
    for by in proven:
        assert any(
            (r["t"], r["served"], r.get("episode")) == (by["t"], by["served"], by["episode"])
            for r in receipts
        )


def test_the_same_seed_gives_the_same_bytes_in_every_file(
    village: tuple[Path, Played], tmp_path: Path
) -> None:
    play(Play(directory=tmp_path, keep_prompts=True))
    assert files(tmp_path) == files(village[0])


def test_another_seed_is_another_day(tmp_path: Path) -> None:
    play(Play(directory=tmp_path / "a", sweeps=30, seed=1))
    play(Play(directory=tmp_path / "b", sweeps=30, seed=2))
    assert files(tmp_path / "a") != files(tmp_path / "b")


def test_a_run_that_is_added_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    first = play(Play(directory=tmp_path, sweeps=60))
    end = run_end(tmp_path)
    assert end is not None
    play(Play(directory=tmp_path, sweeps=60, after=end))
    for path in first.files:
        assert not check_file(path).broken
    times = [receipt["t"] for receipt in rows(tmp_path, "receipts-*.jsonl")]
    assert times == sorted(times)
    later = run_end(tmp_path)
    assert later is not None
    assert later.t > end.t + 60 * 2
    assert later.tick == end.tick + 60


def test_a_run_killed_at_any_moment_costs_at_most_a_torn_last_line(tmp_path: Path) -> None:
    code = (
        "import anyio, sys\n"
        "from pathlib import Path\n"
        "from mindot.host.play import Play, play_village\n"
        "def seen(n, frame, commands, statistics):\n"
        "    if n == int(sys.argv[2]):\n"
        "        print('there', flush=True)\n"
        "play = Play(directory=Path(sys.argv[1]), sweeps=100_000)\n"
        "anyio.run(lambda: play_village(play, on_sweep=seen))\n"
    )
    for n in (1, 17):
        directory = tmp_path / str(n)
        with subprocess.Popen(
            [sys.executable, "-c", code, str(directory), str(n)], stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"there\n"
            os.kill(child.pid, signal.SIGKILL)
        written = sorted(directory.glob("*.jsonl"))
        assert written
        assert all(not check_file(path).bad_lines for path in written)
        play(Play(directory=directory, sweeps=5, after=run_end(directory)))
        again = [check_file(path) for path in sorted(directory.glob("*.jsonl"))]
        assert all(not report.torn_tail for report in again)
        # a line the kill had torn is a bad line now, and the only one of its file
        assert all(len(report.bad_lines) <= 1 for report in again)


def test_a_cancelled_run_closes_its_facets_and_keeps_its_records(tmp_path: Path) -> None:
    async def cancelled() -> None:
        with anyio.CancelScope() as scope:

            def stop(n: int, *_rest: object) -> None:
                if n == 40:
                    scope.cancel()

            await play_village(Play(directory=tmp_path), on_sweep=stop)
        assert scope.cancelled_caught

    anyio.run(cancelled)
    events = rows(tmp_path, "trace-*.jsonl")
    spawned = [(e["mind"], e["facetId"]) for e in events if e["type"].endswith("facet.spawn")]
    ended = [(e["mind"], e["facetId"]) for e in events if e["type"].endswith("facet.destroy")]
    assert spawned
    assert sorted(spawned) == sorted(ended)
    assert not any(check_file(path).broken for path in tmp_path.glob("*.jsonl"))


def test_market_day_loses_facets_of_both_kinds_for_all_three_reasons(tmp_path: Path) -> None:
    play(Play(directory=tmp_path, crowd=True))
    done = CliRunner().invoke(main, ["churn", "--dir", str(tmp_path), "--json"])
    report = json.loads(done.stdout)
    ends = {(row["population"], row["reason"]) for row in report["by"]}
    assert {population for population, _ in ends} == {"keyed", "keyless"}
    assert {reason for _, reason in ends} == {"explicit", "idle", "lru"}
    lost = [key for key in report["keys"] if key["lost"]]
    assert any(key["key"].startswith("conversation:") for key in lost)


def test_a_pace_keeps_its_distance_and_does_not_hurry_after_a_late_sweep() -> None:
    begun: list[float] = []

    async def sweeps() -> None:
        start = anyio.current_time()
        pace = paced(2.0)
        for n in range(1, 6):
            await pace(n)
            begun.append(anyio.current_time() - start)
            await anyio.sleep(1.2 if n == 2 else 0.1)

    clock = trio.testing.MockClock(autojump_threshold=0)
    anyio.run(sweeps, backend="trio", backend_options={"clock": clock})
    assert begun == pytest.approx([0.0, 0.5, 1.7, 2.2, 2.7])
