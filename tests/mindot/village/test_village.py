"""The village as a whole: the same for the same seed, and a day with everything in it."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from mindot.game.contract import INTENTION_TIERS, MOCK_WORLD, TIERS
from mindot.game.frame import Command, Frame
from mindot.game.manifest import load_manifests
from mindot.student.head import DefaultHead
from mindot.student.sweep import Sweep
from mindot.village.dice import Dice
from mindot.village.village import DEFAULT_SEED, Village


def lived(seed: int, sweeps: int) -> list[Frame]:
    """Frames of a village in which everybody follows the reflexes alone."""
    village, brain = Village(seed), Sweep(DefaultHead(), load_manifests())
    frames = [village.frame()]
    for _ in range(sweeps - 1):
        rows = brain.run(frames[-1], {}, {}, {})
        frames.append(village.advance([c for row in rows for c in row.commands]))
    return frames


@pytest.fixture(scope="module")
def day() -> list[Frame]:
    return lived(DEFAULT_SEED, 400)


def test_the_same_seed_gives_the_same_frames(day: list[Frame]) -> None:
    assert lived(DEFAULT_SEED, 120) == day[:120]
    assert lived(DEFAULT_SEED + 1, 120) != day[:120]


def test_chance_is_the_stream_that_python_promises() -> None:
    dice = Dice(7)
    assert [dice.below(1000) for _ in range(5)] == [323, 150, 650, 72, 535]
    assert [dice.chance(0.5) for _ in range(3)] == [True, True, False]
    assert dice.pick("abc") in "abc"
    assert 2.0 <= dice.between(2.0, 3.0) < 3.0


def test_who_lives_there(day: list[Frame]) -> None:
    people = day[0].characters
    assert len(people) >= 12
    assert len({c.key for c in people}) == len({c.handle for c in people}) == len(people)
    jobs = {c.archetype for c in people}
    assert {"guard", "smith", "merchant", "innkeeper", "farmer", "child"} <= jobs
    assert (day[0].world, day[0].tab) == (MOCK_WORLD, "village")


def test_time_is_the_villages_own_and_stays_in_a_day(day: list[Frame]) -> None:
    assert [f.tick for f in day] == list(range(1, 401))
    assert {round(b.t - a.t, 2) for a, b in pairwise(day)} == {2.0}
    days = {datetime.fromtimestamp(f.t, UTC).date() for f in day}
    assert len(days) == 1
    assert datetime.fromtimestamp(day[0].t, UTC).hour == 0


def test_a_run_sees_day_and_night(day: list[Frame]) -> None:
    assert {f.night for f in day} == {True, False}


def test_bodies_and_needs_stay_in_their_bounds(day: list[Frame]) -> None:
    for frame in day:
        for c in frame.characters:
            assert 0 <= c.energy <= 100
            assert 0 <= c.sleep_pressure <= 100
            assert 0 <= c.stress <= 100
            assert 0 <= c.hurt <= 1
            assert all(0 <= need <= 1 for need in c.needs.values())
            assert all(-1 <= trust <= 1 for trust in c.trust.values())


def test_places_are_on_the_map(day: list[Frame]) -> None:
    labels = {s.label for s in day[0].stations}
    for frame in day:
        for c in frame.characters:
            assert c.station in labels | {None}
            bound = c.order is not None or c.lease is not None
            assert (c.scheduled is None) if bound else (c.scheduled in labels)


def test_people_get_where_the_day_wants_them(day: list[Frame]) -> None:
    free = [c for frame in day for c in frame.characters if c.scheduled is not None]
    there = [c.station == c.scheduled for c in free]
    assert sum(there) / len(there) > 0.8


def test_everything_happens_in_a_day(day: list[Frame]) -> None:
    kinds = {event.kind for frame in day for event in frame.events}
    assert kinds >= {
        "theft",
        "insult",
        "assault",
        "trespass",
        "alarm",
        "need",
        "order",
        "amends",
        "greeting",
        "talk",
    }
    assert any(c.order for frame in day for c in frame.characters)
    assert any(c.lease and c.lease.reapply for frame in day for c in frame.characters)
    assert any(c.lease and not c.lease.reapply for frame in day for c in frame.characters)
    assert any(c.customer for frame in day for c in frame.characters)
    assert any(c.task == "open" for frame in day for c in frame.characters)
    assert {frame.player.armed for frame in day if frame.player} == {True, False}
    assert {frame.alarm for frame in day} == {True, False}


def test_reflexes_alone_serve_every_tier_that_needs_no_mind() -> None:
    village, brain = Village(), Sweep(DefaultHead(), load_manifests())
    served: set[str] = set()
    for _ in range(400):
        rows = brain.run(village.frame(), {}, {}, {})
        served |= {row.served for row in rows}
        village.advance([c for row in rows for c in row.commands])
    assert served == set(TIERS) - INTENTION_TIERS - {"llm-verdict"}


def test_events_have_ids_of_their_own_and_words(day: list[Frame]) -> None:
    events = [event for frame in day for event in frame.events]
    assert len({event.id for event in events}) == len(events)
    names = {c.name for c in day[0].characters}
    for event in events:
        assert event.text.strip()
        assert set(event.concerns) <= names
        assert event.actor in names | {"player", ""}
        assert event.actor not in event.concerns


def test_a_frame_does_not_change_when_time_goes_on() -> None:
    village = Village()
    before = village.frame()
    state, trust = before.to_state(), [dict(c.trust) for c in before.characters]
    for _ in range(120):
        village.advance()
    assert before.to_state() == state
    assert [dict(c.trust) for c in before.characters] == trust


def test_commands_for_nobody_and_unknown_verbs_change_nothing() -> None:
    one, two = Village(), Village()
    stray = [
        Command(cmd="flee", name="Nobody"),
        Command(cmd="dance", name="Runa"),
        Command(cmd="go_station", name="Runa", target="station:moon"),
        Command(cmd="confront", name="Runa", target="ally:Nobody"),
        Command(cmd="say", name="Runa", say="Hm."),
    ]
    for _ in range(5):
        assert one.advance(stray) == two.advance()
