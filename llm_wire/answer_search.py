"""The search for the answer in a text that holds more, or less, than one strict object.

Each top-level value of the text is read once, from left to right, and the best is kept.
"""

import re
from bisect import bisect_left, bisect_right
from typing import Any, Final

import orjson
import regex

from llm_wire.answer import Answer, Route, flat_actions, has_action, has_type, is_answer
from llm_wire.blocks import prose_around
from llm_wire.contracts import BLOCK_FIELDS, BlockKind
from llm_wire.json_strings import stands_in_string
from llm_wire.json_text import json_end
from llm_wire.lenient_json import Reading, read_lenient
from llm_wire.markers import MarkerMap
from llm_wire.plain_answer import MAY_BE_LIST
from llm_wire.raw_blocks import EscapedText, escape_raw_blocks
from llm_wire.think import THINK_TAG
from llm_wire.timed_pattern import TimedPattern

__all__ = ["find_answer"]

_GAP: Final = r"[ \t\r\n\ufeff\u200b]*+"
_EVENT: Final = re.compile(
    rf"\{{(?={_GAP}(?:[\"'“”‘’„«}}/#]|[A-Za-z_$][\w$-]{{0,63}}+\s*+:))|\[(?!\[)|{THINK_TAG.pattern}",
    re.IGNORECASE | re.ASCII,
)
"""Where an object may begin, a list or a marker, and the ends of think-blocks."""
_ACTION_LIST: Final = TimedPattern(r"\[\s*+\{\s*+[\"'“”]?(?:type|reasoning|target|args|expected)")
_OBJECT_AT_LINE_START: Final = TimedPattern(r"^[ \t]*+\{", regex.MULTILINE)
_REPLY_AT_LINE_START: Final = TimedPattern(
    r"(?<=[\r\n])\[REPLY_TEXT\]", regex.IGNORECASE | regex.ASCII
)
_ACTIONS_KEY: Final = TimedPattern(r"(?<![\\\w])[\"'“”]?actions[\"'“”]?\s*+:\s*+(?=\[)")
_LOOK_BACK: Final = 24
"""Characters before a list in which a colon makes it a value of something."""
_NO_WRAPPING: Final = frozenset({*BLOCK_FIELDS, "plan", "reasoning", "confidence", "actions"})
"""Keys whose list, alone in its object, is what the key says and no list of actions."""
_ALLOWANCE: Final = 4
"""How many times its own length a text may be read in vain; see :meth:`_Search._spend`."""


def find_answer(text: str) -> Answer:
    """The answer in ``text``; its route is ``fallback`` when there is none. Never raises."""
    return _Search(text).answer()


