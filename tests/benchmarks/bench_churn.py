"""How fast a long trace is reported, and in how much memory, beside jq and DuckDB.

    python -m tests.benchmarks.bench_churn [--events 5000000] [--minds 50] [--talkers 200]

The trace is made up from a seed. ``mindot churn`` gives its whole report (every key with its
lives, losses and median); jq and DuckDB only count ends by reason, as far as a one-liner goes.
Each runs in a process of its own, one after the other; the peak is that process's resident set.
Where processor time is well below the clock, the machine was busy with something else.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

SEED = 7
START_MS = 1_789_192_800_000
MIB = 1024.0
MAX_LIVE = 8

JQ = (
    'reduce (inputs | select(.type == "executive.facet.destroy")) as $r ({}; '
    '.[$r.reason // "unknown"] += 1)'
)
DUCKDB = """
import duckdb, sys
duckdb.sql("set enable_progress_bar = false")
print(duckdb.sql(
    "select reason, count(*) from read_ndjson(?, columns={type: 'VARCHAR', reason: 'VARCHAR'}) "
    "where type = 'executive.facet.destroy' group by reason order by reason",
    params=[sys.argv[1]],
).fetchall())
"""


@dataclass
class _Mind:
    name: str
    last_id: int = 0
    live: list[tuple[str, str]] = field(default_factory=list)


def trace_lines(events: int, minds: int, talkers: int) -> Iterator[str]:
    """The trace: minds whose facets come and go at random, every third without a key."""
    chance = Random(SEED)
    cast = [_Mind(f"mock:npc{number}") for number in range(minds)]
    for tick in range(events):
        mind = chance.choice(cast)
        head = f'"wallTime": {START_MS + tick * 10}, "tick": {tick}, "mind": "{mind.name}"'
        if len(mind.live) < MAX_LIVE and (not mind.live or chance.random() < 0.6):
            mind.last_id += 1
            facet, key = f"facet-{mind.last_id}", ""
            if chance.random() < 0.67:
                who = chance.randrange(talkers)
                key = f', "key": "conversation:{mind.name}:traveller{who}"'
            mind.live.append((facet, key))
            kind, reason = "spawn", ""
        else:
            facet, key = mind.live.pop(chance.randrange(len(mind.live)))
            word = chance.choice(("idle", "lru", "explicit")) if key else "explicit"
            kind, reason = "destroy", f', "reason": "{word}"'
        yield (
            f'{{"type": "executive.facet.{kind}", {head}, "facetId": "{facet}"{key}{reason}, '
            f'"totalFacets": {len(mind.live)}}}\n'
        )


def run(command: list[str]) -> tuple[float, float, float, str]:
    """Seconds by the clock and of processor time, peak in MiB, and output of a command."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / MIB, text


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=5_000_000)
    options.add_argument("--minds", type=int, default=50)
    options.add_argument("--talkers", type=int, default=200)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        trace = Path(directory) / "trace-20260912.jsonl"
        with trace.open("w") as out:
            out.writelines(trace_lines(given.events, given.minds, given.talkers))
        size = trace.stat().st_size / 1e6
        print(f"{given.events:,} events, {size:,.0f} MB, seed {SEED}, {os.cpu_count()} cores")
        print(f"{'':14} {'seconds':>8} {'cpu s':>8} {'events/s':>12} {'peak MiB':>9}")
        ours = [sys.executable, "-c", "from mindot.cli import main; main()", "churn", "--json"]
        peers = {"mindot churn": [*ours, str(trace)]}
        if jq := shutil.which("jq"):
            peers["jq"] = [jq, "-cn", JQ, str(trace)]
        peers["DuckDB"] = [sys.executable, "-c", DUCKDB, str(trace)]
        counts = {}
        for name, command in peers.items():
            seconds, busy, peak, text = run(command)
            counts[name] = by_reason(name, text)
            speed = given.events / seconds
            print(f"{name:14} {seconds:8.1f} {busy:8.1f} {speed:12,.0f} {peak:9.0f}", flush=True)
        agree = all(found == counts["mindot churn"] for found in counts.values())
        print(f"counts by reason: {counts['mindot churn']}, {'the same' if agree else 'DIFFERENT'}")


def by_reason(name: str, text: str) -> dict[str, int]:
    """The counts by reason in what a command printed."""
    if name == "DuckDB":
        pairs = text.strip().strip("[]()").replace("'", "").split("), (")
        return {reason: int(n) for reason, n in (pair.split(", ") for pair in pairs)}
    found: dict[str, int] = {}
    if name == "jq":
        found = json.loads(text)
    else:
        for row in json.loads(text)["by"]:
            found[row["reason"]] = found.get(row["reason"], 0) + row["count"]
    return dict(sorted(found.items()))


if __name__ == "__main__":
    main()
