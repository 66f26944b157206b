from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.game.contract import FEATURES
from mindot.student.situation import situation_tuple

UNIT = st.lists(st.floats(0, 1), min_size=43, max_size=43)


def inputs(**given_: float) -> list[float]:
    return [given_.get(name, 0.0) for name in FEATURES]


def pairs(archetype: str = "guard", **given_: float) -> dict[str, str]:
    text = situation_tuple(archetype, inputs(**given_))
    return dict(pair.split("=") for pair in text.split("|"))


def test_the_whole_string_of_an_empty_situation() -> None:
    assert situation_tuple("guard", inputs(dist_n=1.0)) == (
        "alarm=0|arch=guard|armed=0|assault=0|bound=0|cast=0|child=0|client=0|crowd=low|duty=0"
        "|grudge=low|guard=0|insult=0|need=none|night=0|player=away|stress=low|task=none|theft=0"
        "|tired=low|trespass=0"
    )


def test_values_are_coarse() -> None:
    assert [pairs(crowd_n=v)["crowd"] for v in (0.33, 0.34, 0.66, 0.67)] == [
        "low",
        "mid",
        "mid",
        "high",
    ]
    assert pairs(stress_n=0.9, sleep_n=0.5) == pairs(stress_n=0.95, sleep_n=0.4)


def test_the_most_pressing_need_is_named_and_only_one_that_presses() -> None:
    assert pairs(need_food=0.6, need_rest=0.8)["need"] == "rest"
    assert pairs(need_food=0.7, need_rest=0.7)["need"] == "food"
    assert pairs(need_food=0.49)["need"] == "none"
    assert pairs(need_company=0.5)["need"] == "company"


def test_how_near_the_player_and_a_weapon_are() -> None:
    assert pairs(dist_n=0.5)["player"] == "far"
    assert pairs(dist_n=0.1, player_near=1.0)["player"] == "near"
    assert pairs(player_near=1.0, player_speaks=1.0)["player"] == "speaks"
    assert pairs(player_armed=1.0, armed_close=0.2)["armed"] == "far"
    assert pairs(player_armed=1.0, armed_close=0.7)["armed"] == "close"


def test_work_that_lies_there() -> None:
    assert pairs(task_open=1.0)["task"] == "open"
    assert pairs(task_paused=1.0)["task"] == "paused"


def test_an_archetype_cannot_break_the_form() -> None:
    assert pairs("a|b=c")["arch"] == "a_b_c"


@settings(deadline=None)
@given(UNIT)
def test_keys_are_sorted_and_values_come_from_a_small_set(features: list[float]) -> None:
    text = situation_tuple("smith", features)
    split = [pair.split("=") for pair in text.split("|")]
    assert [key for key, _ in split] == sorted(key for key, _ in split)
    assert not any(char.isdigit() and char not in "01" for char in text)
