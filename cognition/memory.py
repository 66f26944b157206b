"""What a mind holds to be true of the world and of itself, as its own thoughts said it.

Everything a thought's blocks bring is kept here, bounded, and shown in later prompts. Where a
list is full, the oldest entry goes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cognition._values import is_blank, shown
from cognition.executive_output import ExecutiveOutput

__all__ = ["Memory"]

MAX_ENTRY_CHARS: Final = 400
"""Of one remembered thing."""

LIMITS: Final = {
    "beliefs": 32,
    "known_entities": 32,
    "identity": 16,
    "self_observations": 16,
    "skills": 16,
    "plans": 8,
    "themes": 8,
}
"""Entries kept of each kind, the latest."""

_TEXT_KEYS: Final = (
    "belief", "content", "text", "what", "description", "observation", "statement", "plan",
    "title", "skill", "name",
)  # fmt: skip
_NAME_KEYS: Final = ("name", "entity", "entityId", "id", "key", "aspect", "trait")


@dataclass(slots=True, kw_only=True)
class Memory:
    """One mind's memory. Its texts come from a model and enter prompts as quoted data."""

    beliefs: list[str] = field(default_factory=list)
    narrative: str = ""
    themes: list[str] = field(default_factory=list)
    self_view: str = ""
    identity: dict[str, str] = field(default_factory=dict)
    """Aspects of who it is, by name."""
    known_entities: dict[str, str] = field(default_factory=dict)
    """What it knows of others, by name."""
    self_observations: list[str] = field(default_factory=list)
    skills: list[str] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    introspection: str = ""

    def remember(self, output: ExecutiveOutput) -> None:
        """Take over what the blocks of a thought hold."""
        _append(self.beliefs, output.new_beliefs, "beliefs")
        _append(self.self_observations, output.self_observations, "self_observations")
        _append(self.skills, output.new_skills, "skills")
        _append(self.plans, output.plans, "plans")
        _append(self.themes, output.narrative_themes, "themes")
        _merge(self.identity, output.identity_updates, "identity")
        _merge(self.known_entities, output.known_entity_updates, "known_entities")
        self.narrative = _text(output.narrative) or self.narrative
        self.self_view = _text(output.current_self_view) or self.self_view
        self.introspection = _text(output.introspection) or self.introspection

    def to_json(self) -> dict[str, Any]:
        """The memory as JSON values."""
        return {
            "beliefs": list(self.beliefs),
            "narrative": self.narrative,
            "themes": list(self.themes),
            "selfView": self.self_view,
            "identity": dict(self.identity),
            "knownEntities": dict(self.known_entities),
            "selfObservations": list(self.self_observations),
            "skills": list(self.skills),
            "plans": list(self.plans),
            "introspection": self.introspection,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Memory":
        """A memory from :meth:`to_json`. What is missing is empty; ValueError on a wrong type."""
        memory = cls()
        for name, kind, limit in (
            ("beliefs", "beliefs", "beliefs"),
            ("themes", "themes", "themes"),
            ("selfObservations", "self_observations", "self_observations"),
            ("skills", "skills", "skills"),
            ("plans", "plans", "plans"),
        ):
            value = document.get(name, [])
            if not isinstance(value, list):
                raise ValueError(f"{name} must be a list, got {shown(value)}")  # noqa: TRY004
            _append(getattr(memory, kind), value, limit)
        for name, kind in (("identity", "identity"), ("knownEntities", "known_entities")):
            value = document.get(name, {})
            if not isinstance(value, Mapping):
                raise ValueError(f"{name} must be a mapping, got {shown(value)}")  # noqa: TRY004
            _merge(getattr(memory, kind), value, kind)
        memory.narrative = _text(document.get("narrative")) or ""
        memory.self_view = _text(document.get("selfView")) or ""
        memory.introspection = _text(document.get("introspection")) or ""
        return memory


def _append(kept: list[str], value: Any, limit: str) -> None:
    for item in _items(value):
        text = _text(item)
        if text is None:
            continue
        if text in kept:
            kept.remove(text)  # said again: it is the latest now
        kept.append(text)
    del kept[: -LIMITS[limit]]


def _merge(kept: dict[str, str], value: Any, limit: str) -> None:
    if isinstance(value, Mapping) and not any(key in value for key in _NAME_KEYS):
        pairs = [(str(name), item) for name, item in value.items()]
    else:
        pairs = [_named(item) for item in _items(value)]
    for name, item in pairs:
        text = _text(item)
        name = " ".join(name.split())[:MAX_ENTRY_CHARS]
        if text is None or is_blank(name):
            continue
        kept.pop(name, None)
        kept[name] = text
    while len(kept) > LIMITS[limit]:
        del kept[next(iter(kept))]


def _named(item: Any) -> tuple[str, Any]:
    if isinstance(item, Mapping):
        for key in _NAME_KEYS:
            name = item.get(key)
            if isinstance(name, str) and not is_blank(name):
                rest = {k: v for k, v in item.items() if k != key}
                return name, next(iter(rest.values())) if len(rest) == 1 else rest
    text = _text(item) or ""
    return text, text


def _items(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)


def _text(value: Any) -> str | None:
    """The words in ``value``: a string, the words of an object, else its compact JSON."""
    if isinstance(value, Mapping):
        worded = [value[k] for k in _TEXT_KEYS if isinstance(value.get(k), str)]
        value = worded[0] if worded and len(value) == 1 else value
    if value is None or value in ([], {}):
        return None
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=str)
    value = " ".join(value.split())
    return None if is_blank(value) else value[:MAX_ENTRY_CHARS]
