"""The executive and its facets; knows no game, no file, no socket.

Layers, imports only downward: mindot, cognition, llm_wire. Names are loaded on first use, so
that a command that only needs the counting code does not pay for the whole engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cognition.asking import (
        Answered,
        Ask,
        AskKind,
        Decision,
        Focus,
        FocusKind,
        NotAnswered,
        ThoughtFailure,
    )
    from cognition.executive import Executive
    from cognition.percepts import (
        PerceptFacts,
        Provenance,
        can_rupture,
        percept_entity,
        stale_percept_ids,
    )
    from cognition.persona import Persona
    from cognition.state import Entity, ExecutiveParams, StateView

__all__ = [
    "Answered",
    "Ask",
    "AskKind",
    "Decision",
    "Entity",
    "Executive",
    "ExecutiveParams",
    "Focus",
    "FocusKind",
    "NotAnswered",
    "PerceptFacts",
    "Persona",
    "Provenance",
    "StateView",
    "ThoughtFailure",
    "can_rupture",
    "percept_entity",
    "stale_percept_ids",
]

_HOMES = {
    "asking": (
        "Answered",
        "Ask",
        "AskKind",
        "Decision",
        "Focus",
        "FocusKind",
        "NotAnswered",
        "ThoughtFailure",
    ),
    "executive": ("Executive",),
    "percepts": (
        "PerceptFacts",
        "Provenance",
        "can_rupture",
        "percept_entity",
        "stale_percept_ids",
    ),
    "persona": ("Persona",),
    "state": ("Entity", "ExecutiveParams", "StateView"),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    try:
        module = _MODULE_OF[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
