"""Small questions about values that several modules ask the same way."""

import math
from collections import UserString
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, Final

__all__ = ["as_count", "as_number", "freeze", "is_blank", "is_count", "shown", "thaw"]

SHOWN_CHARS: Final = 100
"""Of a value in an error message."""


MAX_COUNT: Final = 10**300
"""Far beyond any count, and still within what floats and decimal digits can express."""

_UNSEEN: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Fillers, joiners and variation selectors: Unicode counts them as letters, marks or symbols, and
on their own they show nothing."""


def shown(value: object) -> str:
    """``value`` for an error message: at most :data:`SHOWN_CHARS` characters, whatever it is."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - an int of thousands of digits, a broken object
        text = f"{type(value).__name__} that cannot be shown"
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


def is_blank(text: str) -> bool:
    """Whether a reader of ``text`` would see nothing at all.

    Characters that leave no mark (a zero-width space, a control character) count as blanks: a
    promise made of them would take up a line of a prompt and say nothing.
    """
    if text[:1].isalnum() and text[0] not in _UNSEEN:  # nearly always, and known at a glance
        return False
    return all(ch.isspace() or not ch.isprintable() or ch in _UNSEEN for ch in text)


def is_count(value: object) -> bool:
    """Whether ``value`` is a non-negative int of at most :data:`MAX_COUNT`; a boolean is not."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT


def as_count(value: object) -> int | None:
    """``value`` as a non-negative int, or None when it is anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT:
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


def freeze(value: Any, name: str) -> Any:
    """``value`` with every container in it replaced by one that cannot be changed.

    The result shares no container with the argument, so that whoever still holds the original
    cannot reach in. Mappings become read-only mappings, sequences tuples, sets frozensets. Raises
    ValueError where something in it is no value of this kind; ``name`` is how the message calls
    the whole.
    """
    try:
        return _frozen(value)
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply, or holds itself") from None
    except _ForeignError:
        where, foreign = _foreign(value, name) or (name, value)
        raise ValueError(
            f"{where} must be a JSON value, got an object of type {type(foreign).__name__!r}"
        ) from None


class _ForeignError(Exception):
    """Something that is neither a plain value nor a container of plain values."""


def _frozen(value: Any) -> Any:
    match value:
        case str() | bytes() | bool() | int() | float() | None:
            return value
        case Mapping():
            return MappingProxyType({key: _frozen(item) for key, item in value.items()})
        case bytearray() | memoryview():
            return bytes(value)
        case AbstractSet():
            return frozenset(_frozen(item) for item in value)
        case Sequence() if not isinstance(value, UserString):  # its items are as it is itself
            return tuple(_frozen(item) for item in value)
        case _:
            raise _ForeignError


def _foreign(value: Any, where: str) -> tuple[str, Any] | None:
    """Where in ``value`` the first foreign object is, and the object."""
    match value:
        case str() | bytes() | bool() | int() | float() | None | bytearray() | memoryview():
            return None
        case Mapping():
            inside = ((f"{where}.{key}", item) for key, item in value.items())
        case AbstractSet() | Sequence() if not isinstance(value, UserString):
            inside = ((f"{where}[{number}]", item) for number, item in enumerate(value))
        case _:
            return where, value
    return next((found for at, item in inside if (found := _foreign(item, at))), None)


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
