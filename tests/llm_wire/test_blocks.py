"""Wrapping words in a block, taking blocks out, taking markers out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wire import (
    extract_text_block,
    strip_protocol_markers,
    strip_tagged_blocks,
    wrap_reply_text,
)
from llm_wire.contracts import MARKER
from llm_wire.testing import prose

_WORDS = (
    "[ ] / PLA NS [PLANS] [/PLANS] [ack] [/ACK] [REPLY_ TEXT] [REPLY_TEXT] [/REPLY_TEXT] word "
    '{ } " \\ é'
)
pieces = st.lists(st.sampled_from([*_WORDS.split(), " ", "\n", "\n\n"]), max_size=20).map("".join)


def naive_markers(text: str) -> str:
    """Markers out, one at a time, as slowly and as obviously as it gets."""
    lines = []
    for line in text.split("\n"):
        bare = line
        while found := MARKER.search(bare):
            bare = bare[: found.start()] + bare[found.end() :]
        if bare == line or bare.strip():
            lines.append(bare)
    return "\n".join(lines).strip()


@given(pieces)
def test_markers_go_as_if_taken_out_one_by_one(text: str) -> None:
    assert strip_protocol_markers(text) == naive_markers(text)


@given(pieces)
def test_stripping_blocks_is_done_in_one_go(text: str) -> None:
    once = strip_tagged_blocks(text)
    assert not MARKER.search(once)
    assert strip_tagged_blocks(once) == once


@given(st.text())
def test_text_without_markers_comes_back_trimmed(text: str) -> None:
    assert strip_protocol_markers(text) == text.strip()


@given(prose())
def test_wrapped_words_come_back(words: str) -> None:
    wrapped = wrap_reply_text(words)
    assert wrapped == f"[REPLY_TEXT]\n{words}\n[/REPLY_TEXT]"
    assert extract_text_block(wrapped, "REPLY_TEXT") == words
    assert extract_text_block(f"Before. {wrapped} After.", "reply_text") == words


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [
        ("[NO_MESSAGE]why[/NO_MESSAGE]", "NO_MESSAGE", "why"),
        ("[ACK]old[/ACK]", "ACK", "old"),
        ("[REPLY]old[/REPLY]", "REPLY", "old"),
        ("[REPLY]old[/REPLY]", "REPLY_TEXT", None),
        ("[REPLY_TEXT]to the end", "REPLY_TEXT", "to the end"),
        ("[/REPLY_TEXT]", "REPLY_TEXT", None),
        ("", "REPLY_TEXT", None),
        ("[REPLY_TEXT] \n [/REPLY_TEXT]", "REPLY_TEXT", None),
        ("[REPLY_TEXT]a[REPLY_TEXT]b[/REPLY_TEXT]c", "REPLY_TEXT", "ab"),
        ("[REPLY_TEXT]a[/REPLY_TEXT][REPLY_TEXT]b[/REPLY_TEXT]", "REPLY_TEXT", "a"),
        ("<think>[REPLY_TEXT]a[/REPLY_TEXT]</think>[REPLY_TEXT]b", "REPLY_TEXT", "b"),
        ('he said {"x [REPLY_TEXT]a[/REPLY_TEXT]', "REPLY_TEXT", "a"),
    ],
)
def test_extracting(text: str, tag: str, expected: str | None) -> None:
    assert extract_text_block(text, tag) == expected


def test_extracting_an_unknown_tag_says_which_there_are() -> None:
    with pytest.raises(ValueError, match=re.escape("tag: 'WISDOM' is no known block; use one of ")):
        extract_text_block("x", "WISDOM")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [PLANS]x[/PLANS] b", "a  b"),
        ("a [PLANS]x", "a"),
        ("a [PLANS] is a tag I like", "a"),
        ("a[/PLANS] b", "a b"),
        ('a [PLANS]["[/PLANS]"][/PLANS] b', "a  b"),
        ("a [PLANS]x[/BELIEFS] b", "a"),
        ("a\n\n[PLANS]x[/PLANS]\n\nb", "a\n\nb"),
        ("a\r\n\r\n\r\nb", "a\r\n\r\nb"),
        ("see [1]", "see [1]"),
        ("[PLA[ACK]x[/ACK]NS]", ""),
    ],
)
def test_stripping_blocks(text: str, expected: str) -> None:
    assert strip_tagged_blocks(text) == expected
