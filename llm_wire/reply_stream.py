"""A reply let through while the answer is still arriving."""

from llm_wire.blocks import extract_text_block

__all__ = ["ReplyStream"]


class ReplyStream:
    def __init__(self) -> None:
        self._chunks: list[str] = []

    def feed(self, chunk: str) -> str:
        self._chunks.append(chunk)
        return ""

    def close(self) -> str:
        return extract_text_block("".join(self._chunks), "REPLY_TEXT") or ""
