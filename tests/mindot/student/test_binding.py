import pytest

from mindot.game.contract import ACTIONS
from mindot.game.frame import Player
from mindot.student.binding import bind
from tests.mindot.student.crowds import frame_of, person

NEAR, FAR = Player(x=5.0, y=0.0), Player(x=80.0, y=0.0)


@pytest.mark.parametrize("action", ["confront", "demand", "guard_player", "warn_say"])
def test_some_actions_are_meant_for_the_player(action: str) -> None:
    me = person()
    assert bind(action, me, frame_of(me, player=FAR)) == "player"
    assert bind(action, me, frame_of(me)) is None


def test_company_is_the_player_in_earshot_else_the_nearest_who_is_liked() -> None:
    me = person(trust={"pip": 0.4, "gerd": 0.9, "tove": -0.5, "gone": 1.0})
    crowd = (
        me,
        person("Pip", x=3.0),
        person("Gerd", x=9.0),
        person("Tove", x=1.0),
    )
    assert bind("greet_approach", me, frame_of(*crowd, player=NEAR)) == "player"
    assert bind("greet_approach", me, frame_of(*crowd, player=FAR)) == "ally:Pip"
    assert bind("complain", me, frame_of(*crowd)) == "ally:Pip"
    assert bind("complain", me, frame_of(me)) is None


def test_the_dead_are_no_company() -> None:
    me = person(trust={"pip": 0.4})
    assert bind("greet_approach", me, frame_of(me, person("Pip", alive=False))) is None


def test_the_station_is_the_one_of_the_day() -> None:
    me = person(scheduled="gate")
    assert bind("go_station", me, frame_of(me)) == "station:gate"
    assert bind("go_station", person(), frame_of()) is None


def test_every_action_finds_something_or_nothing() -> None:
    me = person()
    assert {bind(action, me, frame_of(me)) for action in ACTIONS} == {None}
