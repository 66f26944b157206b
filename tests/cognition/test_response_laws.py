"""Laws of reading a response, each for any text that the strategies can think of."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.response import ExecutiveOutput, full_reading, parse_response
from llm_wire import ReplyStream, strip_tagged_blocks
from llm_wire.contracts import MARKER, TAGGED_BLOCKS
from llm_wire.testing import Sample, clean_responses, responses

_FRAGMENTS = [
    '{"actions": [', '{"type": "flee"}', "]", "}", "{", "[", '"', "'", "\\", "\\u", "\\ud800",
    "\n", " ", '"reasoning": "', '", "confidence": 0.7}', "```json\n", "```", "<think>", "</think>",
    "[PLANS]", '{"plans": [1]}', '{\\"plans\\": [2]}', "[/PLANS]", "[REPLY_TEXT]", "[/reply_text]",
    "\n[REPLY_TEXT]", "[NO_MESSAGE]", "[/NO_MESSAGE]", "hello", "\ud800", "\x00", "🙂", ",", ":",
    "True", "NaN", "0.5", "//", "/*", "[PLA", "NS]", "[ACK]", "[{", '[{"type": "serve"}]', '{"a": ',
    '{"actions": [{"type": "rest"}], "reasoning": "r", "confidence": 1}', "“", "”", "\ufeff",
    '"{\\"actions\\": []}"', "\r\n", "actions",
]  # fmt: skip
broken = st.lists(st.sampled_from(_FRAGMENTS) | st.text(max_size=3), max_size=25).map("".join)
any_text = st.one_of(broken, st.text(), responses().map(lambda sample: sample.text))


def everything(output: ExecutiveOutput) -> list[Any]:
    return [
        output.reasoning, output.because, output.reply_text, output.no_message, output.escalation,
        output.undertakings, output.plans, output.narrative, output.new_beliefs,
        [[a.type, a.reasoning, a.expected_outcome, a.target, a.args] for a in output.actions],
        [list(problem) for problem in output.problems],
    ]  # fmt: skip


@given(any_text)
def test_any_string_is_read_and_the_result_encodes(text: str) -> None:
    output = parse_response(text)
    json.dumps(everything(output), ensure_ascii=False).encode()
    assert output.route in ("json", "repaired", "salvaged", "fallback")
    assert 0.0 <= output.confidence <= 1.0
    assert all(action.type.strip() for action in output.actions)
    assert not MARKER.search(output.reasoning)
    assert output.speech is None or output.no_message is None


@given(any_text)
def test_the_short_way_and_the_full_reading_agree(text: str) -> None:
    assert everything(parse_response(text))[:-1] == everything(full_reading(text))[:-1]


@given(responses())
def test_what_was_put_in_comes_out(sample: Sample) -> None:
    output = parse_response(sample.text)
    assert output.route in sample.routes
    assert [
        {"type": a.type, "reasoning": a.reasoning, "expectedOutcome": a.expected_outcome}
        for a in output.actions
    ] == [
        {key: action[key] for key in ("type", "reasoning", "expectedOutcome")}
        for action in sample.actions
    ]
    assert [a.target for a in output.actions] == [a.get("target") for a in sample.actions]
    assert [a.args for a in output.actions] == [a.get("args", {}) for a in sample.actions]
    if sample.reasoning is not None:
        assert output.reasoning == sample.reasoning
    if sample.confidence is not None:
        assert output.confidence == sample.confidence
    for name, value in sample.blocks.items():
        assert getattr(output, name) == value
    assert (output.reply_text, output.no_message) == (sample.reply_text, sample.no_message)


def streamed(text: str, cuts: list[int]) -> tuple[str | None, str | None]:
    stream, at, said = ReplyStream(), 0, ""
    for length in cuts:
        said += stream.feed(text[at : at + length])
        at += length
    said += stream.feed(text[at:]) + stream.close()
    return said or None, stream.no_message


@given(any_text, st.lists(st.integers(0, 7), max_size=60))
def test_every_way_to_cut_a_response_streams_the_same_reply(text: str, cuts: list[int]) -> None:
    output = parse_response(text)
    expected = (output.reply_text, output.no_message)
    assert streamed(text, cuts) == expected
    assert streamed(text, [1] * len(text)) == expected


@given(clean_responses(), st.data())
def test_a_prefix_never_has_an_action_that_the_whole_has_not(
    sample: Sample, data: st.DataObject
) -> None:
    whole = [action.type for action in parse_response(sample.text).actions]
    at = data.draw(st.integers(0, len(sample.text)))
    part = [action.type for action in parse_response(sample.text[:at]).actions]
    assert part == whole[: len(part)]


def test_no_prefix_of_a_plan_acts() -> None:
    text = (
        '{"plan": {"actions": [{"type": "confront", "args": {"type": "x"}}], "n": [{"type": "y"}]}'
        ', "note": "{\\"actions\\": [{\\"type\\": \\"z\\"}]}", "actions": [{"type": "flee"}]}'
    )
    for at in range(len(text) + 1):
        assert [action.type for action in parse_response(text[:at]).actions] in ([], ["flee"])


def test_no_prefix_acts_on_what_the_reasoning_says() -> None:
    text = (
        '{"reasoning":"[BELIEFS]{\\"newBeliefs\\":[]}[/BELIEFS] My available actions: [flee],'
        ' [hide].","actions":[]}'
    )
    assert parse_response(text).route == "json"
    for at in range(len(text)):
        output = parse_response(text[:at])
        assert output.route == "fallback" or not output.actions


@pytest.mark.parametrize(
    "text",
    [
        '"actions":[{"":""],"reasoning":"[REPLY_TEXT]a{"actions"[/REPLY_TEXT]',
        "[REPLY_TEXT]q [/NO_MES[GOALS_ABANDON]SSAGE]",
        "[REPLY_TEXT][PLA<think>[/REPLY_TEXT]",
        '{"actions":[],"reasoning":"ok"}\n[REPLY_TEXT][PLA{"actions"[/REPLY_TEXT]',
        '[REPLY_TEXT]Hi [PLANS]{"plans":["use [/PLANS] here"]}[/PLANS] bye[/REPLY_TEXT]',
        '{"actions":[],"reasoning":"[REPLY_TEXT]a [PLANS]{\\"b: [/PLANS] c[/REPLY_TEXT]"}',
    ],
)
def test_the_stream_says_what_the_whole_says(text: str) -> None:
    assert streamed(text, [])[0] == parse_response(text).reply_text is not None
    assert streamed(text, [1] * len(text))[0] == parse_response(text).reply_text


@given(responses(), st.sampled_from([str.lower, str.title, str.swapcase]))
def test_a_tag_in_any_case_reads_the_same(sample: Sample, change: Any) -> None:
    tags = "|".join(TAGGED_BLOCKS)
    changed = re.sub(rf"\[/?(?:{tags})\]", lambda tag: change(tag.group()), sample.text)
    one, other = parse_response(sample.text), parse_response(changed)
    # Tags inside the strings of a block are words, and words keep their case.
    if not re.search(rf"\[/(?:{tags})\]\\?\"", sample.text):
        assert everything(one) == everything(other)


@given(any_text)
def test_stripping_twice_is_stripping_once_and_leaves_no_marker(text: str) -> None:
    once = strip_tagged_blocks(text)
    assert not MARKER.search(once)
    assert strip_tagged_blocks(once) == once


@given(st.text())
def test_text_without_markers_only_loses_blank_runs(text: str) -> None:
    stripped = strip_tagged_blocks(text)
    assert stripped.split() == text.split()
    if not re.search(r"\n[^\S\n]*\n[^\S\n]*\n", text):
        assert stripped == text.strip()
