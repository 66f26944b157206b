"""What goes to a server, and what comes back when all is well."""

import gzip
import json
import logging
import traceback
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from llm_wire.answer_schema import answer_schema
from llm_wire.transport import (
    Completion,
    FinishReason,
    Message,
    Request,
    Role,
    TransportError,
    Usage,
)
from llm_wire.transports.anthropic import AnthropicTransport
from llm_wire.transports.openai import OpenAITransport
from llm_wire.transports.schema_style import SchemaStyle
from llm_wire.transports.server import ServerTransport
from tests.llm_wire.transports.dialects import ANTHROPIC, KEY, OPENAI, Dialect, request_of
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.loopback import SILENCE, Answer, Loopback, http, json_answer, sse
from tests.llm_wire.transports.steps import cancelled_at_every_await

pytestmark = pytest.mark.anyio


async def test_a_whole_answer(dialect: Dialect) -> None:
    with Loopback([dialect.answer("I open.", stream=False)]).serving() as server:
        transport = dialect.transport(server.base_url)
        completion = await transport.ask(request_of())
        await transport.aclose()
    assert completion.text == "I open."
    assert completion.finish_reason is FinishReason.STOP
    assert not completion.truncated
    assert completion.model == "small-2"
    assert completion.usage == Usage(prompt_tokens=30, completion_tokens=5, cache_read_tokens=20)
    assert completion.latency_ms > 0
    assert completion.first_token_ms is None
    assert transport.statistics().answered == 1


async def test_a_streamed_answer(dialect: Dialect) -> None:
    answer = sse(*dialect.events(["I ", "open", "."]))
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url)
        async with no_leaks(), aclosing(transport.stream(request_of())) as stream:
            *pieces, completion = [piece async for piece in stream]
        await transport.aclose()
    assert pieces == ["I ", "open", "."]
    assert isinstance(completion, Completion)
    assert completion.text == "I open."
    assert completion.finish_reason is FinishReason.STOP
    assert completion.usage == Usage(prompt_tokens=30, completion_tokens=5, cache_read_tokens=20)
    assert completion.first_token_ms is not None
    assert 0 < completion.first_token_ms <= completion.latency_ms


async def test_a_server_that_does_not_hang_up_after_the_end(dialect: Dialect) -> None:
    answer = [*sse(*dialect.events(["I open."]), end=False), SILENCE]
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url)
        async with no_leaks(), aclosing(transport.stream(request_of())) as stream:
            *_, completion = [piece async for piece in stream]
        await transport.aclose()
    assert isinstance(completion, Completion)
    assert completion.text == "I open."


async def test_a_stream_that_is_left_early(dialect: Dialect) -> None:
    answer = [*sse(*dialect.events(["I ", "open"], finish=None), end=False), SILENCE]
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url)
        async with no_leaks(), aclosing(transport.stream(request_of())) as stream:
            async for piece in stream:
                assert piece == "I "
                break
        await transport.aclose()


async def test_a_cancellation_at_any_await_is_all_that_surfaces(
    dialect: Dialect, stream: bool
) -> None:
    with Loopback([dialect.answer("I open.", stream=stream)]).serving() as server:
        transport = dialect.transport(server.base_url)

        async def ask() -> None:
            if not stream:
                await transport.ask(request_of())
                return
            async with aclosing(transport.stream(request_of())) as pieces:
                async for _ in pieces:
                    pass

        async with no_leaks():
            assert await cancelled_at_every_await(ask) > 3
        await transport.aclose()
    assert transport.statistics().failures == ()


async def test_a_cancellation_in_the_middle_of_a_stream(dialect: Dialect) -> None:
    answer = [*sse(*dialect.events(["I "], finish=None), end=False), SILENCE]
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url)
        async with no_leaks():
            with anyio.CancelScope() as scope:
                async with aclosing(transport.stream(request_of())) as pieces:
                    async for _ in pieces:
                        scope.cancel()
            assert scope.cancelled_caught
        await transport.aclose()


