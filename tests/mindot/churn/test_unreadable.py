"""``mindot churn`` over files that cannot be read, or not as they were a moment ago."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindot.cli import main
from tests.mindot.churn.traces import cut_in_two, write


def churn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["churn", *map(str, arguments)], catch_exceptions=False)


def test_a_day_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    write(tmp_path / "trace-20260912.jsonl", cut_in_two())
    day = tmp_path / "trace-20260101.jsonl"
    day.mkdir()
    done = churn("--dir", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"mindot: cannot read {str(day)!r}: " in done.stderr
    day.rmdir()
    day.symlink_to(tmp_path / "nowhere")
    done = churn("--dir", tmp_path)
    assert done.exit_code == 2
    assert f"mindot: cannot read {str(day)!r}: " in done.stderr


@pytest.mark.parametrize("reading", [1, 2])
def test_a_day_that_breaks_off_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: int
) -> None:
    day = write(tmp_path / "trace-20260912.jsonl", cut_in_two())
    readings = 0

    class Broken:
        def read(self, size: int) -> bytes:
            raise OSError(5, "Input/output error")

        def close(self) -> None:
            pass

    def opened(path: Path) -> object:
        nonlocal readings
        readings += 1
        return Broken() if readings == reading else path.open("rb")

    monkeypatch.setattr("mindot.records.facet_events.open_records", opened)
    done = churn("--dir", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"mindot: cannot read {str(day)!r}: Input/output error" in done.stderr


def test_files_that_nothing_names_are_the_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = write(tmp_path / "trace-20260912.jsonl", cut_in_two())

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("mindot.cli.churn.shares_of", broken)
    assert "mindot: cannot read the traces: Input/output error" in churn(day).stderr
