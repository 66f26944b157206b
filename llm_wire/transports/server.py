"""What the two SDKs' transports have in common: one call over HTTP, whole or streamed.

The SDK builds the request, signs it and opens the response; the body is read here. The SDKs' own
stream objects stop at the end marker and leave half-read generators behind, which trio reports as
leaks, and their models take any JSON for an answer. Reading the body ourselves closes what was
opened, on both backends, and lets nothing but an answer pass for one.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import anyio

from llm_wire.transport import (
    Completion,
    Failure,
    FinishReason,
    Pieces,
    Request,
    TransportError,
    Usage,
)
from llm_wire.transports._body import chunks_of, content_type, json_object, json_of
from llm_wire.transports._named import error_in, named, without_secrets
from llm_wire.transports._tally import Statistics, Tally
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.event_stream import EventStream
from llm_wire.transports.schema_style import SchemaStyle, names_schema

__all__ = ["CONNECT_S", "SILENCE_S", "Draft", "ServerTransport", "count_in"]

CONNECT_S: Final = 10.0
"""Longest wait for a connection, in seconds."""
SILENCE_S: Final = 300.0
"""Longest silence in a call, in seconds: a backstop behind ``resilient.Deadlines``."""

LINGER_S: Final = 0.1
"""How long the end of a body is waited for after the end of its answer, in seconds."""

_MOST_TOKENS: Final = 1 << 40
"""No call has more: a greater count is a server's mistake, and no budget may hang on it."""

_SCHEMA_REFUSALS: Final = frozenset({400, 415, 422, 501})
"""How a server says that it does not know the schema's field (or this schema)."""


def count_in(usage: object, name: str) -> int | None:
    """A token count in a server's usage, if it is one that can be."""
    value = usage.get(name) if isinstance(usage, Mapping) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None


@dataclass(slots=True)
class Draft:
    """An answer as far as it has come."""

    text: list[str] = field(default_factory=list)
    finish: FinishReason | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    refused: bool = False
    """The provider's policy cut it off."""
    ended: bool = False
    """The server said that this is all."""


