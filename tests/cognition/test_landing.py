"""Answers that land one by one: whatever one of them sets off, each comes to exactly one end."""

from collections.abc import Callable
from typing import Any

import pytest

from cognition import (
    Answered,
    Ask,
    Escalation,
    Executive,
    Focus,
    FocusKind,
    Handoff,
    ThoughtFailure,
    Undertaking,
)
from cognition.executive_output import ExecutiveOutput
from cognition.testing import answer_text
from tests.cognition.rig import AFFORDANCES, DILEMMA, QUIET, TALK, Rig, news, talk

WORK = Focus(kind=FocusKind.WORK, text="mend the fence")


def ends_all(mind: Executive) -> None:
    mind.close(2)


def ends_the_thread(mind: Executive) -> None:
    mind.close_thread(TALK, 2)


def ends_the_other_thread(mind: Executive) -> None:
    mind.close_thread(DILEMMA, 2)


def opens_more_than_there_is_room_for(mind: Executive) -> None:
    for _ in range(12):
        mind.report(None, WORK, tick=2)


def comes_back_as_a_new_thread(mind: Executive) -> None:
    mind.close_thread(TALK, 2)
    mind.report(TALK, talk("once more"), tick=2)


def starts_anew(mind: Executive) -> None:
    mind.restore({**mind.snapshot(), "facets": 0})
    mind.report(None, WORK, tick=2)


INTERFERENCE = [
    ends_all,
    ends_the_thread,
    ends_the_other_thread,
    opens_more_than_there_is_room_for,
    comes_back_as_a_new_thread,
    starts_anew,
]


def two_asked(rig: Rig) -> list[Ask]:
    rig.mind.report(TALK, talk(), tick=1)
    rig.mind.report(DILEMMA, WORK, tick=1)
    return rig.mind.pump(1, {})


def answered(rig: Rig, asks: list[Ask]) -> None:
    for ask in asks:
        text = answer_text("stay", reply="Good day.", undertakings=[{"what": f"for {ask.key}"}])
        rig.mind.deliver(Answered(ask_id=ask.ask_id, text=text))


def assert_each_has_one_end(rig: Rig, asks: list[Ask], landed: list[str]) -> None:
    assert len(set(landed)) == len(landed)
    ended = sorted(e["askId"] for e in rig.sink.of_type("response"))
    assert ended == sorted(ask.ask_id for ask in asks)
    # What was pushed out before it was asked is told at the next boundary, and that is all.
    assert all(ask.prompt == "" for ask in rig.mind.outstanding())
    assert {d.failure for d in rig.mind.land(3)} <= {ThoughtFailure.CANCELLED}
    rig.mind.close(3)
    assert rig.mind.outstanding() == ()
    facets = rig.mind.statistics().facets
    assert (facets.live, facets.spawned) == (0, sum(count.count for count in facets.ended))


@pytest.mark.parametrize("interfere", INTERFERENCE)
def test_a_listener_may_end_what_is_landing(interfere: Callable[[Executive], None]) -> None:
    rig = Rig()
    asks = two_asked(rig)
    rig.mind.listen(TALK, lambda words: interfere(rig.mind))
    answered(rig, asks)
    landed = [d.ask_id for d in rig.mind.land(2)]
    assert landed[0] == asks[0].ask_id  # what was said is decided, and told
    assert_each_has_one_end(rig, asks, landed)


@pytest.mark.parametrize("interfere", INTERFERENCE)
@pytest.mark.parametrize("key", [TALK, None])
def test_a_thought_sink_may_end_what_is_landing(
    interfere: Callable[[Executive], None], key: str | None
) -> None:
    rig = Rig()
    fresh = [interfere]
    mind = Executive(
        "mock:gerdur",
        persona=rig.mind.persona,
        affordances=AFFORDANCES,
        params=QUIET,
        trace=rig.sink,
        thought_sink=lambda ask, outcome: fresh.pop()(mind) if fresh else None,
    )
    rig.mind = mind
    mind.report(key, talk(), tick=1)
    mind.report(DILEMMA, WORK, tick=1)
    asks = mind.pump(1, {})
    answered(rig, asks)
    landed = [d.ask_id for d in mind.land(2)]
    assert landed[0] == asks[0].ask_id
    assert_each_has_one_end(rig, asks, landed)


def test_the_mind_may_be_closed_while_its_masters_thought_lands() -> None:
    rig = Rig()
    mind = Executive(
        "m",
        persona=rig.mind.persona,
        affordances=AFFORDANCES,
        trace=rig.sink,
        thought_sink=lambda ask, outcome: mind.close(3),
    )
    mind.push(Handoff(body=Undertaking(what="mend the axe"), tick=1))
    mind.perceive(news(1))
    (ask,) = mind.pump(1, {})
    mind.deliver(Answered(ask_id=ask.ask_id, text=answer_text("stay")))
    (decision,) = mind.land(2)
    assert (decision.failure, [a.type for a in decision.actions]) == (None, ["stay"])
    mind.pump(3, {})
    assert [e["reason"] for e in rig.sink.of_type("undertaking.end")] == ["seen"]


