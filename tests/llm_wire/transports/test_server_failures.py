"""Every failure of a server by its real cause: its name, and that nothing is left behind."""

import ssl
from collections.abc import Callable
from contextlib import aclosing

import anyio
import anyio.to_thread
import pytest
import trustme

from llm_wire.transport import (
    Completion,
    Failure,
    FinishReason,
    Pieces,
    Request,
    Transport,
    TransportError,
)
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient import Deadlines
from tests.llm_wire.transports.dialects import KEY, Dialect, request_of
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.loopback import (
    SILENCE,
    Answer,
    Loopback,
    chunked,
    http,
    json_answer,
    refused_port,
    sse,
)

pytestmark = pytest.mark.anyio


async def _failure(transport: Transport, stream: bool) -> TransportError:
    """How asking ends, which is badly."""
    async with no_leaks():
        with pytest.raises(TransportError) as caught:
            await _asked(transport, stream)
        assert KEY not in str(caught.value)
        assert KEY not in repr(caught.value)
        # an SDK's exception would bring the signed request along into every traceback
        assert caught.value.__context__ is None
    return caught.value


async def _asked(transport: Transport, stream: bool) -> Completion:
    if not stream:
        return await transport.ask(request_of())
    async with aclosing(transport.stream(request_of())) as pieces:
        async for piece in pieces:
            if isinstance(piece, Completion):
                return piece
    raise AssertionError("a stream ends in a completion")


def _cut(dialect: Dialect, stream: bool) -> Answer:
    """JSON that ends in the middle, in a body that is whole as far as HTTP knows."""
    if stream:
        head, *_ = sse()
        return [head, chunked(b'data: {"choices": [{"del\n\n'), b"0\r\n\r\n"]
    return [http(b'{"choices": [{"message": {"cont')]


def _nothing(dialect: Dialect, stream: bool) -> Answer:
    if stream or dialect.name == "anthropic":
        return dialect.answer(None, stream=stream)
    return json_answer({**dialect.body(None), "choices": []})


def _error_in_200(dialect: Dialect, stream: bool) -> Answer:
    return json_answer(dialect.error("rate_limit_error"))


def _error_in_stream(dialect: Dialect, stream: bool) -> Answer:
    if not stream:
        return _error_in_200(dialect, stream)
    return sse(dialect.piece("Ha"), dialect.error("rate_limit_error"))


def _page(dialect: Dialect, stream: bool) -> Answer:
    return [
        http(b"<html><body>Please sign in, stay and wait.</body></html>", content_type="text/html")
    ]


def _garbled(dialect: Dialect, stream: bool) -> Answer:
    """Bytes that are no text, or not packed as the headers say."""
    if stream:
        head, *_ = sse()
        return [head, chunked(b"data: \xff\xfe\n\n"), b"0\r\n\r\n"]
    return [http(b"no gzip at all", Content_Encoding="gzip")]


def _packed(dialect: Dialect, stream: bool) -> Answer:
    return [
        http(
            b"x",
            content_type="text/event-stream" if stream else "application/json",
            Content_Encoding="br",
        )
    ]


def _list(dialect: Dialect, stream: bool) -> Answer:
    return sse([1, 2]) if stream else json_answer([1, 2])


def _filtered(dialect: Dialect, stream: bool) -> Answer:
    return dialect.answer("I will", stream=stream, finish="content_filter")


def _broken_off(dialect: Dialect, stream: bool) -> Answer:
    """The peer is gone before the body is whole."""
    if stream:
        return sse(*dialect.events(["Ha", "lt"], finish=None), end=False)
    whole = http(b'{"choices": []}')
    return [whole[:-4]]


def _ended_early(dialect: Dialect, stream: bool) -> Answer:
    """A stream that ends cleanly, and never said that it was done."""
    return sse(*dialect.events(["Ha", "lt"], finish=None))


