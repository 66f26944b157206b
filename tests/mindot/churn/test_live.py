"""``mindot churn --follow``: what it reads, and what it shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from mindot.cli._churn_live import Followed, follow_traces
from mindot.cli._churn_screen import screen, shortened
from mindot.records.churn import Churn
from mindot.records.facet_events import TraceFile, trace_files
from mindot.records.timeline import Timeline
from tests.mindot.churn.traces import KEY, cut_in_two, event, write


def following(paths: Callable[[], list[Path]], mind: str | None = None) -> Followed:
    return Followed(lambda: (Churn(mind=mind), None), paths)


def test_files_are_read_on_and_new_days_join(tmp_path: Path) -> None:
    events = cut_in_two()
    first = write(tmp_path / "trace-20260912.jsonl", events[:3])
    followed = following(lambda: trace_files(tmp_path))
    assert followed.read()
    assert not followed.read()
    with first.open("ab") as more:
        more.write(write(tmp_path / "x.jsonl", events[3:5]).read_bytes())
    write(tmp_path / "trace-20260913.jsonl", events[5:])
    assert followed.read()
    assert followed.churn.report().lost == 4
    followed.close()


@pytest.mark.parametrize(
    ("how", "spawned"), [("moved aside", 7), ("cut short", 1), ("written over", 8), ("copied", 1)]
)
def test_a_file_that_begins_anew_is_read_from_its_beginning(
    tmp_path: Path, how: str, spawned: int
) -> None:
    path = write(tmp_path / "trace.jsonl", cut_in_two())
    followed = following(lambda: [path, tmp_path / "not-yet.jsonl"])
    followed.read()
    if how == "moved aside":
        path.rename(tmp_path / "trace.1")
    rows = [event("spawn", 500, "facet-500", key="npc:new")]
    if how == "written over":  # by more than was there before
        rows = [event("spawn", 500 + n, f"facet-{500 + n}", note="x" * 400) for n in range(8)]
    if how == "copied":
        write(tmp_path / "copy", rows).replace(path)
    else:
        write(path, rows)
    assert followed.read()
    followed.close()
    assert followed.churn.report().statistics.spawned == spawned


def test_a_file_that_is_deleted_has_happened(tmp_path: Path) -> None:
    path = write(tmp_path / "trace-20260912.jsonl", cut_in_two())
    followed = following(lambda: trace_files(tmp_path))
    followed.read()
    path.unlink()
    assert not followed.read()
    assert followed.churn.report().statistics.spawned == 6
    write(path, cut_in_two(1))  # what was read before is gone for good
    assert followed.read()
    assert followed.churn.report().statistics.spawned == 3
    followed.close()


def crowded(path: Path) -> Churn:
    """Many keys with long names and many figures, and reasons of other minds."""
    events = []
    for number in range(30):
        key = f"conversation:mock:{'a very long name' * 4}:名前{number}"
        for turn in range(4):
            tick, facet = 100_000 * number + turn * 1234, f"facet-{number}-{turn}"
            reason = ("lru", "idle", f"asked to leave {number % 9}")[turn % 3]
            events.append(event("spawn", tick, facet, key=key))
            events.append(
                event("destroy", tick + 999, facet, key=key, reason=reason, totalFacets=123)
            )
    churn = Churn()
    with TraceFile(write(path / "trace.jsonl", events)) as trace:
        churn.read(trace)
    return churn


@pytest.mark.parametrize("size", [(80, 24), (60, 12), (120, 40), (40, 10), (200, 60), (20, 6)])
@pytest.mark.parametrize("by", ["reason", "key", "minute"])
def test_the_screen_fits_and_cuts_no_figure(tmp_path: Path, by: str, size: tuple[int, int]) -> None:
    width, height = size
    timeline = Timeline(60_000, limit=10_080)
    churn = Churn(watcher=timeline)
    crowded(tmp_path)
    with TraceFile(tmp_path / "trace.jsonl") as trace:
        churn.read(trace)
    lines = screen(churn.report(), by, timeline, width=width, height=height)
    assert len(lines) <= height
    assert max(cell_len(line.plain) for line in lines) <= width
    text = "\n".join(line.plain for line in lines)
    # an ellipsis stands within a name, never in place of digits
    assert not re.search(r"(^|\s)[\d.~]*…(\s|$)", text)
    words = " ".join(text.split())
    assert "120 spawned, 120 ended, 0 live" in words
    assert "60 conversations were cut in two" in words
    if width >= 60:
        assert "by pressure: raise max_facets from 124" in words
        assert "lost" in words or by != "key"


def test_columns_of_figures_stay_whole_at_80(tmp_path: Path) -> None:
    report = crowded(tmp_path).report()
    lines = [line.plain for line in screen(report, "key", None, width=80, height=24)]
    head = next(line for line in lines if line.startswith("key"))
    assert head.split()[1:] == [
        "spawns", "idle", "lru", "explicit", "other", "lost", "resumed", "median", "gap",
    ]  # fmt: skip
    row = lines[lines.index(head) + 1]
    assert row.split()[-9:] == ["4", "1", "2", "0", "1", "2", "3", "999", "235"]


def test_a_name_loses_its_middle() -> None:
    assert shortened(KEY, 20) == "conversat…dur:brenna"
    assert shortened("名前名前名前", 7) == "名…名前"
    assert [cell_len(shortened(KEY, room)) for room in range(5)] == [0, 1, 2, 3, 4]


def test_it_says_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "later.jsonl"
    steps = iter(["wait", "write"])

    def pause(_seconds: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        if step == "write":
            write(path, cut_in_two())

    monkeypatch.setattr("time.sleep", pause)
    follow_traces(following(lambda: [path]), "reason", repr(str(path)))
    shown = capsys.readouterr()
    assert shown.err == f"mindot: waiting for {str(path)!r}\n"
    assert f"{KEY} was evicted 4 times by pressure: raise max_facets from 2" in shown.out
    report = Churn().report()
    lines = screen(report, "reason", None, width=30, height=9, waiting="waiting for 'a.jsonl'")
    assert lines[0].plain == "waiting for 'a.jsonl'"


def test_a_mind_that_has_not_come_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "t.jsonl", cut_in_two())

    def pause(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    follow_traces(following(lambda: [path], mind="zork"), "key", "it")
    assert "no row of 'zork' so far" in capsys.readouterr().err


def test_a_window_of_another_size_is_drawn_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mindot.cli import _churn_live

    sizes = iter([(80, 24), (80, 24), (60, 12), (60, 12)])
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    followed = following(lambda: [write(tmp_path / "t.jsonl", [])])
    turns = _churn_live._changes(followed, lambda: next(sizes))
    assert [next(turns), next(turns)] == [None, None]  # the second turn comes with the third size
    assert next(sizes, None) is None
    followed.close()
