"""What a thought names, and what the mind is told of what it misnamed."""

import pytest

from cognition import ExecutiveParams, Focus, FocusKind
from cognition.acts import canonical_verb
from cognition.testing import answer_text
from tests.cognition.rig import DILEMMA, TALK, Rig, talk

TORN = Focus(kind=FocusKind.DILEMMA, text="torn", options={"stay": "remains", "warn_say": "warns"})


def told(rig: Rig) -> list[tuple[str, object]]:
    return [
        (str(e.metadata["category"]), e.metadata["data"]["named"])
        for e in rig.mind.entities().values()
        if "unknown" in str(e.metadata.get("category"))
    ]


@pytest.mark.parametrize(
    ("named", "verb"),
    [
        ("warn_say", "warn_say"),
        ("Warn Say", "warn_say"),
        ("WARN-SAY", "warn_say"),
        (" warn_say ", "warn_say"),
        ("warnsay", None),
        ("dance", None),
        ("", None),
    ],
)
def test_a_verb_is_known_whatever_its_case_and_word_breaks(named: str, verb: str | None) -> None:
    assert canonical_verb(named, {"stay": "", "warn_say": ""}) == verb


def test_an_act_the_mind_has_no_way_of_doing_comes_back_until_a_real_one_is_named() -> None:
    said = [answer_text("dance"), answer_text("sing"), answer_text("stay")]
    rig = Rig(lambda ask: said[min(len(rig.asks) - 1, 2)])
    assert rig.ask(DILEMMA, TORN).actions == ()
    rig.step(5)  # it stands for longer than a percept lasts
    assert told(rig) == [("act-unknown", "dance")]
    (percept,) = rig.mind.entities().values()
    assert percept.metadata["provenance"] == "reafferent"
    assert percept.metadata["sourceIntentId"] == "mock:gerdur/1"
    rig.ask(DILEMMA, TORN)
    assert '{"named": "dance"}' in rig.asks[1].prompt
    rig.step()
    assert told(rig) == [("act-unknown", "sing")]
    assert [a.type for a in rig.ask(DILEMMA, TORN).actions] == ["stay"]
    rig.step()
    assert told(rig) == []
    assert rig.mind.statistics().told_back == 2


def test_only_the_options_of_the_moment_are_admissible() -> None:
    rig = Rig(answer_text("go_station"))
    assert rig.ask(DILEMMA, TORN).actions == ()
    assert [a.type for a in rig.ask(TALK, talk()).actions] == ["go_station"]


def test_a_correction_belongs_to_its_thread() -> None:
    said = {DILEMMA: answer_text("dance"), TALK: answer_text("stay")}
    rig = Rig(lambda ask: said[ask.key or ""])
    rig.ask(DILEMMA, TORN)
    rig.ask(TALK, talk())
    rig.step()
    assert told(rig) == [("act-unknown", "dance")]


def test_an_addressee_that_cannot_be_placed_comes_back() -> None:
    said = [
        answer_text({"type": "warn_say", "target": "Grimgor"}),
        answer_text({"type": "warn_say", "target": "Brenna"}),
    ]
    rig = Rig(lambda ask: said[len(rig.asks) - 1])
    decision = rig.ask(TALK, talk())
    assert (decision.actions, decision.raised) == ((), ())
    rig.step()
    assert told(rig) == [("addressee-unknown", "Grimgor")]
    assert len(rig.ask(TALK, talk()).raised) == 1
    rig.step()
    assert told(rig) == []


def test_a_dilemmas_deed_stands_without_the_addressee_it_misnamed() -> None:
    rig = Rig(answer_text({"type": "warn_say", "target": "the stranger"}))
    decision = rig.ask(DILEMMA, TORN)
    assert [(a.type, a.target) for a in decision.actions] == [("warn_say", None)]
    rig.step()
    assert told(rig) == [("addressee-unknown", "the stranger")]


def test_the_order_of_acts_is_kept() -> None:
    rig = Rig(answer_text("dance", {"type": "warn_say", "target": "player"}, "stay"))
    decision = rig.ask(DILEMMA, TORN)
    assert [(a.type, a.target) for a in decision.actions] == [
        ("warn_say", "player"),
        ("stay", None),
    ]


def test_corrections_are_bounded() -> None:
    params = ExecutiveParams(max_facets=40, master_interval_ticks=10**9, master_salience=10**9)
    rig = Rig(answer_text("dance"), params=params)
    for number in range(40):
        rig.ask(f"k{number}", TORN)
    rig.step()
    assert len(told(rig)) == 16


def test_a_mind_without_a_directory_takes_names_for_ids() -> None:
    rig = Rig(answer_text({"type": "warn_say", "target": "Grimgor"}))
    plain = type(rig.mind)("m", persona=rig.mind.persona, affordances={"warn_say": ""})
    plain.report(DILEMMA, Focus(kind=FocusKind.DILEMMA), tick=0)
    (ask,) = plain.pump(1, {})
    plain.deliver(rig.deliberation.answer(ask))
    (decision,) = plain.land(2)
    assert [(a.type, a.target) for a in decision.actions] == [("warn_say", "Grimgor")]
