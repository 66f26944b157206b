"""The life of an intention, and of what waits for it to end."""

from dataclasses import replace

import pytest

from mindot.deliberator.deferral import Deferred
from mindot.deliberator.intentions import (
    SUCCESSORS,
    Intention,
    IntentionError,
    IntentionState,
)
from mindot.deliberator.journal import Journal
from mindot.deliberator.lawbook import load_lawbook
from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.frame import Command, Lease
from tests.mindot.deliberator.stage import T0, Stage, event, person, theft

OPERATORS = load_lawbook().laws.operators


def wake(text: str = "gone", **fields: object) -> Wake:
    plain: dict[str, object] = {"cls": WakeClass.WRONG, "subject": "player", "t": T0}
    return Wake(name="Ylva", text=text, **{**plain, **fields})  # type: ignore[arg-type]


def intention(*steps: str) -> Intention:
    return Intention(
        id="ylva-1", wake=wake(), steps=tuple(OPERATORS[s] for s in steps), began=T0, since=T0
    )


def test_a_cursor_goes_forward_to_the_end() -> None:
    first = intention("warn", "report")
    second = first.advanced(T0 + 5, pause_s=4.0)
    assert (first.cursor, second.cursor) == (0, 1)
    assert (second.step.name, second.since, second.not_before) == ("report", T0 + 5, T0 + 9)
    with pytest.raises(IntentionError, match="'ylva-1': is at its last step; end it instead"):
        second.advanced(T0 + 6)


@pytest.mark.parametrize("end", [s for s in IntentionState if s is not IntentionState.STANDING])
def test_what_has_ended_stays_ended(end: IntentionState) -> None:
    over = intention("warn", "report").ended(end)
    assert SUCCESSORS[end] == frozenset()
    with pytest.raises(IntentionError, match=f"is {end.value} and goes nowhere any more"):
        over.advanced(T0)
    for other in IntentionState:
        with pytest.raises(IntentionError, match=f"cannot become {other.value}"):
            over.ended(other)


def test_standing_is_no_end() -> None:
    with pytest.raises(IntentionError, match="cannot become standing"):
        intention("warn").ended(IntentionState.STANDING)


def test_a_plan_goes_on_when_a_game_goes_back_in_time() -> None:
    stage = Stage(person("Ylva"), person("Runa", "guard"))
    stage.sweep(theft("Ylva"))
    stage.frame = replace(stage.frame, t=T0 - 9000.0)
    stage.sweep()
    assert stage.served("Ylva")[-1] == "intention"
    assert stage.deliberator.intention("Ylva") is None
    assert intention("warn").as_of(T0 + 5) == intention("warn")


def test_what_waits_is_bounded_by_number_and_age() -> None:
    waiting = Deferred(limit=2, max_age_s=60.0, promise_age_s=600.0)
    small = wake("a", gravity=0.1, kind="insult")
    grave = wake("b", gravity=0.9, kind="assault")
    middling = wake("c", gravity=0.5, kind="theft", t=T0 + 10)
    for each in (small, grave, middling):
        waiting.put(each, each.t)
    assert waiting.of("ylva", T0 + 20) == [grave, middling]
    assert waiting.names() == ["ylva"]
    assert len(waiting) == 2
    assert waiting.of("ylva", T0 + 65) == [middling]
    waiting.take(middling)
    assert (waiting.names(), len(waiting)) == ([], 0)
    assert waiting.of("ylva", T0) == []
    waiting.take(middling)


def test_the_like_of_what_waits_takes_its_place() -> None:
    waiting = Deferred(limit=4, max_age_s=60.0, promise_age_s=600.0)
    waiting.put(wake("a", kind="theft"), T0)
    again = wake("b", kind="theft")
    waiting.put(again, T0)
    assert waiting.of("ylva", T0) == [again]
    axe = wake("mend the axe", cls=WakeClass.UNDERTAKING, subject="Finn")
    boat = wake("mend the boat", cls=WakeClass.UNDERTAKING, subject="Finn")
    waiting.put(axe, T0)
    waiting.put(boat, T0)
    assert len(waiting) == 3
    # promises outlast the rest
    assert waiting.of("ylva", T0 + 300) == [axe, boat]
    assert waiting.of("ylva", T0 + 700) == []


def test_a_promise_whose_party_is_away_is_tried_again() -> None:
    stage = Stage(person("Ylva", traits={"dutiful": 1.0, "warm": 1.0}))
    stage.wake("Ylva", WakeClass.UNDERTAKING, "tell her about the boat", subject="Brenna")
    stage.sweep()
    assert stage.payload("deliberator_plan_done")["why"] == "bind-skip"
    brenna = person("Brenna", x=30.0)
    stage.frame = replace(stage.frame, characters=(*stage.frame.characters, brenna))
    stage.sweeps(59)
    assert stage.payloads("deliberator_decided") == []
    stage.sweep()
    assert stage.payload("deliberator_decided")["target"] == "ally:Brenna"
    stage.sweeps(90)
    assert len(stage.payloads("deliberator_wake")) == 2


