"""Who a mind is: the part of its prompts that stays the same from thought to thought."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cognition._values import is_blank

__all__ = ["Persona"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A character in words. It opens every prompt, so that providers can cache that part."""

    name: str
    entity_id: str | None = None
    """How others' records name this character; the name where nothing else is known."""
    about: str = ""
    """Who this is, in a few sentences of the game's writer."""
    archetype: str = ""
    traits: Mapping[str, float] = field(default_factory=dict)
    """Traits by name, 0..1."""

    def __post_init__(self) -> None:
        if is_blank(self.name):
            raise ValueError(f"name must not be blank, got {self.name!r}")
        object.__setattr__(self, "traits", MappingProxyType(dict(self.traits)))
