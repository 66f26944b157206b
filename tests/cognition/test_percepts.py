"""The one builder of percepts, the sweeper and the rupture gate."""

import copy
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import (
    Entity,
    PerceptFacts,
    Provenance,
    StateView,
    can_rupture,
    percept_entity,
    reconcile_undertakings,
    stale_percept_ids,
    validate_handoff,
)
from cognition.percepts import rebuilt_percept
from cognition.testing import percept_facts, percepts
from tests.cognition.rig import Rig, news

FACTS: dict[str, Any] = {
    "id": "p",
    "tick": 3,
    "salience": 0.5,
    "category": "theft",
    "summary": "somebody took a loaf",
    "provenance": "exafferent",
}
FACT_KEYS = (
    "id",
    "tick",
    "salience",
    "category",
    "summary",
    "provenance",
    "sourceIntentId",
    "entityId",
    "changeType",
    "valence",
    "valenceSource",
)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def percept(**changes: Any) -> Entity:
    return percept_entity(PerceptFacts(**{**FACTS, **changes}))


def test_a_percept_has_its_facts_in_camel_case() -> None:
    built = percept(entity_id="tom", source_intent_id="i1", change_type="gone", valence=-0.5)
    assert built.type == "percept"
    assert built.id == "p"
    assert built.metadata == {
        "tick": 3,
        "salience": 0.5,
        "category": "theft",
        "summary": "somebody took a loaf",
        "provenance": "exafferent",
        "entityId": "tom",
        "sourceIntentId": "i1",
        "changeType": "gone",
        "valence": -0.5,
    }


@given(percept_facts(), st.dictionaries(st.sampled_from(FACT_KEYS) | st.text(), json_values))
def test_no_extra_can_change_a_fact(facts: PerceptFacts, extra: dict[str, Any]) -> None:
    plain = percept_entity(facts)
    built = percept_entity(facts, extra)
    for key in FACT_KEYS:
        assert built.metadata.get(key) == plain.metadata.get(key)
        assert (key in built.metadata) == (key in plain.metadata)
    assert set(built.metadata) == set(plain.metadata) | (set(extra) - set(FACT_KEYS))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("summary", None, "summary is missing: a percept needs one"),
        ("summary", " \t\u200b", "summary must be a string that is not blank"),
        ("summary", 5, "summary must be a string that is not blank, got 5"),
        ("category", None, "category is missing"),
        ("id", "", "id must be a string that is not blank"),
        ("tick", None, "tick must be a non-negative int, got None"),
        ("tick", -1, "tick must be a non-negative int, got -1"),
        ("tick", True, "tick must be a non-negative int, got True"),
        ("tick", 1.0, "tick must be a non-negative int, got 1.0"),
        ("salience", None, "salience must be a finite number in 0..1, got None"),
        ("salience", 1.01, "salience must be a finite number in 0..1, got 1.01"),
        ("salience", -0.0001, "salience must be a finite number in 0..1"),
        ("salience", math.nan, "salience must be a finite number in 0..1, got nan"),
        ("salience", math.inf, "salience must be a finite number in 0..1, got inf"),
        ("salience", True, "salience must be a finite number in 0..1, got True"),
        ("salience", 10**400, "salience must be a finite number in 0..1"),
        ("provenance", None, "provenance must be one of exafferent, reafferent, unknown"),
        ("provenance", "dream", "provenance must be one of .*, got 'dream'"),
        ("provenance", [], "provenance must be one of"),
    ],
)
def test_a_wrong_fact_is_named(field: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        percept(**{field: value})


def test_a_fact_that_is_left_out_is_named() -> None:
    for field in FACTS:
        facts = PerceptFacts(**{k: v for k, v in FACTS.items() if k != field})
        with pytest.raises(ValueError, match=field):
            percept_entity(facts)


def test_a_percept_cannot_be_changed_however_deep() -> None:
    inside = {"list": [1, {"deep": [2]}], "set": {3}}
    built = percept_entity(PerceptFacts(**FACTS), {"data": inside})
    inside["list"].append("later")  # type: ignore[attr-defined]
    assert built.metadata["data"]["list"] == (1, {"deep": (2,)})
    with pytest.raises(TypeError):
        built.metadata["tick"] = 9  # type: ignore[index]
    with pytest.raises(TypeError):
        built.metadata["data"]["list"][1]["deep"] = 9
    with pytest.raises(AttributeError):
        built.id = "q"  # type: ignore[misc]
    assert copy.deepcopy(built) is built
    assert len({built, percept()}) == 2


@given(percepts())
def test_a_percept_survives_being_built_again(built: Entity) -> None:
    assert rebuilt_percept(built.id, built.metadata) == built
    seen = rebuilt_percept(built.id, built.metadata, {"seenAt": 4})
    assert seen.metadata == {**built.metadata, "seenAt": 4}


@pytest.mark.parametrize(
    ("changes", "tick", "expected"),
    [
        ({}, 3, True),
        ({}, 5, True),
        ({}, 6, False),
        ({}, 2, False),  # from the future
        ({"salience": 0.4}, 3, True),
        ({"salience": 0.399}, 3, False),
        ({"provenance": "reafferent"}, 3, False),
        ({"provenance": "unknown"}, 3, False),
    ],
)
def test_only_strong_fresh_news_from_the_world_ruptures(
    changes: dict[str, Any], tick: int, expected: bool
) -> None:
    assert can_rupture(percept(**changes), tick) is expected


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"tick": 3, "salience": 0.9},
        {"tick": 3, "salience": "0.9", "provenance": "exafferent"},
        {"tick": 3, "salience": math.nan, "provenance": "exafferent"},
        {"tick": "3", "salience": 0.9, "provenance": "exafferent"},
        {"tick": 3, "salience": 0.9, "provenance": "Exafferent"},
        {"tick": 3, "salience": 0.9, "provenance": ["exafferent"]},
    ],
)
def test_what_comes_off_the_wire_malformed_never_ruptures(metadata: dict[str, Any]) -> None:
    assert not can_rupture(Entity(id="w", type="percept", metadata=metadata), 3)