class _Search:
    def __init__(self, text: str) -> None:
        self.text = text
        self.markers = MarkerMap(text)
        self.thought: list[tuple[int, int]] = []
        """Think-blocks."""
        self.answers: list[tuple[int, int]] = []
        """Objects with actions of their own, chosen or not."""
        self.others: list[tuple[int, int]] = []
        """Whole objects that are no answer."""
        self._covered: list[tuple[int, int]] = []
        """Cut and broken objects: actions deeper inside them are none of the answer's own."""
        self._words: Answer | None = None
        """The last list of bare words."""
        self._best: Answer | None = None
        self._rank: tuple[bool, ...] = ()
        self._allowance = _ALLOWANCE * len(text) + 1024
        self._escaped: EscapedText | None = None
        self._has_angles = "<" in text
        self._last_key = text.rfind("actions")
        self._reply_starts: list[int] | None = None

    def answer(self) -> Answer:
        self._walk()
        answer = self._best or self._salvage() or self._bare_words()
        if answer is None:
            answer = Answer(Route.FALLBACK, {}, 0, 0)
            answer.inside = self.thought
        else:
            answer.inside = sorted(self.thought + self.answers + self.others)
        answer.markers = self.markers
        return answer

    def _walk(self) -> None:
        text, at = self.text, 0
        found = self.markers.found
        index, count = 0, len(found)
        while True:
            while index < count and found[index][0] < at:
                index += 1
            if index < count and found[index][0] == at:
                index, at = self.markers.pass_mentions(index, at)
                if index < count and found[index][0] == at:
                    at = self._marker(index)
                continue
            event = _EVENT.search(text, at, found[index][0] if index < count else len(text))
            if event is None:
                if index == count:
                    return
                at = found[index][0]
            elif text[event.start()] == "{":
                at = self._object(event.start())
            elif text[event.start()] == "<":
                at = self._think(event)
            else:
                at = self._list(event.start())

    # -- what is passed ------------------------------------------------------------------------

    def _think(self, event: re.Match[str]) -> int:
        """Pass a think-block; a closer without an opener makes one of all before it."""
        if event.group(1):
            self._best, self._rank = None, ()
            self.answers, self.others, self._covered = [], [], []
            self.thought = [(0, event.end())]
            return event.end()
        depth, end = 0, len(self.text)
        for tag in THINK_TAG.finditer(self.text, event.start()):
            depth += -1 if tag.group(1) else 1
            if not depth:
                end = tag.end()
                break
        self.thought.append((event.start(), end))
        return end

    def _marker(self, index: int) -> int:
        """Pass a block as a whole; an opener without a closer hides no more than its payload."""
        start, end, _, tag = self.markers.found[index]
        extent = self.markers.extent(start, end, tag)
        if extent.closer >= 0:
            rival = self.markers.opener_from(tag, end)
            if extent.block.kind is not BlockKind.TEXT or not 0 <= rival < extent.closer:
                return extent.end
            return end
        if extent.payload_end < 0 or '"actions"' in self.text[extent.payload : extent.payload + 64]:
            return end
        return extent.payload_end

    # -- what is read --------------------------------------------------------------------------

    def _list(self, start: int) -> int:
        text = self.text
        if not MAY_BE_LIST.match(text, start):
            return start + 1
        end = self._end(start)
        value: Any = None
        if end > 0:
            try:
                value = orjson.loads(text[start:end])
            except orjson.JSONDecodeError:
                value = None
        is_value = text[max(0, start - _LOOK_BACK) : start].rstrip().endswith(":")
        if type(value) is list:
            if not is_value:
                self._offer_list(value, Answer(Route.JSON, {}, start, end))
            return end
        if is_value or not _ACTION_LIST.match(text, start):
            return start + 1
        reading = read_lenient(text, start)
        if reading.failed:
            return max(reading.end, start + 1)
        self._offer_list(reading.value, self._answer_of(reading, start, reading.end))
        return reading.end

    def _offer_list(self, items: list[Any], answer: Answer) -> None:
        """A list of one answer, or a bare list of actions."""
        if len(items) == 1 and type(items[0]) is dict and "actions" in items[0]:
            if answer.closed and not _holds_cut(answer, items[0]) and is_answer(items[0]):
                self._offer(items[0], answer)
            else:
                self.others.append((answer.start, answer.end))
        elif any(type(item) is dict and has_type(item) for item in items):
            self._offer({"actions": items}, answer, bare=True)
        else:
            if answer.route == Route.JSON and all(map(_may_be_verb, items)):
                answer.value = {"actions": items}
                self._words = answer
            self.others.append((answer.start, answer.end))

    def _object(self, start: int) -> int:
        text = self.text
        end = self._end(start)
        if end > 0:
            try:
                value = orjson.loads(text[start:end])
            except orjson.JSONDecodeError:
                pass
            else:
                self._offer_object(value, Answer(Route.JSON, {}, start, end))
                return end
        return self._damaged_object(start)

    def _damaged_object(self, start: int) -> int:
        text = self.text
        reading = read_lenient(text, start)
        end = reading.end
        escaped: EscapedText | None = None
        if reading.mended or not reading.closed:
            other = self._read_escaped(start)
            if other is not None and (other[0].closed or not reading.closed):
                reading, end = other
                escaped = self._escaped
        if not reading.closed:
            limit = self._reply_at_line_start(start)
            if limit < end:
                # The reply that begins a line ends the object, however it went on.
                reading = read_lenient(text[:limit], start)
                end = reading.end
                escaped = None
        if self._has_angles and (thought := self._closer_in(start, end, escaped)) is not None:
            return self._think(thought)
        if reading.closed:
            self._offer_object(reading.value, self._answer_of(reading, start, end))
            return self._look_for_a_second_start(start, end) if _swallowed(reading) else end
        self._covered.append((start, end))
        own = reading.value
        if "actions" in own and not (reading.failed and not own["actions"]):
            answer = self._answer_of(reading, start, end)
            if reading.failed and not (reading.at_top and len(own) > 1):
                answer.route = Route.SALVAGED
            self._offer(own, answer)
        if reading.failed:
            self._spend(end - start)
            return max(end, start + 1)
        if reading.mended:
            return self._look_for_a_second_start(start, end)
        return end

    def _reply_at_line_start(self, start: int) -> int:
        """Index of the first reply's opener after ``start`` that begins a line, else the end."""
        if self._reply_starts is None:
            self._reply_starts = [
                opener.start() for opener in _REPLY_AT_LINE_START.finditer(self.text)
            ]
        index = bisect_left(self._reply_starts, start)
        return self._reply_starts[index] if index < len(self._reply_starts) else len(self.text)

    def _closer_in(self, start: int, end: int, escaped: EscapedText | None) -> re.Match[str] | None:
        """The end of a think-block that a broken draft ran into, where it has no opener.

        ``escaped`` is the text the object was read from, where that is another one.
        """
        depth = 0
        for tag in THINK_TAG.finditer(self.text, start, end):
            depth += -1 if tag.group(1) else 1
            if depth < 0:
                # With nothing after it to be the answer, it is a word in a string.
                if tag.end() >= self._last_key:
                    return None
                if escaped is None:
                    is_word = stands_in_string(self.text, start, tag.start())
                else:
                    is_word = escaped.is_in_body(tag.start()) or stands_in_string(
                        escaped.text,
                        escaped.to_escaped(start),
                        escaped.to_escaped(tag.start()),
                    )
                return None if is_word else tag
        return None

    def _look_for_a_second_start(self, start: int, end: int) -> int:
        """A damaged object was cut: perhaps because the model began anew, on a line of its own."""
        text = self.text
        at = start + 1
        while line := _OBJECT_AT_LINE_START.search(text, at, end):
            brace = line.end() - 1
            stop = self._end(brace)
            at = brace + 1
            if stop < 0:
                continue
            try:
                value = orjson.loads(text[brace:stop])
            except orjson.JSONDecodeError:
                self._spend(stop - brace)
                continue
            if type(value) is dict and is_answer(value):
                self._offer(value, Answer(Route.JSON, {}, brace, stop))
            at = stop
        return end

    def _read_escaped(self, start: int) -> tuple[Reading, int] | None:
        """The reading of the object once raw block bodies are escaped; None when none is raw."""
        if self._allowance <= 0 or not self.markers.found:
            return None
        if self._escaped is None:
            self._escaped = escape_raw_blocks(self.markers)
        escaped = self._escaped
        if not escaped.changed_after(start) or escaped.is_in_body(start):
            return None
        begin = escaped.to_escaped(start)
        text = escaped.text
        stop = json_end(text, begin)
        reading: Reading | None = None
        if stop > 0:
            try:
                value = orjson.loads(text[begin:stop])
            except orjson.JSONDecodeError:
                pass
            else:
                reading = Reading()
                reading.value, reading.closed, reading.end = value, True, stop
        if reading is None:
            reading = read_lenient(text, begin)
        reading.mended = True
        self._spend(reading.end - begin)
        return reading, escaped.to_plain(reading.end)

    def _end(self, start: int) -> int:
        """:func:`json_end`, unless too much was read in vain already."""
        if self._allowance <= 0:
            return -1
        end = json_end(self.text, start)
        if end < 0:
            self._spend(-end - 1 - start)
        return end

    def _spend(self, characters: int) -> None:
        """Count what was read in vain, so that hostile text costs linear time.

        Past the allowance objects are still read, each by the one reading whose end is where the
        search goes on.
        """
        self._allowance -= characters

    # -- choosing ------------------------------------------------------------------------------

    def _answer_of(self, reading: Reading, start: int, end: int) -> Answer:
        strict = reading.closed and not reading.mended
        answer = Answer(Route.JSON if strict else Route.REPAIRED, {}, start, end)
        answer.closed = reading.closed
        answer.unwhole = reading.unwhole or None
        answer.unkept = reading.unkept
        return answer

    def _offer_object(self, value: dict[str, Any], answer: Answer) -> None:
        if is_answer(value):
            self._offer(value, answer)
            return
        if len(value) == 1:
            (inner,) = value.values()
            if type(inner) is dict and is_answer(inner) and not _holds_cut(answer, inner):
                self._offer(inner, answer)
                return
            if (
                type(inner) is list
                and next(iter(value)) not in _NO_WRAPPING
                and any(type(item) is dict and has_type(item) for item in inner)
            ):
                self._offer({"actions": inner}, answer, bare=True)
                return
        self.others.append((answer.start, answer.end))

    def _offer(self, value: dict[str, Any], answer: Answer, *, bare: bool = False) -> None:
        if not is_answer(value):
            return
        self.answers.append((answer.start, answer.end))
        answer.value = value
        rank = (
            answer.route != Route.SALVAGED,
            not bare,
            answer.closed,
            answer.route == Route.JSON,
            has_action(value["actions"], answer.unwhole),
        )
        if self._best is None or rank >= self._rank:
            self._best, self._rank = answer, rank

    def _bare_words(self) -> Answer | None:
        """A list of bare words is actions only where the text says nothing else."""
        words = self._words
        if words is None or len(self.others) != 1 or self.answers or self._covered:
            return None
        inside = sorted([*self.thought, (words.start, words.end)])
        if prose_around(self.text, inside).strip("\ufeff\u200b"):
            return None
        self.others.clear()
        self.answers.append((words.start, words.end))
        return words

    def _salvage(self) -> Answer | None:
        """The last list after an ``actions`` key that no object could be read around."""
        text, at = self.text, 0
        best: Answer | None = None
        if not _ACTIONS_KEY.search(text):
            return None
        covered = _merged(self.thought + self.others + self._covered + self._closed_blocks())
        while key := _ACTIONS_KEY.search(text, at):
            at = key.end()
            index = bisect_right(covered, (key.start(), len(text))) - 1
            if index >= 0 and covered[index][1] > key.start():
                at = max(at, covered[index][1])
                continue
            if self._without_brace(key.start()):
                return self._best
            reading = read_lenient(text, at)
            at = max(reading.end, at + 1)
            if type(reading.value) is list and has_action(reading.value, reading.unwhole):
                answer = self._answer_of(reading, key.start(), reading.end)
                answer.route = Route.SALVAGED
                answer.value = {"actions": reading.value}
                if best is None or answer.closed >= best.closed:
                    best = answer
        if best is not None:
            self.answers.append((best.start, best.end))
        return best

    def _without_brace(self, start: int) -> bool:
        """Whether from ``start`` on stands an object whose first brace was forgotten."""
        if self._allowance <= 0:
            return False
        reading = read_lenient(self.text, start, within=True)
        if reading.failed or not reading.value.get("actions"):
            self._spend(reading.end - start)
            return False
        self._offer(reading.value, self._answer_of(reading, start, reading.end))
        return self._best is not None

    def _closed_blocks(self) -> list[tuple[int, int]]:
        blocks: list[tuple[int, int]] = []
        at = 0
        for start, end, closes, tag in self.markers.found:
            if start >= at and not closes and self.markers.may_hold(end, tag):
                extent = self.markers.extent(start, end, tag)
                if extent.end > 0:
                    blocks.append((start, extent.end))
                    at = extent.end
        return blocks


def _may_be_verb(item: Any) -> bool:
    """Whether an item of a bare list names what to do; an object in quotes does not."""
    return type(item) is str and item.strip() != "" and "{" not in item and "[" not in item


def _merged(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same stretches in order and apart: one that lies in another is part of it."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end))
        else:
            apart.append((start, end))
    return apart


def _swallowed(reading: Reading) -> bool:
    """Whether a string of the mended object runs on into what looks like another answer."""
    if not reading.mended or type(reading.value) is not dict:
        return False
    strings: list[Any] = list(reading.value.values())
    for action in flat_actions(reading.value.get("actions")):
        strings += action.values() if type(action) is dict else [action]
    return any(type(string) is str and '{"actions"' in string for string in strings)


def _holds_cut(answer: Answer, value: dict[str, Any]) -> bool:
    return answer.unwhole is not None and id(value) in answer.unwhole
