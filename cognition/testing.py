"""Stand-ins for tests of minds: the project's own tests use them, and so may yours.

:class:`ManualClock`, :class:`RecordingSink`, :class:`FakeFacet` and :class:`ScriptedDeliberation`
need nothing beyond this package. The strategies at the end need hypothesis, which is imported
when one of them is called.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from cognition.asking import Answered, Ask, NotAnswered, Outcome, ThoughtFailure
from cognition.percepts import PerceptFacts, Provenance
from cognition.state import StateView
from cognition.trace import Event

_FOREVER: Final = 1 << 62

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from cognition.handoffs import Handoff
    from cognition.state import Entity

__all__ = [
    "FakeFacet",
    "ManualClock",
    "RecordingSink",
    "ScriptedDeliberation",
    "answer_text",
    "facet_lives",
    "handoff_mappings",
    "handoffs",
    "percept_facts",
    "percepts",
]


class ManualClock:
    """A clock that stands until it is moved. Calling it gives unix milliseconds."""

    def __init__(self, milliseconds: int = 0) -> None:
        self.milliseconds = milliseconds

    def __call__(self) -> int:
        return self.milliseconds

    def advance(self, milliseconds: int) -> None:
        """Move on. Negative values go back, as a loaded save does."""
        self.milliseconds += milliseconds


class RecordingSink:
    """A trace sink that keeps what it gets, in ``events``."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(dict(event))

    def of_type(self, event_type: str) -> list[Event]:
        """The events of one type, in order; the name may be cut to its end (``spawn``)."""
        return [e for e in self.events if str(e["type"]).endswith(event_type)]

    def clear(self) -> None:
        self.events.clear()


class FakeFacet:
    """A facet for supervisors under test: busy when told, and it records what is done to it."""

    def __init__(self, facet_id: str, key: str | None) -> None:
        self.facet_id = facet_id
        self.key = key
        self.busy = False
        self.last_active_tick = 0
        self.reasoning_history: list[str] = []
        self.pumped: list[int] = []
        self.destroyed = 0

    def mark_active(self, tick: int) -> None:
        self.last_active_tick = tick

    def restore_reasoning_history(self, history: list[str]) -> None:
        self.reasoning_history = list(history)

    def pump(self, state: StateView) -> None:
        self.pumped.append(state.tick)

    def destroy(self) -> None:
        self.destroyed += 1


class ScriptedDeliberation:
    """Answers asks from a script, at once and the same way every time.

    ``script`` gives the text of an answer, or the failure that comes instead; every ask is kept
    in ``asks``.
    """

    def __init__(self, script: Callable[[Ask], str | ThoughtFailure], latency_ms: float = 0.0):
        self._script = script
        self._latency_ms = latency_ms
        self.asks: list[Ask] = []

    def answer(self, ask: Ask) -> Outcome:
        """What comes of ``ask``."""
        self.asks.append(ask)
        said = self._script(ask)
        if isinstance(said, ThoughtFailure):
            return NotAnswered(ask_id=ask.ask_id, failure=said, latency_ms=self._latency_ms)
        return Answered(ask_id=ask.ask_id, text=said, latency_ms=self._latency_ms)

    def answers(self, asks: Iterable[Ask]) -> list[Outcome]:
        """What comes of each of ``asks``, in their order."""
        return [self.answer(ask) for ask in asks]

    async def think(self, ask: Ask) -> Outcome:
        """The same, for a :class:`cognition.MindHost`."""
        return self.answer(ask)


def answer_text(
    *actions: Mapping[str, Any] | str,
    reasoning: str = "it seems right",
    confidence: float = 0.8,
    reply: str | None = None,
    silence: str | None = None,
    **fields: Any,
) -> str:
    """A well-formed answer. An action may be its type alone; ``fields`` join the object."""
    body = {
        "actions": [{"type": a} if isinstance(a, str) else dict(a) for a in actions],
        "reasoning": reasoning,
        "confidence": confidence,
        **fields,
    }
    text = json.dumps(body)
    if reply is not None:
        text += f"\n[REPLY_TEXT]\n{reply}\n[/REPLY_TEXT]"
    if silence is not None:
        text += f"\n[NO_MESSAGE]{silence}[/NO_MESSAGE]"
    return text


