"""What waits or is being asked: counted once, forgiven, outgrown, kept, and taken back in time."""

from dataclasses import replace
from typing import Any

from mindot.deliberator import Grudges, Outcome, Pending, RankFailure, Ranking, Wake, WakeClass
from mindot.deliberator.deferral import Deferred
from tests.mindot.deliberator.stage import T0, Stage, event, person, theft

LATE = RankFailure(where="ranker", err="late")
GIVEN_BACK = "Here, I brought it back. I am sorry."


def wrong(text: str, gravity: float, **fields: Any) -> Wake:
    return Wake(
        name="Ylva", cls=WakeClass.WRONG, text=text, gravity=gravity, subject="player", **fields
    )


def amends(stage: Stage) -> None:
    done = stage.wake("Ylva", WakeClass.AMENDS, GIVEN_BACK, subject="player", kind="amends")
    assert stage.payloads("deliberator_stand_down"), done


def stage_of(*names: str) -> Stage:
    others = [person(name, x=14.0) for name in names]
    return Stage(person("Ylva"), person("Runa", "guard", x=30.0), *others)


def asked(stage: Stage, wake: Wake) -> Pending:
    found = stage.deliberator.begin(wake)
    assert isinstance(found, Pending)
    return found


def test_a_wrong_that_waits_is_held_against_nobody_twice() -> None:
    stage = stage_of()
    stage.sweep(theft("Ylva", gravity=0.6))
    stage.wake("Ylva", WakeClass.WRONG, "mocked", subject="player", kind="insult", gravity=0.3)
    before = stage.deliberator.grudges()["ylva"]
    while len(stage.payloads("deliberator_wake")) < 3:
        stage.sweep()
    assert stage.payloads("deliberator_wake")[-1]["outcome"] == "intention"
    assert stage.deliberator.grudges()["ylva"] <= before


def test_what_is_forgiven_waits_no_more() -> None:
    stage = stage_of("Finn")
    stage.sweep(theft("Ylva", gravity=0.3))
    stage.wake("Ylva", WakeClass.WRONG, "mocked", subject="player", kind="insult", gravity=0.3)
    stage.wake("Ylva", WakeClass.WRONG, "shoved", subject="Finn", kind="insult", gravity=0.2)
    amends(stage)
    assert stage.deliberator.statistics().waiting == 1
    stage.sweeps(60)
    woken = [w["cls"] for w in stage.payloads("deliberator_wake")]
    assert woken == ["wrong", "wrong", "wrong", "amends", "wrong"]
    assert stage.payloads("deliberator_stand_down")[0]["name"] == "Ylva"


def test_a_question_about_what_was_forgiven_meanwhile_makes_no_plan() -> None:
    stage = stage_of()
    pending = asked(stage, wrong("the rope was cut", 0.4, kind="rope"))
    amends(stage)
    stage.sweeps(40)
    assert stage.deliberator.intention("Ylva") is None
    answer = Ranking(chosen=pending.candidates[0].plan, because="so be it")
    done = stage.deliberator.settle(pending, answer)
    assert (done.outcome, done.reason) == (Outcome.DECLINED, "it is forgiven by now")
    assert stage.kinds()[-2:] == ["deliberator_rank", "deliberator_wake"]
    assert stage.deliberator.intention("Ylva") is None


def test_a_graver_wrong_takes_the_place_of_a_lesser_question() -> None:
    stage = stage_of()
    lesser = asked(stage, wrong("the rope was cut", 0.2))
    assert stage.deliberator.begin(wrong("the rope was cut again", 0.2)) != lesser
    graver = asked(stage, wrong("the rope was cut with people on it", 0.95))
    done = stage.deliberator.settle(lesser, Ranking(chosen=None, because="let it be"))
    assert (done.outcome, done.reason) == (Outcome.DECLINED, "a graver one like it came")
    assert stage.deliberator.settle(graver, LATE).outcome is Outcome.INTENTION


def test_the_gravest_of_like_wrongs_is_the_one_that_waits() -> None:
    waiting = Deferred(limit=4, max_age_s=60.0, promise_age_s=600.0)
    grave = wrong("struck with a stick", 0.8, t=T0)
    waiting.put(grave, T0)
    waiting.put(wrong("struck", 0.3, t=T0 + 1), T0 + 1)
    assert waiting.of("ylva", T0 + 2) == [grave]
    assert waiting.of("ylva", T0 + 2)[0].waited


def test_wrongs_push_no_promise_out() -> None:
    waiting = Deferred(limit=2, max_age_s=60.0, promise_age_s=600.0)
    promise = Wake(name="Ylva", cls=WakeClass.UNDERTAKING, text="mend", subject="Finn", t=T0)
    waiting.put(promise, T0)
    for kind in ("theft", "insult", "trespass"):
        waiting.put(wrong(kind, 0.5, kind=kind, t=T0), T0)
    assert promise in waiting.of("ylva", T0)
    assert len(waiting) == 3
    for i in range(4):
        waiting.put(replace(promise, text=f"mend {i}", gravity=0.1), T0)
    assert len(waiting) == 4


def test_a_game_that_goes_back_takes_promises_along() -> None:
    stage = stage_of()
    stage.wake("Ylva", WakeClass.UNDERTAKING, "tell her of it", subject="Brenna", gravity=0.5)
    stage.sweep()
    assert stage.deliberator.statistics().waiting == 1
    back = (*stage.frame.characters, person("Brenna"))
    stage.frame = replace(stage.frame, t=T0 - 3000.0, characters=back)
    stage.sweeps(2)
    assert stage.payloads("deliberator_decided")[-1]["target"] == "ally:Brenna"


def test_a_game_that_goes_back_lets_grudges_fade_from_there() -> None:
    grudges = Grudges(half_life_s=100.0, floor=0.05)
    grudges.add("ylva", "player", 0.8, T0)
    grudges.rewind(T0 - 5000.0)
    assert grudges.strength("ylva", "player", T0 - 5000.0) == 0.8
    assert grudges.strength("ylva", "player", T0 - 4900.0) == 0.4

    stage = stage_of()
    stage.sweep(event("insult", "Ylva", "mocked", gravity=0.8))
    felt = stage.deliberator.grudges()["ylva"]
    stage.frame = replace(stage.frame, t=T0 - 9000.0)
    stage.sweep()
    assert stage.deliberator.grudges()["ylva"] == felt
    stage.frame = replace(stage.frame, t=T0 - 9000.0 + 1800.0)
    stage.sweep()
    assert 0.0 < stage.deliberator.grudges()["ylva"] < 0.6 * felt
