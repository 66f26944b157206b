"""The market day of the docs: ``python -m tests.mindot.churn.crowd`` writes its figures anew.

A test plays the day and compares it with what the docs say, so they cannot drift apart.
"""

import tempfile
from pathlib import Path

import anyio
from click.testing import CliRunner

from mindot.cli import main
from mindot.host.play import Play, play_village

DOCS = Path(__file__).resolve().parents[3] / "docs" / "how-to"
PAGE = DOCS / "churn.md"
PLOT = DOCS / "churn.svg"
OPENING = "$ mindot churn --dir market\n"


def play(directory: Path) -> None:
    """Play the market day with its default length and seed."""
    anyio.run(play_village, Play(directory=directory, crowd=True))


def report(directory: Path, *more: str) -> str:
    """What ``mindot churn`` prints about it."""
    done = CliRunner().invoke(main, ["churn", "--dir", str(directory), *more])
    assert done.exit_code == 0, done.output
    return done.stdout


def shown(page: str) -> str:
    """The report in the docs."""
    return page.partition(OPENING)[2].partition("```")[0]


def write_anew() -> None:
    """Put the figures and the plot of a fresh run into the docs."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        play(directory)
        text = report(directory, "--plot", str(PLOT))
    page = PAGE.read_text()
    before, _, rest = page.partition(OPENING)
    PAGE.write_text(f"{before}{OPENING}{text}```{rest.partition('```')[2]}")


if __name__ == "__main__":
    write_anew()
