"""The words of a reply, let through as they come, without the markers in between.

This is the only code that decides what a reply says: a whole answer is read by the same steps as
one that arrives character by character, so both come to the same words.
"""

import re
from functools import cache
from typing import Final

from llm_wire.contracts import LONGEST_MARKER, MARKER
from llm_wire.passed_body import PassedBody
from llm_wire.reply_tokens import (
    ANSWER_HEADS,
    BEGINNING,
    BLANKS_IN_HEAD,
    CLOSERS,
    OPENERS,
    PARTS,
    THINK_OPENERS,
    UPPER,
    WHOLE,
)
from llm_wire.think import THINK_TAG

__all__ = ["ReplyWords", "words_of"]

_SPECIAL: Final = re.compile(r"[\[<{]")
_MANY_SPECIAL: Final = re.compile(r"[\[<{]{80,}+")
_PARTS_REMEMBERED: Final = 24
"""Beginnings of markers, one inside the other, that are remembered; the oldest is forgotten."""
_OUTSIDE_STRINGS: Final = re.compile(r'[^"{}]*+')
_INSIDE_STRING: Final = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)


class _Part:
    """The beginning of something that is no word if it goes on as it began."""

    __slots__ = ("body_of", "bridged", "held", "length", "matched")

    def __init__(self, raw: str) -> None:
        self.held = raw
        """What of it is held back; the rest is out, because no more could be held."""
        self.length = len(raw)
        self.matched = raw.translate(UPPER)
        """What was matched, in capitals and without the blanks after a brace."""
        self.bridged = False
        """Whether something was taken out in the middle of it."""
        self.body_of = ""
        """The tag of an opener right before it, whose body it begins if it is no marker."""


