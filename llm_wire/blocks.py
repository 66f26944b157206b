"""Blocks in text: taking them out, and reading the ones that hold words."""

import re
from typing import Final

from llm_wire.contracts import MARKER

__all__ = [
    "extract_text_block",
    "strip_protocol_markers",
    "strip_tagged_blocks",
    "wrap_reply_text",
]

_BLANK_RUN: Final = re.compile(r"(\n[^\S\n]*+\n)(?:[^\S\n]*+\n)++")


def wrap_reply_text(body: str) -> str:
    """``body`` as a reply: the opener, the body and the closer on lines of their own."""
    return f"[REPLY_TEXT]\n{body}\n[/REPLY_TEXT]"


def extract_text_block(text: str, tag: str) -> str | None:
    opener = re.search(rf"\[{tag}\]", text, re.IGNORECASE | re.ASCII)
    if opener is None:
        return None
    closer = re.compile(rf"\[/{tag}\]", re.IGNORECASE | re.ASCII).search(text, opener.end())
    body = text[opener.end() : closer.start() if closer else len(text)]
    return strip_protocol_markers(body) or None


def strip_protocol_markers(text: str) -> str:
    return MARKER.sub("", text).strip()


def strip_tagged_blocks(text: str) -> str:
    opener = MARKER.search(text)
    return _BLANK_RUN.sub(r"\1", text[: opener.start()] if opener else text).strip()
