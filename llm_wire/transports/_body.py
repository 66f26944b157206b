"""An answer's body, read to its end or closed without leaving anything half-read."""

import json
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Final

import anyio

from llm_wire.transport import Failure, TransportError

__all__ = ["MAX_BODY_BYTES", "chunks_of", "content_type", "json_object", "json_of"]

MAX_BODY_BYTES: Final = 8 << 20
"""A larger answer is not read to its end: no thought is that long."""

_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32
"""Tells zlib to find out by the header which of the two it is."""


@asynccontextmanager
async def chunks_of(response: Any) -> AsyncGenerator[AsyncGenerator[bytes, None], None]:
    """The body in pieces; whoever stops early leaves nothing of the HTTP library half-read."""
    raw = response.aiter_raw()
    try:
        async with aclosing(_unpacked(raw, response.headers.get("content-encoding", ""))) as chunks:
            yield chunks
    finally:
        with anyio.CancelScope(shield=True):
            await response.aclose()
            # The library's generators are nested, and closing the outer one does not close the
            # inner ones. On a closed connection one more step runs them all to their end.
            with suppress(Exception):
                async for _ in raw:
                    pass


async def _unpacked(raw: AsyncGenerator[bytes, None], encoding: str) -> AsyncGenerator[bytes, None]:
    """The body as it was before the server packed it, which it was asked not to do.

    The library would unpack it too, but where that fails it drops its generators half-read.
    """
    packing = encoding.strip().lower()
    if packing not in ("", "identity", "gzip", "deflate"):
        raise TransportError(Failure.PROTOCOL, f"a body packed as {packing!r}, and not asked to be")
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB) if packing in ("gzip", "deflate") else None
    async for chunk in raw:
        try:
            yield unpacker.decompress(chunk) if unpacker is not None else chunk
        except zlib.error:
            raise TransportError(Failure.PROTOCOL, f"the body is no {packing}") from None


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
