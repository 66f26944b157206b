"""What a mind asks of a language model, what it gets back, and the names of what can go wrong.

Everything here is a frozen value and needs the standard library alone; the SDKs are imported by
the transports that use them (:mod:`llm_wire.transports`), and only when one is made.
"""

import hashlib
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Final, Protocol, runtime_checkable

from llm_wire.allowance import Standing

__all__ = [
    "UNCOUNTED",
    "Completion",
    "Failure",
    "FinishReason",
    "Message",
    "Pieces",
    "Priority",
    "Request",
    "Role",
    "Transport",
    "TransportError",
    "Usage",
]


class Failure(StrEnum):
    """Why a thought did not come. The trace and ``statistics()`` carry these words."""

    TIMEOUT_FIRST_TOKEN = "timeout-first-token"  # noqa: S105  (a model's token)
    """The model said nothing at all in time."""
    TIMEOUT_STALLED = "timeout-stalled"
    """It began, then fell silent for too long."""
    TIMEOUT_TOTAL = "timeout-total"
    """It was still speaking when the whole time allowed was over."""
    REFUSED = "refused"
    """The provider's policy or content filter would not answer."""
    RATE_LIMITED = "rate-limited"
    """Too many calls for now; a later one may pass."""
    OVER_QUOTA = "over-quota"
    """The account has no money or allowance left; a later call will not pass by itself."""
    UNREACHABLE = "unreachable"
    """No connection, no trusted certificate, or a server that says it is down."""
    PROTOCOL = "protocol"
    """The server answered, but not as the protocol says (a wrong key or model included)."""
    EMPTY = "empty"
    """A well-formed answer without any text."""
    TRUNCATED = "truncated"
    """Cut off before anything in it was whole."""
    UNREADABLE = "unreadable"
    """Text came, but no decision could be read from it (the reader's word, not a transport's)."""
    CANCELLED = "cancelled"
    """The asker gave up: its facet ended, the world was rewound, or the queue dropped it."""
    OVER_BUDGET = "over-budget"
    """The asker's own allowance of calls or tokens is used up."""


class FinishReason(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    LENGTH = "length"
    """It ran into ``max_tokens`` or its context's end: the text is cut."""
    OTHER = "other"
    """It ended in a way that this project has no use for, with text all the same."""


class Priority(IntEnum):
    """Who goes first when calls have to queue; lower goes first."""

    CONVERSATION = 0
    """Somebody stands there and waits for words."""
    DILEMMA = 1
    """A body is torn, and its reflexes are holding the place."""
    MUSING = 2
    """A master's own thinking; nobody waits for it. The queue drops the oldest of these."""


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of the exchange that follows the system text."""

    role: Role = Role.USER
    content: str
    stable: bool = False
    """The prompt up to and including this turn comes again in the next call: worth caching."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model.

    :meth:`wire_bytes` and :attr:`digest` cover what decides the answer (texts, limits, schema,
    model, temperature); who asks, how urgently and until when are left out of them.
    """

    system: str
    """The stable part of the prompt. It goes first, so that providers' prompt caches hit."""
    messages: tuple[Message, ...]
    max_tokens: int = 512
    """Most tokens the answer may have."""
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """JSON schema of the answer, for servers that can hold a model to one. Do not change it."""
    model: str | None = None
    """Asks for this model instead of the transport's own."""
    temperature: float | None = None
    """None leaves it to the server."""
    asker: str = ""
    """The mind that asks; budgets are counted on it."""
    ask_id: str = ""
    """Names this ask among those of its asker; a recording finds it again by this."""
    kind: str = ""
    """Kind of thought (``facet``, ``master``, ``rank``): models can be chosen by it."""
    priority: Priority = Priority.DILEMMA
    deadline: float | None = None
    """The moment, on the transports' clock in seconds, after which the answer is worth nothing."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, not {self.max_tokens!r}")
        if not self.messages:
            raise ValueError("messages must hold at least one turn; put the question in a user's")

    def wire_bytes(self) -> bytes:
        """The request as stable bytes: sorted keys, ASCII, no blanks. Holds no secret."""
        value = {
            "max_tokens": self.max_tokens,
            "messages": [{"content": m.content, "role": m.role.value} for m in self.messages],
            "model": self.model,
            "schema": self.schema,
            "system": self.system,
            "temperature": self.temperature,
        }
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()

    @property
    def digest(self) -> str:
        """SHA-256 of :meth:`wire_bytes`, in hex."""
        return hashlib.sha256(self.wire_bytes()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    """All tokens of the prompt, those read from a cache included."""
    completion_tokens: int | None = None
    cache_read_tokens: int | None = None
    """How many of the prompt's tokens came out of the provider's cache."""

    @property
    def total_tokens(self) -> int:
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0)


UNCOUNTED: Final = Usage()
"""The usage of a server that counts nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered. Its text is never blank; an answer without text is a failure."""

    text: str
    finish_reason: FinishReason = FinishReason.STOP
    usage: Usage = UNCOUNTED
    model: str = ""
    """The model that answered, as the server names it."""
    latency_ms: float = 0.0
    """From the call to the last token."""
    first_token_ms: float | None = None
    """From the call to the first token; None when the answer came in one piece."""
    standing: tuple[Standing, ...] = ()
    """What its asker has used of the allowances that have a limit, this call included."""

    @property
    def truncated(self) -> bool:
        """Only whole actions of such a text may be used."""
        return self.finish_reason is FinishReason.LENGTH


Pieces = AsyncGenerator[str | Completion, None]
"""Pieces of the text as they come, then one :class:`Completion` with the whole of it."""


@runtime_checkable
class Transport(Protocol):
    """Anything that can be asked: a server, a script, a recording, or a wrapper around those.

    Both methods raise :class:`TransportError` and nothing else of their own; a cancellation
    passes through them untouched.
    """

    async def ask(self, request: Request) -> Completion:
        """The whole answer."""
        ...

    def stream(self, request: Request) -> Pieces:
        """The answer as it comes; stop early only inside ``contextlib.aclosing``."""
        ...

    async def aclose(self) -> None:
        """Let go of connections. Asking afterwards is a mistake."""
        ...


class TransportError(Exception):
    """A thought that did not come, by name. Nothing in here is ever an answer."""

    def __init__(
        self,
        failure: Failure,
        detail: str = "",
        *,
        model: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        latency_ms: float | None = None,
        sent: bool = True,
    ) -> None:
        self.failure = failure
        self.detail = detail
        """What was seen, in this project's words; free of keys."""
        self.model = model
        self.status = status
        """HTTP status, where there was one."""
        self.retry_after_s = retry_after_s
        """Seconds the server asked to wait before the next call."""
        self.latency_ms = latency_ms
        """From the call to the failure, where the transport that failed measured it."""
        self.sent = sent
        """False: no call went out, and none was paid for."""
        self.standing: tuple[Standing, ...] = ()
        """As a completion's."""
        super().__init__(failure, detail)

    def __str__(self) -> str:
        where = f" from {self.model!r}" if self.model else ""
        status = f" (HTTP {self.status})" if self.status is not None else ""
        return f"{self.failure}{where}{status}" + (f": {self.detail}" if self.detail else "")
