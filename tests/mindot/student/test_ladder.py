"""Every rung of the ladder, and which goes before which."""

from typing import Any

import pytest

from mindot.game.contract import TIERS
from mindot.game.moves import IntentionMove
from mindot.student.ladder import LadderSettings, dilemma_tier, settled_tier

ACTS = IntentionMove(episode="i1", acts=True)
DEFIES = IntentionMove(episode="i1", acts=True, over_order=True)
WAITS = IntentionMove(episode="i1", acts=False)

NOTHING: dict[str, Any] = {
    "recast": False,
    "move": None,
    "verdict": False,
    "sure": False,
    "calm": False,
    "off_station": False,
    "bound": False,
}


@pytest.mark.parametrize(
    ("given", "tier"),
    [
        ({"recast": True}, "recast"),
        ({"move": ACTS}, "intention"),
        ({"move": DEFIES}, "intention-over-order"),
        ({"move": WAITS}, "intention-hold"),
        ({"verdict": True}, "llm-verdict"),
        ({"sure": True, "calm": True}, "calm"),
        ({"sure": True, "calm": True, "off_station": True}, "routine"),
        ({"sure": True, "bound": True}, "held"),
        ({"sure": True}, "emitted"),
        ({}, None),
    ],
)
def test_each_rung_alone(given: dict[str, Any], tier: str | None) -> None:
    assert settled_tier(**(NOTHING | given)) == tier


SPEAKERS: list[tuple[dict[str, Any], str]] = [
    ({"recast": True}, "recast"),
    ({"move": ACTS}, "intention"),
    ({"verdict": True}, "llm-verdict"),
    ({"sure": True, "bound": True}, "held"),
]


@pytest.mark.parametrize("rung", range(len(SPEAKERS)))
def test_a_rung_speaks_before_all_below_it(rung: int) -> None:
    given = NOTHING.copy()
    for below, _ in SPEAKERS[rung:]:
        given |= below
    assert settled_tier(**given) == SPEAKERS[rung][1]


def test_a_waiting_plan_keeps_a_verdict_from_being_served() -> None:
    assert settled_tier(**(NOTHING | {"move": WAITS, "verdict": True})) == "intention-hold"


def test_defiance_is_only_for_a_step_that_acts() -> None:
    waits = IntentionMove(episode="i1", acts=False, over_order=True)
    assert settled_tier(**(NOTHING | {"move": waits})) == "intention-hold"


def test_an_order_does_not_keep_a_character_from_being_calm() -> None:
    assert settled_tier(**(NOTHING | {"sure": True, "calm": True, "bound": True})) == "calm"


def test_only_a_calm_head_follows_the_day() -> None:
    assert settled_tier(**(NOTHING | {"sure": True, "off_station": True})) == "emitted"
    assert settled_tier(**(NOTHING | {"off_station": True, "calm": True})) is None


@pytest.mark.parametrize(
    ("both_calm", "asked", "tier"),
    [
        (True, False, "quiet-dilemma"),
        (True, True, "quiet-dilemma"),
        (False, True, "escalation-held"),
        (False, False, "escalated"),
    ],
)
def test_the_three_ways_of_an_undecided_row(both_calm: bool, asked: bool, tier: str) -> None:
    assert dilemma_tier(both_calm=both_calm, asked=asked) == tier


def test_all_twelve_tiers_have_a_rung() -> None:
    reached = {
        settled_tier(**(NOTHING | {"recast": r, "move": m, "verdict": v} | {"sure": s} | c))
        for r in (True, False)
        for m in (None, ACTS, DEFIES, WAITS)
        for v in (True, False)
        for s in (True, False)
        for c in (
            {"calm": True},
            {"calm": True, "off_station": True},
            {"bound": True},
            {},
        )
    }
    reached |= {dilemma_tier(both_calm=b, asked=a) for b in (True, False) for a in (True, False)}
    assert reached - {None} == set(TIERS)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"tau": 1.5}, "tau is 1.5; give a probability from 0 to 1"),
        ({"tau": float("nan")}, "tau is nan; give a probability from 0 to 1"),
        ({"debounce_s": -1.0}, "debounce_s is -1.0; give seconds, 0 or more"),
        ({"verdict_fresh_s": -2.0}, "verdict_fresh_s is -2.0; give seconds, 0 or more, or None"),
    ],
)
def test_settings_name_what_is_wrong(given: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is the test
        LadderSettings(**given)
    assert str(caught.value) == text
