"""Small questions about values that several modules ask the same way."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any

__all__ = ["as_count", "as_number", "freeze", "is_blank", "is_count", "thaw"]


def is_blank(text: str) -> bool:
    """Whether a reader of ``text`` would see nothing at all.

    Characters that leave no mark (a zero-width space, a control character) count as blanks: a
    promise made of them would take up a line of a prompt and say nothing.
    """
    if text[:1].isalnum():  # nearly always, and known at a glance
        return False
    return all(ch.isspace() or not ch.isprintable() for ch in text)


def is_count(value: object) -> bool:
    """Whether ``value`` is a non-negative int; a boolean is not."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def as_count(value: object) -> int | None:
    """``value`` as a non-negative int, or None when it is anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def as_number(value: object) -> float | None:
    """``value`` as a finite float, or None for booleans, words, NaN and infinities."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def freeze(value: Any) -> Any:
    """``value`` with every container in it replaced by one that cannot be changed.

    The result shares no container with the argument, so that whoever still holds the original
    cannot reach in. Mappings become read-only mappings, sequences tuples, sets frozensets.
    """
    match value:
        case str() | bytes() | bool() | int() | float() | None:
            return value
        case Mapping():
            return MappingProxyType({key: freeze(item) for key, item in value.items()})
        case bytearray() | memoryview():
            return bytes(value)
        case AbstractSet():
            return frozenset(freeze(item) for item in value)
        case Sequence():
            return tuple(freeze(item) for item in value)
        case _:
            return value


def thaw(value: Any) -> Any:
    """Plain dicts and lists again, for whoever has to write ``value`` as JSON."""
    match value:
        case str() | bytes() | bool() | int() | float() | None:
            return value
        case Mapping():
            return {key: thaw(item) for key, item in value.items()}
        case AbstractSet():
            return sorted((thaw(item) for item in value), key=repr)
        case Sequence():
            return [thaw(item) for item in value]
        case _:
            return value