def _status(status: str, kind: str, **headers: str) -> Callable[[Dialect, bool], Answer]:
    def answer(dialect: Dialect, stream: bool) -> Answer:
        return json_answer(dialect.error(kind), status=status, **headers)

    return answer


CAUSES: dict[str, tuple[Callable[[Dialect, bool], Answer], Failure]] = {
    "429": (_status("429 Too Many Requests", "slow", Retry_After="7"), Failure.RATE_LIMITED),
    "429-quota": (_status("429 Too Many Requests", "insufficient_quota"), Failure.OVER_QUOTA),
    "402": (_status("402 Payment Required", "pay"), Failure.OVER_QUOTA),
    "500": (_status("500 Internal Server Error", "server_error"), Failure.UNREACHABLE),
    "503": (_status("503 Service Unavailable", "loading"), Failure.UNREACHABLE),
    "529": (_status("529 Overloaded", "overloaded_error"), Failure.UNREACHABLE),
    "400-filter": (_status("400 Bad Request", "content_filter"), Failure.REFUSED),
    "401": (_status("401 Unauthorized", "authentication_error"), Failure.PROTOCOL),
    "404": (_status("404 Not Found", "not_found_error"), Failure.PROTOCOL),
    "cut-json": (_cut, Failure.PROTOCOL),
    "garbled": (_garbled, Failure.PROTOCOL),
    "packed-otherwise": (_packed, Failure.PROTOCOL),
    "no-object": (_list, Failure.PROTOCOL),
    "empty-choices": (_nothing, Failure.EMPTY),
    "content-filter": (_filtered, Failure.REFUSED),
    "wrong-content-type": (_page, Failure.PROTOCOL),
    "error-in-200": (_error_in_200, Failure.RATE_LIMITED),
    "error-in-stream": (_error_in_stream, Failure.RATE_LIMITED),
}


@pytest.mark.parametrize("cause", CAUSES)
async def test_a_failure_has_the_name_of_its_cause(
    cause: str, dialect: Dialect, stream: bool
) -> None:
    answer, failure = CAUSES[cause]
    with Loopback([answer(dialect, stream)]).serving() as server:
        transport = dialect.transport(server.base_url)
        error = await _failure(transport, stream)
        await transport.aclose()
    assert error.failure is failure
    assert error.model == "small"
    assert len(server.seen) == 1
    assert transport.statistics().failures == ((failure, 1),)
    if cause == "429":
        assert error.retry_after_s == 7
    if cause == "401":
        assert "key was not accepted" in str(error)


async def test_a_connection_that_breaks_off(dialect: Dialect, stream: bool) -> None:
    with Loopback([_broken_off(dialect, stream)]).serving() as server:
        transport = dialect.transport(server.base_url)
        error = await _failure(transport, stream)
        await transport.aclose()
    assert error.failure is (Failure.TRUNCATED if stream else Failure.UNREACHABLE)


async def test_a_stream_that_ends_without_an_end(dialect: Dialect) -> None:
    with Loopback([_ended_early(dialect, True)]).serving() as server:
        transport = dialect.transport(server.base_url)
        error = await _failure(transport, True)
        await transport.aclose()
    assert error.failure is Failure.TRUNCATED


async def test_a_refused_port(dialect: Dialect, stream: bool) -> None:
    transport = dialect.transport(f"http://127.0.0.1:{refused_port()}/v1")
    error = await _failure(transport, stream)
    await transport.aclose()
    assert error.failure is Failure.UNREACHABLE
    assert "no connection" in str(error)


async def test_a_certificate_that_nobody_trusts(dialect: Dialect, stream: bool) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    answer = dialect.answer("Hello", stream=stream)
    with Loopback([answer], context=context).serving() as server:
        transport = dialect.transport(server.base_url)
        error = await _failure(transport, stream)
        await transport.aclose()
    assert error.failure is Failure.UNREACHABLE
    assert "certificate" in str(error)
    assert not server.seen


