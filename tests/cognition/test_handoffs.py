"""Handoffs are checked where they are published."""

from typing import Any

import pytest
from hypothesis import given

from cognition import Escalation, Handoff, HandoffError, Undertaking, validate_handoff
from cognition.testing import handoff_mappings

PROMISE = {"kind": "undertaking", "what": "mend the axe by Friday"}
TASK = {"kind": "escalation", "reasoning": "the mill is on fire"}


@pytest.mark.parametrize(
    ("given_mapping", "field", "message"),
    [
        (None, "handoff", "handoff must be a mapping, got NoneType"),
        ([], "handoff", "handoff must be a mapping, got list"),
        ({"tick": 1}, "body", "body is missing"),
        ({"tick": 1, "body": None}, "body", "body is missing"),
        ({"tick": 1, "body": "x"}, "body", "body must be a mapping, got str"),
        ({"tick": 1, "body": {}}, "kind", "kind is missing: use one of escalation, undertaking"),
        ({"tick": 1, "body": {"kind": "wish"}}, "kind", "kind 'wish' is unknown"),
        ({"tick": 1, "body": {"kind": ["wish"]}}, "kind", r"kind \['wish'\] is unknown"),
        ({"tick": 1, "body": {"kind": "undertaking"}}, "what", "what is missing"),
        ({"tick": 1, "body": {**PROMISE, "what": None}}, "what", "what is missing"),
        ({"tick": 1, "body": {**PROMISE, "what": " \u200b"}}, "what", "what must not be blank"),
        ({"tick": 1, "body": {**PROMISE, "what": 5}}, "what", "what must be a string, got 5"),
        ({"tick": 1, "body": {**PROMISE, "target": " "}}, "target", "target must not be blank"),
        ({"tick": 1, "body": {**PROMISE, "target": 5}}, "target", "target must be a string"),
        ({"tick": 1, "body": {**PROMISE, "gist": 5}}, "gist", "gist must be a string, got 5"),
        ({"tick": 1, "body": {"kind": "escalation"}}, "reasoning", "reasoning is missing"),
        ({"tick": 1, "body": {**TASK, "reasoning": ""}}, "reasoning", "must not be blank"),
        ({"tick": 1, "body": {**TASK, "reasoning": None}}, "reasoning", "reasoning is missing"),
        ({"body": TASK}, "tick", "tick is missing"),
        ({"tick": -1, "body": TASK}, "tick", "tick must be a non-negative int, got -1"),
        ({"tick": True, "body": TASK}, "tick", "tick must be a non-negative int, got True"),
        ({"tick": "1", "body": TASK}, "tick", "tick must be a non-negative int, got '1'"),
        ({"tick": 1, "body": TASK, "facetId": 5}, "facetId", "facetId must be a string, got 5"),
        (
            {"tick": 1, "body": TASK, "subject_name": 5},
            "subject_name",
            "subject_name must be a string",
        ),
    ],
)
def test_each_defect_has_its_own_error(given_mapping: Any, field: str, message: str) -> None:
    with pytest.raises(HandoffError, match=message) as caught:
        validate_handoff(given_mapping)
    assert caught.value.field == field
    assert isinstance(caught.value, ValueError)


def test_both_spellings_mean_the_same() -> None:
    camel = validate_handoff(
        {
            "tick": 1,
            "body": PROMISE,
            "facetId": "facet-1",
            "subjectEntityId": "tom",
            "subjectName": "Tom",
            "threadId": "t",
        }
    )
    snake = validate_handoff(
        {
            "tick": 1,
            "body": PROMISE,
            "facet_id": "facet-1",
            "subject_entity_id": "tom",
            "subject_name": "Tom",
            "thread_id": "t",
        }
    )
    assert camel == snake
    assert camel == Handoff(
        body=Undertaking(what="mend the axe by Friday"),
        tick=1,
        facet_id="facet-1",
        subject_entity_id="tom",
        subject_name="Tom",
        thread_id="t",
    )


def test_null_counts_as_absent_where_a_field_is_optional() -> None:
    body = {**PROMISE, "target": None, "gist": None, "reasoning": None}
    checked = validate_handoff({"tick": 1, "body": body, "facetId": None})
    assert checked.body == Undertaking(what="mend the axe by Friday")


def test_unknown_fields_are_passed_over() -> None:
    checked = validate_handoff({"tick": 1, "body": {**TASK, "mood": 1}, "colour": "red"})
    assert checked.body == Escalation(reasoning="the mill is on fire")


@given(handoff_mappings())
def test_a_checked_handoff_checks_again(mapping: dict[str, Any]) -> None:
    checked = validate_handoff(mapping)
    assert validate_handoff(checked.model_dump()) == checked
    assert validate_handoff({**mapping, "body": checked.body}) == checked


@pytest.mark.parametrize("blank", ["", "  ", "\n", "\u200b"])
def test_a_blank_required_field_is_refused_when_made(blank: str) -> None:
    with pytest.raises(ValueError, match="what"):
        Undertaking(what=blank)
    with pytest.raises(ValueError, match="target"):
        Undertaking(what="x", target=blank)
    with pytest.raises(ValueError, match="reasoning"):
        Escalation(reasoning=blank)


def test_a_handoff_is_frozen() -> None:
    handoff = Handoff(body=Escalation(reasoning="x"), tick=1)
    with pytest.raises(ValueError, match="frozen"):
        handoff.tick = 2


@pytest.mark.parametrize(
    "tick", [pytest.param(10**5000, id="endless"), pytest.param(10**301, id="huge"), -1, True, 1.5]
)
def test_a_tick_that_is_no_count_is_refused_when_the_handoff_is_made(tick: Any) -> None:
    with pytest.raises(ValueError, match="must be a non-negative int"):
        Handoff(body=Undertaking(what="w"), tick=tick)
    with pytest.raises(HandoffError, match="tick must be a non-negative int"):
        validate_handoff({"body": {"kind": "undertaking", "what": "w"}, "tick": tick})
