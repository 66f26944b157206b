"""The records: finding, counting and appending rows, beside what one would use otherwise.

    python -m tests.benchmarks.bench_records [--rows 750000] [--runs 3] [--keep DIR]

The file is made up from a seed: a sweep over 750 characters every two seconds, nine rows in ten
calm. Commands are timed whole, from the shell's view, with the peak of their resident memory;
peers that are no command run in a Python process of their own, and their time is without its
start. Everything is read once before, so that all of it comes from the page cache.
"""

import argparse
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from mindot.game.contract import ACTIONS, CALM_ACTIONS, FEATURES, TIERS
from mindot.records.logs import Log
from mindot.records.writer import LogWriter

SEED = 7
START = 1_789_192_800
NAMES = 750
CALM_SHARE = 0.9
MOODS = 512
"""Ready-made probabilities and features: making them anew for each row takes longer than all
that is measured."""
MIB = 1024 * 1024


class Mood(NamedTuple):
    probs: dict[str, float]
    action: str
    conf: float
    features: dict[str, float]


def moods(chance: Random, *, calm: bool) -> list[Mood]:
    made: list[Mood] = []
    while len(made) < MOODS:
        weights = [chance.random() ** 6 for _ in ACTIONS]
        total = sum(weights)
        probs = {a: round(w / total, 4) for a, w in zip(ACTIONS, weights, strict=True)}
        action = max(probs, key=probs.__getitem__)
        if (action in CALM_ACTIONS) == calm:
            features = {name: round(chance.random(), 4) for name in FEATURES}
            made.append(Mood(probs, action, probs[action], features))
    return made


def names() -> list[str]:
    heads = ("Al", "Bran", "Cor", "Dag", "Ed", "Fin", "Ger", "Hal", "Iv", "Jor", "Ket", "Lis")
    middles = ("a", "dis", "en", "ga", "hil", "in", "ko", "lo", "mu", "na", "od", "ri", "sta")
    tails = ("", "n", "r", "s", "son")
    made = [head + middle + tail for head in heads for middle in middles for tail in tails]
    return made[:NAMES]


def sweeps(rows: int) -> Iterator[list[dict[str, Any]]]:
    """The rows of one sweep after the other."""
    chance = Random(SEED)
    quiet, lively = moods(chance, calm=True), moods(chance, calm=False)
    tiers = [tier for tier in TIERS if tier != "calm"]
    who = names()
    for sweep in range(0, rows, NAMES):
        t = START + 2 * (sweep // NAMES)
        made = []
        for npc, name in enumerate(who[: rows - sweep]):
            calm = chance.random() < CALM_SHARE
            mood = chance.choice(quiet if calm else lively)
            row: dict[str, Any] = {
                "v": 1,
                "t": round(t + chance.random() / 2, 2),
                "world": "mock",
                "tab": "bench",
                "npc": npc,
                "name": name,
                "served": "calm" if calm else chance.choice(tiers),
                "action": mood.action,
                "conf": mood.conf,
                "tau": 0.85,
                "probs": mood.probs,
            }
            if not calm:
                row["features"] = mood.features
            made.append(row)
        yield made


# The peers, each a program that is given the file and a name.

FIND = {
    "stdlib json": (
        "for l in f:\n r=json.loads(l)\n if r['name']==n and r['served']!='calm': o.append(r)"
    ),
    "orjson on every line": (
        "for l in f:\n r=orjson.loads(l)\n if r['name']==n and r['served']!='calm': o.append(r)"
    ),
    "needle in line, then orjson": (
        "k=b'\"name\":'+orjson.dumps(n)\nfor l in f:\n if k in l:\n  r=orjson.loads(l)\n"
        "  if r['name']==n and r['served']!='calm': o.append(r)"
    ),
    "mapped search, then orjson": (
        "import mmap,re\nm=mmap.mmap(f.fileno(),0,access=mmap.ACCESS_READ)\n"
        "for x in re.finditer(re.escape(b'\"name\":'+orjson.dumps(n)),m):\n"
        " a=m.rfind(b'\\n',0,x.start())+1\n r=orjson.loads(m[a:m.find(b'\\n',a)])\n"
        " if r['name']==n and r['served']!='calm': o.append(r)"
    ),
    "polars": (
        "import polars as p\n"
        "o=p.scan_ndjson(sys.argv[1],schema={'name':p.String,'served':p.String,'t':p.Float64})"
        ".filter((p.col('name')==n)&(p.col('served')!='calm')).collect().rows()"
    ),
    "DuckDB": (
        "import duckdb\no=duckdb.sql(\"select * from read_ndjson(?,columns={name:'VARCHAR',"
        "served:'VARCHAR',t:'DOUBLE'}) where name=? and served<>'calm'\",params=[sys.argv[1],n])"
        ".fetchall()"
    ),
}
COUNT = {
    "stdlib json": "for l in f:\n r=json.loads(l); c[r['name'],r['served']]+=1",
    "orjson on every line": "for l in f:\n r=orjson.loads(l); c[r['name'],r['served']]+=1",
    "msgspec typed": (
        "import msgspec\nclass R(msgspec.Struct):\n name:str\n served:str\n"
        "d=msgspec.json.Decoder(R).decode\nfor l in f:\n r=d(l); c[r.name,r.served]+=1"
    ),
    "DuckDB": (
        'import duckdb\no=duckdb.sql("select name,served,count(*) from read_ndjson(?,columns='
        "{name:'VARCHAR',served:'VARCHAR'}) group by all\",params=[sys.argv[1]]).fetchall()"
    ),
}
JQ_FIND = 'select(.name == $n and .served != "calm")'
JQ_COUNT = 'jq -r \'.name + " " + .served\' "$0" | sort | uniq -c'
PEER = """
import collections, json, sys, time, orjson
c, o, n = collections.Counter(), [], sys.argv[2]
started = time.perf_counter()
with open(sys.argv[1], "rb") as f:
{body}
print(time.perf_counter() - started)
"""


class Timing(NamedTuple):
    label: str
    seconds: list[float]
    cpu: float
    """Processor seconds of the last run, of all its processes."""
    peak_mib: float

    @property
    def p50(self) -> float:
        return statistics.median(self.seconds)


def command(label: str, runs: int, *arguments: str) -> Timing:
    """A whole command: seconds from start to end, and its peak memory."""
    seconds, peak, cpu = [], 0.0, 0.0
    for _ in range(runs):
        started = time.perf_counter()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.DEVNULL)
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
        seconds.append(time.perf_counter() - started)
        peak = max(peak, usage.ru_maxrss / 1024)
        cpu = usage.ru_utime + usage.ru_stime
    return Timing(label, seconds, cpu, peak)


