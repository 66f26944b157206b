"""What stands outside an answer's objects and think-blocks, decided on a prefix of the text.

A reply is spoken while the answer is still arriving, so whether a marker counts may depend only
on what came before it. :class:`SpeechScanner` is that rule as a state machine; the whole answer
is read by the same machine as the stream.
"""

import re
from typing import Final

from llm_wire.reply_words import ReplyWords
from llm_wire.think import THINK_TAG

__all__ = ["SpeechScanner"]

_EVENT: Final = re.compile(
    r"\{(?=[ \t\r\n]*+[\"'“‘}])|<think(?:ing)?>|\[(?:(REPLY_TEXT)|NO_MESSAGE)\]",
    re.IGNORECASE | re.ASCII,
)
_REPLY_AT_LINE_START: Final = re.compile(r"(?<=[\r\n])\[REPLY_TEXT\]", re.IGNORECASE | re.ASCII)
_TO_BRACE: Final = re.compile(r'(?:[^"{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_IN_STRING: Final = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)


class SpeechScanner:
    """Takes an answer piece by piece and lets a reply's words through.

    Nothing can begin without a ``]``, so text before one is merely kept; feeding costs little
    until a reply is open.
    """

    __slots__ = (
        "_depth",
        "_in_string",
        "_kept",
        "_state",
        "_words",
        "length",
        "object_span",
        "replied",
        "silence_at",
    )

    def __init__(self) -> None:
        self.length = 0
        """Characters that were scanned."""
        self.replied = False
        """Whether a reply's opener stood outside."""
        self.silence_at = -1
        """Index after the opener of the first silence outside a reply; -1 when there is none."""
        self.object_span: tuple[int, int] | None = None
        """An object whose ends are known; it need not be read character by character again."""
        self._state = "prose"
        """Or ``object``, ``thinking``, ``reply``; each passes text by a method of its own."""
        self._depth = 0
        self._in_string = False
        self._kept: list[str] = []
        self._words = ReplyWords()

    @property
    def reply_ended(self) -> bool:
        """Whether the reply's closer was met."""
        return self._words.ended

    def feed(self, text: str) -> str:
        if self._state == "reply":
            words = self._words.feed(text)
            self.length += len(text)
            if not self._words.ended:
                return words
            self._state = "prose"
            self.length -= len(self._words.rest)
            self._kept.append(self._words.rest)
            return words + self._scan_kept() if "]" in self._words.rest else words
        self._kept.append(text)
        return self._scan_kept() if "]" in text else ""

    def finish(self) -> str:
        """The last words, once no more text will come."""
        return self._words.finish() if self._state == "reply" else ""

    def _scan_kept(self) -> str:
        text = "".join(self._kept) if len(self._kept) > 1 else self._kept[0]
        self._kept.clear()
        end = text.rindex("]") + 1
        at = 0
        line_start = -2  # not looked for yet
        words = ""
        while at < end:
            if self._state == "prose":
                at = self._pass_prose(text, at, end)
                if self._state == "reply":
                    self.length += at
                    return words + self.feed(text[at:])
            elif self._state == "thinking":
                at = self._pass_thinking(text, at, end)
            else:
                if line_start != -1 and line_start < at:
                    found = _REPLY_AT_LINE_START.search(text, at, end)
                    line_start = found.start() if found else -1
                at = self._pass_object(text, at, line_start if line_start >= 0 else end)
                if at == line_start:
                    self._state, self._depth, self._in_string = "prose", 0, False
        # An object whose end is known may reach beyond the last bracket.
        self.length += at
        if at < len(text):
            self._kept.append(text[at:])
        return words

    def _pass_prose(self, text: str, at: int, end: int) -> int:
        event = _EVENT.search(text, at, end)
        if event is None:
            return end
        first = event.group()[0]
        if first == "<":
            self._state, self._depth = "thinking", 1
            return event.end()
        if first == "[":
            if event.group()[1] in "Rr":
                if not self.replied:  # the first reply is the reply
                    self._state, self.replied = "reply", True
            elif self.silence_at < 0:
                self.silence_at = self.length + event.end()
            return event.end()
        span = self.object_span
        if span is not None and span[0] == self.length + event.start():
            self.object_span = None
            return span[1] - self.length
        self._state, self._depth, self._in_string = "object", 1, False
        return event.end()

    def _pass_thinking(self, text: str, at: int, end: int) -> int:
        for tag in THINK_TAG.finditer(text, at, end):
            self._depth += -1 if tag.group(1) else 1
            if not self._depth:
                self._state = "prose"
                return tag.end()
        return end

    def _pass_object(self, text: str, at: int, until: int) -> int:
        while at < until:
            if self._in_string:
                run = _IN_STRING.match(text, at, until)
                at = run.end() if run else at
                if at >= until:
                    break
                if text[at] == "\\":  # the escaped character is the next text's first
                    return until
                self._in_string = False
                at += 1
            run = _TO_BRACE.match(text, at, until)
            at = run.end() if run else at
            if at >= until:
                break
            if text[at] == '"':
                self._in_string = True
            else:
                self._depth += 1 if text[at] == "{" else -1
            at += 1
            if not self._depth:
                self._state = "prose"
                break
        return at
