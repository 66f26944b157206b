"""The two servers' ways of saying the same things, for tests that hold both to one behaviour."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llm_wire.transport import Message, Request
from llm_wire.transports.anthropic import AnthropicTransport
from llm_wire.transports.clock import Clock
from llm_wire.transports.openai import OpenAITransport
from llm_wire.transports.server import ServerTransport
from tests.llm_wire.transports.loopback import Answer, json_answer, sse

__all__ = ["ANTHROPIC", "KEY", "OPENAI", "Dialect", "request_of"]

KEY = "sk-test-7f3a9c51d2e84b60"


def request_of(text: str = "Who is at the door?", **fields: Any) -> Request:
    return Request(system="You are Gerdur.", messages=(Message(content=text),), **fields)


@dataclass(frozen=True)
class Dialect:
    name: str

    def transport(self, base_url: str, *, clock: Clock | None = None) -> ServerTransport:
        if self.name == "openai":
            return OpenAITransport("small", base_url=base_url, api_key=KEY, clock=clock)
        url = base_url.removesuffix("/v1")
        return AnthropicTransport("small", base_url=url, api_key=KEY, clock=clock)

    def finish(self, openai: str) -> str:
        """The other side's word for an OpenAI finish reason."""
        if self.name == "openai":
            return openai
        return {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[openai]

    def answer(self, text: str | None, *, stream: bool, finish: str = "stop") -> Answer:
        if stream:
            return sse(*self.events([] if text is None else [text], finish=finish))
        return json_answer(self.body(text, finish=finish))

    def body(self, text: str | None, *, finish: str = "stop") -> dict[str, Any]:
        if self.name == "openai":
            message = {"role": "assistant", "content": text}
            return {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "small-2",
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": {
                    "prompt_tokens": 30,
                    "completion_tokens": 5,
                    "total_tokens": 35,
                    "prompt_tokens_details": {"cached_tokens": 20},
                },
            }
        content = [] if text is None else [{"type": "text", "text": text}]
        return {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "small-2",
            "content": content,
            "stop_reason": self.finish(finish),
            "usage": {
                "input_tokens": 6,
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 4,
                "output_tokens": 5,
            },
        }

    def piece(self, text: str) -> dict[str, Any]:
        """One event with a piece of text."""
        if self.name == "openai":
            choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
            return {"object": "chat.completion.chunk", "model": "small-2", "choices": [choice]}
        delta = {"type": "text_delta", "text": text}
        return {"type": "content_block_delta", "index": 0, "delta": delta}

    def events(self, pieces: Sequence[str], *, finish: str | None = "stop") -> list[Any]:
        """A whole stream; without ``finish`` it breaks off after the pieces."""
        spoken = [self.piece(text) for text in pieces]
        if self.name == "openai":
            if finish is None:
                return spoken
            end = self.body(None)
            choice = {"index": 0, "delta": {}, "finish_reason": finish}
            return [
                *spoken,
                {"model": "small-2", "choices": [choice]},
                {"model": "small-2", "choices": [], "usage": end["usage"]},
                "[DONE]",
            ]
        message = self.body(None)
        begin = {"type": "message_start", "message": {**message, "stop_reason": None}}
        if finish is None:
            return [begin, *spoken]
        stop = {"stop_reason": self.finish(finish)}
        return [
            begin,
            {"type": "ping"},
            *spoken,
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]

    def error(self, kind: str, message: str = "no") -> dict[str, Any]:
        """An error's body."""
        if self.name == "openai":
            return {"error": {"message": message, "type": kind, "code": kind}}
        return {"type": "error", "error": {"type": kind, "message": message}}


OPENAI = Dialect("openai")
ANTHROPIC = Dialect("anthropic")