class ReplyWords:
    """Takes the text after a reply's opener and gives its words."""

    __slots__ = (
        "_after",
        "_blanks",
        "_body",
        "_bridge",
        "_carry",
        "_depth",
        "_held",
        "_in_string",
        "_line_from",
        "_marked",
        "_out",
        "_parts",
        "_skip",
        "_started",
        "_tag",
        "_trusts_strings",
        "ended",
        "rest",
    )

    def __init__(self, tag: str = "REPLY_TEXT") -> None:
        self._tag = tag
        self.ended = False
        """Whether the reply's closer was met."""
        self.rest = ""
        """What was fed after the closer; it belongs to whoever reads on."""
        self._out: list[str] = []
        self._started = False
        self._blanks: list[str] = []
        self._line_from = 0
        """Where the current line begins in the held blanks; -1 once the line has a word."""
        self._marked = False
        """Whether something was taken out of the current line."""
        self._parts: list[_Part] = []
        self._held = 0
        """Characters of the parts that are not out."""
        self._after = ""
        """The tag of an opener that was just taken out: brackets that follow are its body."""
        self._bridge = ""
        """The same of an opener that was taken out in the middle of something else."""
        self._body: PassedBody | None = None
        """While the body of a block is being passed."""
        self._trusts_strings = True
        """Whether strings in such a body hide closers; not any more once one did so wrongly."""
        self._skip: re.Pattern[str] | None = None
        """While a think-block or an object is being passed: what may end it."""
        self._depth = 0
        """Think-blocks or braces that are open."""
        self._in_string: bool | None = None
        """Inside an object that is being passed, whether a string is open; else None."""
        self._carry = ""

    def feed(self, text: str) -> str:
        """The words that are sure by now; after the closer, nothing."""
        if not text:
            return ""
        if (
            self._parts
            or self._after
            or self._skip
            or self._body
            or self.ended
            or "[" in text
            or "<" in text
            or "{" in text
        ):
            self._feed(text)
        elif self._started and not self._marked and "\n" not in text and not text.isspace():
            # The usual piece: a few characters in the middle of a line.
            words = text.rstrip()
            self._line_from = -1
            if self._blanks:
                self._blanks.append(words)
                words = "".join(self._blanks)
                self._blanks.clear()
                trailing = text[len(text.rstrip()) :]
            else:
                trailing = text[len(words) :]
            if trailing:
                self._blanks.append(trailing)
            return words
        else:
            self._words(text)
        if not self._out:
            return ""
        words = "".join(self._out)
        self._out.clear()
        return words

    def finish(self, *, closed: bool = False) -> str:
        """The rest of the words, once no more text will come.

        A marker that the end cut in two is dropped, unless the text is ``closed``, having been
        taken whole from between two markers: then it is a word like any other.
        """
        if closed:
            if self._body is not None and (hidden := self._body.hidden()) is not None:
                self._body = None
                self._trusts_strings = False
                self._feed(hidden)
            self._let_parts_out()
        self._parts.clear()
        self._blanks.clear()
        words = "".join(self._out)
        self._out.clear()
        return words

    # -- what may be no word -------------------------------------------------------------------

    def _feed(self, text: str) -> None:
        at, length = 0, len(text)
        while at < length:
            if self.ended:
                self.rest += text[at:]
                return
            if self._body is not None:
                if self._body.carry:
                    text, at = self._body.carry + text[at:], 0
                text, at = self._pass_body(self._body, text, at)
                length = len(text)
            elif self._skip is not None:
                if self._carry:
                    text, at, self._carry = self._carry + text[at:], 0, ""
                    length = len(text)
                at = (
                    self._pass_object(text, at)
                    if self._in_string is not None
                    else self._pass(text, at)
                )
            elif self._parts:
                if self._bridge and self._begins_body(text[at]):
                    self._let_parts_out()
                    self._after, self._bridge = self._bridge, ""
                    continue
                self._step(text[at])
                at += 1
            elif self._after:
                at = self._look_for_body(text, at)
            else:
                special = _SPECIAL.search(text, at)
                if special is None:
                    self._words(text[at:])
                    return
                at = self._look_at_special(text, at, special.start())

    def _look_at_special(self, text: str, at: int, special: int) -> int:
        """Pass the words from ``at`` and what begins at ``special``, as far as it is clear."""
        bodiless = _bodiless(self._tag).match(text, special)
        if bodiless:
            if special > at:
                self._words(text[at:special])
            self._marked = True
            self._after = ""
            return bodiless.end()
        begun = BEGINNING.match(text, special)
        end = begun.end() if begun else special + 1
        raw = text[special:end]
        whole = (
            raw.translate(UPPER)
            if raw[0] != "{"
            else "{" + raw[1:].lstrip(" \t\r\n").translate(UPPER)
        )
        if whole in WHOLE:
            if special > at:
                self._words(text[at:special])
            self._take_out(whole, bridged=False)
        elif end < len(text) and text[end] not in "[<{":
            self._words(text[at:end])
        else:
            if special > at:
                self._words(text[at:special])
            many = _MANY_SPECIAL.match(text, end)
            if many:
                # So many that all but the last are out and forgotten by the end of them.
                end = many.end() - 2 * _PARTS_REMEMBERED
                self._words(text[special:end])
            else:
                self._begin(raw)
        return end

    def _begins_body(self, char: str) -> bool:
        """Whether what follows an opener in the middle of a part cannot go on with the part."""
        return char == "{" or (char.isspace() and self._parts[-1].matched != "{")

    def _begin(self, raw: str) -> None:
        self._parts.append(_Part(raw) if raw[0] != "{" else self._brace(raw))
        self._held += len(raw)
        self._hold_less()
        if len(self._parts) > _PARTS_REMEMBERED:
            del self._parts[0]

    @staticmethod
    def _brace(raw: str) -> _Part:
        part = _Part(raw)
        part.matched = "{" + raw[1:].lstrip(" \t\r\n").translate(UPPER)
        return part

    def _step(self, char: str) -> None:
        part = self._parts[-1]
        bridge, self._bridge = self._bridge, ""
        if part.matched == "{" and char in " \t\r\n" and part.length < BLANKS_IN_HEAD:
            self._go_on(part, char)
            return
        matched = part.matched + char.translate(UPPER)
        if matched in WHOLE:
            self._drop_part()
            self._take_out(matched, bridged=part.bridged)
        elif matched in PARTS:
            part.matched = matched
            self._go_on(part, char)
        elif self._after or any(part.body_of for part in self._parts):
            self._parts_are_body(char)
        elif char in "[<{":
            self._begin(char)
            self._parts[-1].body_of = bridge
        else:
            self._let_parts_out()
            self._words(char)

    def _parts_are_body(self, char: str) -> None:
        """What followed an opener is a bracket and no marker: the block's own body."""
        while not self._after:
            part = self._parts.pop(0)
            if part.body_of:
                self._after = part.body_of
                self._parts.insert(0, part)
            elif part.held:
                self._words(part.held)
        begun = "".join(part.held for part in self._parts)
        self._parts.clear()
        self._held = 0
        self._skip_body(begun + char)

    def _go_on(self, part: _Part, char: str) -> None:
        part.held += char
        part.length += 1
        self._held += 1
        self._hold_less()

    def _hold_less(self) -> None:
        """Let the oldest parts out, while more is held than the longest marker."""
        for part in self._parts:
            if self._held <= LONGEST_MARKER or len(self._parts) == 1:
                return
            if part.held:
                self._words(part.held)
                self._held -= len(part.held)
                part.held = ""

    def _drop_part(self) -> None:
        self._held -= len(self._parts.pop().held)

    def _let_parts_out(self) -> None:
        parts, self._parts, self._held = self._parts, [], 0
        for part in parts:
            if part.held:
                self._words(part.held)

    def _end(self) -> None:
        """At the reply's closer: what might have gone on as a marker did not."""
        self._let_parts_out()
        self.ended = True

    def _take_out(self, matched: str, *, bridged: bool) -> None:
        self._marked = True
        self._after = self._bridge = ""
        for part in self._parts:
            part.bridged = True
        if matched in OPENERS:
            if OPENERS[matched] != self._tag:
                if self._parts:
                    self._bridge = OPENERS[matched]
                else:
                    self._after = OPENERS[matched]
        elif matched in CLOSERS:
            if CLOSERS[matched] == self._tag and not bridged:
                self._end()
        elif matched in THINK_OPENERS:
            self._skip, self._depth = _ends(THINK_TAG.pattern, self._tag), 1
        elif matched in ANSWER_HEADS:
            self._skip, self._depth, self._in_string = _ends("(?!)", self._tag), 1, False

    # -- passing what is no word ---------------------------------------------------------------

    def _look_for_body(self, text: str, at: int) -> int:
        body = at
        while body < len(text) and text[body].isspace():
            body += 1
        if body > at:
            self._words(text[at:body])
        if text.startswith("{", body):
            self._skip_body("")
        elif text.startswith("[", body):
            marker = MARKER.match(text, body)
            if marker:
                self._take_out(marker.group().translate(UPPER), bridged=False)
                return marker.end()
            self._begin("[")
            body += 1
        elif body < len(text):
            self._after = ""
        return body

    def _skip_body(self, begun: str) -> None:
        self._body = PassedBody(self._after, self._tag, begun, trusts_strings=self._trusts_strings)
        self._after = ""

    def _pass_body(self, body: PassedBody, text: str, at: int) -> tuple[str, int]:
        """Pass the body of a block; what to read on, and from where."""
        end = body.pass_on(text, at)
        if end < 0:
            return text, len(text)
        self._body = None
        if body.ended_reply:
            hidden = body.hidden()
            if hidden is not None:
                # Words after all; from here on no string is trusted, or this could go on for long.
                self._trusts_strings = False
                return f"{hidden}[/{self._tag}]{text[end:]}", 0
            self._end()
        return text, end

    def _pass(self, text: str, at: int) -> int:
        """Pass a think-block; the index to read on from."""
        assert self._skip is not None  # noqa: S101 - the caller asked
        while end := self._skip.search(text, at):
            at = end.end()
            if end.group("closer"):
                self._end()
            elif not end.group().startswith("</"):
                self._depth += 1
                continue
            elif self._depth > 1:
                self._depth -= 1
                continue
            self._leave()
            return at
        self._carry = text[max(at, len(text) - LONGEST_MARKER + 1) :]
        return len(text)

    def _pass_object(self, text: str, at: int) -> int:
        """Pass an object to its last brace, or to the reply's closer if that comes before."""
        begin, sure = at, len(text)
        half = text.rfind("[", max(at, sure - len(self._tag) - 2))
        if half >= 0 and f"[/{self._tag}]".startswith(text[half:].translate(UPPER)):
            sure = half  # perhaps the closer; it has to come whole
        while at < sure:
            inside = _INSIDE_STRING if self._in_string else _OUTSIDE_STRINGS
            run = inside.match(text, at, sure)
            at = run.end() if run else at
            if at >= sure or text[at] == "\\":
                break
            if text[at] == '"':
                self._in_string = not self._in_string
            else:
                self._depth += 1 if text[at] == "{" else -1
            at += 1
            if not self._depth:
                break
        # A closer that began before the object ended was cut by no string of it that counts.
        assert self._skip is not None  # noqa: S101 - the caller asked
        closer = self._skip.search(text, begin, min(len(text), at + LONGEST_MARKER - 1))
        if closer and closer.start() < at:
            self._end()
            at = closer.end()
        elif self._depth:
            self._carry = text[at:]
            return len(text)
        self._leave()
        return at

    def _leave(self) -> None:
        self._skip, self._depth, self._in_string, self._carry = None, 0, None, ""

    # -- words, blanks and lines ---------------------------------------------------------------

    def _words(self, text: str) -> None:
        core = text.strip()
        if not core:
            self._hold(text)
            return
        lead = text.index(core[0])
        if lead:
            self._hold(text[:lead])
        if self._started:
            self._out.extend(self._blanks)
        self._started = True
        self._blanks.clear()
        self._out.append(core)
        self._line_from = -1
        if self._marked and "\n" in core:
            self._marked = False
        if lead + len(core) < len(text):
            self._hold(text[lead + len(core) :])

    def _hold(self, blanks: str) -> None:
        """Hold blanks back; a line that markers left empty goes with its line break."""
        line, newline, rest = blanks.partition("\n")
        if not newline:
            self._blanks.append(blanks)
            return
        if self._marked and self._line_from >= 0:
            del self._blanks[self._line_from :]
        else:
            self._blanks.append(line + newline)
        self._marked = False
        head, newline, tail = rest.rpartition("\n")
        if newline:
            self._blanks.append(head + newline)
        self._line_from = len(self._blanks)
        if tail:
            self._blanks.append(tail)


@cache
def _bodiless(tag: str) -> re.Pattern[str]:
    """Markers in a row that are merely taken out: closers but the reply's own, and its opener."""
    closers = "|".join(CLOSERS[closer] for closer in CLOSERS if CLOSERS[closer] != tag)
    return re.compile(rf"(?:\[/(?:{closers})\]|\[{tag}\])++", re.IGNORECASE | re.ASCII)


@cache
def _ends(pattern: str, tag: str) -> re.Pattern[str]:
    """What ends a passage: ``pattern``, or the reply's own closer whatever is open."""
    return re.compile(rf"(?P<closer>\[/{tag}\])|{pattern}", re.IGNORECASE | re.ASCII)


def words_of(text: str, *, closed: bool) -> str | None:
    """The words of the whole text between a reply's opener and its closer, or its end.

    None when nothing is left.
    """
    if not _SPECIAL.search(text):
        return text.strip() or None
    words = ReplyWords()
    return (words.feed(text) + words.finish(closed=closed)) or None
