"""Entities, a mind at one tick, and the limits it lives under."""

import math
from collections import UserString, deque
from typing import Any

import pytest

from cognition import Entity, ExecutiveParams, Focus, FocusKind, StateView


def test_the_defaults_are_those_that_others_rely_on() -> None:
    params = ExecutiveParams()
    assert (params.max_facets, params.facet_idle_ttl_ticks, params.deliberate_threshold) == (
        10,
        3000,
        0.5,
    )
    state = StateView(tick=0)
    assert (dict(state.entities), dict(state.metrics), state.params) == ({}, {}, params)


def test_an_entity_shares_nothing_with_what_it_was_made_of() -> None:
    inside: dict[str, Any] = {"queue": deque([1, [2]]), "bytes": bytearray(b"x"), "set": {1}}
    entity = Entity(id="e", type="note", metadata=inside)
    inside["queue"].append(3)
    assert entity.metadata == {"queue": (1, (2,)), "bytes": b"x", "set": frozenset({1})}
    assert Entity(id="e", type="note").metadata == {}


def test_what_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="metadata is nested too deeply, or holds itself"):
        Entity(id="e", type="note", metadata={"loop": loop})


def test_a_state_is_read_only_and_keeps_its_own_copy() -> None:
    entities = {"e": Entity(id="e", type="note")}
    state = StateView(tick=1, entities=entities, metrics={"energy.level": 5.0})
    entities.clear()
    assert list(state.entities) == ["e"]
    with pytest.raises(TypeError):
        state.metrics["energy.level"] = 1.0  # type: ignore[index]
    with pytest.raises(AttributeError):
        state.tick = 2  # type: ignore[misc]


@pytest.mark.parametrize("tick", [-1, True, 1.0, None, "1"])
def test_a_tick_is_a_non_negative_int(tick: Any) -> None:
    with pytest.raises(ValueError, match="tick must be a non-negative int"):
        StateView(tick=tick)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_facets", -1),
        ("max_facets", 2.5),
        ("max_goals", True),
        ("facet_idle_ttl_ticks", -1),
        ("facet_idle_ttl_ticks", math.nan),
        ("master_cooldown_ticks", 1.5),
        ("thought_deadline_ticks", -1),
        ("deliberate_threshold", math.nan),
        ("master_salience", "high"),
    ],
)
def test_a_limit_that_makes_no_sense_is_named(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{field} must be"):
        ExecutiveParams(**{field: value})


def test_never_is_a_span_too() -> None:
    assert ExecutiveParams(facet_idle_ttl_ticks=math.inf).facet_idle_ttl_ticks == math.inf


@pytest.mark.parametrize(
    ("value", "where", "kind"),
    [
        ({"o": object()}, "metadata.o", "object"),
        (
            {"data": {"list": [1, {"deep": UserString("x")}]}},
            "metadata.data.list[1].deep",
            "UserString",
        ),
        ({"data": iter([1])}, "metadata.data", "list_iterator"),
        ({"keys": {"a": 1}.values()}, "metadata.keys", "dict_values"),
    ],
)
def test_what_is_no_json_value_is_refused_by_its_place(value: Any, where: str, kind: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        Entity(id="e", type="t", metadata=value)
    assert str(caught.value) == f"{where} must be a JSON value, got an object of type {kind!r}"


def test_the_contents_of_a_focus_are_json_values_too() -> None:
    with pytest.raises(ValueError, match=r"data\.who must be a JSON value"):
        Focus(kind=FocusKind.WORK, data={"who": object()})
