"""Texts made to hurt are read all the same; how fast is the benchmark's matter."""

import json

import pytest

from cognition.response import parse_response
from llm_wire import (
    ReplyStream,
    extract_text_block,
    match_conversation_focus,
    strip_protocol_markers,
    strip_tagged_blocks,
)
from tests.benchmarks.bench_response import HOSTILE, PREFIXES

LENGTH = 1 << 14
MORE = {
    "openers with braces": '[PLANS]{"a":',
    "escaped braces": '{\\"',
    "lists of objects": '{"actions":[{',
    "second objects": '{"x":1}\n',
    "replies in objects": '\n[REPLY_TEXT]{"',
    "halves of markers": "[PLA",
    "markers in halves": "[PLA[ACK]NS]",
    "think-blocks": "<think>",
    "ends of think-blocks": "</think>",
    "comments": "/*",
    "messages": 'Current message: "',
    "keys": '"actions":[',
}
TEXTS = {name: make(LENGTH) for name, make in HOSTILE.items()}
TEXTS |= {name: unit * (LENGTH // len(unit)) for name, unit in MORE.items()}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("name", TEXTS)
def test_it_is_read(name: str, prefix: str) -> None:
    text = prefix + TEXTS[name]
    output = parse_response(text)
    shown = [output.reasoning, output.reply_text, output.no_message, output.problems]
    json.dumps(shown, ensure_ascii=False).encode()
    assert [action.type for action in output.actions] in ([], ["x"], ["actions"])

    stream = ReplyStream()
    said = stream.feed(text[:LENGTH]) + stream.feed(text[LENGTH:]) + stream.close()
    assert (said or None) == output.reply_text

    once = strip_tagged_blocks(text)
    assert strip_tagged_blocks(once) == once
    strip_protocol_markers(text)
    extract_text_block(text, "REPLY_TEXT")
    match_conversation_focus(text)


def test_a_hundred_thousand_levels_are_passed() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    output = parse_response('{"actions": [{"type": "a", "args": {"x": ' + deep + "}}]}")
    assert output.route == "json"
    assert [problem.code for problem in output.problems] == ["value-unkept"]
    json.dumps(output.actions[0].args)
