"""The JSON schema of the answer that a mind is asked for.

Servers that can hold a model to a schema get this one; the reading of the answer is the same with
and without. Every object is closed and requires all of its fields, as the strict modes of OpenAI
and Anthropic want it; what may be absent may be null instead.
"""

from collections.abc import Sequence
from typing import Any, Final

__all__ = ["MAX_ACTIONS", "MAX_SENTENCE", "MAX_UNDERTAKINGS", "answer_schema"]

MAX_ACTIONS: Final = 3
MAX_UNDERTAKINGS: Final = 3
"""More than a moment holds; a small model that begins to repeat itself is stopped here."""
MAX_SENTENCE: Final = 160
"""Characters of a reason or an expectation."""


def answer_schema(verbs: Sequence[str] = (), *, least_actions: int = 1) -> dict[str, Any]:
    """The schema; ``verbs``, if any, are all that an action's ``type`` may be.

    ``least_actions`` is 1 where something has to be decided, 0 where doing nothing is a choice.
    The actions come first: of an answer that is cut off, whole actions can still be used. Not for
    conversations: their words stand behind the object, and a model held to it cannot say them.
    """
    verb: dict[str, Any] = {"type": "string"}
    if verbs:
        verb["enum"] = list(dict.fromkeys(verbs))
    sentence = {"type": "string", "maxLength": MAX_SENTENCE}
    action = _object(
        type=verb,
        target={"type": ["string", "null"]},
        reasoning=sentence,
        expectedOutcome=sentence,
    )
    undertaking = _object(
        what=sentence,
        target={"type": ["string", "null"]},
        gist={"type": ["string", "null"]},
    )
    return _object(
        actions={
            "type": "array",
            "items": action,
            "minItems": least_actions,
            "maxItems": MAX_ACTIONS,
        },
        reasoning=sentence,
        confidence={"type": "number", "minimum": 0, "maximum": 1},
        undertakings={"type": "array", "items": undertaking, "maxItems": MAX_UNDERTAKINGS},
        escalation={"type": ["string", "null"]},
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
