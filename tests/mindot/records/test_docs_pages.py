"""The pages about records say what is so: the reference by its source, the how-to by running it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mindot.game.contract import DECISION_FIELDS, KINDS, RECEIPT_FIELDS, TIERS
from mindot.records.reference import page

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"
HOW_TO = ROOT / "docs" / "how-to" / "read-records.md"
CONSOLE = re.compile(r"^```console\n\$ mindot (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

EXAMPLES = CONSOLE.findall(HOW_TO.read_text(encoding="utf-8"))


def test_the_reference_is_made_of_the_contract() -> None:
    written = (ROOT / "docs" / "reference" / "records.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m mindot.records.reference > docs/reference/records.md"
    for name in (*TIERS, *KINDS, *RECEIPT_FIELDS, *DECISION_FIELDS):
        assert f"`{name}`" in written


@pytest.mark.parametrize(("call", "shown"), EXAMPLES, ids=[call for call, _ in EXAMPLES])
def test_the_how_to_shows_what_the_commands_print(call: str, shown: str, tmp_path: Path) -> None:
    folder = tmp_path / "millbrook"
    folder.mkdir()
    for path in (DATA / "millbrook").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    arguments, _, wanted = call.partition(" | grep ")
    program = [sys.executable, "-c", "from mindot.cli import main; main(prog_name='mindot')"]
    done = subprocess.run(
        [*program, *arguments.split()],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    printed = (done.stdout + done.stderr).splitlines()
    expected = [line for line in printed if wanted in line]
    assert "\n".join(expected).rstrip() == shown.rstrip()


def test_every_reading_command_is_shown() -> None:
    assert {call.split()[0] for call, _ in EXAMPLES} == {
        "names",
        "why",
        "watch",
        "check",
        "sync",
        "index",
    }