async def test_silence_after_the_headers(dialect: Dialect, stream: bool) -> None:
    clock = ManualClock()
    head, *_ = sse()
    with Loopback([[head, SILENCE]]).serving() as server:
        transport = dialect.transport(server.base_url, clock=clock)
        limited = Deadlines(transport, first_token_s=20, between_s=5, clock=clock)
        error: list[TransportError] = []
        async with anyio.create_task_group() as tasks:

            async def ask() -> None:
                error.append(await _failure(limited, stream))

            tasks.start_soon(ask)
            await anyio.to_thread.run_sync(server.stalled.wait)
            clock.advance(19.9)
            await anyio.lowlevel.checkpoint()
            assert not error
            clock.advance(0.2)
        await transport.aclose()
    assert error[0].failure is Failure.TIMEOUT_FIRST_TOKEN
    assert error[0].latency_ms == pytest.approx(20_000, abs=200)


async def test_silence_of_a_server_that_cannot_stream(dialect: Dialect) -> None:
    clock = ManualClock()
    head = http(b"").replace(b"Content-Length: 0", b"Content-Length: 99")
    with Loopback([[head, SILENCE]]).serving() as server:
        transport = dialect.transport(server.base_url, clock=clock)
        limited = Deadlines(transport, total_s=30, streams=False, clock=clock)
        error: list[TransportError] = []
        async with anyio.create_task_group() as tasks:

            async def ask() -> None:
                error.append(await _failure(limited, False))

            tasks.start_soon(ask)
            await anyio.to_thread.run_sync(server.stalled.wait)
            clock.advance(30)
        await transport.aclose()
    assert error[0].failure is Failure.TIMEOUT_TOTAL
    assert "stream" not in server.seen[0].body


class _Tap:
    """Tells when a piece has passed, so that a test need not guess."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.passed = anyio.Event()

    async def ask(self, request: Request) -> Completion:
        return await self._inner.ask(request)

    async def stream(self, request: Request) -> Pieces:
        async with aclosing(self._inner.stream(request)) as pieces:
            async for piece in pieces:
                self.passed.set()
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


async def test_a_stream_that_stalls_after_one_chunk(dialect: Dialect, stream: bool) -> None:
    clock = ManualClock()
    answer = [*sse(*dialect.events(["Ha"], finish=None), end=False), SILENCE]
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url, clock=clock)
        tap = _Tap(transport)
        limited = Deadlines(tap, first_token_s=20, between_s=5, clock=clock)
        error: list[TransportError] = []
        async with anyio.create_task_group() as tasks:

            async def ask() -> None:
                error.append(await _failure(limited, stream))

            tasks.start_soon(ask)
            await tap.passed.wait()
            await anyio.lowlevel.checkpoint()
            clock.advance(5.1)
        await transport.aclose()
    assert error[0].failure is Failure.TIMEOUT_STALLED
    assert limited.statistics().stalled == 1


async def test_tokens_used_up_before_a_word(dialect: Dialect, stream: bool) -> None:
    with Loopback([dialect.answer(None, stream=stream, finish="length")]).serving() as server:
        transport = dialect.transport(server.base_url)
        error = await _failure(transport, stream)
        await transport.aclose()
    assert error.failure is Failure.TRUNCATED
    assert "max_tokens" in str(error)


async def test_a_cut_answer_is_marked(dialect: Dialect, stream: bool) -> None:
    answer = dialect.answer('{"actions": [', stream=stream, finish="length")
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url)
        completion = await _asked(transport, stream)
        await transport.aclose()
    assert completion.finish_reason is FinishReason.LENGTH
    assert completion.truncated


async def test_bytes_that_are_no_http(dialect: Dialect, stream: bool) -> None:
    with Loopback([[b"SSH-2.0-OpenSSH_9.6\r\n"]]).serving() as server:
        transport = dialect.transport(server.base_url)
        error = await _failure(transport, stream)
        await transport.aclose()
    assert error.failure in (Failure.UNREACHABLE, Failure.PROTOCOL)
