"""The names that cross between the game and its records."""

import re

from mindot.game.contract import (
    ACTIONS,
    CALM_ACTIONS,
    CODES,
    DECISION_FIELDS,
    FEATURE_MEANINGS,
    FEATURES,
    INTENTION_TIERS,
    KINDS,
    LANES,
    RECEIPT_FIELDS,
    TIERS,
    UNSURE_TIERS,
    Family,
)


def test_the_sixteen_actions_in_the_heads_order() -> None:
    assert list(ACTIONS) == [
        "stay",
        "watch",
        "idle_social",
        "greet_approach",
        "serve",
        "warn_say",
        "investigate",
        "flee",
        "confront",
        "call_help",
        "claim_task",
        "resume_task",
        "complain",
        "demand",
        "guard_player",
        "go_station",
    ]
    assert {"stay", "watch", "idle_social"} == CALM_ACTIONS


def test_the_twelve_tiers_and_their_families() -> None:
    families = {name: tier.family for name, tier in TIERS.items()}
    assert families == {
        "emitted": Family.ACTED,
        "calm": Family.QUIET,
        "held": Family.REFUSAL,
        "routine": Family.QUIET,
        "intention": Family.ACTED,
        "intention-over-order": Family.ACTED,
        "intention-hold": Family.QUIET,
        "escalated": Family.UNSURE,
        "escalation-held": Family.UNSURE,
        "quiet-dilemma": Family.UNSURE,
        "llm-verdict": Family.ACTED,
        "recast": Family.ACTED,
    }
    assert {"intention", "intention-over-order", "intention-hold"} == INTENTION_TIERS
    assert {"escalated", "escalation-held", "quiet-dilemma"} == UNSURE_TIERS


def test_forty_three_inputs_the_known_five_among_them() -> None:
    assert len(FEATURES) == len(set(FEATURES)) == 43
    assert set(FEATURES) == set(FEATURE_MEANINGS)
    known = {"dist_n", "player_armed", "armed_close", "unmet_need", "has_command"}
    assert known <= set(FEATURES)


def test_the_receipt_starts_with_what_is_always_there() -> None:
    always = [name for name, field in RECEIPT_FIELDS.items() if field.when == "always"]
    assert list(RECEIPT_FIELDS)[: len(always)] == always
    assert always == [
        "v",
        "t",
        "world",
        "tab",
        "npc",
        "name",
        "served",
        "action",
        "conf",
        "tau",
        "probs",
    ]


def test_every_code_a_tier_names_is_explained() -> None:
    named = {tier.code for tier in TIERS.values() if tier.code is not None}
    assert named <= set(CODES)
    assert all(re.fullmatch(r"LW\d{4}", code) for code in CODES)


def test_every_field_of_a_kind_has_a_meaning() -> None:
    used = {field for kind in KINDS.values() for field in (*kind.fields, *kind.optional)}
    assert used <= set(DECISION_FIELDS)


def test_lanes_draw_from_known_kinds_and_the_texts_need_a_switch() -> None:
    for lane in LANES.values():
        assert set(lane.kinds) <= set(KINDS)
    assert [name for name, lane in LANES.items() if lane.needs_switch] == ["gate"]


def test_everything_has_words() -> None:
    meanings = [
        *(action.meaning for action in ACTIONS.values()),
        *(tier.meaning for tier in TIERS.values()),
        *(kind.meaning for kind in KINDS.values()),
        *(field.meaning for field in RECEIPT_FIELDS.values()),
    ]
    assert all(meaning.strip() for meaning in meanings)
    assert all(meaning.strip() for meaning in FEATURE_MEANINGS.values())
