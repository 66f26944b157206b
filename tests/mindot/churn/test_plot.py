"""The picture shows what the report says: compared by its numbers, not by its looks."""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mindot.records.churn import Churn, ChurnReport, Watcher
from mindot.records.churn_picture import Picture, gather
from mindot.records.churn_plot import draw
from mindot.records.facet_events import TraceFile
from tests.mindot.churn.traces import DATA, KEY, START_MS, cut_in_two, event, write

SVG = "{http://www.w3.org/2000/svg}"
SAMPLE = DATA / "millbrook" / "trace-20260912.jsonl"


def reading(path: Path) -> Callable[[Watcher | None], ChurnReport]:
    def read(watcher: Watcher | None) -> ChurnReport:
        churn = Churn(watcher=watcher)
        with TraceFile(path) as trace:
            churn.read(trace)
        return churn.report()

    return read


def picture_of(path: Path) -> tuple[ChurnReport, Picture]:
    read = reading(path)
    report = read(None)
    picture = gather(report, read)
    assert picture is not None
    return report, picture


def facts_in(svg: Path) -> dict[str, Any]:
    root = ET.parse(svg).getroot()  # noqa: S314 - written by the test itself
    (described,) = root.iter("{http://purl.org/dc/elements/1.1/}description")
    found: dict[str, Any] = json.loads(described.text or "")
    return found


def ids_in(svg: Path) -> list[str]:
    root = ET.parse(svg).getroot()  # noqa: S314 - written by the test itself
    return [found for element in root.iter() if (found := element.get("id")) is not None]


def test_the_numbers_are_the_reports() -> None:
    report, picture = picture_of(SAMPLE)
    by_reason: Counter[str] = Counter()
    for end in report.statistics.ended:
        by_reason[end.reason] += end.count
    facts = picture.facts()
    assert facts["ends"] == dict(by_reason)
    assert sum(bar.count for bar in picture.bars) == report.statistics.destroyed
    assert picture.steps[-1].keyed_after + picture.steps[-1].keyless_after == report.statistics.live
    assert [lane["key"] for lane in facts["lanes"]] == [k.key for k in report.worst_keys(10)]
    for lane, key in zip(facts["lanes"], report.worst_keys(10), strict=True):
        assert (lane["lost"], lane["ends"]) == (key.lost, key.destroys)


def test_the_svg_shows_every_bar_and_every_lane(tmp_path: Path) -> None:
    report, picture = picture_of(SAMPLE)
    out = tmp_path / "churn.svg"
    draw(picture, out, title="a day")
    assert facts_in(out) == picture.facts()
    found = ids_in(out)
    drawn = Counter(m[1] for i in found if (m := re.fullmatch(r"ends-(\w+)-\d+", i)))
    assert drawn == Counter(bar.reason for bar in picture.bars)
    assert {"live-keyed", "live-keyless"} <= set(found)
    for row, key in enumerate(report.worst_keys(10)):
        assert {f"lane-{row}-{reason}" for reason in key.destroys} <= set(found)
    root = ET.parse(out).getroot()  # noqa: S314 - written by the test itself
    assert (root.get("width"), root.get("height")) == ("900pt", "450pt")  # 1200 by 600 pixels


def test_a_mark_stands_for_each_end_of_a_lane(tmp_path: Path) -> None:
    _, picture = picture_of(write(tmp_path / "trace.jsonl", cut_in_two()))
    out = tmp_path / "churn.svg"
    draw(picture, out, title="cut in two")
    root = ET.parse(out).getroot()  # noqa: S314 - written by the test itself
    (marks,) = (g for g in root.iter(f"{SVG}g") if g.get("id") == "lane-0-lru")
    assert len(list(marks.iter(f"{SVG}use"))) == 4


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    _, picture = picture_of(SAMPLE)
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    draw(picture, first, title="a day")
    draw(picture, second, title="a day")
    assert first.read_bytes() == second.read_bytes()


def test_the_png_has_the_size_and_the_facts(tmp_path: Path) -> None:
    _, picture = picture_of(SAMPLE)
    out = tmp_path / "churn.png"
    draw(picture, out, title="a day")
    with Image.open(out) as image:
        assert image.size == (1200, 600)
        assert json.loads(image.info["Description"]) == picture.facts()


def wide_names(path: Path) -> Path:
    events = []
    for number, key in enumerate(("W" * 80, "npc:" + "i" * 300, "名前" * 40, "$x^$" * 30)):
        for turn in range(3):
            facet, tick = f"facet-{number}-{turn}", turn * 50 + number
            events.append(event("spawn", tick, facet, key=key))
            events.append(event("destroy", tick + 20, facet, key=key, reason="W" * 40))
            events.append(event("spawn", tick + 21, facet, key=key))
            events.append(event("destroy", tick + 22, facet, key=key, reason="lru"))
    return write(path / "wide.jsonl", events)


