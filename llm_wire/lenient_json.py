"""A reader for JSON as models write it: it mends what it can and says whether it had to.

It reads one value, forward, with a stack of its own; it never looks back over what it has read,
so its time is linear in what it consumes and its depth is bounded by memory alone. On JSON
without damage it agrees with the grammar, including what the fast library refuses (lone
surrogates, integers of any size, deep nesting), and then reports nothing mended.
"""

import re
from typing import Any, Final

from llm_wire.json_strings import (
    BAD_ESCAPE,
    CLEAN_STRING,
    COLON,
    CONTROL,
    GAP,
    IN_LIST,
    IN_OBJECT,
    KEYS,
    OPENING,
    Follow,
    decode_escapes,
)
from llm_wire.json_text import DEPTH_LIMIT, json_end

__all__ = ["LONGEST_NUMBER", "Reading", "read_lenient"]

LONGEST_NUMBER: Final = 4300
"""Digits of a number that is still read; Python itself refuses to print longer integers."""

_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_FILLER: Final = re.compile(
    r"(?:[\s\ufeff\u200b]++|//[^\n]*+|#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))*+"
)
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_STRICT_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?\Z")
_WORD: Final = re.compile(r"[A-Za-z_$][\w$-]{0,63}+")
_BARE_VALUE: Final = re.compile(r"[^\W\d][\w .'-]{0,63}+(?=[,}\]\n])")
_LITERALS: Final[dict[str, Any]] = {
    "true": True, "false": False, "null": None,
    "True": True, "False": False, "None": None,
    "NaN": None, "Infinity": None, "nan": None, "undefined": None,
    "TRUE": True, "FALSE": False, "NULL": None, "nil": None, "inf": None,
}  # fmt: skip
_STRICT_LITERALS: Final = frozenset({"true", "false", "null"})

_FIRST_MEMBER: Final = re.compile(
    r'[ \t\n\r]*+"([^"\\\x00-\x1f]*+)"[ \t\n\r]*+:[ \t\n\r]*+(?=["{\[0-9a-z-])'
)
_NEXT_MEMBER: Final = re.compile(rf"[ \t\n\r]*+,{_FIRST_MEMBER.pattern}")
_LIST_GOES_ON: Final = re.compile(rf"{GAP},{GAP}\{{")


