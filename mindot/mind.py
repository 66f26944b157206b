"""A mind for one character: the executive of :mod:`cognition`, given a voice to think with.

Two ways to use it. On its own, for a game that asks now and then::

    thought = await mind.consider("An armed stranger blocks the bridge.", tick=12)

Behind a game that sweeps (see :class:`mindot.host.Host`): report, pump, think, deliver, land.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from cognition import Entity, ExecutiveParams
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
from cognition.executive import Executive
from cognition.persona import Persona
from cognition.reflex import Vitals, reflex_fallback
from cognition.response import ExecutiveOutput
from llm_wire.allowance import Standing
from llm_wire.answer_schema import answer_schema
from llm_wire.transport import (
    Completion,
    Failure,
    Message,
    Priority,
    Request,
    Transport,
    TransportError,
)
from mindot.game.contract import ACTIONS, MOCK_WORLD
from mindot.game.frame import name_key
from mindot.game.manifest import Manifest
from mindot.lasting import load_mind, save_mind, state_path

__all__ = ["Mind", "Thought", "conversation_key", "dilemma_key", "mind_id"]

ANSWER_TOKENS: Final = 700
"""Room for one answer: three actions, a paragraph and a block or two come to about 400 tokens."""


def mind_id(world: str, name: str) -> str:
    """How traces name a mind: ``mock:gerdur``."""
    return f"{world}:{name_key(name)}"


def dilemma_key(world: str, name: str) -> str:
    """The facet that thinks about what a character's reflexes cannot settle."""
    return f"npc:{world}:{name_key(name)}"