async def test_an_answer_that_was_packed_all_the_same(dialect: Dialect) -> None:
    body = gzip.compress(json.dumps(dialect.body("I open.")).encode())
    with Loopback([[http(body, Content_Encoding="gzip")]]).serving() as server:
        transport = dialect.transport(server.base_url)
        async with no_leaks():
            assert (await transport.ask(request_of())).text == "I open."
        await transport.aclose()
    assert server.seen[0].headers["accept-encoding"] == "identity"


async def test_the_sdks_do_not_retry_by_themselves(dialect: Dialect) -> None:
    answer = json_answer(dialect.error("server_error"), status="500 Internal Server Error")
    with Loopback([answer]).serving() as server:
        transport = dialect.transport(server.base_url)
        with pytest.raises(TransportError):
            await transport.ask(request_of())
        await transport.aclose()
    assert len(server.seen) == 1


async def test_nothing_of_the_environment_goes_out(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
    ):
        monkeypatch.setenv(name, "from-the-environment")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Secret: from-the-environment\nX-Api-Key: from-the-environment")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/from-the-environment")
    with Loopback([dialect.answer("I open.", stream=False)]).serving() as server:
        transport = dialect.transport(server.base_url)
        await transport.ask(request_of())
        await transport.aclose()
    seen = server.seen[0]
    assert "from-the-environment" not in repr(seen)
    assert any(KEY in value for value in seen.headers.values())
    assert not any(name.startswith("x-stainless-os") for name in seen.headers)


