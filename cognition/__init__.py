"""The executive and its facets; knows no game, no file, no socket.

Layers, imports only downward: mindot, cognition, llm_wire. Names are loaded on first use, so
that a command that only needs the counting code does not pay for the whole engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cognition.asking import (
        Answered,
        Ask,
        AskKind,
        Decision,
        Focus,
        FocusKind,
        NotAnswered,
        Outcome,
        ThoughtFailure,
    )
    from cognition.effort import (
        EffortSignals,
    )
    from cognition.escalation_buffer import (
        Drained,
        EscalationBuffer,
        Requester,
    )
    from cognition.executive import (
        Executive,
    )
    from cognition.executive_output import (
        Action,
        ExecutiveOutput,
        Route,
    )
    from cognition.facet_counts import (
        FacetCounts,
    )
    from cognition.facet_supervisor import (
        Attention,
        FacetHandle,
        FacetLife,
        FacetLike,
        FacetSupervisor,
        Spawned,
        SupervisorStatistics,
    )
    from cognition.gating import (
        GateReason,
    )
    from cognition.goals import (
        Goal,
        GoalStatus,
    )
    from cognition.handoffs import (
        Escalation,
        Handoff,
        HandoffError,
        Undertaking,
        validate_handoff,
    )
    from cognition.hosting import (
        MindHost,
        Think,
    )
    from cognition.lasting import (
        LastingStateError,
        dump_document,
        load_document,
    )
    from cognition.memory import (
        Memory,
    )
    from cognition.percepts import (
        PerceptFacts,
        Provenance,
        can_rupture,
        percept_entity,
        stale_percept_ids,
    )
    from cognition.persona import (
        Persona,
    )
    from cognition.promises import (
        Promise,
        PromiseEnd,
    )
    from cognition.reflex import (
        Vitals,
        reflex_fallback,
    )
    from cognition.response import (
        parse_response,
    )
    from cognition.speech import (
        Listener,
    )
    from cognition.state import (
        Entity,
        ExecutiveParams,
        StateView,
    )
    from cognition.statistics import (
        ExecutiveStatistics,
        FailureCount,
    )
    from cognition.thought_sink import (
        ThoughtSink,
    )
    from cognition.trace import (
        Event,
        Sink,
        Trace,
        structlog_sink,
        writer_sink,
    )
    from cognition.undertakings import (
        Reconciled,
        reconcile_undertakings,
    )

__all__ = [
    "Action",
    "Answered",
    "Ask",
    "AskKind",
    "Attention",
    "Decision",
    "Drained",
    "EffortSignals",
    "Entity",
    "Escalation",
    "EscalationBuffer",
    "Event",
    "Executive",
    "ExecutiveOutput",
    "ExecutiveParams",
    "ExecutiveStatistics",
    "FacetCounts",
    "FacetHandle",
    "FacetLife",
    "FacetLike",
    "FacetSupervisor",
    "FailureCount",
    "Focus",
    "FocusKind",
    "GateReason",
    "Goal",
    "GoalStatus",
    "Handoff",
    "HandoffError",
    "LastingStateError",
    "Listener",
    "Memory",
    "MindHost",
    "NotAnswered",
    "Outcome",
    "PerceptFacts",
    "Persona",
    "Promise",
    "PromiseEnd",
    "Provenance",
    "Reconciled",
    "Requester",
    "Route",
    "Sink",
    "Spawned",
    "StateView",
    "SupervisorStatistics",
    "Think",
    "ThoughtFailure",
    "ThoughtSink",
    "Trace",
    "Undertaking",
    "Vitals",
    "can_rupture",
    "dump_document",
    "load_document",
    "parse_response",
    "percept_entity",
    "reconcile_undertakings",
    "reflex_fallback",
    "stale_percept_ids",
    "structlog_sink",
    "validate_handoff",
    "writer_sink",
]

_HOMES: Final = {
    "asking": (
        "Answered",
        "Ask",
        "AskKind",
        "Decision",
        "Focus",
        "FocusKind",
        "NotAnswered",
        "Outcome",
        "ThoughtFailure",
    ),
    "effort": ("EffortSignals",),
    "escalation_buffer": (
        "Drained",
        "EscalationBuffer",
        "Requester",
    ),
    "executive": ("Executive",),
    "executive_output": (
        "Action",
        "ExecutiveOutput",
        "Route",
    ),
    "facet_counts": ("FacetCounts",),
    "facet_supervisor": (
        "Attention",
        "FacetHandle",
        "FacetLife",
        "FacetLike",
        "FacetSupervisor",
        "Spawned",
        "SupervisorStatistics",
    ),
    "gating": ("GateReason",),
    "goals": (
        "Goal",
        "GoalStatus",
    ),
    "handoffs": (
        "Escalation",
        "Handoff",
        "HandoffError",
        "Undertaking",
        "validate_handoff",
    ),
    "hosting": (
        "MindHost",
        "Think",
    ),
    "lasting": (
        "LastingStateError",
        "dump_document",
        "load_document",
    ),
    "memory": ("Memory",),
    "percepts": (
        "PerceptFacts",
        "Provenance",
        "can_rupture",
        "percept_entity",
        "stale_percept_ids",
    ),
    "persona": ("Persona",),
    "promises": (
        "Promise",
        "PromiseEnd",
    ),
    "reflex": (
        "Vitals",
        "reflex_fallback",
    ),
    "response": ("parse_response",),
    "speech": ("Listener",),
    "state": (
        "Entity",
        "ExecutiveParams",
        "StateView",
    ),
    "statistics": (
        "ExecutiveStatistics",
        "FailureCount",
    ),
    "thought_sink": ("ThoughtSink",),
    "trace": (
        "Event",
        "Sink",
        "Trace",
        "structlog_sink",
        "writer_sink",
    ),
    "undertakings": (
        "Reconciled",
        "reconcile_undertakings",
    ),
}
"""The public names of each module. A test holds that they are those of ``__all__``."""

_MODULE_OF: Final = {name: module for module, names in _HOMES.items() for name in names}


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
