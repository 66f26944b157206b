import json
from collections.abc import Iterator
from typing import Any

from cognition.response import parse_response
from llm_wire.answer_schema import MAX_ACTIONS, answer_schema


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from _objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _objects(part)


def test_every_object_is_closed_and_whole() -> None:
    # the strict modes of OpenAI and Anthropic refuse any other
    objects = list(_objects(answer_schema(["stay"])))
    assert len(objects) == 3
    for schema in objects:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_the_actions_come_first() -> None:
    assert list(answer_schema()["properties"]) == [
        "actions",
        "reasoning",
        "confidence",
        "undertakings",
        "escalation",
    ]


def test_verbs_bind_the_type() -> None:
    def verb(schema: dict[str, Any]) -> Any:
        return schema["properties"]["actions"]["items"]["properties"]["type"]

    assert verb(answer_schema(["stay", "flee", "stay"])) == {
        "type": "string",
        "enum": ["stay", "flee"],
    }
    assert verb(answer_schema()) == {"type": "string"}


def test_doing_nothing_can_be_a_choice() -> None:
    assert answer_schema()["properties"]["actions"]["minItems"] == 1
    free = answer_schema(least_actions=0)["properties"]["actions"]
    assert (free["minItems"], free["maxItems"]) == (0, MAX_ACTIONS)


def test_what_it_asks_for_is_what_is_read() -> None:
    action = {"type": "flee", "target": None, "reasoning": "r", "expectedOutcome": "o"}
    answer = {
        "actions": [action],
        "reasoning": "I run.",
        "confidence": 0.5,
        "undertakings": [{"what": "tell Hod", "target": "hod", "gist": None}],
        "escalation": None,
    }
    assert set(answer) == set(answer_schema()["required"])
    read = parse_response(json.dumps(answer))
    assert str(read.route) == "json"
    assert [a.type for a in read.actions] == ["flee"]
    assert len(read.undertakings) == 1
    assert read.escalation is None
    assert read.problems == []
