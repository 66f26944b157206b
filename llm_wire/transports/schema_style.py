"""How servers are told the answer's schema, and what some of them refuse in one."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, Final

__all__ = ["SchemaStyle", "names_schema", "without"]

_SCHEMA_WORDS: Final = (
    "response_format",
    "json_schema",
    "output_config",
    "output_format",
    "grammar",
)


class SchemaStyle(StrEnum):
    """How a server is told the answer's schema."""

    JSON_SCHEMA = "json_schema"
    """The provider's own way; llama.cpp's server, Ollama, vLLM and LM Studio take OpenAI's too."""
    JSON_OBJECT = "json_object"
    """As llama-cpp-python's server takes it: a JSON object, with the schema beside."""
    NONE = "none"
    """Not at all: the model is asked in plain text."""


def without(schema: Any, keywords: Collection[str]) -> Any:
    """``schema`` less the given keywords; properties of such a name stay."""
    if isinstance(schema, list):
        return [without(part, keywords) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: {name: without(part, keywords) for name, part in value.items()}
        if key == "properties"
        else without(value, keywords)
        for key, value in schema.items()
        if key not in keywords
    }


def names_schema(message: str) -> bool:
    """Whether a server's error speaks of the fields by which a schema is sent."""
    return any(word in message for word in _SCHEMA_WORDS)
