"""One mind on a bench: a script for its thoughts, its trace, and a tick to move."""

from collections.abc import Callable, Mapping
from typing import Any

from cognition import (
    Ask,
    Decision,
    Entity,
    Executive,
    ExecutiveParams,
    Focus,
    FocusKind,
    Outcome,
    PerceptFacts,
    Persona,
    ThoughtFailure,
    percept_entity,
)
from cognition.testing import RecordingSink, ScriptedDeliberation, answer_text

__all__ = ["DILEMMA", "TALK", "Rig", "news", "talk"]

DILEMMA = "npc:mock:gerdur"
TALK = "conversation:mock:gerdur:tom"
AFFORDANCES = {"stay": "remains", "warn_say": "speaks a warning", "go_station": "walks there"}
KNOWN = {"tom": "tom", "brenna": "brenna", "player": "player", "gerdur": "gerdur"}
QUIET = ExecutiveParams(master_interval_ticks=10**9, master_salience=10**9)
"""A mind whose master stays out of the way."""

Script = Callable[[Ask], str | ThoughtFailure]


def news(tick: int, salience: float = 0.9, n: int = 0, **facts: Any) -> Entity:
    """Something that happened in the world."""
    given: dict[str, Any] = {
        "id": f"news-{tick}-{n}",
        "tick": tick,
        "salience": salience,
        "category": "theft",
        "summary": "somebody took a loaf",
        "provenance": "exafferent",
    }
    return percept_entity(PerceptFacts(**{**given, **facts}))


def talk(message: str = "Will you tell Brenna?", who: str = "tom", name: str = "Tom") -> Focus:
    """Somebody speaks."""
    return Focus(
        kind=FocusKind.CONVERSATION,
        interlocutor_id=who,
        interlocutor_name=name,
        current_message=message,
    )


class Rig:
    """An executive with its surroundings."""

    def __init__(
        self,
        script: Script | str | None = None,
        *,
        params: ExecutiveParams = QUIET,
        metrics: Mapping[str, float] | None = None,
        **options: Any,
    ) -> None:
        said = answer_text() if script is None else script
        self.deliberation = ScriptedDeliberation(said if callable(said) else lambda ask: said)
        self.sink = RecordingSink()
        self.kept: list[tuple[Ask, Outcome]] = []
        self.tick = 0
        self.metrics: Mapping[str, float] = metrics or {}
        self.mind = Executive(
            "mock:gerdur",
            persona=Persona(name="Gerdur", about="The miller.", entity_id="gerdur"),
            affordances=AFFORDANCES,
            params=params,
            trace=self.sink,
            resolve_name=lambda name: KNOWN.get(name.strip().casefold()),
            thought_sink=lambda ask, outcome: self.kept.append((ask, outcome)),
            **options,
        )

    @property
    def asks(self) -> list[Ask]:
        """Everything that was asked so far."""
        return self.deliberation.asks

    def step(self, ticks: int = 1) -> list[Decision]:
        """Ticks in which each thought takes until the next boundary."""
        decisions: list[Decision] = []
        for _ in range(ticks):
            self.tick += 1
            for ask in self.mind.pump(self.tick, self.metrics):
                self.mind.deliver(self.deliberation.answer(ask))
            decisions += self.mind.land(self.tick + 1)
        return decisions

    def ask(self, key: str | None, focus: Focus) -> Decision:
        """Report, and give what was decided."""
        assert self.mind.report(key, focus, tick=self.tick)
        (decision,) = [d for d in self.step() if d.focus is focus]
        return decision

    def failures(self) -> dict[str, int]:
        return {str(f.failure): f.count for f in self.mind.statistics().failures}
