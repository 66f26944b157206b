"""Fields of a mind's lasting document, each checked before it is taken over.

Every reader raises ValueError naming the field, so that a document is refused while it is read and
not when a mind, much later, comes to use what is wrong in it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cognition._values import is_count, shown

__all__ = ["count", "document_of", "number_of", "rows", "string", "table", "text", "texts"]


def document_of(value: object) -> dict[str, Any]:
    """``value`` as plain JSON values of its own. Other objects, NaN, infinities and what is nested
    beyond reading are refused."""
    if not isinstance(value, Mapping):
        raise ValueError(f"the document must be a mapping, got {type(value).__name__}")  # noqa: TRY004
    try:
        # ASCII keeps lone surrogates, which a model can send
        plain: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the document must hold JSON values only: {error}") from None
    return plain


def count(document: Mapping[str, Any], field: str) -> int:
    """A non-negative int."""
    value = document.get(field)
    if not is_count(value):
        raise ValueError(f"{field} must be a non-negative int, got {shown(value)}")
    return int(value)  # type: ignore[arg-type]


def text(document: Mapping[str, Any], field: str) -> str | None:
    """A string, or None where there is none."""
    value = document.get(field)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{field} must be a string, got {shown(value)}")
    return value


def string(document: Mapping[str, Any], field: str) -> str:
    """A string."""
    value = text(document, field)
    if value is None:
        raise ValueError(f"{field} is missing: there must be a string")
    return value


def table(document: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """A mapping."""
    value = document.get(field)
    if not isinstance(value, Mapping):
        raise ValueError(f"{field} must be a mapping, got {shown(value)}")  # noqa: TRY004
    return value


def rows(document: Mapping[str, Any], field: str) -> Sequence[Mapping[str, Any]]:
    """A list of mappings."""
    value = document.get(field)
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise ValueError(f"{field} must be a list of mappings, got {shown(value)}")
    return value


def texts(document: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """A list of strings."""
    value = document.get(field)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{field} must be a list of strings, got {shown(value)}")
    return tuple(value)


def number_of(short_id: str, letter: str) -> int:
    """The number in a short id such as ``p12``."""
    digits = short_id[1:]
    if short_id[:1] != letter or not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"{shown(short_id)} is no id: use {letter}1, {letter}2 and so on")
    return int(digits)