def test_a_promise_that_was_kept_otherwise_is_not_tried_again() -> None:
    stage = Stage(person("Ylva"))
    stage.wake("Ylva", WakeClass.UNDERTAKING, "tell her about the boat", subject="Brenna")
    stage.sweep()
    assert stage.deliberator.statistics().waiting == 1
    told = Command(cmd="say", name="Ylva", target="brenna", say="The boat leaks.")
    stage.deliberator.send(told, stage.frame, "raw")
    assert stage.deliberator.statistics().waiting == 0


def test_a_promise_that_gave_way_is_taken_up_again() -> None:
    stage = Stage(person("Ylva"), person("Runa", "guard"), person("Brenna", x=30.0))
    stage.change("Ylva", lease=Lease(role="guest", pose="stay"))
    stage.wake("Ylva", WakeClass.UNDERTAKING, "tell her about the boat", subject="Brenna")
    stage.sweep(theft("Ylva", gravity=0.9))
    assert stage.kinds("Ylva").count("deliberator_swap") == 1
    stage.change("Ylva", lease=None)
    stage.sweeps(12)
    woken = [w["cls"] for w in stage.payloads("deliberator_wake") if w["outcome"] == "intention"]
    assert woken == ["undertaking", "wrong", "undertaking"]
    assert stage.payloads("deliberator_decided")[-1]["target"] == "ally:Brenna"


def test_of_what_waits_the_plan_that_scores_best_comes_first() -> None:
    dutiful = {"dutiful": 1.0, "warm": 1.0, "temper": 0.0}
    stage = Stage(person("Ylva", traits=dutiful), person("Brenna"), person("Runa", "guard"))
    stage.sweep(theft("Ylva", gravity=0.9))
    stage.wake("Ylva", WakeClass.NEED, "hungry", need="food", gravity=0.2)
    stage.wake("Ylva", WakeClass.UNDERTAKING, "mend the axe", subject="Brenna")
    assert stage.deliberator.statistics().waiting == 2
    stage.sweeps(3)
    woken = [w["cls"] for w in stage.payloads("deliberator_wake") if w["outcome"] == "intention"]
    assert woken == ["wrong", "undertaking"]
    stage.sweeps(2)
    assert stage.deliberator.statistics().waiting == 0
    woken = [w["cls"] for w in stage.payloads("deliberator_wake") if w["outcome"] == "intention"]
    assert woken == ["wrong", "undertaking", "need"]


def test_what_a_plan_already_sees_to_does_not_wait() -> None:
    stage = Stage(person("Ylva"), person("Runa", "guard"))
    stage.sweep(theft("Ylva", gravity=0.5))
    again = stage.wake("Ylva", WakeClass.WRONG, "again", kind="theft", subject="player")
    hello = stage.wake("Ylva", WakeClass.GREETING, "hello", subject="Runa")
    assert again.reason == "ylva-1 already sees to it"
    assert hello.reason == "ylva-1 comes first"
    assert stage.deliberator.statistics().waiting == 0


def test_nobody_is_woken_by_their_own_deed_or_by_what_no_rule_names() -> None:
    stage = Stage(person("Ylva"), person("Finn", alive=False))
    stage.sweep(
        event("theft", "Ylva", "I took it", "Ylva"),
        event("eclipse", "Ylva", "it grew dark"),
        event("theft", "Finn", "gone"),
        event("theft", "Nobody", "gone"),
    )
    assert stage.records == []


def test_an_alarm_is_a_need_for_safety() -> None:
    stage = Stage(person("Ylva"))
    stage.sweep(event("alarm", "Ylva", "the bell is ringing", ""), alarm=True)
    assert stage.payload("deliberator_wake")["cls"] == "need"
    assert stage.payload("deliberator_decided")["need"] == "safety"


def test_a_journal_recalls_what_was_about_the_same_one() -> None:
    journal = Journal(limit=3)
    for text, subject in (
        ("a", "finn"),
        ("b", "finn"),
        ("c", "odda"),
        ("d", "finn"),
        ("b", "finn"),
    ):
        journal.write(wake(text, subject=subject))
    assert journal.recall(wake("now", subject="Finn")) == ("d", "b")
    assert journal.recall(wake("now", subject="finn"), most=1) == ("b",)
    assert journal.recall(wake("c", subject="odda")) == ()


def test_statistics_are_figures() -> None:
    stage = Stage(person("Ylva"), person("Runa", "guard"))
    stage.sweep(theft("Ylva"))
    found = stage.deliberator.statistics()
    assert (found.standing, found.waiting, found.grudges) == (1, 0, 1)
    assert found.records["deliberator_wake"] == 1
