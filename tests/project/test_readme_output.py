"""What the README shows of the commands is what they print."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from mindot.cli import main

README = Path(__file__).resolve().parents[2] / "README.md"
SESSION = re.compile(r"^```console\n(\$ mindot .*?)^```$", re.MULTILINE | re.DOTALL)
ELIDED = "..."


def commands() -> list[tuple[str, list[str]]]:
    """Each command line with the lines shown below it."""
    shown: list[tuple[str, list[str]]] = []
    for session in SESSION.findall(README.read_text()):
        for line in session.splitlines():
            if line.startswith("$ "):
                shown.append((line[2:], []))
            else:
                shown[-1][1].append(line)
    return shown


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines are those printed; ``...`` stands for any number of them."""
    if not shown:
        return not printed
    if shown[0] == ELIDED:
        return any(matches(shown[1:], printed[n:]) for n in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0].rstrip() and matches(shown[1:], printed[1:])


def test_the_readme_shows_what_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = commands()
    assert found
    for command, shown in found:
        program, *arguments = shlex.split(command)
        assert program == "mindot"
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, (command, done.stderr)
        printed = done.stdout.splitlines()
        assert matches(shown, printed), f"{command}\n{done.stdout}"
