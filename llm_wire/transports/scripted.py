"""A transport that needs no model: a function plays one. The offline default, and every test's."""

from collections.abc import Callable
from dataclasses import dataclass

from anyio.lowlevel import checkpoint

from llm_wire.transport import (
    UNCOUNTED,
    Completion,
    Failure,
    FinishReason,
    Pieces,
    Request,
    TransportError,
    Usage,
)
from llm_wire.transports.clock import Clock

__all__ = ["Script", "ScriptedReply", "ScriptedStatistics", "ScriptedTransport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """An answer with everything a server would say about it."""

    text: str = ""
    failure: Failure | None = None
    """Given: this failure is raised in place of an answer."""
    retry_after_s: float | None = None
    finish_reason: FinishReason = FinishReason.STOP
    usage: Usage = UNCOUNTED
    latency_ms: float = 0.0
    """What the answer says it took. No time passes for it unless the transport has a clock."""
    first_token_ms: float | None = None
    piece_length: int = 16
    """Characters in each streamed piece."""


Script = Callable[[Request], str | ScriptedReply]
"""Plays the model: the same request has to give the same reply, or replays will differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedStatistics:
    """How often the script was asked."""

    asked: int
    answered: int
    failed: int


class ScriptedTransport:
    """Asks ``script``; deterministic, and without a clock unless one is given.

    With ``clock`` each answer takes its ``latency_ms`` on that clock.
    """

    def __init__(
        self, script: Script, *, model: str = "scripted", clock: Clock | None = None
    ) -> None:
        self._script = script
        self._model = model
        self._clock = clock
        self._asked = self._answered = self._failed = 0

    def statistics(self) -> ScriptedStatistics:
        return ScriptedStatistics(asked=self._asked, answered=self._answered, failed=self._failed)

    async def ask(self, request: Request) -> Completion:
        reply = self._play(request)
        if self._clock is None:
            await checkpoint()
        else:
            await self._clock.sleep(reply.latency_ms / 1000)
        return self._completion(reply, request)

    async def stream(self, request: Request) -> Pieces:
        reply = self._play(request)
        pieces = max(1, -(-len(reply.text) // reply.piece_length))
        for n in range(pieces):
            if self._clock is None:
                await checkpoint()
            else:
                await self._clock.sleep(reply.latency_ms / 1000 / pieces)
            if reply.failure is not None or not reply.text.strip():
                break
            yield reply.text[n * reply.piece_length : (n + 1) * reply.piece_length]
        yield self._completion(reply, request)

    async def aclose(self) -> None:
        await checkpoint()

    def _play(self, request: Request) -> ScriptedReply:
        self._asked += 1
        reply = self._script(request)
        return ScriptedReply(text=reply) if isinstance(reply, str) else reply

    def _completion(self, reply: ScriptedReply, request: Request) -> Completion:
        model = request.model or self._model
        failure = reply.failure
        if failure is None and not reply.text.strip():
            failure = Failure.EMPTY
        if failure is not None:
            self._failed += 1
            raise TransportError(
                failure,
                "the script says so",
                model=model,
                retry_after_s=reply.retry_after_s,
                latency_ms=reply.latency_ms,
            )
        self._answered += 1
        return Completion(
            text=reply.text,
            finish_reason=reply.finish_reason,
            usage=reply.usage,
            model=model,
            latency_ms=reply.latency_ms,
            first_token_ms=reply.first_token_ms,
        )
