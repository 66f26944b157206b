"""Anthropic's models, through the official SDK.

Needs the extra ``anthropic``; the SDK is imported when a transport is made. The stable parts of a
prompt carry cache markers, so that the provider reads them from its cache the next time.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from llm_wire.transport import FinishReason, Message, Request, Usage
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

__all__ = ["ANTHROPIC_URL", "MAX_CACHE_MARKERS", "AnthropicTransport"]

ANTHROPIC_URL: Final = "https://api.anthropic.com"

MAX_CACHE_MARKERS: Final = 4
"""The API takes no more in a call; the system text has one, the last stable turns the others."""

_BOUNDS: Final = frozenset({"minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength"})
"""The API refuses a schema that holds any of these."""

_CACHED: Final = {"cache_control": {"type": "ephemeral"}}

_FINISH: Final = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
}


class AnthropicTransport(ServerTransport):
    """Asks ``model``; nothing is read from the environment but proxies.

    The SDK's own retries are off: ``resilient.Retry`` does them. A model that refuses the schema
    is asked once more in plain text, and in plain text from then on.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str | None = None,
        schema_style: SchemaStyle = SchemaStyle.JSON_SCHEMA,
        silence_s: float = SILENCE_S,
        clock: Clock | None = None,
    ) -> None:
        if not api_key:
            raise ValueError("api_key is empty; set ANTHROPIC_API_KEY in the environment")
        import anthropic

        super().__init__(model=model, key=api_key, style=schema_style, clock=clock)
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key,
            base_url=base_url or ANTHROPIC_URL,
            max_retries=0,
            timeout=anthropic.Timeout(silence_s, connect=CONNECT_S),
            http_client=anthropic.DefaultAsyncHttpxClient(
                event_hooks={"request": [only_ours(api_key)]}
            ),
        )

    async def aclose(self) -> None:
        await self._client.close()

    async def _list(self) -> list[str]:
        page = await self._client.models.list()
        return [model.id for model in page.data]

    def _open(
        self, request: Request, model: str, *, style: SchemaStyle, stream: bool
    ) -> AbstractAsyncContextManager[Any]:
        create: Any = self._client.messages.with_streaming_response.create
        call: dict[str, Any] = {"messages": _turns(request.messages)}
        if request.system:
            call["system"] = [{"type": "text", "text": request.system, **_CACHED}]
        if stream:
            call["stream"] = True
        # these two came and went in the SDK's signature; in the body they are the API's own
        body: dict[str, Any] = {}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if style is not SchemaStyle.NONE:
            form = {"type": "json_schema", "schema": without(request.schema, _BOUNDS)}
            body["output_config"] = {"format": form}
        if body:
            call["extra_body"] = body
        opened: AbstractAsyncContextManager[Any] = create(
            model=model, max_tokens=request.max_tokens, **call
        )
        return opened

    def _read(self, body: Mapping[str, Any], draft: Draft) -> None:
        self._note(body, draft)
        blocks = body.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, Mapping) and block.get("type") == "text":
                draft.text.append(str(block.get("text") or ""))

    def _hear(self, body: Mapping[str, Any], draft: Draft) -> str:
        kind = body.get("type")
        if kind == "message_start" and isinstance(message := body.get("message"), Mapping):
            self._note(message, draft)
        elif kind == "message_delta":
            delta = body.get("delta")
            self._note({**(delta if isinstance(delta, Mapping) else {}), **body}, draft)
        elif kind == "message_stop":
            draft.ended = True
        elif kind == "content_block_delta" and isinstance(delta := body.get("delta"), Mapping):
            text = delta.get("text") if delta.get("type") == "text_delta" else None
            return text if isinstance(text, str) else ""
        return ""

    def _note(self, body: Mapping[str, Any], draft: Draft) -> None:
        if isinstance(model := body.get("model"), str) and model:
            draft.model = model
        if isinstance(usage := body.get("usage"), Mapping):
            draft.usage = _usage(usage, draft.usage)
        stop = body.get("stop_reason")
        if isinstance(stop, str):
            draft.finish = _FINISH.get(stop, FinishReason.OTHER)
            draft.refused = stop == "refusal"


def _turns(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    stable = [n for n, m in enumerate(messages) if m.stable][-(MAX_CACHE_MARKERS - 1) :]
    return [
        {
            "role": m.role.value,
            "content": [{"type": "text", "text": m.content, **(_CACHED if n in stable else {})}],
        }
        for n, m in enumerate(messages)
    ]


def _usage(usage: Mapping[str, Any], before: Usage) -> Usage:
    """The API counts fresh, cached and newly cached prompt tokens apart; here they are one sum."""
    parts = [
        count_in(usage, name)
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    prompt = sum(p or 0 for p in parts) if parts[0] is not None else before.prompt_tokens
    output = count_in(usage, "output_tokens")
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=output if output is not None else before.completion_tokens,
        cache_read_tokens=parts[1] if parts[1] is not None else before.cache_read_tokens,
    )
