"""What ``mindot doctor`` finds out about a model: whether it answers, how, how fast, and what to
change. The command prints these values and computes nothing of its own.
"""

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from cognition.response import parse_response
from llm_wire.answer_schema import answer_schema
from llm_wire.transport import (
    Completion,
    Failure,
    Message,
    Request,
    Transport,
    TransportError,
)
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.resilient import Deadlines
from llm_wire.transports.resilient.stack import Resilience
from llm_wire.transports.server import ServerTransport
from llm_wire.transports.spec import ModelSpec, SpecError, key_name, open_model
from mindot.cli._checkup_advice import (
    Answer,
    about_failures,
    about_reading,
    about_schema,
    about_time,
)

__all__ = ["Checkup", "check_up"]

_VERBS: Final = ("stay", "watch", "warn_say", "flee", "confront", "call_help")

_SYSTEM: Final = (
    "I am Gerdur, and I run the mill of a small village.\n"
    f"What I can do: {', '.join(_VERBS)}.\n"
    "I answer with one JSON object and nothing else:\n"
    '{"actions": [{"type": "...", "reasoning": "...", "expectedOutcome": "...", "target": "..."}],'
    ' "reasoning": "...", "confidence": 0.0}\n'
    "type: one of the things I can do, spelled as listed. confidence: from 0 to 1."
)
_QUESTION: Final = (
    "It is evening. A stranger with a drawn knife stands before the mill, and my brother Hod is "
    "still outside. I am torn between warn_say and call_help. What do I do?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What was found of one model."""

    name: str
    llm: str
    base_url: str | None
    key_name: str | None
    """The environment's variable that is read for a key; None: no key is needed."""
    key_set: bool
    schema_style: str | None = None
    """How the server took the schema; None: it was never asked."""
    answers: tuple[Answer, ...] = ()
    advice: tuple[str, ...] = ()
    """What to change, most pressing first; empty when all is well."""

    @property
    def works(self) -> bool:
        """At least half of the questions got a readable answer."""
        return sum(a.readable for a in self.answers) * 2 >= max(1, len(self.answers))


async def check_up(
    name: str,
    spec: ModelSpec,
    *,
    env: Mapping[str, str],
    asks: int,
    rate_hz: float,
    resilience: Resilience,
    max_tokens: int,
    clock: Clock | None = None,
) -> Checkup:
    """Put ``asks`` questions to a model, one after the other; ``rate_hz`` is the host's sweeps."""
    clock = clock if clock is not None else AnyioClock()
    variable = key_name(spec)
    found = Checkup(
        name=name,
        llm=str(spec),
        base_url=spec.url,
        key_name=variable,
        key_set=bool(variable and env.get(variable)),
    )
    try:
        transport = open_model(spec, env=env, clock=clock)
    except SpecError as error:
        return replace(found, advice=(str(error),))
    try:
        limited = Deadlines(
            transport,
            first_token_s=resilience.first_token_s,
            between_s=resilience.between_s,
            total_s=resilience.total_s,
            streams=resilience.streams,
            clock=clock,
        )
        answers: list[Answer] = []
        for n in range(asks):
            answers.append(await _ask(limited, n, max_tokens))
            if answers[-1].failure in _HOPELESS:
                break
        style = _style(transport, spec)
        advice = [
            *about_failures(answers, spec, await _known_models(transport, answers)),
            *about_reading(answers, max_tokens),
            *about_schema(style, spec),
            *about_time(answers, rate_hz),
        ]
    finally:
        await transport.aclose()
    return replace(found, schema_style=style, answers=tuple(answers), advice=tuple(advice))


_HOPELESS: Final = frozenset(
    {Failure.UNREACHABLE, Failure.OVER_QUOTA, Failure.PROTOCOL, Failure.RATE_LIMITED}
)
"""After one of these the next question would fare no better, or is not welcome yet."""


async def _ask(transport: Transport, n: int, max_tokens: int) -> Answer:
    request = Request(
        system=_SYSTEM,
        # another number each time, so that no cache answers for the model
        messages=(Message(content=f"Moment {n + 1}. {_QUESTION}"),),
        max_tokens=max_tokens,
        schema=answer_schema(_VERBS),
        asker="doctor",
        ask_id=str(n + 1),
    )
    try:
        completion = await _streamed(transport, request)
    except TransportError as error:
        return Answer(
            failure=error.failure,
            detail=error.detail,
            status=error.status,
            latency_ms=error.latency_ms,
        )
    read = parse_response(completion.text)
    fell = str(read.route) == "fallback"
    actions = () if fell else tuple(action.type for action in read.actions)
    return Answer(
        failure=Failure.UNREADABLE if fell else None,
        route=str(read.route),
        actions=actions,
        admissible=bool(actions) and actions[0] in _VERBS,
        truncated=completion.truncated,
        first_token_ms=completion.first_token_ms,
        latency_ms=completion.latency_ms,
        prompt_tokens=completion.usage.prompt_tokens,
        completion_tokens=completion.usage.completion_tokens,
    )


async def _streamed(transport: Transport, request: Request) -> Completion:
    async with aclosing(transport.stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Completion):
                return piece
    raise TransportError(Failure.PROTOCOL, "the stream ended without a completion")


def _style(transport: Transport, spec: ModelSpec) -> str | None:
    if isinstance(transport, ServerTransport):
        style = transport.schema_styles.get(spec.name)
        return None if style is None else style.value
    return None


async def _known_models(transport: Transport, answers: list[Answer]) -> tuple[str, ...]:
    """What the server offers instead, where it did not take the question."""
    asked_amiss = any(a.failure is Failure.PROTOCOL for a in answers)
    if not asked_amiss or not isinstance(transport, ServerTransport):
        return ()
    try:
        return await transport.model_names()
    except TransportError:
        return ()
