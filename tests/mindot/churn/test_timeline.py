"""Facets over time: exact levels, a bounded number of steps."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mindot.records.timeline import Timeline


def test_a_step_keeps_its_fullest_moment_and_the_level_after_it() -> None:
    timeline = Timeline(1000, limit=10)
    timeline.spawned(100, "k")
    timeline.level(100, 1, 0)
    timeline.spawned(200, None)
    timeline.level(200, 1, 1)
    timeline.ended(300, "explicit", None)
    timeline.level(300, 1, 0)
    timeline.ended(2500, "lru", "k")
    timeline.level(2500, 0, 0)
    timeline.lost(2500)
    first, second = timeline.steps()
    assert (first.start, first.keyed, first.keyless) == (0, 1, 1)
    assert (first.keyed_after, first.keyless_after) == (1, 0)
    assert (first.spawns, first.ends, first.losses, first.reasons) == (2, 1, 0, {"explicit": 1})
    assert (second.start, second.keyed, second.keyed_after) == (2000, 1, 0)
    assert (second.losses, second.reasons) == (1, {"lru": 1})


@given(st.integers(0, 10_000), st.integers(2, 40))
def test_steps_stay_few_and_lose_nothing(seed: int, limit: int) -> None:
    chance = Random(seed)
    timeline = Timeline(1, limit=limit)
    wall = live = most = spawns = ends = 0
    for _ in range(200):
        wall += chance.choice((0, 1, 7, 400))
        if live and chance.random() < 0.5:
            live -= 1
            ends += 1
            timeline.ended(wall, "idle", None)
        else:
            live += 1
            spawns += 1
            timeline.spawned(wall, None)
        timeline.level(wall, live, 0)
        most = max(most, live)
    steps = timeline.steps()
    assert len(steps) <= limit
    assert (steps[-1].start - steps[0].start) // timeline.width < limit
    assert sum(step.spawns for step in steps) == spawns
    assert sum(step.reasons.get("idle", 0) for step in steps) == ends
    assert max(step.keyed for step in steps) == most
    assert steps[-1].keyed_after == live


def test_levels_are_right_when_hosts_are_read_one_after_the_other() -> None:
    timeline = Timeline(1000, limit=100)
    for wall, live in ((1000, 1), (9000, 0), (2000, 1), (5000, 0)):
        timeline.level(wall, live, 0)
    assert [(s.start, s.keyed_after) for s in timeline.steps()] == [
        (1000, 1),
        (2000, 2),
        (5000, 1),
        (9000, 0),
    ]


def test_times_before_the_epoch_and_far_away_are_taken() -> None:
    timeline = Timeline(10, limit=4)
    for wall in (-5, 1_789_192_800_000, 2**62):
        timeline.level(wall, 1, 0)
    assert len(timeline.steps()) <= 4
