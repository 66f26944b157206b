"""A long day leaves a mind no bigger than a short one does."""

import pytest

from cognition import dump_document
from tests.cognition.soak import Day, play


@pytest.fixture(scope="module")
def day() -> Day:
    return play(3_000)


def test_a_long_day_stays_within_its_bounds(day: Day) -> None:
    peaks = day.peaks
    assert peaks.entities <= 256 + 16 + 64 + 32 + 32
    assert peaks.facets <= 10
    assert peaks.carried <= 256
    assert peaks.promises <= 32
    assert peaks.goals <= 32
    assert peaks.outstanding <= 11
    assert peaks.prompt_chars <= 4 * 3000 + 12_000
    assert len(dump_document(day.executive.snapshot())) < 2**21


def test_it_was_a_day_in_which_things_happened(day: Day) -> None:
    seen = {cell: count for cell, count in day.events.items() if count}
    for cell in (
        ("destroy", "explicit"),
        ("destroy", "idle"),
        ("destroy", "lru"),
        ("end", "kept"),
        ("end", "seen"),
        ("response", "late"),
        ("response", "cancelled"),
        ("response", "unreadable"),
    ):
        assert seen.get(cell, 0) > 0, cell


def test_every_facet_and_ask_is_accounted_for(day: Day) -> None:
    assert day.ended_twice == 0
    statistics = day.executive.statistics()
    assert len(day.live) == statistics.facets.live
    calls = sum(count for (kind, _), count in day.events.items() if kind == "call")
    responses = sum(count for (kind, _), count in day.events.items() if kind == "response")
    assert calls - responses == statistics.outstanding
    assert statistics.facets.spawned == sum(
        count for (kind, _), count in day.events.items() if kind == "spawn"
    )


def test_the_same_seed_is_the_same_day() -> None:
    first, second = play(300, seed=5), play(300, seed=5)
    assert first.events == second.events
    assert dump_document(first.executive.snapshot()) == dump_document(second.executive.snapshot())
