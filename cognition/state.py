"""What a mind knows at one tick: entities, bodily metrics and the limits it lives under."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from cognition._values import as_number, freeze, is_count, shown

__all__ = ["Entity", "ExecutiveParams", "StateView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Something a mind holds: a percept, a word it sent, whatever came off the wire.

    Nothing in it can be changed after construction, however deep; a new state of affairs is a
    new entity. Entities of type ``percept`` come from :func:`cognition.percept_entity` only.
    """

    id: str
    type: str
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", freeze(self.metadata, "metadata"))

    def __hash__(self) -> int:
        return hash((self.id, self.type))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Entity":
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutiveParams:
    """The limits of one mind. Ticks are the mind's own; the host sets how long one lasts.

    Spans of ticks are ints, or ``math.inf`` for never.
    """

    max_facets: int = 10
    """Ceiling of live facets at full attention; one may always live."""
    facet_idle_ttl_ticks: float = 3000
    """A quiet facet lives this long without being spoken to: about as long as a human pause."""
    deliberate_threshold: float = 0.5
    """Effort from which the master compares several candidates instead of taking the first."""
    promise_lifetime_ticks: float = 100_000
    """A promise older than this ends of age."""
    max_promises: int = 32
    """Promises that stand at once; the oldest gives way."""
    max_goals: int = 5
    """Goals pursued at once; those with the lowest priority are put on hold."""
    master_cooldown_ticks: float = 20
    """The least time between two thoughts of the master, unless a rupture cuts it short."""
    master_interval_ticks: float = 200
    """The master thinks at least this often while there is anything to think about."""
    master_salience: float = 0.8
    """Salience that has to come together before the master thinks out of turn."""
    fast_choice_ticks: float = 40
    """How long the master keeps to a first idea before anything but a rupture reopens it."""
    prompt_tokens: int = 3000
    """Budget of one prompt, estimated; what is least needed is left out first."""
    thought_deadline_ticks: int | None = None
    """An answer older than this is late and has no effect; None leaves it to the host."""

    def __post_init__(self) -> None:
        for name in _COUNTS:
            if not is_count(getattr(self, name)):
                raise ValueError(f"{name} must be a non-negative int, got {getattr(self, name)!r}")
        for name in _TICKS:
            value = getattr(self, name)
            if not (is_count(value) or value == math.inf):
                raise ValueError(
                    f"{name} must be a non-negative int (ticks) or inf for never, got {value!r}"
                )
        deadline = self.thought_deadline_ticks
        if deadline is not None and not is_count(deadline):
            raise ValueError(
                f"thought_deadline_ticks must be None or a non-negative int, got {deadline!r}"
            )
        for name in ("deliberate_threshold", "master_salience"):
            if as_number(getattr(self, name)) is None:
                raise ValueError(f"{name} must be a finite number, got {getattr(self, name)!r}")


_COUNTS: Final = ("max_facets", "max_promises", "max_goals", "prompt_tokens")
_TICKS: Final = (
    "facet_idle_ttl_ticks",
    "promise_lifetime_ticks",
    "master_cooldown_ticks",
    "master_interval_ticks",
    "fast_choice_ticks",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateView:
    """A mind at one tick, read-only: what facets and the rules about promises look at."""

    tick: int
    entities: Mapping[str, Entity] = field(default_factory=dict)
    """Entities by id."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The body: ``energy.level``, ``sleep.pressure``, ``stress.load``, each 0..100."""
    params: ExecutiveParams = field(default_factory=ExecutiveParams)

    def __post_init__(self) -> None:
        if not is_count(self.tick):
            raise ValueError(f"tick must be a non-negative int, got {shown(self.tick)}")
        object.__setattr__(self, "entities", MappingProxyType(dict(self.entities)))
        object.__setattr__(self, "metrics", MappingProxyType(dict(self.metrics)))