def test_a_resolver_that_raises_knows_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def resolve(name: str) -> str | None:
        if name == "Grimgor":
            raise KeyError(name)
        return "" if name == "Nobody" else name

    rig = Rig()
    rig.mind = Executive(
        "m", persona=rig.mind.persona, affordances=AFFORDANCES, params=QUIET, resolve_name=resolve
    )
    asks = two_asked(rig)
    texts = [
        answer_text({"type": "stay", "target": "Grimgor"}, undertakings=[{"what": "w"}]),
        answer_text(undertakings=[{"what": "tell", "target": "Nobody"}]),
    ]
    for ask, text in zip(asks, texts, strict=True):
        rig.mind.deliver(Answered(ask_id=ask.ask_id, text=text))
    decisions = rig.mind.land(2)
    assert [d.failure for d in decisions] == [None, None]
    assert [
        h.body.what for d in decisions for h in d.raised if isinstance(h.body, Undertaking)
    ] == [
        "w",
        "tell",
    ]
    assert "addressee-unknown" in {
        e.metadata["category"] for e in rig.mind.entities().values() if e.type == "percept"
    }
    assert "resolve_name raised on 'Grimgor'" in caplog.text


def test_a_thought_that_cannot_take_effect_harms_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Rig(metrics={"energy.level": 10.0})
    asks = two_asked(rig)
    memory = type(rig.mind.memory)
    remember = memory.remember
    broken = [True]

    def breaks_once(self: Any, output: ExecutiveOutput) -> None:
        if broken and broken.pop():
            raise RuntimeError("a defect")
        remember(self, output)

    monkeypatch.setattr(memory, "remember", breaks_once)
    answered(rig, asks)
    first, second = rig.mind.land(2)
    assert (first.failure, second.failure) == (ThoughtFailure.UNREADABLE, None)
    assert_each_has_one_end(rig, asks, [first.ask_id, second.ask_id])
    assert "could not take effect" in caplog.text
    assert rig.ask(TALK, talk()).failure is None


def test_what_the_mind_is_told_of_a_thread_ends_with_the_thread() -> None:
    rig = Rig(answer_text("dance"))
    rig.ask(TALK, talk())
    rig.step()
    assert [e.metadata["category"] for e in rig.mind.entities().values()] == ["act-unknown"]
    rig.mind.close_thread(TALK, rig.tick)
    assert rig.mind.entities() == {}


def test_a_thread_that_is_closed_while_its_answer_lands_leaves_nothing_behind() -> None:
    rig = Rig(answer_text("dance", reply="Good day."))
    rig.mind.listen(TALK, lambda words: ends_the_thread(rig.mind))
    rig.ask(TALK, talk())
    assert rig.mind.entities() == {}


@pytest.mark.parametrize("joins", [0, 1, 5, 12, 13])
def test_whoever_joins_while_an_answer_arrives_gets_the_whole_reply(joins: int) -> None:
    rig = Rig()
    text = answer_text("stay", reply="Good day to you, Tom.")
    pieces = [text[at : at + len(text) // 12] for at in range(0, len(text), len(text) // 12)]
    rig.mind.report(TALK, talk(), tick=0)
    (ask,) = rig.mind.pump(1, {})
    leaver: list[str] = []
    joiner: list[str] = []
    stop = rig.mind.listen(TALK, leaver.append)
    for number, piece in enumerate(pieces):
        if number == joins:
            stop()
            rig.mind.listen(TALK, joiner.append)
        rig.mind.hear(ask.ask_id, piece)
    if joins >= len(pieces):
        rig.mind.listen(TALK, joiner.append)
    rig.mind.deliver(Answered(ask_id=ask.ask_id, text=text))
    (decision,) = rig.mind.land(2)
    assert "".join(joiner) == decision.reply == "Good day to you, Tom."


def test_promises_that_are_too_many_are_told_and_the_task_is_kept() -> None:
    rig = Rig(
        answer_text(
            {"type": "warn_say", "target": "Brenna"},
            undertakings=[{"what": f"errand {number}"} for number in range(16)],
            escalation="this is too big for me",
        )
    )
    decision = rig.ask(TALK, talk())
    bodies = [handoff.body for handoff in decision.raised]
    assert len(bodies) == 17
    assert bodies[-1] == Escalation(reasoning="this is too big for me")
    (event,) = rig.sink.of_type("output")
    assert event["droppedPromises"] == 1
