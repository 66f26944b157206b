"""Counted in several processes, a trace comes to exactly what one process counts."""

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from cognition.facet_counts import MAX_REASONS
from mindot.records.churn import Churn, Share
from mindot.records.churn_json import json_pieces
from mindot.records.churn_shares import read_in_shares, shares_of
from mindot.records.facet_events import TraceFile
from mindot.records.key_lives import EXACT_LIVES
from tests.mindot.churn.model import Life, line, lives
from tests.mindot.churn.traces import event, write


def counted(path: Path, shares: Sequence[Share] = ()) -> bytes:
    """The report in JSON, and the three counts that the command tells besides."""

    def read(churn: Churn, _share: Share | None) -> None:
        with TraceFile(path) as trace:
            churn.read(trace)

    churn = read_in_shares(shares, lambda share: Churn(share=share), read)
    beside = f"{churn.unreadable} {churn.tickless} {churn.timeless}".encode()
    return b"".join(json_pieces(churn.report())) + beside


def halves(of: int = 2) -> list[Share]:
    return [Share(number, of) for number in range(of)]


@settings(max_examples=15, deadline=None)
@given(lives())
def test_shares_of_any_life_are_the_whole(life: Life) -> None:
    odd = [
        {"type": "executive.facet.spawn", "tick": 3, "mind": "mock:gerdur"},
        {"type": "executive.facet.spawn", "facetId": 7, "tick": None, "wallTime": "then"},
        {"type": "executive.facet.destroy", "facetId": 7, "tick": 1 << 63, "mind": ["no"]},
    ]
    events = [*life.events, *odd]
    Random(len(events)).shuffle(events)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trace-20260912.jsonl"
        path.write_bytes(b"".join(map(line, events)) + b"{torn\n")
        assert counted(path, halves()) == counted(path, halves(3)) == counted(path)


def test_every_mind_is_in_one_share() -> None:
    shares = halves(3)
    minds = [f"mock:npc{number}" for number in range(60)]
    holders = [[share.number for share in shares if share.holds(mind)] for mind in minds]
    assert all(len(found) == 1 for found in holders)
    assert {found[0] for found in holders} == {0, 1, 2}


def test_the_sample_of_a_long_lived_key_does_not_hang_on_the_shares(tmp_path: Path) -> None:
    chance = Random(7)
    events = []
    for number in range(EXACT_LIVES + 200):
        for mind in ("mock:gerdur", "mock:ivor", "mock:sunniva"):
            at = number * 100
            facet, fields = f"facet-{number}", {"key": "conversation:x", "mind": mind}
            events.append(event("spawn", at, facet, **fields))
            events.append(
                event("destroy", at + chance.randrange(90), facet, reason="idle", **fields)
            )
    path = write(tmp_path / "trace.jsonl", events)
    assert counted(path, halves()) == counted(path)


def test_more_reasons_than_are_kept_apart_are_counted_in_one_process(tmp_path: Path) -> None:
    events = []
    for number in range(MAX_REASONS + 10):
        mind = f"mock:npc{number}"
        events.append(event("spawn", number, "facet-1", mind=mind))
        events.append(event("destroy", number + 1, "facet-1", mind=mind, reason=f"why{number}"))
    path = write(tmp_path / "trace.jsonl", events)
    assert counted(path, halves()) == counted(path)


def test_small_files_are_one_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindot.records.churn_shares.processors", lambda: 8)
    path = write(tmp_path / "trace.jsonl", [event("spawn", 1, "facet-1")])
    size = path.stat().st_size
    assert shares_of([path]) == [Share(0, 1)]
    assert shares_of([path, path], size) == halves()
    sizes = [len(shares_of([path], at)) for at in range(1, size + 2)]
    assert all(fewer <= more for more, fewer in pairwise(sizes))


def test_a_file_that_is_gone_is_an_error_here(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        shares_of([tmp_path / "trace.jsonl"])
    with pytest.raises(FileNotFoundError):
        counted(tmp_path / "trace.jsonl", halves())