def many_reasons(path: Path) -> Path:
    """Ten keys and nine reasons, five of them of another mind; two of these are common."""
    reasons = ["lru", "idle", "explicit", "unknown", "WWWWWWWWWWW", "left", "left", "sulks"]
    reasons += ["sulks", "tired", "other", "lru"]
    events = []
    for number in range(10):
        for turn, reason in enumerate(reasons):
            facet, tick = f"facet-{number}-{turn}", turn * 50 + number
            events.append(event("spawn", tick, facet, key=f"conversation:mock:a:{number}"))
            events.append(event("destroy", tick + 20, facet, reason=reason))
    return write(path / "many.jsonl", events)


def test_reasons_of_other_minds_are_summed_but_for_the_commonest(tmp_path: Path) -> None:
    _, picture = picture_of(many_reasons(tmp_path))
    facts = picture.facts()
    assert facts["ends"] == {
        "explicit": 10, "idle": 10, "lru": 20, "unknown": 10, "left": 20, "sulks": 20, "other": 30,
    }  # fmt: skip
    assert picture.reasons == ["explicit", "idle", "lru", "unknown", "left", "sulks", "other"]
    assert facts["lanes"][0]["ends"]["other"] == 3
    draw(picture, tmp_path / "many.svg", title="many")
    root = ET.parse(tmp_path / "many.svg").getroot()  # noqa: S314 - written by the test itself
    fills = {
        reason: re.search("fill: (#[0-9a-f]+)", ET.tostring(bar).decode())
        for bar in root.iter(f"{SVG}g")
        if (reason := (bar.get("id") or "").removesuffix("-0")).startswith("ends-")
    }
    assert len({found[1] if found else "black" for found in fills.values()}) == 7


@pytest.mark.parametrize(
    "trace",
    [lambda _: SAMPLE, wide_names, many_reasons],
    ids=["sample", "wide names", "many reasons"],
)
def test_labels_and_legends_do_not_meet(tmp_path: Path, trace: Callable[[Path], Path]) -> None:
    """Every text of the drawn figure keeps clear of every other, and within the picture."""
    from matplotlib.text import Text

    boxes: dict[str, Any] = {}
    paint = Text.draw

    def keep(text: Text, *args: Any, **kwargs: Any) -> None:
        paint(text, *args, **kwargs)
        if text.get_visible() and text.get_text().strip():
            boxes[f"{text.get_text()} {id(text)}"] = text.get_window_extent()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", keep)
        _, picture = picture_of(trace(tmp_path))
        draw(picture, tmp_path / "churn.png", title="261 spawned, 255 ended; 75 were cut in two")
    assert len(boxes) > 25
    met = [
        (one, two)
        for (one, a), (two, b) in combinations(boxes.items(), 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]
    assert met == []
    outside = [
        words
        for words, box in boxes.items()
        if box.x0 < 0 or box.x1 > 1200 or box.y0 < 0 or box.y1 > 600
    ]
    assert outside == []


def test_names_from_a_trace_cannot_break_the_picture(tmp_path: Path) -> None:
    events = []
    for turn in range(2):
        for number, key in enumerate(("$x^", "a" * 200, "名前 😀", "tab\there", "<b>&--")):
            facet = f"facet-{number}-{turn}"
            events.append(event("spawn", turn * 50 + number, facet, key=key))
            events.append(
                event("destroy", turn * 50 + number + 20, facet, key=key, reason="idle$<")
            )
            events.append(event("spawn", turn * 50 + number + 21, facet, key=key))
            events.append(event("destroy", turn * 50 + number + 22, facet, key=key, reason="lru"))
    _, picture = picture_of(write(tmp_path / "trace.jsonl", events))
    draw(picture, tmp_path / "churn.svg", title="odd $names$")
    assert len(facts_in(tmp_path / "churn.svg")["lanes"]) == 5


def test_a_trace_without_losses_says_so(tmp_path: Path) -> None:
    _, picture = picture_of(write(tmp_path / "t.jsonl", [event("spawn", 0, "facet-1", key=KEY)]))
    draw(picture, tmp_path / "churn.svg", title="quiet")
    assert facts_in(tmp_path / "churn.svg")["lanes"] == []
    assert "no conversation was cut in two" in (tmp_path / "churn.svg").read_text()


def test_a_trace_without_times_has_no_picture(tmp_path: Path) -> None:
    row = event("spawn", 0, "facet-1")
    del row["wallTime"]
    read = reading(write(tmp_path / "t.jsonl", [row]))
    assert gather(read(None), read) is None


def test_a_long_trace_has_a_picture_of_bounded_size(tmp_path: Path) -> None:
    events = []
    for number in range(3000):
        facet = f"facet-{number}"
        wall = START_MS + number * 61_000
        events.append(event("spawn", number * 9, facet, key=KEY, wallTime=wall))
        reason = ("lru", "idle", "explicit")[number % 3]
        events.append(
            event("destroy", number * 9 + 5, facet, key=KEY, reason=reason, wallTime=wall + 30_000)
        )
    _, picture = picture_of(write(tmp_path / "t.jsonl", events))
    assert len(picture.steps) <= 480
    assert len(picture.bars) <= 81 * 3
    (lane,) = picture.lanes
    assert len(lane.stretches) <= 480
    assert sum(lane.ends.values()) == 3000
