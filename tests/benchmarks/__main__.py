"""Every benchmark, one after the other: ``python -m tests.benchmarks``, or ``make bench``.

Each has a process of its own: what one has left in memory would slow the next, and would count as
its children's.
"""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path


def _machine() -> str:
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
        named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        model = next(named, model)
    cores = os.cpu_count()
    return f"{model}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def main() -> None:
    here = Path(__file__).parent
    print(_machine())
    start = time.perf_counter()
    for path in sorted(here.glob("bench_*.py")):
        print(f"\n== {path.stem.removeprefix('bench_')}", flush=True)
        subprocess.run([sys.executable, "-m", f"tests.benchmarks.{path.stem}"], check=True)
    print(f"\nall of it took {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
