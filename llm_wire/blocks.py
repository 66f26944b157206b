"""Blocks in text: wrapping words in one, taking them out, and reading the ones that hold words."""

import re
from typing import Final

from llm_wire.contracts import BLOCK_BY_TAG, LONGEST_MARKER, MARKER
from llm_wire.markers import MarkerMap
from llm_wire.plain_blocks import plain_blocks
from llm_wire.problems import ProblemCode, ProblemLog
from llm_wire.reply_words import words_of
from llm_wire.think import outside_thinking

__all__ = [
    "extract_text_block",
    "fold_blank_lines",
    "prose_around",
    "sentence_of",
    "strip_protocol_markers",
    "strip_tagged_blocks",
    "wrap_reply_text",
]

_BLANK_RUN: Final = re.compile(r"(\n[^\S\n]*+\n)(?:[^\S\n]*+\n)++")

_FENCED: Final = re.compile(
    r"^[ \t]*+(`{3,}+)[^`\n]*+(?:\n(?![ \t]*+```)[^\n]*+)*+(?:\n[ \t]*+`{3,}+[ \t]*+|\Z)",
    re.MULTILINE,
)


def wrap_reply_text(body: str) -> str:
    """``body`` as a reply: the opener, the body and the closer on lines of their own."""
    return f"[REPLY_TEXT]\n{body}\n[/REPLY_TEXT]"


def extract_text_block(text: str, tag: str) -> str | None:
    """The words of the first ``tag`` block in a text that holds no object, else None.

    From the first opener outside a think-block to the first closer after it, or to the end;
    known markers in between are taken out. None when there is no opener, or when no words are
    left. ``tag`` is a bare name of :data:`~llm_wire.contracts.TAGGED_BLOCKS` in any case; another
    one is a ValueError.
    """
    known = BLOCK_BY_TAG.get(tag.upper())
    if known is None:
        raise ValueError(f"tag: {tag!r} is no known block; use one of {', '.join(BLOCK_BY_TAG)}")
    markers = MarkerMap(text)
    for start, end in outside_thinking(text):
        opener = markers.opener_from(known.tag, start)
        if 0 <= opener < end:
            body = opener + len(known.tag) + 2
            closer = markers.closer_from(known.tag, body)
            return words_of(text[body : closer if closer >= 0 else None], closed=closer >= 0)
    return None


def strip_tagged_blocks(text: str) -> str:
    """The prose of ``text``: every known block out, an unclosed one cut to the end.

    Stray closers are removed, two or more blank lines become one, and the ends are trimmed.
    Doing it again changes nothing, and no known marker is left.
    """
    if "[" not in text:
        return fold_blank_lines(text)
    plain = plain_blocks(text)
    return sentence_of(MarkerMap(text)) if plain is None else fold_blank_lines("".join(plain.prose))


def sentence_of(markers: MarkerMap, problems: ProblemLog | None = None, where: str = "") -> str:
    """:func:`strip_tagged_blocks` for a text whose markers are known already.

    What an unclosed block cost is told to ``problems``.
    """
    text, at = markers.text, 0
    if not markers.found:
        return fold_blank_lines(text)
    kept: list[str] = []
    for start, end, closes, tag in markers.found:
        if start < at:
            continue
        kept.append(text[at:start])
        at = end if closes else markers.extent(start, end, tag).end
        if at < 0:
            if problems is not None:
                problems.add(ProblemCode.BLOCK_CUT, where, text[start : start + 200])
            break
    else:
        kept.append(text[at:])
    prose = "".join(kept)
    if MARKER.search(prose):
        prose = _without_markers(prose)
    return fold_blank_lines(prose)


def fold_blank_lines(text: str) -> str:
    """``text`` trimmed, with two or more blank lines in a row made one."""
    text = text.strip()
    # Finding each line break by itself is several times faster than searching for the pattern.
    at = text.find("\n")
    while at >= 0:
        if _BLANK_RUN.match(text, at):
            return _BLANK_RUN.sub(r"\1", text)
        at = text.find("\n", at + 1)
    return text


def prose_around(text: str, inside: list[tuple[int, int]]) -> str:
    """The prose of ``text`` outside the stretches ``inside`` (sorted), fences and blocks."""
    kept: list[str] = []
    at = 0
    for start, end in inside:
        if start > at:
            kept.append(text[at:start])
        at = max(at, end)
    kept.append(text[at:])
    return strip_tagged_blocks(_FENCED.sub("", "".join(kept)))


def strip_protocol_markers(text: str) -> str:
    """``text`` without any known marker, trimmed; what stood between markers stays.

    Where removing a marker forms another, that one goes too; a line that held nothing but
    markers goes as a whole. Text without markers comes back trimmed.
    """
    if not MARKER.search(text):
        return text.strip()
    kept: list[str] = []
    for line in text.split("\n"):
        if "]" in line:
            plain = MARKER.sub("", line)
            if len(plain) != len(line):
                if MARKER.search(plain):
                    plain = _without_markers(plain)
                if not plain.strip():
                    continue
                line = plain
        kept.append(line)
    return "\n".join(kept).strip()


def _without_markers(text: str) -> str:
    """``text`` without markers, also those that only removing others brings together.

    Every marker ends in ``]``, so it is enough to look back from each over the characters kept
    so far: no further than the longest marker, which keeps this linear.
    """
    kept: list[str] = []
    *parts, last = text.split("]")
    for part in parts:
        kept.extend(part)
        tail = "".join(kept[1 - LONGEST_MARKER :])
        opening = tail.rfind("[")
        if opening >= 0 and MARKER.fullmatch(tail[opening:] + "]"):
            del kept[opening - len(tail) :]
        else:
            kept.append("]")
    kept.extend(last)
    return "".join(kept)