def peer(label: str, runs: int, path: Path, name: str, body: str) -> Timing:
    indented = "\n".join("    " + line for line in body.split("\n"))
    program = [sys.executable, "-c", PEER.format(body=indented), str(path), name]
    seconds, peak, cpu = [], 0.0, 0.0
    for _ in range(runs):
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            printed = process.stdout.read()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
        seconds.append(float(printed.split()[-1]))  # DuckDB draws its progress before it
        peak = max(peak, usage.ru_maxrss / 1024)
        cpu = usage.ru_utime + usage.ru_stime
    return Timing(label, seconds, cpu, peak)


def mindot(label: str, runs: int, *arguments: str) -> Timing:
    return command(label, runs, str(Path(sys.executable).with_name("mindot")), *arguments)


def table(title: str, ours: list[Timing], peers: list[Timing], rows: int) -> None:
    """Each line with its ratio to the first of ours: how many times longer it takes."""
    base = ours[0].p50
    print(f"\n{title}")
    heads = ("p50 s", "p99 s", "cpu s", "rows/s", "ratio", "peak MiB")
    print(f"  {'':34}" + "".join(f"{head:>10}" for head in heads))
    for timing in [*ours, *sorted(peers, key=lambda timing: timing.p50)]:
        cells = (
            f"{timing.p50:.3f}",
            f"{max(timing.seconds):.3f}",
            f"{timing.cpu:.2f}",
            f"{rows / timing.p50:,.0f}" if rows else "",
            f"{timing.p50 / base:.2f}",
            f"{timing.peak_mib:.0f}" if timing.peak_mib else "",
        )
        print(f"  {timing.label:34}" + "".join(f"{cell:>10}" for cell in cells))


