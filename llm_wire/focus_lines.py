"""The lines of a prompt that say who speaks and what was said, and the way back from them.

Any name and any content come back as they went in. So that no text can pose as one of the lines,
a quote and a backslash in the content are escaped with a backslash (its line breaks stay raw),
and in a name the backslash, the line break and the words that would begin an id.
"""

import re
from typing import Final, NamedTuple

import regex

from llm_wire.timed_pattern import TimedPattern

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


_SPEAKER: Final = "Speaker: "
_ID: Final = " (id: "
_MESSAGE: Final = 'Current message: "'
_LINE: Final = re.compile(f"^(?:{_SPEAKER}|{_MESSAGE})", re.MULTILINE)
# atomic: what was taken is never given back, so that no text makes it slow
_CONTENT: Final = TimedPattern(r'(?>[^"\\]|\\.)*+(?=")', regex.DOTALL)
_ESCAPED_CONTENT: Final = re.compile(r'\\(["\\])')
_ESCAPED_NAME: Final = re.compile(r"\\([\\n(])")


def render_speaker_line(name: str, entity_id: str) -> str:
    """``Speaker: <name> (id: <id>)``. Raises ValueError for an id with ``)`` or a line break."""
    if ")" in entity_id or "\n" in entity_id:
        raise ValueError(f"entity_id may hold no ')' and no line break, got {entity_id!r}")
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace(_ID, " \\(id: ")
    return f"{_SPEAKER}{escaped}{_ID}{entity_id})"


def render_current_message_line(content: str) -> str:
    """``Current message: "<content>"``; line breaks in the content stay as they are."""
    escaped = content.replace("\\", "\\\\").replace('"', '\\"')
    return f'{_MESSAGE}{escaped}"'


def match_conversation_focus(text: str) -> ConversationFocus | None:
    """The last pair of the two lines in ``text``, the speaker's first; None where there is none.

    Each begins at the start of a line. What stands within a message is never taken for a line.
    """
    found: ConversationFocus | None = None
    speaker: tuple[str, str] | None = None
    at = 0
    while (line := _LINE.search(text, at)) is not None:
        at = line.end()
        if line[0] == _SPEAKER:
            end = text.find("\n", at)
            speaker = _name_and_id(text[at : len(text) if end < 0 else end])
        elif speaker is not None:
            content = _CONTENT.match(text, at)
            if content is None:
                break
            found = ConversationFocus(*speaker, _ESCAPED_CONTENT.sub(r"\1", content[0]))
            speaker = None
            at = content.end()
    return found


def _name_and_id(rest: str) -> tuple[str, str] | None:
    """What follows ``Speaker: `` on its line, taken apart."""
    rest = rest.removesuffix("\r")
    if not rest.endswith(")"):
        return None
    # an id holds no bracket, so it begins behind the last one
    bracket = rest.rfind(")", 0, len(rest) - 1)
    cut = rest.find(_ID, max(0, bracket - len(_ID) + 1))
    if cut < 0:
        return None
    name = _ESCAPED_NAME.sub(_unescaped, rest[:cut])
    return name, rest[cut + len(_ID) : -1]


def _unescaped(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]
