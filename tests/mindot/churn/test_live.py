"""``mindot churn --follow``: what it reads, and what it shows."""

from pathlib import Path

import pytest
from rich.console import Console

from mindot.cli._churn_live import Followed, follow_traces, view
from mindot.records.churn import Churn
from mindot.records.facet_events import trace_files
from tests.mindot.churn.traces import KEY, cut_in_two, event, write


def test_files_are_read_on_and_new_days_join(tmp_path: Path) -> None:
    events = cut_in_two()
    first = write(tmp_path / "trace-20260912.jsonl", events[:3])
    churn = Churn()
    followed = Followed(churn, lambda: trace_files(tmp_path))
    assert followed.read() == 3
    assert followed.read() == 0
    with first.open("ab") as more:
        more.write(write(tmp_path / "x.jsonl", events[3:5]).read_bytes())
    write(tmp_path / "trace-20260913.jsonl", events[5:])
    assert followed.read() == len(events) - 3
    assert churn.report().lost == 4
    followed.close()


@pytest.mark.parametrize("how", ["replaced", "cut short"])
def test_a_file_that_begins_anew_is_read_from_its_beginning(tmp_path: Path, how: str) -> None:
    path = write(tmp_path / "trace.jsonl", cut_in_two())
    churn = Churn()
    followed = Followed(churn, lambda: [path, tmp_path / "not-yet.jsonl"])
    followed.read()
    if how == "replaced":
        path.rename(tmp_path / "trace.1")
    write(path, [event("spawn", 500, "facet-500", key="npc:new")])
    assert followed.read() == 1
    followed.close()
    assert churn.report().statistics.spawned == 7


def test_the_view_has_the_report(tmp_path: Path) -> None:
    write(tmp_path / "trace-20260912.jsonl", cut_in_two())
    churn = Churn()
    followed = Followed(churn, lambda: trace_files(tmp_path))
    followed.read()
    followed.close()
    console = Console(width=100, color_system=None)
    with console.capture() as shown:
        console.print(view(churn.report()))
    text = shown.get()
    assert f"{KEY} was evicted 4 times by pressure: raise max_facets from 2" in text
    assert "4 conversations were cut in two" in text
    assert "keyless     explicit" in text


def test_it_ends_when_the_user_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "trace-20260912.jsonl", cut_in_two())
    turns = iter([None, None])

    def pause(_seconds: float) -> None:
        if next(turns, KeyError) is KeyError:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    follow_traces(Churn(), lambda: trace_files(tmp_path))
    assert "cut in two" in capsys.readouterr().out