def test_only_percepts_rupture() -> None:
    assert not can_rupture(Entity(id="w", type="belief", metadata=percept().metadata), 3)


def test_the_sweeper_takes_what_is_older_than_two_ticks() -> None:
    entities = {
        "now": percept(id="now", tick=10),
        "edge": percept(id="edge", tick=8),
        "old": percept(id="old", tick=7),
        "future": percept(id="future", tick=12),
        "promise": percept(id="promise", tick=1, category="undertaking"),
        "task": percept(id="task", tick=1, category="task-escalation"),
        "belief": Entity(id="belief", type="belief", metadata={"tick": 0}),
        "broken": Entity(id="broken", type="percept", metadata={"tick": "soon"}),
    }
    assert stale_percept_ids(entities, 10) == ["old", "broken"]


def test_provenance_is_a_string() -> None:
    assert str(Provenance.EXAFFERENT) == "exafferent"
    assert percept(provenance=Provenance.UNKNOWN).metadata["provenance"] == "unknown"


class Named:
    """A key that only says what it is called."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


@pytest.mark.parametrize("fact", ["id", "tick", "provenance", "entityId", "sourceIntentId"])
def test_no_key_of_any_kind_slips_a_fact_past_its_check(fact: str) -> None:
    facts = PerceptFacts(
        id="a", tick=1, salience=0.5, category="c", summary="s", provenance="unknown"
    )
    extra: Any = {Named(fact): "slipped in", Named("mood"): "kept"}
    percept = percept_entity(facts, extra)
    assert percept.metadata == {**percept_entity(facts).metadata, "mood": "kept"}


@pytest.mark.parametrize("category", [{}, [], 5, None, [{}]])
def test_a_category_that_is_no_word_stops_nothing(category: Any) -> None:
    wild = Entity(
        id="w", type="percept", metadata={"category": category, "tick": 1, "salience": 0.9}
    )
    assert stale_percept_ids({"w": wild}, 9) == ["w"]
    assert not can_rupture(wild, 1)
    view = StateView(tick=1, entities={"w": wild})
    assert reconcile_undertakings([], view).discharge == []
    assert reconcile_undertakings([wild], StateView(tick=1)).keep == [wild]
    with pytest.raises(ValueError, match="category"):
        Rig().mind.perceive(wild)


@pytest.mark.parametrize(
    "unseen",
    ["\u3164", "\u115f\u1160", "\u2800", "\ufe0f", "\u034f", " \u200b\U000e0100", "\uffa0"],
)
def test_what_shows_nothing_is_blank(unseen: str) -> None:
    with pytest.raises(ValueError, match="what must not be blank"):
        validate_handoff({"body": {"kind": "undertaking", "what": unseen}, "tick": 1})
    with pytest.raises(ValueError, match="summary must be a string that is not blank"):
        news(1, summary=unseen)
    assert news(1, summary=f"{unseen}wolf").metadata["summary"] == f"{unseen}wolf"