async def test_the_key_is_nowhere_to_be_read(
    dialect: Dialect, caplog: pytest.LogCaptureFixture, stream: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = dialect.error("invalid_request_error", f"what is {KEY}? and sk-another-7777777?")
    answers: list[Answer] = [
        json_answer(echo, status="400 Bad Request"),
        json_answer(echo, status="401 Unauthorized"),
        json_answer(echo),
    ]
    shown: list[str] = []
    with Loopback(answers).serving() as server:
        transport = dialect.transport(server.base_url)
        for _ in answers:
            try:
                await anext(transport.stream(request_of())) if stream else (
                    await transport.ask(request_of())
                )
            except TransportError as error:
                shown += [str(error), repr(error), repr(error.__dict__)]
                told = traceback.TracebackException.from_exception(error, capture_locals=True)
                # this test's own frame holds the key, of course
                shown += [repr(f.locals) for f in told.stack if f.filename != __file__]
                assert told.__context__ is None
        shown.append(repr(transport))
        await transport.aclose()
    assert len(shown) > 4 * len(answers)
    everything = "\n".join(shown) + caplog.text
    assert KEY not in everything
    assert "sk-another" not in everything


async def test_a_server_that_repeats_the_key_gets_it_into_nothing(
    dialect: Dialect, stream: bool
) -> None:
    body = dialect.body(f"my key is {KEY}, is it not?")
    answers: list[Answer] = [
        [http(b"{}", content_type=f"text/{KEY}")],
        [http(b"{}", Content_Encoding=KEY)],
        json_answer(body | {"model": f"m-{KEY}"}),
    ]
    if stream:
        events = dialect.events([f"my key is {KEY}, ", "is it not?"])
        answers[-1] = sse(*(replaced(event) for event in events))
    with Loopback(answers).serving() as server:
        transport = dialect.transport(server.base_url)
        for what in ("content type", "a body packed as"):
            with pytest.raises(TransportError) as caught:
                await completed(transport, stream=stream)
            assert what in caught.value.detail
            assert KEY.lower() not in repr(caught.value.__dict__).lower()
        completion = await completed(transport, stream=stream)
        await transport.aclose()
    assert completion.text == "my key is [key], is it not?"
    assert KEY not in repr(completion)


def replaced(event: object) -> object:
    """An event whose model's name is the key."""
    return json.loads(json.dumps(event).replace("small-2", f"m-{KEY}"))


async def completed(transport: ServerTransport, *, stream: bool) -> Completion:
    if not stream:
        return await transport.ask(request_of())
    async with aclosing(transport.stream(request_of())) as pieces:
        said = [piece async for piece in pieces]
    assert isinstance(said[-1], Completion)
    return said[-1]


@pytest.mark.parametrize("count", [-1, 1 << 41, True, "7", 10**4000])
async def test_counts_that_cannot_be_are_not_believed(dialect: Dialect, count: object) -> None:
    body = dialect.body("Hello")
    body["usage"] = dict.fromkeys(body["usage"], count)
    with Loopback([json_answer(body)]).serving() as server:
        transport = dialect.transport(server.base_url)
        completion = await transport.ask(request_of())
        await transport.aclose()
    assert completion.usage.prompt_tokens is None
    assert completion.usage.completion_tokens is None


async def test_a_server_that_wants_a_pause_is_not_asked_in_another_form() -> None:
    error = OPENAI.error("server_error", "response_format is busy")
    busy = json_answer(error, status="503 Service Unavailable", Retry_After="5")
    with Loopback([busy, busy]).serving() as server:
        transport = OPENAI.transport(server.base_url)
        with pytest.raises(TransportError) as caught:
            await transport.ask(request_of(schema={"type": "object"}))
        await transport.aclose()
    assert caught.value.retry_after_s == 5
    assert len(server.seen) == 1


async def test_an_openai_request_as_it_goes_out() -> None:
    with Loopback([OPENAI.answer("I open.", stream=True)]).serving() as server:
        transport = OPENAI.transport(server.base_url)
        request = Request(
            system="You are Gerdur.",
            messages=(
                Message(content="Who is there?"),
                Message(role=Role.ASSISTANT, content="Nobody."),
                Message(content="And now?"),
            ),
            max_tokens=99,
            temperature=0.5,
        )
        async with aclosing(transport.stream(request)) as pieces:
            async for _ in pieces:
                pass
        await transport.aclose()
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "You are Gerdur."},
            {"role": "user", "content": "Who is there?"},
            {"role": "assistant", "content": "Nobody."},
            {"role": "user", "content": "And now?"},
        ],
        "max_tokens": 99,
        "temperature": 0.5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_an_anthropic_request_marks_what_is_stable() -> None:
    with Loopback([ANTHROPIC.answer("I open.", stream=False)]).serving() as server:
        transport = ANTHROPIC.transport(server.base_url)
        request = Request(
            system="You are Gerdur.",
            messages=(
                Message(content="The village.", stable=True),
                Message(role=Role.ASSISTANT, content="I know it."),
                Message(content="Who is there?"),
            ),
            max_tokens=99,
            temperature=0.5,
            model="other",
        )
        await transport.ask(request)
        await transport.aclose()
    mark = {"cache_control": {"type": "ephemeral"}}
    assert server.seen[0].path == "/v1/messages"
    assert server.seen[0].body == {
        "model": "other",
        "max_tokens": 99,
        "temperature": 0.5,
        "system": [{"type": "text", "text": "You are Gerdur.", **mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "The village.", **mark}]},
            {"role": "assistant", "content": [{"type": "text", "text": "I know it."}]},
            {"role": "user", "content": [{"type": "text", "text": "Who is there?"}]},
        ],
    }


def _form(body: dict[str, Any]) -> str | None:
    form = body.get("response_format") or body.get("output_config", {}).get("format")
    return None if form is None else str(form["type"])


async def test_a_schema_that_is_taken(dialect: Dialect, stream: bool) -> None:
    with Loopback([dialect.answer("{}", stream=stream)]).serving() as server:
        transport = dialect.transport(server.base_url)
        request = request_of(schema=answer_schema(["stay", "flee"]))
        for _ in range(2):
            if stream:
                async with aclosing(transport.stream(request)) as pieces:
                    async for _piece in pieces:
                        pass
            else:
                await transport.ask(request)
        await transport.aclose()
    assert [_form(seen.body) for seen in server.seen] == ["json_schema"] * 2
    assert dict(transport.schema_styles) == {"small": SchemaStyle.JSON_SCHEMA}


