"""Promises as the trace tells them."""

import gzip
import json
from pathlib import Path
from typing import Any

from mindot.records.encoding import encode
from mindot.records.promises import promise_stories, read_promises
from mindot.records.thinking import read_mind


def event(kind: str, what: str, tick: int = 5, **fields: Any) -> dict[str, Any]:
    return {
        "type": f"executive.undertaking.{kind}",
        "wallTime": 1_800_000_000_000 + tick * 2_000,
        "tick": tick,
        "mind": "mock:gerdur",
        "what": what,
        **fields,
    }


def test_a_promise_is_told_from_start_to_end() -> None:
    by = {"t": 1_800_000_012.0, "served": "intention", "episode": "gerdur-1"}
    (story,) = promise_stories(
        [
            event("start", "reach Brenna", 5, target="brenna", since=5, promisedTo="Ulf"),
            event("end", "reach Brenna", 6, target="brenna", since=5, reason="kept", by=by),
        ]
    )
    assert (story.name, story.target, story.promised_to) == ("gerdur", "brenna", "Ulf")
    assert (story.ended, story.by) == ("kept", by)
    assert story.to_json()["since"] == 1_800_000_010.0
    assert story.to_json()["standing"] is False
    assert [story.stood_at(1_800_000_000.0 + t) for t in (9, 10, 12, 13)] == [
        False,
        True,
        True,
        False,
    ]


def test_a_promise_about_work_becomes_a_goal_and_goes_on_standing() -> None:
    (story,) = promise_stories(
        [
            event("start", "mend the axe", 5, since=5),
            event("goal", "mend the axe", 9, since=5, goal="mend the axe by Friday"),
        ]
    )
    assert (story.goal, story.ended, story.target) == ("mend the axe by Friday", None, None)


def test_the_same_words_again_are_another_promise_and_other_rows_none() -> None:
    stories = promise_stories(
        [
            event("start", "help", 1, since=1, target="a"),
            event("end", "help", 2, since=1, target="a", reason="let-go"),
            event("start", "help", 3, since=3, target="a"),
            event("start", "help", 3, since=3, target="b"),
            {"type": "executive.facet.spawn", "what": "help"},
            {"type": 7, "what": "help"},
            {"type": "executive.undertaking.end", "what": None},
        ]
    )
    assert [(s.target, s.ended) for s in stories] == [("a", "let-go"), ("a", None), ("b", None)]


def test_an_end_without_its_start_still_shows() -> None:
    (story,) = promise_stories([event("end", "help", 2, reason="age", since=1)])
    assert (story.made_t, story.ended) == (None, "age")


def test_files_are_read_in_order_packed_or_not_and_damage_costs_its_own_line(
    tmp_path: Path,
) -> None:
    first = json.dumps(event("start", "help", 1, since=1)).encode()
    (tmp_path / "trace-20270114.jsonl.gz").write_bytes(gzip.compress(first + b"\n"))
    last = json.dumps(event("end", "help", 2, since=1, reason="seen")).encode()
    noise = b'{"type":"executive.undertaking.end", torn\n\xff\xfe executive.undertaking.\n'
    (tmp_path / "trace-20270115.jsonl").write_bytes(noise + last)
    (story,) = read_promises(tmp_path)
    assert story.ended == "seen"
    assert read_promises(tmp_path, "GERDUR") == [story]
    assert read_promises(tmp_path, "brenna") == []


def test_a_character_is_found_in_any_case_and_with_colons_in_its_name(tmp_path: Path) -> None:
    rows = [
        event("start", "help", mind="mock:Gerdur"),
        event("start", "count", mind="mock:npc:1"),
        event("start", "wait", mind="old:gerdur:x"),
        event("start", "sing", mind="ulf"),
    ]
    (tmp_path / "trace-20270115.jsonl").write_bytes(b"".join(map(encode, rows)))
    found = {
        name: [story.what for story in read_promises(tmp_path, name)]
        for name in ("gerdur", "NPC:1", "1", "gerdur:x", "x", "ulf")
    }
    assert found == {
        "gerdur": ["help"],
        "NPC:1": ["count"],
        "1": [],
        "gerdur:x": ["wait"],
        "x": [],
        "ulf": ["sing"],
    }
    assert {name: [s.what for s in read_mind(tmp_path, name, [])[0]] for name in found} == found
