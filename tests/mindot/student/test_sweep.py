"""The sweep, tier by tier: what is served, what leaves, and what the receipt tells."""

from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import pytest

from mindot.game.contract import ACTIONS, FEATURES, RECEIPT_FIELDS
from mindot.game.frame import Character, Command, Frame, Lease, Order, Player
from mindot.game.moves import IntentionMove
from mindot.student.head import Head, HeadError
from mindot.student.ladder import LadderSettings
from mindot.student.scores import by_action
from mindot.student.sweep import Sweep, SweepRow
from mindot.student.testing import FixedHead
from mindot.student.verdicts import ParkedVerdict
from tests.mindot.student.crowds import START, frame_of, later, manifest, person

CALM = FixedHead({"stay": 0.95})
FLEES = FixedHead({"flee": 0.9})
TORN = FixedHead({"flee": 0.5, "stay": 0.4})
IDLE = FixedHead({"stay": 0.5, "watch": 0.4})
ALL = {"*": manifest(*ACTIONS)}
ALWAYS = [name for name, field in RECEIPT_FIELDS.items() if field.when == "always"]

PLAN = IntentionMove(
    episode="runa-1",
    acts=True,
    desire="report",
    evidence="the axe was stolen",
    plan=("report", "confront"),
    step=0,
    subject="gerd",
    target="ally:Torben",
    target_handle=42,
    commands=(Command(cmd="call_help", name="Runa", target="ally:Torben", say="Come!"),),
)


def sweep(head: Head = CALM, **settings: Any) -> Sweep:
    return Sweep(head, ALL, LadderSettings(**settings))


def one(
    head: Head = CALM,
    character: Character | None = None,
    *,
    move: IntentionMove | None = None,
    verdict: ParkedVerdict | None = None,
    **frame: Any,
) -> SweepRow:
    """The only row of a sweep over one character."""
    (row,) = sweep(head).run(
        frame_of(character or person(), **frame),
        {} if move is None else {"runa": move},
        {} if verdict is None else {"runa": verdict},
        {},
    )
    return row


def verdict(t: float = START, **more: Any) -> ParkedVerdict:
    given: dict[str, Any] = {"name": "Runa", "verb": "confront", "tup": "other", "top2": ("a", "b")}
    return ParkedVerdict(**(given | {"t_parked": t} | more))


def extra(row: SweepRow) -> list[str]:
    """The fields of the receipt beyond those that are always there."""
    return [name for name in row.receipt if name not in ALWAYS]


# -------------------------------------------------------------------- tier by tier


def test_calm() -> None:
    row = one()
    assert (row.name, row.key, row.served) == ("Runa", "runa", "calm")
    assert list(row.receipt) == ALWAYS
    assert row.receipt["probs"]["stay"] == row.receipt["conf"] == 0.95
    assert row.receipt["tau"] == 0.85
    assert row.commands == ()


def test_routine_leads_to_the_station_of_the_day() -> None:
    row = one(CALM, person(scheduled="gate", station="inn"))
    assert row.served == "routine"
    assert row.commands == (Command(cmd="go_station", name="Runa", target="station:gate"),)
    assert extra(row) == ["features", "cmds"]
    assert row.source == "raw"


def test_emitted() -> None:
    row = one(FLEES)
    assert row.served == "emitted"
    assert row.receipt["action"] == "flee"
    assert row.receipt["cmds"] == [{"cmd": "flee", "name": "Runa"}]
    assert extra(row) == ["features", "cmds"]
    assert list(row.receipt["features"]) == list(FEATURES)
    assert row.source == "student"


def test_an_emitted_reflex_is_aimed() -> None:
    row = one(FixedHead({"confront": 0.9}), player=Player(x=1.0, y=1.0))
    assert row.commands == (Command(cmd="confront", name="Runa", target="player"),)


@pytest.mark.parametrize(
    ("about", "served"),
    [
        ({"order": Order(text="stay")}, "held"),
        ({"order": Order(text="stay", forbids=("flee",))}, "held"),
        ({"order": Order(text="hush", forbids=("demand",))}, "emitted"),
        ({"lease": Lease(role="fool", pose="watch")}, "held"),
    ],
)
def test_what_holds_the_body(about: dict[str, Any], served: str) -> None:
    row = one(FLEES, person(**about))
    assert row.served == served
    assert bool(row.commands) == (served == "emitted")


