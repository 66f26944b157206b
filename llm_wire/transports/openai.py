"""Servers that speak the OpenAI chat protocol, through the official SDK, at any base URL.

llama.cpp, Ollama, vLLM and LM Studio serve it on the machine itself; OpenAI, OpenRouter and many
more do in the cloud. Needs the extra ``openai``; the SDK is imported when a transport is made.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from llm_wire.transport import FinishReason, Request, Usage
from llm_wire.transports._headers import only_ours
from llm_wire.transports.clock import Clock
from llm_wire.transports.schema_style import SchemaStyle, without
from llm_wire.transports.server import (
    CONNECT_S,
    SILENCE_S,
    Draft,
    ServerTransport,
    count_in,
)

__all__ = ["OPENAI_URL", "OpenAITransport"]

OPENAI_URL: Final = "https://api.openai.com/v1"

_REFUSED_BY_OPENAI: Final = frozenset({"minLength", "maxLength"})

_NO_KEY: Final = "none"
"""Local servers want none, and the SDK wants one."""

_FINISH: Final = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


class OpenAITransport(ServerTransport):
    """Asks ``model`` at ``base_url``; nothing is read from the environment but proxies.

    The SDK's own retries are off: ``resilient.Retry`` does them. A server that refuses a schema as
    OpenAI sends it is offered it as llama-cpp-python takes it, then asked in plain text; what it
    took is remembered. ``schema_style`` sets the first of these to be tried.
    """

    _styles = (SchemaStyle.JSON_SCHEMA, SchemaStyle.JSON_OBJECT, SchemaStyle.NONE)

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        schema_style: SchemaStyle = SchemaStyle.JSON_SCHEMA,
        silence_s: float = SILENCE_S,
        clock: Clock | None = None,
    ) -> None:
        import openai

        super().__init__(model=model, key=api_key or "", style=schema_style, clock=clock)
        url = base_url or OPENAI_URL
        key = api_key or _NO_KEY
        self._of_openai = url == OPENAI_URL
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=url,
            max_retries=0,
            timeout=openai.Timeout(silence_s, connect=CONNECT_S),
            default_headers={"Authorization": f"Bearer {key}"},
            http_client=openai.DefaultAsyncHttpxClient(event_hooks={"request": [only_ours(key)]}),
        )

    async def aclose(self) -> None:
        await self._client.close()

    async def _list(self) -> list[str]:
        page = await self._client.models.list()
        return [model.id for model in page.data]

    def _open(
        self, request: Request, model: str, *, style: SchemaStyle, stream: bool
    ) -> AbstractAsyncContextManager[Any]:
        create: Any = self._client.chat.completions.with_streaming_response.create
        # OpenAI's newer models refuse the old name of the limit, other servers know only that one
        limit = "max_completion_tokens" if self._of_openai else "max_tokens"
        extra: dict[str, Any] = {limit: request.max_tokens}
        if request.temperature is not None:
            extra["temperature"] = request.temperature
        if stream:
            extra["stream"] = True
            extra["stream_options"] = {"include_usage": True}
        if style is not SchemaStyle.NONE:
            extra["response_format"] = self._response_format(request.schema, style)
        opened: AbstractAsyncContextManager[Any] = create(
            model=model, messages=_messages(request), **extra
        )
        return opened

    def _response_format(
        self, schema: Mapping[str, Any] | None, style: SchemaStyle
    ) -> dict[str, Any]:
        if style is SchemaStyle.JSON_OBJECT:
            return {"type": "json_object", "schema": schema}
        if self._of_openai:
            schema = without(schema, _REFUSED_BY_OPENAI)
        named = {"name": "answer", "schema": schema, "strict": True}
        return {"type": "json_schema", "json_schema": named}

    def _read(self, body: Mapping[str, Any], draft: Draft) -> None:
        choice = _first_choice(body)
        self._note(body, choice, choice.get("message"), draft)
        message = choice.get("message")
        text = message.get("content") if isinstance(message, Mapping) else None
        if isinstance(text, str):
            draft.text.append(text)

    def _hear(self, body: Mapping[str, Any], draft: Draft) -> str:
        choice = _first_choice(body)
        delta = choice.get("delta")
        self._note(body, choice, delta, draft)
        text = delta.get("content") if isinstance(delta, Mapping) else None
        return text if isinstance(text, str) else ""

    def _note(
        self, body: Mapping[str, Any], choice: Mapping[str, Any], said: object, draft: Draft
    ) -> None:
        if isinstance(model := body.get("model"), str) and model:
            draft.model = model
        if isinstance(usage := body.get("usage"), Mapping):
            draft.usage = Usage(
                prompt_tokens=count_in(usage, "prompt_tokens"),
                completion_tokens=count_in(usage, "completion_tokens"),
                cache_read_tokens=count_in(usage.get("prompt_tokens_details"), "cached_tokens"),
            )
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            draft.finish = _FINISH.get(finish, FinishReason.OTHER)
            draft.refused = draft.refused or finish == "content_filter"
        if isinstance(said, Mapping) and said.get("refusal"):
            draft.refused = True


def _messages(request: Request) -> list[dict[str, str]]:
    turns = [{"role": m.role.value, "content": m.content} for m in request.messages]
    return [{"role": "system", "content": request.system}, *turns] if request.system else turns


def _first_choice(body: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}
