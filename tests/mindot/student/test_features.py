"""The 43 inputs, one by one and by law."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.game.contract import FEATURES
from mindot.game.frame import Character, Frame, GameEvent, Lease, Order, Player
from mindot.student.features import feature_matrix
from tests.mindot.student.crowds import frame_of, frames, person


def seen(frame: Frame, grudges: Mapping[str, float] | None = None) -> dict[str, float]:
    """What the head sees of the first character."""
    row = feature_matrix(frame, grudges or {})[0].tolist()
    return dict(zip(FEATURES, row, strict=True))


def event(kind: str, *concerns: str, actor: str = "player") -> GameEvent:
    return GameEvent(id="e", kind=kind, actor=actor, concerns=concerns, text="")


@pytest.mark.parametrize(
    ("about", "feature", "value"),
    [
        ({"energy": 35.0}, "energy_n", 0.35),
        ({"energy": float("nan")}, "energy_n", 1.0),
        ({"sleep_pressure": 61.27}, "sleep_n", 0.6127),
        ({"stress": 250.0}, "stress_n", 1.0),
        ({"hurt": 0.33333}, "hurt", 0.3333),
        ({"needs": {"food": 0.7, "rest": 0.2}}, "unmet_need", 0.7),
        ({"needs": {"food": 0.1, "fame": 0.9}}, "unmet_need", 0.9),
        ({"needs": {"food": 0.7}}, "need_food", 0.7),
        ({"needs": {"rest": 0.6}}, "need_rest", 0.6),
        ({"needs": {"company": 0.5}}, "need_company", 0.5),
        ({"needs": {"safety": 0.4}}, "need_safety", 0.4),
        ({}, "unmet_need", 0.0),
        ({"traits": {"brave": 0.8}}, "brave", 0.8),
        ({}, "brave", 0.5),
        ({"traits": {"warm": 0.1}}, "warm", 0.1),
        ({"traits": {"temper": 0.2}}, "temper", 0.2),
        ({"traits": {"dutiful": 0.3}}, "dutiful", 0.3),
        ({"traits": {"curious": 0.9}}, "curious", 0.9),
        ({"on_duty": True}, "on_duty", 1.0),
        ({"station": "gate", "scheduled": "gate"}, "at_station", 1.0),
        ({"station": "gate", "scheduled": "gate"}, "off_station", 0.0),
        ({"station": "inn", "scheduled": "gate"}, "off_station", 1.0),
        ({"station": "inn"}, "off_station", 0.0),
        ({"task": "open"}, "task_open", 1.0),
        ({"task": "paused"}, "task_paused", 1.0),
        ({"customer": True}, "customer_waiting", 1.0),
        ({"order": Order(text="stay")}, "has_command", 1.0),
        ({"lease": Lease(role="fool", pose="watch")}, "lease_held", 1.0),
        ({"trust": {"player": 0.5}}, "player_trust", 0.75),
        ({"trust": {"player": 0.5}}, "player_known", 0.75),
        ({"trust": {"gerd": 0.5}}, "player_known", 0.0),
        ({}, "player_trust", 0.5),
    ],
)
def test_what_a_character_says_of_itself(about: dict[str, Any], feature: str, value: float) -> None:
    assert seen(frame_of(person(**about)))[feature] == value


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        (None, {"dist_n": 1.0, "player_near": 0.0, "armed_close": 0.0}),
        (Player(x=6.0, y=8.0), {"dist_n": 0.25, "player_near": 0.0, "player_armed": 0.0}),
        (Player(x=3.0, y=4.0), {"dist_n": 0.125, "player_near": 1.0}),
        (Player(x=3.0, y=4.0, armed=True), {"player_armed": 1.0, "armed_close": 0.875}),
        (Player(x=300.0, y=4.0, armed=True), {"dist_n": 1.0, "armed_close": 0.0}),
        (Player(x=0.0, y=0.0, speaks_to="RUNA"), {"player_speaks": 1.0}),
        (Player(x=0.0, y=0.0, speaks_to="nobody"), {"player_speaks": 0.0}),
        (Player(x=float("nan"), y=0.0), {"dist_n": 1.0, "player_near": 0.0}),
    ],
)
def test_the_player(player: Player | None, expected: dict[str, float]) -> None:
    got = seen(frame_of(person(), player=player))
    assert {name: got[name] for name in expected} == expected


def test_the_company() -> None:
    me = person(trust={"pip": 0.6, "gerd": -0.5})
    pip = person("Pip", archetype="child", x=3.0)
    gerd = person("Gerd", archetype="smith", x=5.0)
    torben = person("Torben", x=400.0)
    got = seen(frame_of(me, pip, gerd, torben))
    assert got["crowd_n"] == 0.25
    assert (got["ally_near"], got["child_near"]) == (1.0, 1.0)
    assert (got["guard_near"], got["stranger_near"]) == (0.0, 0.0)
    assert seen(frame_of(me, person("Wenna", x=2.0)))["stranger_near"] == 1.0
    assert seen(frame_of(me, person("Wenna", x=2.0)))["guard_near"] == 1.0


@pytest.mark.parametrize(
    ("kind", "feature"),
    [
        ("theft", "theft_seen"),
        ("insult", "insult_heard"),
        ("assault", "assault_seen"),
        ("trespass", "trespass_seen"),
        ("alarm", "alarm"),
    ],
)
def test_events_reach_those_they_concern(kind: str, feature: str) -> None:
    frame = frame_of(person(), person("Gerd", x=1.0), events=(event(kind, "runa"),))
    column = feature_matrix(frame, {})[:, FEATURES.index(feature)]
    assert column.tolist() == [1.0, 0.0]


def test_talk_is_heard_by_those_around_and_not_by_the_talker() -> None:
    talk = event("talk", "Pip", actor="Gerd")
    crowd = (person(), person("Gerd", x=2.0), person("Pip", x=900.0))
    column = feature_matrix(frame_of(*crowd, events=(talk,)), {})[:, FEATURES.index("others_talk")]
    assert column.tolist() == [1.0, 0.0, 0.0]


def test_what_the_frame_says_of_the_hour_and_the_alarm() -> None:
    got = seen(frame_of(person(), night=True, alarm=True), {"runa": 0.4, "gerd": 1.0})
    assert (got["night"], got["alarm"], got["grudge"]) == (1.0, 1.0, 0.4)
    assert got["threat"] == 0.7


def test_danger_adds_up_and_stays_below_one() -> None:
    armed = Player(x=0.0, y=0.0, armed=True)
    assault = event("assault", "Runa")
    both = seen(frame_of(person(), player=armed, events=(assault,)))["threat"]
    assert both == pytest.approx(1 - 0.4 * 0.1)


def test_nobody_there() -> None:
    empty = Frame(world="w", tab="t", tick=0, t=0.0, characters=())
    assert feature_matrix(empty, {}).shape == (0, 43)


@settings(max_examples=60, deadline=None)
@given(frames(), st.floats(0, 1))
def test_inputs_are_between_0_and_1_with_four_decimals(frame: Frame, grudge: float) -> None:
    got = feature_matrix(frame, {"runa": grudge})
    assert got.shape == (len(frame.characters), 43)
    assert np.all((got >= 0) & (got <= 1))
    assert all(value == round(value, 4) for value in got.ravel().tolist())


@settings(max_examples=60, deadline=None)
@given(frames())
def test_where_somebody_stands_in_the_frame_does_not_matter(frame: Frame) -> None:
    there = feature_matrix(frame, {})
    turned = replace(frame, characters=frame.characters[::-1])
    assert np.array_equal(feature_matrix(turned, {})[::-1], there)


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=6, max_size=6))
def test_nonsense_from_a_game_reads_as_something(values: list[float]) -> None:
    x, y, energy, stress, hurt, trust = values
    wild = person(x=x, y=y, energy=energy, stress=stress, hurt=hurt, trust={"player": trust})
    frame = frame_of(wild, person("Pip"), player=Player(x=y, y=x, armed=True))
    got = feature_matrix(frame, {"runa": trust})
    assert np.all((got >= 0) & (got <= 1))


class _Counted(Mapping[str, float]):
    """A trust mapping that counts how often it is looked at."""

    looks = 0

    def __getitem__(self, key: str) -> float:
        type(self).looks += 1
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        type(self).looks += 1
        return iter(())

    def __len__(self) -> int:
        return 0


def _looks(n: int) -> int:
    _Counted.looks = 0
    people: list[Character] = [person(f"P{i}", x=0.0, trust=_Counted()) for i in range(n)]
    feature_matrix(frame_of(*people), {})
    return _Counted.looks


def test_a_denser_crowd_asks_no_more_of_each() -> None:
    assert _looks(400) == 4 * _looks(100) == 40 * _looks(10)