class ServerTransport(ABC):
    """Asks a server through an SDK. Subclasses say how to call, and how to read what comes."""

    _styles: tuple[SchemaStyle, ...] = (SchemaStyle.JSON_SCHEMA, SchemaStyle.NONE)
    """What is tried, in order, where a request has a schema."""

    def __init__(
        self,
        *,
        model: str,
        key: str,
        style: SchemaStyle = SchemaStyle.JSON_SCHEMA,
        clock: Clock | None,
    ) -> None:
        if not model:
            raise ValueError("model must name the model to ask; it is empty")
        self._model = model
        self._secrets = (key,)
        self._clock: Clock = clock if clock is not None else AnyioClock()
        if style not in self._styles:
            raise ValueError(f"schema_style {style!r} is none of {', '.join(self._styles)}")
        self._first_style = SchemaStyle(style)
        self._style_of: dict[str, SchemaStyle] = {}
        self._tally = Tally()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self._model!r})"

    @property
    def schema_styles(self) -> Mapping[str, SchemaStyle]:
        """How each model was told a schema and answered; models not asked with one are left out."""
        return MappingProxyType(self._style_of)

    def statistics(self) -> Statistics:
        return self._tally.statistics()

    @abstractmethod
    def _open(
        self, request: Request, model: str, *, style: SchemaStyle, stream: bool
    ) -> AbstractAsyncContextManager[Any]:
        """The SDK's call; gives an object with the HTTP library's ``http_response``."""

    @abstractmethod
    def _read(self, body: Mapping[str, Any], draft: Draft) -> None:
        """Fill ``draft`` from a whole answer."""

    @abstractmethod
    def _hear(self, body: Mapping[str, Any], draft: Draft) -> str:
        """Add an event to ``draft``, and give the piece of text in it."""

    @abstractmethod
    async def _list(self) -> list[str]: ...

    @abstractmethod
    async def aclose(self) -> None: ...

    async def model_names(self) -> tuple[str, ...]:
        """What the server says it can be asked for, in its order; raises as :meth:`ask` does."""
        failure: TransportError | None = None
        names: list[str] = []
        try:
            names = await self._list()
        except Exception as error:  # noqa: BLE001  as in a call
            failure = named(error, began=False, secrets=self._secrets)
        if failure is not None:
            failure.__context__ = None
            raise failure.with_traceback(None)
        return tuple(without_secrets(name, self._secrets) for name in names)

    async def ask(self, request: Request) -> Completion:
        async with aclosing(self._asked(request, stream=False)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return piece
        raise AssertionError("a call that did not fail ends in a completion")  # pragma: no cover

    async def stream(self, request: Request) -> Pieces:
        async with aclosing(self._asked(request, stream=True)) as pieces:
            async for piece in pieces:
                yield piece

    async def _asked(self, request: Request, *, stream: bool) -> Pieces:
        """One call; more only where the first ones show that the server takes no such schema."""
        model = request.model or self._model
        self._tally.asked += 1
        styles = self._styles_for(request, model)
        while True:
            style = next(styles)
            try:
                async with aclosing(self._called(request, model, style, stream)) as pieces:
                    async for piece in pieces:
                        if request.schema is not None:
                            self._style_of[model] = style
                        self._tally.answered += isinstance(piece, Completion)
                        yield piece
            except TransportError as error:
                if style is SchemaStyle.NONE or not _refuses_schema(error):
                    self._tally.failures[error.failure] += 1
                    raise
            else:
                return

    def _styles_for(self, request: Request, model: str) -> Iterator[SchemaStyle]:
        if request.schema is None:
            return iter((SchemaStyle.NONE,))
        first = self._style_of.get(model, self._first_style)
        return iter(self._styles[self._styles.index(first) :])

    async def _called(
        self, request: Request, model: str, style: SchemaStyle, stream: bool
    ) -> Pieces:
        start = self._clock.now()
        first: float | None = None
        draft = Draft(model=model)
        failure: TransportError | None = None
        try:
            async with (
                self._open(request, model, style=style, stream=stream) as opened,
                chunks_of(opened.http_response) as chunks,
            ):
                pieces = (self._streamed if stream else self._whole)(
                    opened.http_response, chunks, draft
                )
                async with aclosing(pieces):
                    async for piece in pieces:
                        if first is None:
                            first = self._clock.now()
                        if stream:
                            yield piece
        except Exception as error:  # noqa: BLE001  whatever an SDK raises costs a thought, no more
            failure = named(error, began=bool(draft.text), secrets=self._secrets)
        if failure is None:
            failure = _fault(draft)
        if failure is not None:
            # Raised out here and cleared, it drags nothing along: an SDK's exceptions hold the
            # signed request, a server's error may repeat the key, and whoever prints a traceback
            # with its values would print it.
            failure.__context__ = None
            failure.model = model
            failure.latency_ms = (self._clock.now() - start) * 1000
            raise failure.with_traceback(None)
        yield Completion(
            # a server that repeats the key in its answer does not get it into anybody's records
            text=without_secrets("".join(draft.text), self._secrets),
            finish_reason=draft.finish or FinishReason.OTHER,
            usage=draft.usage,
            model=without_secrets(draft.model, self._secrets),
            latency_ms=(self._clock.now() - start) * 1000,
            first_token_ms=(first - start) * 1000 if stream and first is not None else None,
        )

    async def _whole(
        self, response: Any, chunks: AsyncGenerator[bytes, None], draft: Draft
    ) -> AsyncGenerator[str, None]:
        body = await json_of(response, chunks)
        self._refuse_error(body, response)
        self._read(body, draft)
        draft.ended = True
        yield "".join(draft.text)

    async def _streamed(
        self, response: Any, chunks: AsyncGenerator[bytes, None], draft: Draft
    ) -> AsyncGenerator[str, None]:
        if content_type(response) != "text/event-stream":
            # an error in JSON has a name of its own; anything else is no stream
            self._refuse_error(await json_of(response, chunks), response)
            raise TransportError(Failure.PROTOCOL, "a whole answer where a stream was asked for")
        reader = EventStream()
        async for chunk in chunks:
            for event in reader.feed(chunk):
                if piece := self._piece(event, response, draft):
                    yield piece
            if draft.ended:
                # a body that is read to its end leaves the connection fit for the next call
                with anyio.move_on_after(LINGER_S):
                    async for _ in chunks:
                        pass
                return
        for event in reader.close():
            if piece := self._piece(event, response, draft):
                yield piece

    def _piece(self, event: str, response: Any, draft: Draft) -> str:
        if event.startswith("[DONE]"):
            draft.ended = True
            return ""
        if draft.ended:
            return ""
        body = json_object(event)
        self._refuse_error(body, response)
        piece = self._hear(body, draft)
        if piece:
            draft.text.append(piece)
        return piece

    def _refuse_error(self, body: Mapping[str, Any], response: Any) -> None:
        if body.get("error") or body.get("type") == "error":
            raise error_in(body, status=None, headers=response.headers, secrets=self._secrets)


def _refuses_schema(error: TransportError) -> bool:
    if error.status is None or error.failure not in (Failure.PROTOCOL, Failure.UNREACHABLE):
        return False
    if error.retry_after_s is not None:
        return False  # it wants to be left alone for a while
    if "context" in error.detail:
        return False  # the prompt is too long, and would be so in plain text
    # llama-cpp-python's server says 500 for a field of a form that it does not know
    return error.status in _SCHEMA_REFUSALS or names_schema(error.detail)


def _fault(draft: Draft) -> TransportError | None:
    """Why a call that went through is no answer all the same."""
    blank = not "".join(draft.text).strip()
    if draft.refused:
        return TransportError(Failure.REFUSED, "the provider's filter cut the answer off")
    if not draft.ended and draft.finish is None:
        if blank:
            return TransportError(Failure.EMPTY, "the stream ended without a word")
        return TransportError(Failure.TRUNCATED, "the stream ended in the middle of the answer")
    if blank and draft.finish is FinishReason.LENGTH:
        return TransportError(
            Failure.TRUNCATED, "the tokens allowed were used up before any answer; raise max_tokens"
        )
    if blank:
        return TransportError(Failure.EMPTY, "the answer holds no text")
    return None
