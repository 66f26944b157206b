"""The lines of a prompt that say who speaks and what was said, and the way back from them.

A scripted model, a recorded one and a test have to know what a prompt asked about; these two
lines are the agreed place to look, so rendering and matching live side by side.
"""

import re
from typing import Final, NamedTuple

__all__ = [
    "ConversationFocus",
    "match_conversation_focus",
    "render_current_message_line",
    "render_speaker_line",
]

_SPEAKER: Final = re.compile(r"^Speaker: ", re.MULTILINE)
_MESSAGE: Final = re.compile(r'(?:^|(?<=\r))Current message: "', re.MULTILINE)
_CONTENT: Final = re.compile(r'((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_ID_BEFORE: Final = re.compile(r" \(id: ([^)\r\n]*)\)(?:\r\n|\n|\r)\Z")
_ID: Final = re.compile(r" \(id: ([^)\r\n]*)\)[ \t]*(?=[\r\n]|\Z)")
_ESCAPED: Final = re.compile(r'\\(["\\])')


class ConversationFocus(NamedTuple):
    """Who is being answered, and what they said."""

    speaker: str
    entity_id: str
    content: str


def render_speaker_line(name: str, entity_id: str) -> str:
    """The line that names the speaker; an id with a ``)`` or a line break is a ValueError."""
    if re.search(r"[)\r\n]", entity_id):
        raise ValueError(f"entity_id: {entity_id!r} may hold neither ')' nor a line break")
    return f"Speaker: {name} (id: {entity_id})"


def render_current_message_line(content: str) -> str:
    """The line with what was said; quotes and backslashes are escaped, line breaks stay raw."""
    escaped = content.replace("\\", "\\\\").replace('"', '\\"')
    return f'Current message: "{escaped}"'


def match_conversation_focus(text: str) -> ConversationFocus | None:
    """The last speaker and message in ``text``, as they were before rendering; None without both.

    The speaker belongs to the message when its line comes before it; the name may hold anything,
    line breaks too.
    """
    for opening in reversed(list(_MESSAGE.finditer(text))):
        content = _CONTENT.match(text, opening.end())
        if content:
            break
    else:
        return None
    speakers = [line.end() for line in _SPEAKER.finditer(text, 0, opening.start())]
    if not speakers:
        return None
    line = text[speakers[-1] : opening.start()]
    entity = _ID_BEFORE.search(line) or _last_on_first_line(line)
    if entity is None:
        return None
    return ConversationFocus(
        line[: entity.start()], entity.group(1), _ESCAPED.sub(r"\1", content.group(1))
    )


def _last_on_first_line(line: str) -> re.Match[str] | None:
    """The id where other lines stand between the speaker's and the message's."""
    return _ID.search(line)