def test_recast_puts_the_pose_back_whatever_else_there_is() -> None:
    leased = person(lease=Lease(role="fool", pose="idle_social", reapply=True))
    row = one(FLEES, leased, move=PLAN, verdict=verdict())
    assert row.served == "recast"
    assert row.receipt["episode"] == "cast:fool"
    assert row.commands == (Command(cmd="idle_social", name="Runa"),)
    assert extra(row) == ["features", "episode", "cmds"]
    assert row.verdict is None
    assert row.source == "raw"


def test_intention_tells_its_step() -> None:
    row = one(TORN, move=PLAN)
    assert row.served == "intention"
    assert row.commands == PLAN.commands
    assert extra(row) == [
        "features",
        "episode",
        "desire",
        "evidence",
        "plan",
        "step",
        "subject",
        "target",
        "target_handle",
        "cmds",
    ]
    assert row.receipt["plan"] == ["report", "confront"]
    assert row.receipt["target_handle"] == 42
    assert row.source == "plan"


def test_an_intention_about_the_player_names_no_subject() -> None:
    row = one(TORN, move=replace(PLAN, subject=None, target=None, target_handle=None))
    assert not {"subject", "target_handle"} & set(row.receipt)
    assert row.receipt["target"] == "self"


def test_intention_over_order() -> None:
    row = one(TORN, person(order=Order(text="stay")), move=replace(PLAN, over_order=True))
    assert row.served == "intention-over-order"
    assert "desire" in row.receipt
    assert row.source == "plan"


def test_intention_hold_tells_only_its_episode() -> None:
    row = one(FLEES, move=replace(PLAN, acts=False))
    assert row.served == "intention-hold"
    assert row.commands == ()
    assert extra(row) == ["features", "episode"]


def test_llm_verdict() -> None:
    row = one(CALM, verdict=verdict())
    assert row.served == "llm-verdict"
    assert row.receipt["action"] == "stay"
    assert row.commands == (Command(cmd="confront", name="Runa"),)
    assert row.verdict == "served"
    assert row.source == "student"


def test_a_verdict_may_name_its_target_and_may_be_calm() -> None:
    aimed = one(CALM, verdict=verdict(target="ally:Pip"))
    assert aimed.commands == (Command(cmd="confront", name="Runa", target="ally:Pip"),)
    calm = one(FLEES, verdict=verdict(verb="watch"))
    assert (calm.served, calm.commands) == ("llm-verdict", ())


def test_a_verdict_is_served_under_an_order() -> None:
    assert one(CALM, person(order=Order(text="stay")), verdict=verdict()).served == "llm-verdict"


def test_escalated_asks_the_mind() -> None:
    row = one(TORN)
    assert row.served == "escalated"
    assert extra(row) == ["features", "top2", "tup", "why"]
    assert row.receipt["top2"] == [["flee", 0.5], ["stay", 0.4]]
    assert row.receipt["tup"].startswith("alarm=0|arch=guard|")
    assert "Runa" not in row.receipt["tup"]
    dilemma = row.dilemma
    assert dilemma is not None
    assert dilemma.pair == ("flee", "stay")
    assert dilemma.options == tuple(ACTIONS)
    assert row.commands == ()


def test_quiet_dilemma_asks_nobody() -> None:
    row = one(IDLE)
    assert (row.served, row.dilemma, row.commands) == ("quiet-dilemma", None, ())
    assert extra(row) == ["features"]


def test_the_scene_and_the_intention_are_told_on_every_row_they_run() -> None:
    leased = person(lease=Lease(role="queen", pose="watch"))
    assert one(CALM, leased).receipt["episode"] == "cast:queen"
    assert one(TORN, leased).receipt["episode"] == "cast:queen"
    assert one(CALM, leased, move=PLAN).receipt["episode"] == "runa-1"
    assert "features" not in one(CALM, leased).receipt


