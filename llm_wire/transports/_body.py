"""An answer's body, read to its end or closed without leaving anything half-read."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio

from llm_wire.transport import Failure, TransportError

__all__ = ["MAX_BODY_BYTES", "chunks_of", "content_type", "json_object", "json_of"]

MAX_BODY_BYTES: Final = 8 << 20
"""A larger answer is not read to its end: no thought is that long."""


@asynccontextmanager
async def chunks_of(response: Any) -> AsyncGenerator[AsyncGenerator[bytes, None], None]:
    """The body in pieces; whoever stops early leaves nothing of the HTTP library half-read."""
    chunks = response.aiter_bytes()
    try:
        yield chunks
    finally:
        with anyio.CancelScope(shield=True):
            await response.aclose()
            # The library's generators are nested, and closing the outer one does not close the
            # inner ones. On a closed connection one more step runs them all to their end.
            with suppress(Exception):
                async for _ in chunks:
                    pass


async def json_of(response: Any, chunks: AsyncGenerator[bytes, None]) -> Mapping[str, Any]:
    kind = content_type(response)
    if kind != "application/json" and not kind.endswith("+json"):
        raise TransportError(Failure.PROTOCOL, f"content type {kind!r} where JSON was due")
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise TransportError(Failure.PROTOCOL, f"an answer of more than {MAX_BODY_BYTES} bytes")
    try:
        return json_object(body.decode())
    except UnicodeDecodeError:
        raise TransportError(Failure.PROTOCOL, "the answer is not UTF-8") from None


def content_type(response: Any) -> str:
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def json_object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise TransportError(Failure.PROTOCOL, "the JSON of the answer is broken") from None
    if not isinstance(value, dict):
        raise TransportError(Failure.PROTOCOL, "the JSON of the answer is no object")
    return value
