"""A reply as it arrives: the same words however the text is cut, and nothing held for long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wire import ReplyStream, extract_text_block, strip_protocol_markers
from llm_wire.contracts import LONGEST_MARKER, MARKER
from llm_wire.testing import Sample, conversations, prose

HEAD = '{"actions": [{"type": "flee"}], "reasoning": "see [REPLY_TEXT] below"}\n[REPLY_TEXT]\n'

_WORDS = (
    "[ ] [/ PLA NS] [PLANS] [/PLANS] [ack] < > <think> </think> [REPLY_TEXT] [/REPLY_TEXT] word { }"
    ' [NO_MESSAGE] [/NO_MESSAGE] \\ 🙂 ["x"] " {"actions" [GOALS_REPRIORI TIZE]'
)
fragments = st.lists(
    st.sampled_from([*_WORDS.split(), " ", "\n", "\n\n", "\u2003", '{"plans": 1}']), max_size=20
).map("".join)


def said(text: str, size: int) -> str:
    stream = ReplyStream()
    words = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join(words) + stream.close()


@given(fragments, st.integers(1, 9))
def test_every_cut_says_the_same_and_never_a_marker(body: str, size: int) -> None:
    text = HEAD + body
    whole = said(text, len(text))
    assert said(text, size) == whole
    assert not MARKER.search(whole)
    assert whole == whole.strip()


def holds_a_body(text: str) -> bool:
    """Whether an opener, perhaps one that removing others forms, has a bracket behind it.

    A reply then takes more out than markers: all to the opener's closer.
    """
    while not re.search(r"\[PLANS\]\s*\[", text):
        text, markers = MARKER.subn("", text, count=1)
        if not markers:
            return False
    return True


@given(st.lists(st.sampled_from(["[PLANS]", "[/ACK]", "[PLA", "NS]", "a", "[", " ", "\n", "1]"])))
def test_the_words_are_those_that_stay_when_markers_go(parts: list[str]) -> None:
    body = "".join(parts)
    if not holds_a_body(body):
        assert said(f"{HEAD}{body}[/REPLY_TEXT]", 5) == strip_protocol_markers(body)


@given(prose(), st.integers(1, 9))
def test_no_more_is_held_back_than_a_marker_and_blanks(words: str, size: int) -> None:
    stream, out, fed = ReplyStream(), "", ""
    stream.feed(HEAD)
    for at in range(0, len(words), size):
        fed += words[at : at + size]
        out += stream.feed(words[at : at + size])
        assert len(out) >= len(fed.rstrip()) - LONGEST_MARKER
        assert words.startswith(out)


@given(conversations())
def test_a_prefix_says_a_prefix(sample: Sample) -> None:
    whole = said(sample.text, 64)
    for at in range(0, len(sample.text), 7):
        part = said(sample.text[:at], 64)
        assert whole.startswith(part)


def test_the_first_reply_is_the_reply() -> None:
    text = '{"a [REPLY_TEXT]one[/REPLY_TEXT]\n[REPLY_TEXT]two[/REPLY_TEXT][REPLY_TEXT]three'
    assert said(text, 5) == "two"
    assert said(text + "[/REPLY_TEXT][NO_MESSAGE]x", 5) == "two"


def test_a_closer_ends_a_reply_in_the_middle_of_an_object() -> None:
    stream = ReplyStream()
    text = '[REPLY_TEXT]Hi {"actions": [{"type": "x [/REPLY_TEXT][NO_MESSAGE]y'
    for size in (1, 3, len(text)):
        assert said(text, size) == "Hi"
    stream.feed(text)
    stream.close()
    assert stream.no_message == "y"


def test_a_closer_right_behind_the_head_of_an_object_ends_the_reply() -> None:
    text = '"actions":[{"":""],"reasoning":"[REPLY_TEXT]a{"actions"[/REPLY_TEXT]'
    for size in (1, 3, len(text)):
        assert said(text, size) == "a"


def test_what_was_let_out_of_half_a_marker_loses_no_character() -> None:
    text = "[REPLY_TEXT]q [/NO_MES[GOALS_ABANDON]SSAGE]"
    for size in (1, 3, len(text)):
        assert said(text, size) == "q [/NO_MESSSAGE]"
    assert extract_text_block(text, "REPLY_TEXT") == "q [/NO_MESSSAGE]"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('Hi [PLANS]{"plans":["use [/PLANS] here"]}[/PLANS] bye[/REPLY_TEXT]', "Hi  bye"),
        ('Hi [PLANS]{"plans":["use [/PLANS] here"]}[/PLANS] bye', "Hi  bye"),
        ('Hi [PLANS]{"a":"\\"[/PLANS]\\\\"}[/plans] bye', "Hi  bye"),
        ('Hi [PLANS] [{"a":["[/PLANS]"]}] "[/PLANS] bye" [/REPLY_TEXT]', 'Hi   bye"'),
        ('Hi [[PLANS]{"a":1}[/PLANS] b', "Hi [ b"),
        ('Hi [[PLANS] ["[/PLANS]"][/PLANS] b', "Hi [  b"),
        ('Hi [[PLANS]["[/PLANS]"][/PLANS] b', "Hi [ b"),
        # A quote too many hides no words: the payload did not end before the reply did.
        (
            'Hi [PLANS]{"a: 1}[/PLANS] you said "no" [/PLANS]bye[/REPLY_TEXT]',
            'Hi  you said "no" bye',
        ),
        ('Hi [PLANS]{"a[/PLANS] x [PLANS]{"b"[/PLANS]y[/REPLY_TEXT] no', "Hi  x y"),
        # Cut in the middle of a payload: nobody says that.
        ('Hi [PLANS]{"plans":["use [/PLANS] he', "Hi"),
        ('Hi [PLANS]{"plans":["use [/REPLY_TEXT] here"]}[/PLANS] bye', "Hi"),
    ],
)
def test_a_closer_in_a_string_of_a_payload_closes_nothing(body: str, words: str) -> None:
    for size in (1, 2, 5, 7, 999):
        assert said("[REPLY_TEXT]" + body, size) == words


def test_opening_brackets_do_not_pile_up() -> None:
    stream = ReplyStream()
    stream.feed("[REPLY_TEXT]x")
    out = "".join(stream.feed("[") for _ in range(500))
    assert len(out) >= 500 - LONGEST_MARKER


def test_a_reply_in_the_reasoning_comes_at_the_end() -> None:
    stream = ReplyStream()
    assert (
        stream.feed('{"actions": [], "reasoning": "[REPLY_TEXT]say \\"hi\\"[/REPLY_TEXT]"}') == ""
    )
    assert stream.close() == 'say "hi"'
    assert stream.close() == ""


def test_silence_shows_after_words_that_are_out() -> None:
    stream = ReplyStream()
    assert stream.feed("[REPLY_TEXT]Hm[/REPLY_TEXT] [NO_MESSAGE]on second thought") == "Hm"
    assert stream.no_message is None
    assert stream.close() == ""
    assert stream.no_message == "on second thought"


def test_an_answer_in_quotes_is_read_as_what_it_stands_for() -> None:
    text = '"{\\"actions\\": []}\\n[REPLY_TEXT]\\nsay \\"\\u00e9\\ud83d\\ude00\\"\\n[/REPLY_TEXT]"'
    for size in (1, 2, 3, 7, len(text)):
        assert said(text, size) == 'say "é😀"'


def test_prose_that_begins_with_a_quote_is_prose() -> None:
    text = '"Go," she said.\n[REPLY_TEXT]a \\n b[/REPLY_TEXT]'
    assert said(text, 3) == said(text, 99) == "a \\n b"
