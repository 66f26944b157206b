"""The one counting code of the supervisor and the churn report."""

import pytest

from cognition.facet_counts import (
    MAX_REASONS,
    EndCount,
    EndReason,
    FacetCounts,
    FacetStatistics,
    Population,
)

KEY = "conversation:mock:gerdur:brenna"


def test_nothing_has_happened_yet() -> None:
    assert FacetCounts().statistics() == FacetStatistics(spawned=0, destroyed=0, live=0, ended=())


def test_a_keyed_and_a_keyless_facet_are_told_apart() -> None:
    counts = FacetCounts()
    counts.spawned(None, "facet-1", KEY, 1)
    counts.spawned(None, "facet-2", None, 2)
    assert (counts.live_keyed, counts.live_keyless) == (1, 1)
    assert counts.destroyed(None, "facet-2", None, EndReason.EXPLICIT, 3) == (None, 2)
    assert counts.destroyed(None, "facet-1", KEY, EndReason.LRU, 5) == (KEY, 1)
    assert (counts.live_keyed, counts.live_keyless) == (0, 0)
    assert counts.statistics() == FacetStatistics(
        spawned=2,
        destroyed=2,
        live=0,
        ended=(
            EndCount(population=Population.KEYED, reason="lru", count=1),
            EndCount(population=Population.KEYLESS, reason="explicit", count=1),
        ),
    )


def test_the_same_id_in_two_minds_is_two_facets() -> None:
    counts = FacetCounts()
    counts.spawned("mock:gerdur", "facet-1", KEY, 1)
    counts.spawned("mock:brenna", "facet-1", None, 1)
    counts.destroyed("mock:brenna", "facet-1", None, "explicit", 2)
    assert counts.is_live("mock:gerdur", "facet-1")
    assert not counts.is_live("mock:brenna", "facet-1")
    assert counts.statistics().count("keyless", "explicit") == 1


@pytest.mark.parametrize(
    ("spawn_key", "end_key", "population"),
    [
        (KEY, None, "keyed"),
        (KEY, KEY, "keyed"),
        (None, None, "keyless"),
        (None, KEY, "keyed"),
    ],
)
def test_an_end_without_a_key_is_of_its_spawns_population(
    spawn_key: str | None, end_key: str | None, population: str
) -> None:
    counts = FacetCounts()
    counts.spawned(None, "facet-1", spawn_key, 1)
    counts.destroyed(None, "facet-1", end_key, "idle", 2)
    assert counts.statistics().count(population, "idle") == 1
    assert (counts.live_keyed, counts.live_keyless) == (0, 0)


@pytest.mark.parametrize(("key", "population"), [(KEY, "keyed"), (None, "unknown")])
def test_an_end_whose_spawn_was_not_seen(key: str | None, population: str) -> None:
    counts = FacetCounts()
    assert counts.destroyed(None, "facet-9", key, "explicit", 7) is None
    assert counts.statistics().count(population, "explicit") == 1
    assert counts.statistics().live == 0


@pytest.mark.parametrize("reason", [None, ""])
def test_an_end_without_a_reason(reason: str | None) -> None:
    counts = FacetCounts()
    counts.spawned(None, "facet-1", None, 1)
    counts.destroyed(None, "facet-1", None, reason, 2)
    assert counts.statistics().count("keyless", "unknown") == 1


def test_a_spawn_of_a_live_id_ends_the_old_life() -> None:
    counts = FacetCounts()
    counts.spawned("mock:gerdur", "facet-1", KEY, 10)
    assert counts.spawned("mock:gerdur", "facet-1", None, 14) == (KEY, 10)
    found = counts.statistics()
    assert (found.spawned, found.live, found.count("keyed", "unknown")) == (2, 1, 1)
    assert (counts.live_keyed, counts.live_keyless) == (0, 1)


def test_a_reason_of_another_mind_is_kept_as_it_stands() -> None:
    counts = FacetCounts()
    counts.destroyed(None, "facet-1", KEY, "evaporated", 1)
    assert counts.statistics().count("keyed", "evaporated") == 1


def test_reasons_without_end_do_not_grow_the_table_without_end() -> None:
    counts = FacetCounts()
    for number in range(MAX_REASONS * 3):
        counts.destroyed(None, f"facet-{number}", KEY, f"reason {number}", number)
    found = counts.statistics()
    assert len(found.ended) == MAX_REASONS + 1
    assert found.count("keyed", "unknown") == MAX_REASONS * 2
    assert found.destroyed == MAX_REASONS * 3


def test_statistics_are_of_their_moment() -> None:
    counts = FacetCounts()
    before = counts.statistics()
    counts.spawned(None, "facet-1", None, 1)
    assert before.spawned == 0