def percept_facts(max_tick: int = 10_000) -> "SearchStrategy[PerceptFacts]":
    """Facts that :func:`cognition.percept_entity` accepts."""
    from hypothesis import strategies as st

    word = _words(st)
    return st.builds(
        PerceptFacts,
        id=word,
        tick=st.integers(0, max_tick),
        salience=st.floats(0, 1),
        category=word,
        summary=word,
        provenance=st.sampled_from(Provenance),
        source_intent_id=st.none() | word,
        entity_id=st.none() | word,
        change_type=st.none() | word,
        valence=st.none() | st.floats(-1, 1),
        valence_source=st.none() | word,
    )


def percepts(max_tick: int = 10_000) -> "SearchStrategy[Entity]":
    """Percepts of any kind."""
    from cognition.percepts import percept_entity

    return percept_facts(max_tick).map(percept_entity)


def handoff_mappings(max_tick: int = 10_000) -> "SearchStrategy[dict[str, Any]]":
    """Mappings that :func:`cognition.validate_handoff` accepts, in either spelling."""
    from hypothesis import strategies as st

    word = _words(st)
    undertaking = st.fixed_dictionaries(
        {"kind": st.just("undertaking"), "what": word},
        optional={"target": st.none() | word, "gist": st.none() | word, "reasoning": word},
    )
    escalation = st.fixed_dictionaries({"kind": st.just("escalation"), "reasoning": word})
    spellings = (
        ("facet_id", "facetId"),
        ("subject_entity_id", "subjectEntityId"),
        ("subject_name", "subjectName"),
        ("thread_id", "threadId"),
    )
    origin = st.tuples(
        *(st.tuples(st.sampled_from(names), st.none() | word) for names in spellings)
    )
    return st.builds(
        lambda body, tick, where: {"body": body, "tick": tick, **dict(where)},
        undertaking | escalation,
        st.integers(0, max_tick),
        origin,
    )


def handoffs(max_tick: int = 10_000) -> "SearchStrategy[Handoff]":
    """Handoffs of both kinds."""
    from cognition.handoffs import validate_handoff

    return handoff_mappings(max_tick).map(validate_handoff)


def facet_lives(max_facets: int = 8) -> "SearchStrategy[list[Event]]":
    """Spawn and destroy events of one mind's facets, as a trace has them, in order of time.

    Some facets are keyed, some never end. A key has one live facet at most, and ``totalFacets``
    is right at each event.
    """
    from hypothesis import strategies as st

    life = st.tuples(
        st.none() | st.sampled_from(("npc:w:a", "conversation:w:a:b")),
        st.integers(0, 50),
        st.none() | st.tuples(st.integers(0, 50), st.sampled_from(("explicit", "idle", "lru"))),
    )
    return st.lists(life, max_size=max_facets).map(_as_events)


def _as_events(
    lives: list[tuple[str | None, int, tuple[int, str] | None]],
) -> list[Event]:
    moments: list[tuple[int, int, Event]] = []
    taken: dict[str, int] = {}  # key: first tick at which it is free again
    for number, (wanted, born, end) in enumerate(sorted(lives, key=lambda life: life[1]), start=1):
        key = wanted if wanted is not None and taken.get(wanted, 0) <= born else None
        named: Event = {"facetId": f"facet-{number}"}
        if key is not None:
            named["key"] = key
            taken[key] = _FOREVER if end is None else born + end[0] + 1
        moments.append((born, number, {"type": "executive.facet.spawn", "tick": born, **named}))
        if end is not None:
            lived, reason = end
            ended = {
                "type": "executive.facet.destroy",
                "tick": born + lived,
                **named,
                "reason": reason,
            }
            moments.append((born + lived, number, ended))
    live = 0
    events = []
    for _, _, event in sorted(moments, key=lambda moment: moment[:2]):
        live += 1 if event["type"].endswith("spawn") else -1
        events.append({**event, "totalFacets": live})
    return events


def _words(st: Any) -> Any:
    """Texts that are not blank; they may hold anything a player could type."""
    from cognition._values import is_blank

    return st.text(min_size=1, max_size=40).filter(lambda text: not is_blank(text))