class Reading:
    """What :func:`read_lenient` made of a value.

    A plain class: it is made once a damaged answer, and only read.
    """

    __slots__ = ("at_top", "closed", "end", "failed", "mended", "unkept", "unwhole", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.end = 0
        """Index after the last character that was read."""
        self.closed = False
        """Whether the outermost bracket was seen to close."""
        self.at_top = False
        """Whether a failed reading stopped in the outermost object itself, no deeper."""
        self.failed = False
        """Whether the reading stopped at something that is no JSON, however lenient."""
        self.mended = False
        """Whether anything that was read had to be mended. Not mended and closed is JSON by the
        grammar; not mended and neither closed nor failed is the beginning of such JSON."""
        self.unwhole: dict[int, Any] = {}
        """The containers whose own closing bracket was not seen, by ``id``."""
        self.unkept = 0
        """Values dropped because they lie too deep or are numbers nothing can hold."""


def read_lenient(text: str, start: int, *, within: bool = False) -> Reading:
    """Read the object or list that begins at ``start``; never raises.

    With ``within``, ``start`` is already inside an object, at one of its keys.
    """
    reader = _Reader(text, start)
    reader.run(within=within)
    return reader.reading


class _Reader:
    __slots__ = ("arrays", "at", "containers", "keys", "objects", "reading", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.reading = Reading()
        self.containers: list[Any] = []
        self.keys: list[str] = []
        self.arrays = 0
        self.objects = 0

    # -- the loop ------------------------------------------------------------------------------

    def run(self, *, within: bool) -> None:
        reading = self.reading
        if within:
            self.containers.append({})
            self.keys.append("")
            self.objects = 1
            reading.mended = True
        step = True if within else self._open()
        while step is not None and self.containers:
            in_object = type(self.containers[-1]) is dict
            step = self._member(step) if in_object else self._item(step)
        reading.end = self.at
        if self.containers:
            reading.value = self.containers[0]
            reading.unwhole.update((id(container), container) for container in self.containers)
            if self.at < len(self.text):
                reading.failed = True
                reading.at_top = len(self.containers) == 1

    def _member(self, first: bool) -> bool | None:
        """One key and the start of its value. None ends the reading, else whether a container
        was just opened."""
        clean = (_FIRST_MEMBER if first else _NEXT_MEMBER).match(self.text, self.at)
        if clean:
            self.keys[-1] = clean.group(1)
            self.at = clean.end()
            return self._value()
        char = self._next(first)
        if char == "}" or char == "]":
            return self._close(char)
        if char == "":
            return None
        key = self._key(char)
        if key is None:
            return None
        self.keys[-1] = key
        self._pass_space()
        if not self.text.startswith(":", self.at):
            return None
        self.at += 1
        self._pass_space()
        return self._value()

    def _item(self, first: bool) -> bool | None:
        char = self._next(first)
        if char == "}" or char == "]":
            return self._close(char)
        if char == "":
            return None
        return self._value()

    def _value(self) -> bool | None:
        text, at = self.text, self.at
        char = text[at : at + 1]
        if char == "{" or char == "[":
            return self._open()
        if char in OPENING and char:
            return self._string_value(char)
        if char == "":
            return None
        if char in "}],":
            # A key without a value: nothing to keep, the closer or comma speaks for itself.
            self.reading.mended = True
            return False
        return self._scalar(char)

    # -- brackets and separators ---------------------------------------------------------------

    def _open(self) -> bool | None:
        fresh: Any = {} if self.text.startswith("{", self.at) else []
        if self.containers:
            if len(self.containers) == DEPTH_LIMIT:
                return self._pass_too_deep()
            self._put(fresh)
        self.at += 1
        self.containers.append(fresh)
        self.keys.append("")
        if type(fresh) is dict:
            self.objects += 1
        else:
            self.arrays += 1
        return True

    def _pass_too_deep(self) -> bool | None:
        """Pass a container that nobody may keep, without making anything of it."""
        end = json_end(self.text, self.at)
        if end < 0:
            self.at = -end - 1
            return None
        self.at = end
        self.reading.unkept += 1
        self._put(None)
        return False

    def _put(self, value: Any) -> None:
        container = self.containers[-1]
        if type(container) is dict:
            container[self.keys[-1]] = value
        else:
            container.append(value)

    def _close(self, char: str) -> bool | None:
        """Close the innermost container that ``char`` fits; what lies between was never closed."""
        wanted = dict if char == "}" else list
        innermost = self.containers[-1]
        if type(innermost) is not wanted:
            self.reading.mended = True
            if not (self.objects if wanted is dict else self.arrays):
                self.at += 1  # a closer of nothing
                return False
            if wanted is dict and self._is_stray():
                self.at += 1
                return False
            while type(self.containers[-1]) is not wanted:
                self._give_up()
        self._pop()
        self.at += 1
        self.reading.closed = not self.containers
        return False

    def _give_up(self) -> None:
        container = self._pop()
        self.reading.unwhole[id(container)] = container

    def _is_stray(self) -> bool:
        """Whether a ``}`` inside a list is one too many: the list goes on after it."""
        return _LIST_GOES_ON.match(self.text, self.at + 1) is not None

    def _pop(self) -> Any:
        self.keys.pop()
        container = self.containers.pop()
        if type(container) is dict:
            self.objects -= 1
        else:
            self.arrays -= 1
        if not self.containers:
            self.reading.value = container
        return container

    def _next(self, first: bool) -> str:
        """Pass what may stand before a member or an item; the character found, "" at the end."""
        text = self.text
        space = _SPACE.match(text, self.at)
        self.at = space.end() if space else self.at
        char = text[self.at : self.at + 1]
        commas = 0
        if char == "," and not first:
            self.at += 1
            commas = 1
            space = _SPACE.match(text, self.at)
            self.at = space.end() if space else self.at
            char = text[self.at : self.at + 1]
        if (char and char in '{["') or (char.isascii() and char.isalnum()) or char == "-":
            if not first and not commas:
                self.reading.mended = True
            return char
        if char == "}" or char == "]":
            if commas:
                self.reading.mended = True
            return char
        return self._pass_filler(commas + first)

    def _pass_filler(self, separated: int) -> str:
        """The lenient way on: comments, odd spaces, commas to spare."""
        text, begin = self.text, self.at
        while True:
            self._pass_space()
            if not text.startswith(",", self.at):
                break
            self.at += 1
            separated += 1
        char = text[self.at : self.at + 1]
        if self.at > begin or separated != 1 or char:
            self.reading.mended = True
        return char

    def _pass_space(self) -> None:
        text = self.text
        if text[self.at : self.at + 1] in '"{[:':
            return
        space = _SPACE.match(text, self.at)
        at = space.end() if space else self.at
        filler = _FILLER.match(text, at)
        if filler and filler.end() > at:
            self.reading.mended = True
            at = filler.end()
        self.at = at

    # -- strings -------------------------------------------------------------------------------

    def _key(self, char: str) -> str | None:
        if char in OPENING:
            begin = self.at + 1
            body = KEYS[char].match(self.text, begin)
            end = body.end() if body else begin
            if end >= len(self.text):
                self.at = end  # cut in the middle of the key
                return None
            if self.text[end] not in OPENING[char]:
                return None
            if char != '"' or CONTROL.search(self.text, begin, end):
                self.reading.mended = True
            self.at = end + 1
            return self._decode(self.text[begin:end])
        word = _WORD.match(self.text, self.at)
        if word is None or not COLON.match(self.text, word.end()):
            return None
        self.reading.mended = True
        self.at = word.end()
        return word.group()

    def _string_value(self, char: str) -> bool | None:
        container = self.containers[-1]
        in_object = type(container) is dict
        value, closed = self._string(char, IN_OBJECT if in_object else IN_LIST)
        if not closed:
            if in_object and self.keys[-1] == "reasoning":
                self._put(value)  # half a thought is one; half a verb or a promise is not
            return None
        if not in_object and self.objects and COLON.match(self.text, self.at):
            # A key inside a list: the list's own closer was forgotten.
            self.reading.mended = True
            while type(self.containers[-1]) is not dict:
                self._give_up()
            self.keys[-1] = value
            self._pass_space()
            self.at += 1
            self._pass_space()
            return self._value()
        self._put(value)
        return False

    def _string(self, opening: str, follow: Follow) -> tuple[str, bool]:
        """The string at the reading point, and whether it was seen to end."""
        text = self.text
        if opening == '"':
            clean = CLEAN_STRING.match(text, self.at)
            if clean and follow.after.match(text, clean.end()):
                self.at = clean.end()
                return self._decode(clean.group(1)), True
        self.reading.mended = True
        begin = self.at + 1
        body = follow.bodies[opening].match(text, begin)
        end = body.end() if body else begin
        stopped = text[end : end + 1]
        if stopped == "\n":
            self.at = end
            return self._decode(text[begin:end].rstrip().removesuffix(",")), True
        if stopped == "" or stopped == "\\":
            self.at = len(text)
            return self._decode(text[begin:]), False
        self.at = end + 1
        return self._decode(text[begin:end]), True

    def _decode(self, raw: str) -> str:
        if "\\" not in raw:
            return raw
        if not self.reading.mended and BAD_ESCAPE.search(raw):
            self.reading.mended = True
        return decode_escapes(raw)

    # -- everything else -----------------------------------------------------------------------

    def _scalar(self, char: str) -> bool | None:
        text, at = self.text, self.at
        number = _NUMBER.match(text, at) if char in "+-.0123456789" else None
        if number:
            if number.end() == len(text):
                self.at = len(text)  # cut at the end: who knows how it went on
                return None
            percent = text[number.end()] == "%"
            after = number.end() + percent
            if after == len(text):
                self.at = after
                return None
            if text[after] in ",]} \t\n\r/#":
                self.at = after
                if percent:  # left as the words it is; a confidence knows what they mean
                    self.reading.mended = True
                    self._put(text[at:after])
                else:
                    self._number(number.group())
                return False
        word = _WORD.match(text, at + 1 if char in "+-" else at)
        if word is None:
            return None
        name = word.group()
        if name in _LITERALS and text[word.end() : word.end() + 1] in (
            ",",
            "]",
            "}",
            " ",
            "\n",
            "\r",
            "\t",
            "/",
        ):
            if name not in _STRICT_LITERALS or char in "+-":
                self.reading.mended = True
            self.at = word.end()
            self._put(_LITERALS[name])
            return False
        bare = _BARE_VALUE.match(text, at)
        if bare is None:
            return None
        self.reading.mended = True
        self.at = bare.end()
        self._put(bare.group().strip())
        return False

    def _number(self, digits: str) -> None:
        if not _STRICT_NUMBER.match(digits):
            self.reading.mended = True
        if len(digits) > LONGEST_NUMBER:
            self.reading.unkept += 1
            self._put(None)
        elif digits.lstrip("+-").isdigit():
            self._put(int(digits))
        else:
            value = float(digits)
            if value - value == 0.0:
                self._put(value)
            else:
                self.reading.unkept += 1
                self._put(None)
