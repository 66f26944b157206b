"""Strings and transports: what goes over the wire to a language model and comes back.

The lowest of three packages: it imports neither ``cognition`` nor ``mindot``. What is named here
works on strings alone; the transports are in :mod:`llm_wire.transport` and
:mod:`llm_wire.transports`.
"""

from llm_wire.blocks import (
    extract_text_block,
    strip_protocol_markers,
    strip_tagged_blocks,
    wrap_reply_text,
)
from llm_wire.contracts import PROTOCOL_TAGS, TAGGED_BLOCKS
from llm_wire.focus_lines import (
    ConversationFocus,
    match_conversation_focus,
    render_current_message_line,
    render_speaker_line,
)
from llm_wire.reply_stream import ReplyStream

__all__ = [
    "PROTOCOL_TAGS",
    "TAGGED_BLOCKS",
    "ConversationFocus",
    "ReplyStream",
    "extract_text_block",
    "match_conversation_focus",
    "render_current_message_line",
    "render_speaker_line",
    "strip_protocol_markers",
    "strip_tagged_blocks",
    "wrap_reply_text",
]
