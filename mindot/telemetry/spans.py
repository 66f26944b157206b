"""Spans: ``wake`` and ``ask`` as they happen, ``parse`` inside ``land``.

A thought is asked at one tick and lands at a later one, so its landing is no child of its asking;
``parse`` links back to the ``ask`` it read the answer of.
"""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final

from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace import set_span_in_context as in_context

from cognition.asking import Answered, Ask, Outcome
from cognition.executive_output import ExecutiveOutput
from mindot.deliberator.wake import Wake, Wakened
from mindot.telemetry import names

__all__ = ["MindSpans", "tell_outcome", "tell_read", "tell_woken"]

MAX_REMEMBERED_ASKS: Final = 1024
"""Asks whose landing may still come; the oldest is forgotten, and its landing has no link."""

ASKED: Final = "asked"
"""Outcome of a wake that no law decides: the mind is asked to choose, and the thought goes on."""


class MindSpans:
    """Makes the spans. The landing of one mind at one tick is one span, made when it has work."""

    def __init__(
        self, tracer: Tracer, *, provider_name: str = "_OTHER", model: str | None = None
    ) -> None:
        self._tracer = tracer
        self._call_attributes = {names.OPERATION: "chat", names.PROVIDER: provider_name}
        if model is not None:
            self._call_attributes[names.REQUEST_MODEL] = model
        self._asked: dict[tuple[str, str], SpanContext] = {}
        self._landing: _Landing | None = None

    def wake(self, wake: Wake) -> AbstractContextManager[Span]:
        """The span of judging a wake by the laws."""
        return self._tracer.start_as_current_span(
            names.WAKE, attributes={names.WAKE_CLASS: wake.cls.value}
        )

    @contextmanager
    def ask(self, mind: str, ask: Ask) -> Iterator[Span]:
        """The span of a call to a model."""
        attributes = self._call_attributes | {names.AGENT_ID: mind, names.ASK_KIND: ask.kind.value}
        if ask.key is not None:
            attributes[names.CONVERSATION_ID] = ask.key
        with self._tracer.start_as_current_span(
            names.ASK, kind=SpanKind.CLIENT, attributes=attributes
        ) as span:
            self._asked[mind, ask.ask_id] = span.get_span_context()
            while len(self._asked) > MAX_REMEMBERED_ASKS:
                del self._asked[next(iter(self._asked))]
            yield span

    @contextmanager
    def land(self, mind: str) -> Iterator[None]:
        """What a mind lands at a boundary; there is a span only if something does."""
        self._landing = _Landing(mind, time.time_ns())
        try:
            yield
        finally:
            span = self._landing.span
            self._landing = None
            if span is not None:
                span.end()

    def landing(self, ask: Ask) -> None:
        """What came of this ask lands now."""
        landing = self._landing
        if landing is None:
            return
        if landing.span is None:
            landing.span = self._tracer.start_span(
                names.LAND, attributes={names.AGENT_ID: landing.mind}, start_time=landing.began
            )
        landing.asked = self._asked.pop((landing.mind, ask.ask_id), None)

    def parse(self) -> AbstractContextManager[Span]:
        """The span of reading one answer, inside the landing if there is one."""
        landing = self._landing
        if landing is None or landing.span is None:
            return self._tracer.start_as_current_span(names.PARSE)
        return self._tracer.start_as_current_span(
            names.PARSE,
            context=in_context(landing.span),
            links=[] if landing.asked is None else [Link(landing.asked)],
        )


@dataclass(slots=True)
class _Landing:
    mind: str
    began: int
    """Unix nanoseconds."""
    span: Span | None = None
    asked: SpanContext | None = None


def tell_woken(span: Span, begun: object) -> None:
    """Say on a wake's span what it came to: an intention, none, or a question to the mind."""
    outcome = begun.outcome.value if isinstance(begun, Wakened) else ASKED
    span.set_attribute(names.WAKE_OUTCOME, outcome)


def tell_read(span: Span, output: ExecutiveOutput) -> None:
    """Say on a parse's span how the answer was read."""
    span.set_attribute(names.ANSWER_ROUTE, str(output.route))


def tell_outcome(span: Span, outcome: Outcome) -> None:
    """Say on an ask's span what came of it."""
    if not isinstance(outcome, Answered):
        span.set_attribute(names.ERROR_TYPE, outcome.failure.value)
        span.set_status(Status(StatusCode.ERROR, outcome.failure.value))
        return
    if outcome.prompt_tokens is not None:
        span.set_attribute(names.INPUT_TOKENS, outcome.prompt_tokens)
    if outcome.completion_tokens is not None:
        span.set_attribute(names.OUTPUT_TOKENS, outcome.completion_tokens)
