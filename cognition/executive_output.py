"""What a thought came to, whether a model's answer or a reflex said it."""

from typing import Any, Final

from llm_wire.contracts import BLOCK_FIELDS

__all__ = ["Action", "ExecutiveOutput", "Route"]

_BLOCK_NAMES: Final = tuple(
    name for name in BLOCK_FIELDS.values() if name not in ("undertakings", "escalation")
)


class Route:
    """How the answer was had, from best to none; the values are plain strings."""

    JSON: Final = "json"
    REPAIRED: Final = "repaired"
    SALVAGED: Final = "salvaged"
    FALLBACK: Final = "fallback"


class Action:
    __slots__ = ("args", "expected_outcome", "reasoning", "target", "type")

    def __init__(
        self,
        type: str,  # noqa: A002 - the wire's own word
        reasoning: str = "",
        expected_outcome: str = "",
        target: str | None = None,
        args: dict[str, Any] | None = None,
    ) -> None:
        self.type = type
        self.reasoning = reasoning
        self.expected_outcome = expected_outcome
        self.target = target
        self.args: dict[str, Any] = {} if args is None else args


class ExecutiveOutput:
    __slots__ = (
        "actions",
        "confidence",
        "escalation",
        "no_message",
        "problems",
        "reasoning",
        "reply_text",
        "route",
        "undertakings",
        *_BLOCK_NAMES,
    )

    plans: Any
    new_beliefs: Any
    introspection: Any
    narrative: Any
    narrative_themes: Any
    current_self_view: Any
    identity_updates: Any
    known_entity_updates: Any
    new_goals: Any
    goals_to_abandon: Any
    goals_to_reprioritize: Any
    self_observations: Any
    new_skills: Any

    def __init__(
        self,
        actions: list[Action],
        reasoning: str,
        confidence: float,
        route: str,
        problems: list[Any] | None = None,
    ) -> None:
        self.actions = actions
        self.reasoning = reasoning
        self.confidence = confidence
        self.route = route
        self.problems: list[Any] = [] if problems is None else problems
        self.reply_text: str | None = None
        self.no_message: str | None = None
        self.undertakings: list[dict[str, Any]] = []
        self.escalation: str | None = None
        for name in _BLOCK_NAMES:
            setattr(self, name, None)

    @property
    def because(self) -> str:
        if self.reasoning:
            return self.reasoning
        return self.actions[0].reasoning if self.actions else ""

    @property
    def speech(self) -> str | None:
        return self.reply_text if self.no_message is None else None