# -------------------------------------------------------------------- why it escalates


@pytest.mark.parametrize(
    ("leaning", "allows", "why"),
    [
        ({"flee": 0.5, "stay": 0.4}, tuple(ACTIONS), "below-tau"),
        ({"flee": 0.45, "stay": 0.4}, tuple(ACTIONS), "close-call"),
        ({"flee": 0.6, "call_help": 0.2, "stay": 0.1}, ("stay", "call_help"), "masked"),
    ],
)
def test_why_a_row_escalates(leaning: dict[str, float], allows: tuple[str, ...], why: str) -> None:
    (row,) = Sweep(FixedHead(leaning), {"*": manifest(*allows)}).run(frame_of(), {}, {}, {})
    assert row.receipt["why"] == why


# -------------------------------------------------------------------- the mask


def test_the_mask_is_told_where_it_took_something() -> None:
    head = FixedHead({"flee": 0.6, "stay": 0.4})
    (row,) = Sweep(head, {"*": manifest("stay", "watch")}).run(frame_of(), {}, {}, {})
    mask = row.receipt["mask"]
    assert mask["pre"]["flee"] == 0.6
    assert mask["post"] == row.receipt["probs"]
    assert mask["post"]["stay"] == 1.0
    assert mask["masked"] == [a for a in ACTIONS if a not in ("stay", "watch")]
    assert row.served == "calm"


def test_no_mask_where_nothing_was_lost() -> None:
    (row,) = Sweep(FixedHead({"stay": 1.0}), {"*": manifest("stay")}).run(frame_of(), {}, {}, {})
    assert "mask" not in row.receipt


def test_conf_is_compared_after_masking_and_rounding() -> None:
    almost = FixedHead({"flee": 0.84996})
    assert one(almost).served == "emitted"
    assert one(almost).receipt["conf"] == 0.85
    assert one(FixedHead({"flee": 0.84994})).served == "escalated"


def test_of_equal_probabilities_the_first_action_wins() -> None:
    row = one(FixedHead({"flee": 0.5, "confront": 0.5}))
    assert row.receipt["action"] == "flee"


# -------------------------------------------------------------------- the debounce window


def test_the_same_dilemma_is_held_within_the_window() -> None:
    brain = sweep(TORN, debounce_s=10.0)
    served = []
    for tick in range(7):
        (row,) = brain.run(frame_of(tick=tick), {}, {}, {})
        served.append(row.served)
    assert served == ["escalated", *["escalation-held"] * 4, "escalated", "escalation-held"]


def test_another_situation_is_another_dilemma() -> None:
    brain = sweep(TORN)
    day, night = frame_of(tick=0), frame_of(tick=1, night=True)
    assert [brain.run(f, {}, {}, {})[0].served for f in (day, night)] == ["escalated"] * 2


def test_two_characters_in_one_dilemma_are_both_asked() -> None:
    rows = sweep(TORN).run(frame_of(person(), person("Torben", x=500.0)), {}, {}, {})
    assert [row.served for row in rows] == ["escalated", "escalated"]


def test_a_held_row_asks_nothing() -> None:
    brain = sweep(TORN)
    brain.run(frame_of(), {}, {}, {})
    (row,) = brain.run(frame_of(tick=1), {}, {}, {})
    assert (row.served, row.dilemma) == ("escalation-held", None)
    assert extra(row) == ["features"]


# -------------------------------------------------------------------- freshness


def test_a_verdict_is_good_for_two_sweeps() -> None:
    brain = sweep(CALM)
    fates = []
    for tick in range(4):
        parked = {"runa": verdict(START)} if tick else {}
        (row,) = brain.run(frame_of(tick=tick), {}, parked, {})
        fates.append(row.verdict)
    assert fates == [None, "served", "served", "late"]


