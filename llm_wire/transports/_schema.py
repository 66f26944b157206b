"""Schemas as the servers take them: some refuse one that limits numbers or lengths."""

from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["names_schema", "without"]

_SCHEMA_WORDS = ("response_format", "json_schema", "output_config", "output_format", "grammar")


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
