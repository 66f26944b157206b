"""Running commands as a person would, but in this process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindot.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Calls ``mindot`` with arguments; anything but an exit code is an error of the test."""
    monkeypatch.delenv("MINDOT_DIR", raising=False)

    def call(*arguments: object) -> Result:
        return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)

    return call


@pytest.fixture
def millbrook() -> Path:
    return Path(__file__).parents[2] / "data" / "millbrook"
