"""The body of a block inside a reply, on its way out of the words."""

import re
from functools import cache
from typing import Final

__all__ = ["PassedBody"]

_IN_STRING: Final = re.compile(r'(?:[^"\\\[]++|\\["\\]|\\(?!["\\]|\Z)|\[(?!/|\Z))*+')


class PassedBody:
    """Passes a body that begins with a bracket, to the closer that ends it.

    A closer inside a string of the payload is a word there. Whether that is a string shows only
    later, so what follows such a closer is kept: where the reply ends before the payload, a quote
    was one too many and the closer was one after all.
    """

    __slots__ = ("_depth", "_doubted", "_in_string", "_next", "carry", "ended_reply")

    def __init__(self, tag: str, reply_tag: str, begun: str, *, trusts_strings: bool) -> None:
        self._next = _next(tag, reply_tag)
        self._depth = 0 if trusts_strings else -1
        """Brackets of the payload that are open; -1 once there is no payload to be in."""
        self._in_string = False
        self._doubted: list[str] | None = None
        """What came after the first closer in a string of a payload that is still open."""
        self.carry = begun
        """What was read and has to come again before the next text."""
        self.ended_reply = False
        """Whether the reply's own closer ended the body."""

    def pass_on(self, text: str, at: int) -> int:
        """The index after the body's end, in ``text`` from ``at`` on; -1 while it goes on."""
        self.carry = ""
        kept_from = at
        while event := self._pass_to_event(text, at):
            kind = event.lastgroup
            if kind == "half":
                self.carry = text[event.start() :]
                break
            at = event.end()
            if kind == "reply":
                self.ended_reply = True
                if self._doubted is not None:
                    self._doubted.append(text[kept_from : event.start()])
                return at
            if kind == "own":
                if not self._in_string:
                    return at
                if self._doubted is None:
                    self._doubted, kept_from = [], at
            elif kind == "quote":
                self._in_string = self._depth > 0 and not self._in_string
            elif not self._in_string and self._depth >= 0:
                if kind == "opening":
                    self._depth += event.end() - event.start()
                elif kind == "closing":
                    self._depth -= event.end() - event.start()
                    if self._depth <= 0:
                        self._depth, self._doubted = -1, None
        if self._doubted is not None:
            self._doubted.append(text[kept_from : len(text) - len(self.carry)])
        return -1

    def hidden(self) -> str | None:
        """At the end of the reply, the words that a mistaken string hid; None without one."""
        return None if self._doubted is None else "".join(self._doubted)

    def _pass_to_event(self, text: str, at: int) -> re.Match[str] | None:
        if self._in_string:
            run = _IN_STRING.match(text, at)
            at = run.end() if run else at
        return self._next.search(text, at)


@cache
def _next(tag: str, reply_tag: str) -> re.Pattern[str]:
    """A closer, a quote or brackets; or the half of one of these that the end of the text cut."""
    own, reply = f"[/{tag}]", f"[/{reply_tag}]"
    halves = {closer[:length] for closer in (own, reply) for length in range(1, len(closer))}
    half = "|".join(re.escape(part) for part in sorted(halves, key=len, reverse=True))
    return re.compile(
        rf"(?P<own>{re.escape(own)})|(?P<reply>{re.escape(reply)})|(?P<half>(?:{half}|\\)\Z)"
        r'|(?P<escaped>\\["\\])|(?P<quote>")|(?P<opening>(?:\{|\[(?!/|\Z))++|\[)|(?P<closing>[\]}]++)',
        re.IGNORECASE | re.ASCII,
    )
