"""What an answer says aloud: a reply, or the decision to say nothing."""

import re
from typing import Final, NamedTuple

from llm_wire.contracts import MARKER
from llm_wire.outside import SpeechScanner
from llm_wire.reply_words import words_of

__all__ = ["NO_REASON", "NO_SPEECH", "Speech", "reason_at", "speech_inside", "speech_outside"]

NO_REASON: Final = "(no reason given)"
"""Stands for the reason of a silence that gives none."""

_SPOKEN: Final = re.compile(r"\[(?:REPLY_TEXT|NO_MESSAGE)\]", re.IGNORECASE | re.ASCII)
_REPLY_OPENER: Final = re.compile(r"\[REPLY_TEXT\]", re.IGNORECASE | re.ASCII)
_SAME_LENGTH: Final = " " * len("[REPLY_TEXT]")
_SILENCE_CLOSER: Final = re.compile(r"\[/NO_MESSAGE\]", re.IGNORECASE | re.ASCII)
_NEXT: Final = re.compile(rf"\{{|{MARKER.pattern}", re.IGNORECASE | re.ASCII)


class Speech(NamedTuple):
    """A reply and a silence; ``stood`` is whether either was there at all, though empty."""

    reply_text: str | None
    no_message: str | None
    stood: bool


NO_SPEECH: Final = Speech(None, None, stood=False)


def speech_outside(text: str, object_span: tuple[int, int] | None = None) -> Speech:
    """The speech outside the objects of ``text``, by the rule that a stream follows too.

    ``object_span`` is a strict object that was found already, so that it need not be read twice.
    """
    if not _SPOKEN.search(text):
        return NO_SPEECH
    scanner = SpeechScanner()
    scanner.object_span = object_span
    words = scanner.feed(text) + scanner.finish()
    silence = reason_at(text, scanner.silence_at) if scanner.silence_at >= 0 else None
    return Speech(words or None, silence, scanner.replied or silence is not None)


def speech_inside(reasoning: str) -> Speech:
    """The speech that only the decoded ``reasoning`` of an answer holds: closed blocks alone."""
    if not _SPOKEN.search(reasoning):
        return NO_SPEECH
    scanner = SpeechScanner()
    words = scanner.feed(reasoning) + scanner.finish()
    if scanner.replied and not scanner.reply_ended:
        # The reply was only mentioned; a silence may still have been chosen after the mention.
        scanner = SpeechScanner()
        scanner.feed(_REPLY_OPENER.sub(_SAME_LENGTH, reasoning))
        words = ""
    silence = None
    if scanner.silence_at >= 0 and _SILENCE_CLOSER.search(reasoning, scanner.silence_at):
        silence = reason_at(reasoning, scanner.silence_at)
    return Speech(words or None, silence, scanner.replied or silence is not None)


def reason_at(text: str, at: int) -> str:
    """The reason of the silence whose opener ends at ``at``.

    To its closer; without one to the next marker or object, so that what follows an unclosed
    silence is not taken for its reason.
    """
    end = _SILENCE_CLOSER.search(text, at) or _NEXT.search(text, at)
    return words_of(text[at : end.start() if end else None], closed=end is not None) or NO_REASON
