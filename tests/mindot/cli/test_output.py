"""Standard output that goes away or is full, for every command alike."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MILLBROOK = Path(__file__).parents[2] / "data" / "millbrook"
PROGRAM = (sys.executable, "-c", "from mindot.cli import main; main(prog_name='mindot')")
CALLS = [
    ("--help",),
    ("--version",),
    ("check",),
    ("check", "--json"),
    ("why", "falk"),
    ("why", "falk", "--json"),
    ("watch", "--once"),
    ("watch", "--once", "--json"),
    ("names",),
    ("sync", "--dry-run", "--json"),
    ("churn",),
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("call", CALLS)
def test_a_full_disk_is_said_once(call: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(call, full.fileno())
    assert done.returncode == 2
    assert done.stderr == b"mindot: cannot write the output: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end in another way there")
@pytest.mark.parametrize("call", CALLS)
def test_a_reader_that_goes_away_is_no_error(call: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run(call, writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def run(call: tuple[str, ...], stdout: int) -> "subprocess.CompletedProcess[bytes]":
    environment = os.environ | {"MINDOT_DIR": str(MILLBROOK)}
    return subprocess.run([*PROGRAM, *call], stdout=stdout, stderr=subprocess.PIPE, env=environment)
