"""What a thought came to, whether a model's answer or a reflex said it."""

from typing import Any, Final

from llm_wire.answer import Route
from llm_wire.contracts import BLOCK_FIELDS
from llm_wire.problems import Problem

__all__ = ["Action", "ExecutiveOutput", "Route"]

_OWN_FIELDS: Final = ("undertakings", "escalation")
"""Keys that the answer's object may hold itself, besides a block."""
_BLOCK_FIELDS: Final = tuple(name for name in BLOCK_FIELDS.values() if name not in _OWN_FIELDS)
_ABSENT_IS_NONE: Final = frozenset(_BLOCK_FIELDS)


class _Record:
    """Equality and a readable form from the slots, for the two values below."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._fields())

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={value!r}"
            for name in self._fields()
            if (value := getattr(self, name)) is not None
        )
        return f"{type(self).__name__}({fields})"

    @classmethod
    def _fields(cls) -> tuple[str, ...]:
        return cls.__slots__


class Action(_Record):
    """One act that the mind decided on."""

    __slots__ = ("type", "reasoning", "expected_outcome", "target", "args")  # noqa: RUF023 - shown in this order

    def __init__(
        self,
        type: str,  # noqa: A002 - the wire's own word
        reasoning: str = "",
        expected_outcome: str = "",
        target: str | None = None,
        args: dict[str, Any] | None = None,
    ) -> None:
        self.type = type
        """The verb, as it was written; never blank."""
        self.reasoning = reasoning
        """Why, as prose; blocks are taken out."""
        self.expected_outcome = expected_outcome
        """What the mind thinks will come of it."""
        self.target = target
        """Whom or what it is done to; None when the answer names nobody."""
        self.args: dict[str, Any] = {} if args is None else args
        """Plain JSON values by name."""


class ExecutiveOutput(_Record):
    """One completed thought: acts, a sentence, and what else the answer held.

    A class with slots and not a frozen dataclass: one is made for every answer of every mind, and
    freezing its 21 fields and those of each action costs about as much as reading the JSON. Treat
    it as a value all the same; nothing in the project writes to one after it was returned.

    What blocks hold is under the snake_case name of its key (``newBeliefs`` is ``new_beliefs``),
    as plain JSON values, and None when absent.
    """

    __slots__ = (
        "actions",
        "reasoning",
        "confidence",
        "route",
        "problems",
        "reply_text",
        "no_message",
        *_OWN_FIELDS,
        *_BLOCK_FIELDS,
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
        problems: list[Problem] | None = None,
    ) -> None:
        self.actions = actions
        self.reasoning = reasoning
        """The sentence: prose only, without any block."""
        self.confidence = confidence
        """From 0 to 1."""
        self.route = route
        """How the answer was had: one of :class:`~llm_wire.answer.Route`."""
        self.problems: list[Problem] = [] if problems is None else problems
        """What was dropped, at most 100 and then a count."""
        self.reply_text: str | None = None
        self.no_message: str | None = None
        """The reason why nothing is said, where silence was chosen."""
        self.undertakings: list[dict[str, Any]] = []
        """Promises: ``what``, and perhaps ``target`` and ``gist``, each a text."""
        self.escalation: str | None = None
        """Work for the whole mind, as a sentence."""

    def __getattr__(self, name: str) -> None:
        # Asked only where a slot was never written: a block that the answer did not hold.
        if name in _ABSENT_IS_NONE:
            return
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def because(self) -> str:
        """Why, in a sentence: the answer's own reasoning, else the first action's."""
        if self.reasoning:
            return self.reasoning
        return self.actions[0].reasoning if self.actions else ""

    @property
    def speech(self) -> str | None:
        """What is said aloud: the reply, unless silence was chosen."""
        return self.reply_text if self.no_message is None else None
