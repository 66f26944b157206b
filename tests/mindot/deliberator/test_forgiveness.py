"""Grudges, their fading, and what excuses a wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindot.deliberator import Grudges, load_lawbook
from mindot.deliberator.conditions import Condition
from mindot.deliberator.forgiveness import Forgiveness, ForgivenessRule
from mindot.deliberator.situation import Situation, situation_of
from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.frame import Frame
from tests.mindot.deliberator.stage import T0, person

UNIT = st.floats(min_value=0.0, max_value=1.0)


def test_a_grudge_halves_and_is_forgotten() -> None:
    grudges = Grudges(half_life_s=100.0, floor=0.05)
    assert grudges.add("ylva", "player", 0.8, T0) == 0.8
    assert grudges.strength("ylva", "player", T0 + 100) == 0.4
    assert grudges.strength("ylva", "player", T0 + 300) == 0.1
    assert grudges.strength("ylva", "player", T0 + 500) == 0.0
    assert grudges.strength("ylva", "finn", T0) == 0.0


def test_wrongs_add_up_and_forgiving_ends_them() -> None:
    grudges = Grudges()
    grudges.add("ylva", "player", 0.5, T0)
    assert grudges.add("ylva", "player", 0.5, T0) == 0.75
    grudges.add("ylva", "finn", 0.2, T0)
    grudges.add("alrik", "finn", 0.3, T0)
    assert grudges.strongest(T0) == {"alrik": 0.3, "ylva": 0.75}
    grudges.forgive("ylva", "player")
    grudges.forgive("nobody", "player")
    assert grudges.strongest(T0) == {"alrik": 0.3, "ylva": 0.2}


@given(gravities=st.lists(UNIT, max_size=8), later=st.floats(min_value=-1e6, max_value=1e9))
def test_a_grudge_stays_within_bounds_and_never_grows_by_itself(
    gravities: list[float], later: float
) -> None:
    grudges = Grudges()
    for gravity in gravities:
        before = grudges.strength("a", "b", T0)
        # what is below the floor counts as forgotten, so a grudge can look smaller than its cause
        assert before - 1e-4 <= grudges.add("a", "b", gravity, T0) <= 1.0
    assert 0.0 <= grudges.strength("a", "b", T0 + later) <= grudges.strength("a", "b", T0) <= 1.0


@pytest.mark.parametrize(
    ("words", "law"),
    [
        ("Here, I brought it back.", "given-back"),
        ("It was my fault, all of it.", "owned-up"),
        ("I'm SORRY.", "plain-apology"),
        ("Lovely weather.", "idle-words"),
    ],
)
def test_the_packaged_rules_weigh_the_form_of_amends(words: str, law: str) -> None:
    weighed = load_lawbook().forgiveness.weigh(_situation(words))
    assert weighed.law == law
    assert 0.0 < weighed.excul <= 1.0
    assert weighed.because


def test_the_warm_forgive_more_than_the_hot() -> None:
    rules = load_lawbook().forgiveness
    warm = rules.weigh(_situation("sorry", warm=1.0, temper=0.0))
    hot = rules.weigh(_situation("sorry", warm=0.0, temper=1.0))
    assert warm.excul > hot.excul


def test_without_a_rule_that_holds_nothing_is_excused() -> None:
    assert Forgiveness(rules=()).weigh(_situation("sorry")).law == "none"
    never = ForgivenessRule(
        id="never", because="never", excul=0.2, traits=(("warm", -1.0),), when=Condition()
    )
    weighed = Forgiveness(rules=(never,)).weigh(_situation("sorry", warm=1.0))
    assert (weighed.law, weighed.excul) == ("never", 0.0)


def _situation(words: str, **traits: float) -> Situation:
    ylva = person("Ylva", traits=traits)
    frame = Frame(world="mock", tab="test", tick=1, t=T0, characters=(ylva,))
    wake = Wake(name="Ylva", cls=WakeClass.AMENDS, text=words, t=T0, subject="player")
    return situation_of(wake, ylva, frame, grudge=0.5)