def test_or_for_as_long_as_the_dilemma_is_still_the_same() -> None:
    brain = sweep(TORN, debounce_s=60.0)
    (asked,) = brain.run(frame_of(), {}, {}, {})
    assert asked.dilemma is not None
    parked = verdict(START, tup=asked.dilemma.tup, top2=("stay", "flee"))
    for tick in range(1, 5):
        brain.run(frame_of(tick=tick), {}, {}, {})
    (row,) = brain.run(frame_of(tick=5), {}, {"runa": parked}, {})
    assert (row.served, row.verdict) == ("llm-verdict", "served")
    other = replace(parked, top2=("flee", "watch"))
    (row,) = brain.run(frame_of(tick=6), {}, {"runa": other}, {})
    assert (row.served, row.verdict) == ("escalation-held", "late")


def test_an_older_save_does_not_make_its_verdicts_late() -> None:
    brain = sweep(CALM)
    for tick in (10, 11, 12):
        brain.run(frame_of(tick=tick), {}, {}, {})
    brain.run(frame_of(tick=2), {}, {}, {})
    parked = verdict(START + 4)
    (row,) = brain.run(frame_of(tick=3), {}, {"runa": parked}, {})
    assert row.verdict == "served"


def test_a_dilemma_that_is_over_keeps_no_verdict_fresh() -> None:
    brain = sweep(CALM, verdict_fresh_s=3.0)
    frame = frame_of()
    parked = {"runa": verdict(START)}
    assert brain.run(later(frame, 3.0), {}, parked, {})[0].verdict == "served"
    assert brain.run(later(frame, 3.1), {}, parked, {})[0].verdict == "late"


def test_a_verdict_waits_behind_a_higher_rung_until_it_is_late() -> None:
    brain, fates = sweep(CALM), []
    for tick in range(4):
        parked = {"runa": verdict(START)} if tick else {}
        (row,) = brain.run(frame_of(tick=tick), {"runa": PLAN}, parked, {})
        fates.append((row.served, row.verdict))
    assert fates == [("intention", None)] * 3 + [("intention", "late")]


def test_a_verdict_for_a_barred_verb_is_never_served() -> None:
    brain = Sweep(CALM, {"*": manifest("stay", "flee")})
    (row,) = brain.run(frame_of(), {}, {"runa": verdict(verb="confront")}, {})
    assert (row.served, row.verdict) == ("calm", "barred")


# -------------------------------------------------------------------- the frame


def test_the_actions_of_a_receipt_are_those_of_the_contract() -> None:
    assert list(by_action(range(16)).items()) == [(a, i) for i, a in enumerate(ACTIONS)]


def test_the_dead_have_no_row_and_the_index_is_the_frames() -> None:
    rows = sweep().run(frame_of(person(alive=False), person("Pip")), {}, {}, {})
    assert [(row.name, row.receipt["npc"]) for row in rows] == [("Pip", 1)]


def test_an_empty_frame_has_no_rows() -> None:
    empty = Frame(world="w", tab="t", tick=0, t=0.0, characters=())
    assert sweep().run(empty, {}, {}, {}) == []


def test_who_is_meant_goes_by_key() -> None:
    (row,) = sweep().run(frame_of(person("RUNA")), {"runa": PLAN}, {}, {})
    assert (row.name, row.served) == ("RUNA", "intention")


def test_grudges_reach_the_head() -> None:
    head = FixedHead({"stay": 1.0})
    Sweep(head, ALL).run(frame_of(), {}, {}, {"runa": 0.6})
    assert head.seen[0][0][FEATURES.index("grudge")] == 0.6


def test_time_has_two_decimals() -> None:
    (row,) = sweep().run(replace(frame_of(), t=12.345678), {}, {}, {})
    assert row.receipt["t"] == 12.35


def test_a_receipt_is_plain_json() -> None:
    for row in (one(TORN), one(TORN, move=PLAN), one(CALM, verdict=verdict())):
        assert orjson.loads(orjson.dumps(row.receipt)) == row.receipt


def test_a_head_of_the_wrong_shape_is_named() -> None:
    class Short:
        def probabilities(self, features: Any) -> Any:
            return np.zeros((len(features), 3))

    with pytest.raises(HeadError) as caught:
        sweep(Short()).run(frame_of(), {}, {}, {})
    assert str(caught.value) == "the head answered with shape (1, 3) to 1 characters; give (1, 16)"
