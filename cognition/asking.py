"""What goes out of a mind to be thought about, and what comes back.

The executive does no I/O: it hands out :class:`Ask` values, whoever hosts it has them answered,
and gives back :class:`Answered` or :class:`NotAnswered`. What the mind makes of an answer comes
out as a :class:`Decision` at the next tick boundary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from cognition._values import as_number, freeze, shown

if TYPE_CHECKING:
    from cognition.executive_output import Action, ExecutiveOutput
    from cognition.handoffs import Handoff

__all__ = [
    "Answered",
    "Ask",
    "AskKind",
    "Decision",
    "Focus",
    "FocusKind",
    "NotAnswered",
    "Outcome",
    "ThoughtFailure",
]


class AskKind(StrEnum):
    """Which part of the mind asks."""

    FACET = "facet"
    MASTER = "master"
    RANK = "rank"


class FocusKind(StrEnum):
    """What a facet is asked about."""

    DILEMMA = "dilemma"
    CONVERSATION = "conversation"
    WORK = "work"
    RANK = "rank"


class ThoughtFailure(StrEnum):
    """Why a thought did not come back. The value is the name in the trace."""

    TIMEOUT_FIRST_TOKEN = "timeout-first-token"  # noqa: S105 - a name, no secret
    TIMEOUT_STALLED = "timeout-stalled"
    TIMEOUT_TOTAL = "timeout-total"
    REFUSED = "refused"
    RATE_LIMITED = "rate-limited"
    OVER_QUOTA = "over-quota"
    UNREACHABLE = "unreachable"
    PROTOCOL = "protocol"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNREADABLE = "unreadable"
    CANCELLED = "cancelled"
    OVER_BUDGET = "over-budget"
    LATE = "late"


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """The one thing a facet is asked to think about.

    Texts may come from players: prompts render them as quoted data.
    """

    kind: FocusKind
    text: str = ""
    """The situation, in words."""
    interlocutor_id: str | None = None
    """Whom the facet speaks with (conversations)."""
    interlocutor_name: str | None = None
    current_message: str | None = None
    """What they said last."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Verbs that may be chosen, each with its meaning; empty: all the mind can do."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Further facts, JSON values."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", FocusKind(self.kind))
        object.__setattr__(self, "options", freeze(self.options, "options"))
        object.__setattr__(self, "data", freeze(self.data, "data"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to a language model, ready to be sent."""

    ask_id: str
    """Unique within its mind, also over a restart of the host."""
    mind: str
    """World and name, ``mock:gerdur``."""
    facet_id: str | None
    """None: the master asks."""
    key: str | None
    tick: int
    system: str
    """The stable part: the same bytes for every ask of this mind and kind."""
    prompt: str
    kind: AskKind
    focus: Focus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's answer, as it came. Nothing in it is trusted yet."""

    ask_id: str
    text: str
    latency_ms: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    truncated: bool = False
    """The model was cut off; only whole actions of the answer count."""
    model: str = ""
    """Which model answered, as its server names it."""
    budget: Mapping[str, Any] = field(default_factory=dict)
    """What the mind has used of its allowances, in JSON values for the trace; empty: none."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ValueError(f"text must be a string, got {shown(self.text)}")  # noqa: TRY004
        _check_latency(self.latency_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAnswered:
    """No answer came, and why."""

    ask_id: str
    failure: ThoughtFailure
    latency_ms: float = 0.0
    detail: str = ""
    """What was seen, for the trace alone: an error's text must never become a thought."""
    model: str = ""
    """Which model failed, where that is known."""
    budget: Mapping[str, Any] = field(default_factory=dict)
    """As an answer's."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "failure", ThoughtFailure(self.failure))
        _check_latency(self.latency_ms)


def _check_latency(latency_ms: object) -> None:
    if as_number(latency_ms) is None:
        raise ValueError(f"latency_ms must be a finite number, got {shown(latency_ms)}")


Outcome = Answered | NotAnswered


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a mind made of one ask, landed at a tick boundary."""

    ask_id: str
    mind: str
    kind: AskKind
    facet_id: str | None
    """None: the master's own decision."""
    key: str | None
    tick: int
    """The boundary at which it landed."""
    asked_tick: int
    output: "ExecutiveOutput"
    """What was read; the bodily reflex where ``failure`` says that no thought came back."""
    actions: "tuple[Action, ...]"
    """The acts among ``output.actions`` that name something admissible, in order. Acts that did
    not were told back to the mind."""
    failure: ThoughtFailure | None = None
    focus: Focus | None = None
    reply: str | None = None
    """Words to be spoken to the interlocutor."""
    raised: "tuple[Handoff, ...]" = ()
    """Promises and tasks it handed up to the whole mind, addressees resolved to ids."""
    alternatives: "tuple[Action, ...]" = ()
    """What else the master weighed before it decided."""