@pytest.mark.parametrize("status", ["400 Bad Request", "422 Unprocessable Entity"])
async def test_a_schema_that_is_refused_is_left_off_and_remembered(
    dialect: Dialect, stream: bool, status: str
) -> None:
    refusal = json_answer(dialect.error("invalid_request_error"), status=status)
    tried = 2 if dialect is OPENAI else 1
    answers = [refusal] * tried + [dialect.answer("I open.", stream=stream)]
    with Loopback(answers).serving() as server:
        transport = dialect.transport(server.base_url)
        request = request_of(schema=answer_schema())
        for _ in range(2):
            if stream:
                async with aclosing(transport.stream(request)) as pieces:
                    assert await anext(pieces) == "I open."
            else:
                assert (await transport.ask(request)).text == "I open."
        await transport.aclose()
    forms = ["json_schema", "json_object"][:tried]
    assert [_form(seen.body) for seen in server.seen] == [*forms, None, None]
    assert dict(transport.schema_styles) == {"small": SchemaStyle.NONE}
    assert transport.statistics().failures == ()


async def test_a_server_that_says_500_of_a_form_it_does_not_know() -> None:
    # as llama-cpp-python's server does of OpenAI's form; it takes its own
    said = "Input should be 'text' or 'json_object', at response_format"
    refusal = json_answer(OPENAI.error("server_error", said), status="500 Internal Server Error")
    with Loopback([refusal, OPENAI.answer("{}", stream=False)]).serving() as server:
        transport = OPENAI.transport(server.base_url)
        await transport.ask(request_of(schema=answer_schema()))
        await transport.ask(request_of(schema=answer_schema()))
        await transport.aclose()
    assert [_form(s.body) for s in server.seen] == ["json_schema", "json_object", "json_object"]


async def test_a_server_that_is_down_is_not_taken_for_one_without_schemas() -> None:
    down = json_answer(OPENAI.error("server_error"), status="503 Service Unavailable")
    with Loopback([down]).serving() as server:
        transport = OPENAI.transport(server.base_url)
        with pytest.raises(TransportError):
            await transport.ask(request_of(schema=answer_schema()))
        await transport.aclose()
    assert len(server.seen) == 1
    assert not transport.schema_styles


async def test_a_prompt_that_is_too_long_is_not_taken_for_a_refused_schema() -> None:
    said = "This model's maximum context length is 4096 tokens"
    long = json_answer(OPENAI.error("invalid_request_error", said), status="400 Bad Request")
    with Loopback([long]).serving() as server:
        transport = OPENAI.transport(server.base_url)
        with pytest.raises(TransportError, match="maximum context length"):
            await transport.ask(request_of(schema=answer_schema()))
        await transport.aclose()
    assert len(server.seen) == 1


async def test_anthropics_schema_has_no_limits() -> None:
    schema = {
        "type": "object",
        "properties": {"maximum": {"type": "number", "minimum": 0, "maximum": 1}},
        "allOf": [{"type": "array", "maxItems": 2}],
    }
    with Loopback([ANTHROPIC.answer("{}", stream=False)]).serving() as server:
        transport = ANTHROPIC.transport(server.base_url)
        await transport.ask(request_of(schema=schema))
        await transport.aclose()
    assert server.seen[0].body["output_config"]["format"]["schema"] == {
        "type": "object",
        "properties": {"maximum": {"type": "number"}},
        "allOf": [{"type": "array"}],
    }


async def test_the_models_that_a_server_offers(dialect: Dialect) -> None:
    models = [{"id": "small", "type": "model"}, {"id": "large", "type": "model"}]
    offered = json_answer({"object": "list", "data": models, "has_more": False})
    refused = json_answer(dialect.error("authentication_error"), status="401 Unauthorized")
    with Loopback([offered, refused]).serving() as server:
        transport = dialect.transport(server.base_url)
        assert await transport.model_names() == ("small", "large")
        with pytest.raises(TransportError, match="the key was not accepted") as caught:
            await transport.model_names()
        await transport.aclose()
    assert caught.value.__context__ is None


def test_what_a_transport_cannot_be_made_of() -> None:
    with pytest.raises(ValueError, match="ANTHROPIC_API_KEY"):
        AnthropicTransport("small", api_key="")
    with pytest.raises(ValueError, match="schema_style"):
        AnthropicTransport("small", api_key=KEY, schema_style=SchemaStyle.JSON_OBJECT)
    with pytest.raises(ValueError, match="model must name"):
        OpenAITransport("")
