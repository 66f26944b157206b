"""The lines of a prompt that say who speaks and what was said, and the way back from them."""

import re
from typing import Final, NamedTuple

__all__ = [
    "ConversationFocus",
    "match_conversation_focus",
    "render_current_message_line",
    "render_speaker_line",
]


class ConversationFocus(NamedTuple):
    """Who is being answered, and what they said."""

    speaker: str
    entity_id: str
    content: str


_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def render_speaker_line(name: str, entity_id: str) -> str:
    return f"Speaker: {name} (id: {entity_id})"


def render_current_message_line(content: str) -> str:
    escaped = content.replace("\\", "\\\\").replace('"', '\\"')
    return f'Current message: "{escaped}"'


def match_conversation_focus(text: str) -> ConversationFocus | None:
    return None