def conversation_key(world: str, name: str, who: str) -> str:
    """The facet that talks with one particular partner."""
    return f"conversation:{world}:{name_key(name)}:{name_key(who)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """What came of one question to a mind."""

    verb: str | None
    """The first admissible action it chose; None: nothing to do, or no thought came back."""
    target: str | None
    because: str
    """The mind's own words; the fallback's when no thought came back."""
    confidence: float
    reply: str | None
    """What it says aloud, in a conversation."""
    failure: ThoughtFailure | None
    """Why no thought came back; None when one did."""
    output: ExecutiveOutput
    """The whole reading of the answer."""

    @classmethod
    def of(cls, decision: Decision) -> Self:
        first = decision.actions[0] if decision.actions else None
        return cls(
            verb=first.type if first else None,
            target=first.target if first else None,
            because=decision.output.because,
            confidence=decision.output.confidence,
            reply=decision.reply,
            failure=decision.failure,
            output=decision.output,
        )


@dataclass(slots=True)
class _Waiting:
    """What came up while one question was hurried through, kept for its regular moment."""

    asks: list[Ask] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


class Mind:
    """One character's mind.

    ``affordances`` says what it can do, each verb with its meaning; by default what ``manifest``
    allows of the 16 actions. ``trace`` receives the trace's rows, ``keep_thought`` every question
    with what came of it. With ``schema`` servers that can are asked to hold the model to one.
    Not thread-safe.
    """

    def __init__(
        self,
        name: str,
        *,
        transport: Transport,
        world: str = MOCK_WORLD,
        persona: Persona | None = None,
        manifest: Manifest | None = None,
        affordances: Mapping[str, str] | None = None,
        params: ExecutiveParams | None = None,
        trace: Callable[[dict[str, Any]], None] | None = None,
        keep_thought: Callable[[Ask, Outcome], None] | None = None,
        resolve_name: Callable[[str], str | None] | None = None,
        answer_tokens: int = ANSWER_TOKENS,
        schema: bool = False,
    ) -> None:
        self.name = name
        self.world = world
        self.id = mind_id(world, name)
        self._transport = transport
        self._answer_tokens = answer_tokens
        self._schema = schema
        self._waiting = _Waiting()
        if affordances is None:
            allowed = manifest.allowed_actions() if manifest else tuple(ACTIONS)
            affordances = {verb: ACTIONS[verb].meaning for verb in allowed}
        self.affordances = dict(affordances)
        self.executive = Executive(
            self.id,
            persona=persona or Persona(name=name, entity_id=name_key(name)),
            affordances=self.affordances,
            params=params,
            trace=trace,
            resolve_name=resolve_name,
            thought_sink=keep_thought,
        )

    async def consider(
        self,
        text: str,
        *,
        tick: int,
        options: Mapping[str, str] | None = None,
        vitals: Vitals | None = None,
    ) -> Thought:
        """Think about one situation now and give what came of it.

        ``options`` are the verbs to choose among, each with its meaning (default: all that the
        mind can do). The facet of this character's dilemmas thinks, so that one thought follows
        from another. Whatever goes wrong with the model shows in ``failure``; nothing is raised.
        """
        focus = Focus(
            kind=FocusKind.DILEMMA,
            text=text,
            options=self.affordances if options is None else options,
        )
        decision = await self.ask_now(
            dilemma_key(self.world, self.name), focus, tick=tick, vitals=vitals or Vitals()
        )
        return Thought.of(decision)

    async def converse(
        self,
        message: str,
        *,
        speaker: str,
        tick: int,
        speaker_id: str | None = None,
        vitals: Vitals | None = None,
    ) -> Thought:
        """Answer ``speaker``; the thread with them is kept from one call to the next."""
        focus = Focus(
            kind=FocusKind.CONVERSATION,
            text=f"{speaker} is talking to me.",
            interlocutor_id=speaker_id or name_key(speaker),
            interlocutor_name=speaker,
            current_message=message,
        )
        key = conversation_key(self.world, self.name, speaker_id or speaker)
        return Thought.of(await self.ask_now(key, focus, tick=tick, vitals=vitals or Vitals()))

    async def ask_now(
        self,
        key: str | None,
        focus: Focus,
        *,
        tick: int,
        vitals: Vitals,
    ) -> Decision:
        """Put one question through at once: report, pump, think, deliver and land.

        Other questions and decisions that come up on the way wait for their regular ``pump`` and
        ``land``. When attention is full the decision is the bodily reflex.
        """
        if not self.executive.report(key, focus, tick=tick):
            output = reflex_fallback(vitals)
            return Decision(
                ask_id="",
                mind=self.id,
                kind=AskKind.FACET,
                facet_id=None,
                key=key,
                tick=tick,
                asked_tick=tick,
                output=output,
                actions=(),
                failure=ThoughtFailure.CANCELLED,
                focus=focus,
            )
        mine: Ask | None = None
        for ask in self.executive.pump(tick, _metrics_of(vitals)):
            if mine is None and ask.focus is focus:
                mine = ask
            else:
                self._waiting.asks.append(ask)
        if mine is None:
            raise RuntimeError(f"{self.id!r}: the facet of {key!r} is still busy; land it first")
        self.executive.deliver(await self.think(mine))
        landed: Decision | None = None
        for decision in self.executive.land(tick):
            if decision.ask_id == mine.ask_id:
                landed = decision
            else:
                self._waiting.decisions.append(decision)
        if landed is None:
            raise RuntimeError(f"{self.id!r}: the answer to {mine.ask_id!r} did not land")
        return landed

    def perceive(self, percept: Entity) -> None:
        """Let the mind notice something; see :func:`cognition.percept_entity`."""
        self.executive.perceive(percept)

    def report(self, key: str | None, focus: Focus, *, tick: int) -> bool:
        """Queue a question for the facet of ``key``; False when attention is full."""
        return self.executive.report(key, focus, tick=tick)

    def pump(self, tick: int, vitals: Vitals, *, free_attention: float = 1.0) -> list[Ask]:
        """Bring the mind to ``tick``; the questions that leave now."""
        waiting, self._waiting.asks = self._waiting.asks, []
        return waiting + self.executive.pump(
            tick, _metrics_of(vitals), free_attention=free_attention
        )

    async def think(self, ask: Ask) -> Outcome:
        """Have one question answered. Failures come back by name; only cancellation is raised.

        Where somebody listens to the thread, the answer is streamed to them as it comes.
        """
        try:
            if self.executive.listened(ask.key):
                completion = await self._stream(ask)
            else:
                completion = await self._transport.ask(self.request_of(ask))
        except TransportError as error:
            return NotAnswered(
                ask_id=ask.ask_id,
                failure=ThoughtFailure(error.failure.value),
                latency_ms=error.latency_ms or 0.0,
                detail=error.detail,
                model=error.model,
                budget=_budget_of(error.standing),
            )
        return Answered(
            ask_id=ask.ask_id,
            text=completion.text,
            latency_ms=completion.latency_ms,
            prompt_tokens=completion.usage.prompt_tokens,
            completion_tokens=completion.usage.completion_tokens,
            truncated=completion.truncated,
            model=completion.model,
            budget=_budget_of(completion.standing),
        )

    async def _stream(self, ask: Ask) -> Completion:
        async with aclosing(self._transport.stream(self.request_of(ask))) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return piece
                self.executive.hear(ask.ask_id, piece)
        raise TransportError(Failure.PROTOCOL, "the stream ended without its completion")

    def listen(self, who: str, listener: Callable[[str], object]) -> Callable[[], None]:
        """Have ``listener`` get what the mind says to ``who``, piece by piece as it is thought.

        The result ends that. A listener that raises is let go.
        """
        return self.executive.listen(conversation_key(self.world, self.name, who), listener)

    def request_of(self, ask: Ask) -> Request:
        """What goes to the transport for an ask."""
        return Request(
            system=ask.system,
            messages=(Message(content=ask.prompt),),
            max_tokens=self._answer_tokens,
            schema=self._schema_for(ask),
            asker=self.id,
            ask_id=ask.ask_id,
            kind=ask.kind.value,
            priority=_priority(ask),
        )

    def _schema_for(self, ask: Ask) -> dict[str, Any] | None:
        """The schema of the answer, where it is asked for.

        A conversation is left free: its words stand outside the object.
        """
        if not self._schema or (ask.focus and ask.focus.kind is FocusKind.CONVERSATION):
            return None
        options = ask.focus.options if ask.focus is not None else {}
        # the whole mind may find that there is nothing to do; who was asked to choose may not
        least = 0 if ask.kind is AskKind.MASTER else 1
        return answer_schema(tuple(options or self.affordances), least_actions=least)

    def deliver(self, outcome: Outcome) -> None:
        """Hand in what came of an ask; it takes effect at the next :meth:`land`."""
        self.executive.deliver(outcome)

    def land(self, tick: int) -> list[Decision]:
        """The decisions that take effect at this boundary, in the order of asking."""
        waiting, self._waiting.decisions = self._waiting.decisions, []
        return waiting + self.executive.land(tick)

    def note_sent(
        self,
        target_entity_id: str,
        tick: int,
        what: str | None = None,
        *,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """Evidence that the character reached somebody; it keeps promises to them.

        With ``what`` it keeps that promise only. ``record`` is where to look it up.
        """
        self.executive.note_sent(target_entity_id, tick, what, record=record)

    def close(self, tick: int) -> None:
        """End every facet; what comes back later has no effect."""
        self.executive.close(tick)

    def save(self, directory: Path) -> Path:
        """Write goals, standing promises, beliefs and carried reasoning to a file of
        ``directory``; give its path. OSError when it cannot be written; an older one stays."""
        path = state_path(directory, self.id)
        save_mind(self.executive, path)
        return path

    def load(self, directory: Path, *, tick: int | None = None) -> bool:
        """Take up what :meth:`save` wrote; False when there is nothing. ``tick`` is where the
        host's count stands. LastingStateError for a torn or newer file; nothing has changed."""
        return load_mind(self.executive, state_path(directory, self.id), tick=tick)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._transport.aclose()


def _metrics_of(vitals: Vitals) -> dict[str, float]:
    """The body as the executive's state view names it."""
    return {
        "energy.level": vitals.energy,
        "sleep.pressure": vitals.sleep_pressure,
        "stress.load": vitals.stress,
    }


def _budget_of(standings: Iterable[Standing]) -> dict[str, Any]:
    """How allowances stand, as the trace has it: by period, without what has no limit."""
    told: dict[str, Any] = {}
    for standing in standings:
        period: dict[str, Any] = {"calls": standing.calls}
        if standing.allowance.calls is not None:
            period["callsAllowed"] = standing.allowance.calls
        period["tokens"] = standing.tokens
        if standing.allowance.tokens is not None:
            period["tokensAllowed"] = standing.allowance.tokens
        told[standing.period] = period | {"renewsInS": round(standing.renews_in_s, 1)}
    return told


def _priority(ask: Ask) -> Priority:
    if ask.kind is AskKind.MASTER:
        return Priority.MUSING
    if ask.focus is not None and ask.focus.kind is FocusKind.CONVERSATION:
        return Priority.CONVERSATION
    return Priority.DILEMMA
