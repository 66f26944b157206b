"""What a mind notices, and which of it may interrupt a thought.

:func:`percept_entity` is the only code in the project that makes an entity of type ``percept``;
a test reads the sources and holds that. Percepts are staging and no memory: :data:`MAX_AGE_TICKS`
after their tick they are swept, except those that carry a promise or a task.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from cognition._values import as_count, as_number, is_blank, is_count, shown
from cognition.state import Entity

__all__ = [
    "HANDOFF_CATEGORIES",
    "MAX_AGE_TICKS",
    "RUPTURE_SALIENCE",
    "TASK_ESCALATION",
    "UNDERTAKING",
    "PerceptFacts",
    "Provenance",
    "can_rupture",
    "category_of",
    "percept_entity",
    "rebuilt_percept",
    "stale_percept_ids",
]

MAX_AGE_TICKS: Final = 2
"""Ticks a percept is news; the sweeper takes it when it is older."""

RUPTURE_SALIENCE: Final = 0.4
"""What is fainter than this never cuts a wait short."""

UNDERTAKING: Final = "undertaking"
"""Category of a percept that carries a promise."""

TASK_ESCALATION: Final = "task-escalation"
"""Category of a percept that carries work for the whole mind."""

HANDOFF_CATEGORIES: Final = frozenset({UNDERTAKING, TASK_ESCALATION})
"""Percepts of these categories end by the rules of promises and tasks, not by age."""

_PERCEPT: Final = "percept"
_ABSENT: Final[Any] = None  # lets a missing fact be named by the builder instead of by Python
_NO_EXTRA: Final[Mapping[str, Any]] = MappingProxyType({})


class Provenance(StrEnum):
    """Where a percept comes from: the world, the mind's own acts, or nobody knows."""

    EXAFFERENT = "exafferent"
    REAFFERENT = "reafferent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptFacts:
    """The facts of one percept. :func:`percept_entity` checks them."""

    id: str = _ABSENT
    tick: int = _ABSENT
    """When it was noticed."""
    salience: float = _ABSENT
    """How much it stands out, 0..1."""
    category: str = _ABSENT
    summary: str = _ABSENT
    """The one field a prompt renders as a sentence."""
    provenance: Provenance | str = _ABSENT
    source_intent_id: str | None = None
    """The act of the mind's own that this is the echo of."""
    entity_id: str | None = None
    """Whom or what it is about."""
    change_type: str | None = None
    valence: float | None = None
    """Good or bad, -1..1 by custom."""
    valence_source: str | None = None


_REQUIRED_TEXTS: Final = ("id", "category", "summary")
_OPTIONAL: Final = {
    "source_intent_id": "sourceIntentId",
    "entity_id": "entityId",
    "change_type": "changeType",
    "valence": "valence",
    "valence_source": "valenceSource",
}
_KEYS: Final = {
    **{name: name for name in ("tick", "salience", "category", "summary", "provenance")},
    **_OPTIONAL,
}
"""Key of each fact in the metadata; the id is not in there."""

_FACT_NAMES: Final = frozenset({"id", *_KEYS.values()})


def percept_entity(facts: PerceptFacts, extra: Mapping[str, Any] = _NO_EXTRA) -> Entity:
    """The percept that ``facts`` describe, with ``extra`` fields beside them.

    A fact's name in ``extra`` is ignored, also when that fact was not given, so no caller can
    slip a fact past its check. Raises ValueError naming the field that is missing or wrong.
    """
    for name in _REQUIRED_TEXTS:
        value = getattr(facts, name)
        if value is None:
            raise ValueError(f"{name} is missing: a percept needs one")
        if not isinstance(value, str) or is_blank(value):
            raise ValueError(f"{name} must be a string that is not blank, got {value!r}")
    if not is_count(facts.tick):
        raise ValueError(f"tick must be a non-negative int, got {shown(facts.tick)}")
    salience = as_number(facts.salience)
    if salience is None or not 0.0 <= salience <= 1.0:
        raise ValueError(f"salience must be a finite number in 0..1, got {shown(facts.salience)}")
    named = ((str(key), value) for key, value in extra.items())
    metadata = {name: value for name, value in named if name not in _FACT_NAMES}
    metadata |= {
        "tick": facts.tick,
        "salience": salience,
        "category": facts.category,
        "summary": facts.summary,
        "provenance": _provenance(facts.provenance).value,
    }
    for name, key in _OPTIONAL.items():
        value = getattr(facts, name)
        if value is not None:
            metadata[key] = value
    return Entity(id=facts.id, type=_PERCEPT, metadata=metadata)


def rebuilt_percept(
    percept_id: str, metadata: Mapping[str, Any], changes: Mapping[str, Any] = _NO_EXTRA
) -> Entity:
    """A percept again from what :func:`percept_entity` once made of it, with some of its fields
    replaced or added. It passes the same checks as a new one."""
    fields = {**metadata, **changes}
    facts: dict[str, Any] = {name: fields.get(key) for name, key in _KEYS.items()}
    return percept_entity(PerceptFacts(id=percept_id, **facts), fields)


def category_of(entity: Entity) -> str | None:
    """The category of a percept; None for any other entity, and where the wire brought no word."""
    if entity.type != _PERCEPT:
        return None
    category = entity.metadata.get("category")
    return category if isinstance(category, str) else None


def can_rupture(entity: Entity, tick: int) -> bool:
    """Whether ``entity`` may cut short the master's waiting at ``tick``.

    Only news from the world can: what the mind did itself is no surprise to it, and what nobody
    can place is given no such power.
    """
    if entity.type != _PERCEPT:
        return False
    noticed = as_count(entity.metadata.get("tick"))
    salience = as_number(entity.metadata.get("salience"))
    if noticed is None or salience is None:
        return False
    return (
        entity.metadata.get("provenance") == Provenance.EXAFFERENT
        and salience >= RUPTURE_SALIENCE
        and 0 <= tick - noticed <= MAX_AGE_TICKS
    )


def stale_percept_ids(entities: Mapping[str, Entity], tick: int) -> list[str]:
    """Ids of the percepts whose time is over at ``tick``, in the order of ``entities``.

    A percept without a usable tick (only the wire can bring one) counts as old: nothing would
    ever sweep it otherwise.
    """
    return [key for key, entity in entities.items() if _is_stale(entity, tick)]


def _is_stale(entity: Entity, tick: int) -> bool:
    if entity.type != _PERCEPT or category_of(entity) in HANDOFF_CATEGORIES:
        return False
    noticed = as_count(entity.metadata.get("tick"))
    return noticed is None or tick - noticed > MAX_AGE_TICKS


def _provenance(value: Any) -> Provenance:
    try:
        return Provenance(value)
    except ValueError:
        known = ", ".join(p.value for p in Provenance)
        raise ValueError(f"provenance must be one of {known}, got {value!r}") from None