def appending(rows: int, folder: Path) -> None:
    batches = list(sweeps(min(rows, 150_000)))
    count = sum(map(len, batches))
    gc.freeze()  # a game does not hold a day's rows, and the collector need not look through them

    def timed(label: str, write: Callable[[Path], None]) -> Timing:
        seconds, cpu = [], 0.0
        for attempt in range(3):
            target = folder / f"{label.replace(' ', '-')}-{attempt}"
            target.mkdir()
            started, cpu = time.perf_counter(), time.process_time()
            write(target)
            seconds.append(time.perf_counter() - started)
            shutil.rmtree(target)
        return Timing(label, seconds, time.process_time() - cpu, 0.0)

    def ours(policy: Any) -> Callable[[Path], None]:
        def write(target: Path) -> None:
            with LogWriter(target, Log.RECEIPTS, fsync=policy) as writer:
                for batch in batches:
                    writer.append(batch)

        return write

    def stdlib(target: Path) -> None:
        with (target / "file").open("a") as file:
            for batch in batches:
                for row in batch:
                    file.write(json.dumps(row) + "\n")

    def by(size: int) -> Callable[[Path], None]:
        def write(target: Path) -> None:
            fd = os.open(target / "file", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            flat = [row for batch in batches for row in batch]
            for at in range(0, count, size):
                os.write(fd, b"".join([orjson.dumps(r) + b"\n" for r in flat[at : at + size]]))
            os.close(fd)

        return write

    table(
        "Appending, a sweep of 750 rows a batch",
        [
            timed("LogWriter", ours("never")),
            timed("LogWriter, fsync at the end", ours("close")),
            timed("LogWriter, fsync each batch", ours("batch")),
        ],
        [
            timed("stdlib json", stdlib),
            timed("orjson, one write a row", by(1)),
            timed("orjson, 100 rows a write", by(100)),
        ],
        count,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Find, count, append.")
    parser.add_argument("--rows", type=int, default=750_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="keep the file here, and use it again")
    parser.add_argument("--only-make", type=Path, help="make the file here, and measure nothing")
    options = parser.parse_args()
    rows, runs = options.rows, options.runs
    if options.only_make is not None:
        with LogWriter(options.only_make, Log.RECEIPTS) as writer:
            for batch in sweeps(rows):
                writer.append(batch)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch) / "records"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / Log.RECEIPTS.file_name(START // 86_400)
        if not path.exists():
            # In a process of its own: what this one holds would count as its children's peak.
            make = [sys.executable, "-m", "tests.benchmarks.bench_records", "--rows", str(rows)]
            subprocess.run([*make, "--only-make", str(folder)], check=True)
        with path.open("rb") as file:
            while file.read(MIB):
                pass
        size = f"{rows:,} rows, {path.stat().st_size / MIB:,.0f} MiB"
        print(f"{size}; {os.cpu_count()} processors, Python {sys.version.split()[0]}")
        print("ratio: how many times the first line of its table")
        index = path.with_name(path.name + ".idx")
        index.unlink(missing_ok=True)
        measure(folder, path, index, rows, runs)
        appending(rows, Path(scratch))


def measure(folder: Path, path: Path, index: Path, rows: int, runs: int) -> None:
    name = names()[NAMES // 3]
    where = ("--dir", str(folder))
    jq = shutil.which("jq")
    find = [mindot("mindot why", max(runs, 5), "why", name.lower(), *where)]
    find.append(mindot("mindot why --last 1000000", runs, "why", name, "--last", "1000000", *where))
    mindot("mindot index", 1, "index", *where)
    find.append(mindot("mindot why, indexed", max(runs, 5), "why", name, *where))
    index.unlink()
    find_peers = [peer(label, 1, path, name, body) for label, body in FIND.items()]
    count_peers = [peer(label, 1, path, name, body) for label, body in COUNT.items()]
    if jq:
        find_peers.append(command("jq", 1, jq, "-c", "--arg", "n", name, JQ_FIND, str(path)))
        count_peers.append(command("jq, sort, uniq", 1, "sh", "-c", JQ_COUNT, str(path)))
    table("The newest decisions of one name", find, find_peers, 0)
    count = [
        mindot("mindot names", runs, "names", *where),
        mindot("mindot watch --once", runs, "watch", "--once", *where),
        mindot("mindot check (every field)", runs, "check", *where),
    ]
    table("Counting by name and tier", count, count_peers, rows)
    small = folder.parent / "small"
    small.mkdir(exist_ok=True)
    with LogWriter(small, Log.RECEIPTS) as writer:
        writer.append(next(sweeps(NAMES)))
    start = [
        command("python -c pass", 20, sys.executable, "-c", "pass"),
        mindot("mindot --help", 20, "--help"),
        mindot("mindot why, a small file", 20, "why", name, "--dir", str(small)),
    ]
    shutil.rmtree(small)
    table("Start-up", start, [], 0)


if __name__ == "__main__":
    main()
