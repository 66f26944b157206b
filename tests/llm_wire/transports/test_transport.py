import subprocess
import sys

import pytest

from llm_wire.transport import (
    Completion,
    Failure,
    FinishReason,
    Message,
    Priority,
    Request,
    Role,
    Transport,
    TransportError,
    Usage,
)
from llm_wire.transports.resilient import Limit
from llm_wire.transports.scripted import ScriptedTransport
from tests.llm_wire.transports.dialects import request_of


def test_the_names_of_failures_are_fixed() -> None:
    assert {str(failure) for failure in Failure} == {
        "timeout-first-token",
        "timeout-stalled",
        "timeout-total",
        "refused",
        "rate-limited",
        "over-quota",
        "unreachable",
        "protocol",
        "empty",
        "truncated",
        "unreadable",
        "cancelled",
        "over-budget",
    }


def test_a_requests_bytes_are_stable() -> None:
    request = Request(
        system="Du bist Gerdur, die Müllerin.",
        messages=(Message(content="Wer da?"), Message(role=Role.ASSISTANT, content="\ud800")),
        max_tokens=64,
        schema={"type": "object", "additionalProperties": False},
        temperature=0.7,
    )
    assert request.wire_bytes() == (
        b'{"max_tokens":64,"messages":[{"content":"Wer da?","role":"user"},'
        b'{"content":"\\ud800","role":"assistant"}],"model":null,'
        b'"schema":{"additionalProperties":false,"type":"object"},'
        b'"system":"Du bist Gerdur, die M\\u00fcllerin.","temperature":0.7}'
    )
    assert len(request.digest) == 64


def test_who_asks_and_how_urgently_is_not_in_the_bytes() -> None:
    one = request_of(asker="a", ask_id="1", kind="facet", priority=Priority.MUSING, deadline=3.0)
    other = request_of(asker="b", ask_id="2", kind="master", priority=Priority.CONVERSATION)
    assert one.digest == other.digest
    assert one.digest != request_of("Another question").digest


def test_a_request_needs_a_question_and_a_limit() -> None:
    with pytest.raises(ValueError, match="messages must hold at least one turn"):
        Request(system="", messages=())
    with pytest.raises(ValueError, match="max_tokens must be at least 1, not 0"):
        request_of(max_tokens=0)


def test_what_an_error_says() -> None:
    error = TransportError(Failure.RATE_LIMITED, "slow down", model="small", status=429)
    assert str(error) == "rate-limited from 'small' (HTTP 429): slow down"
    assert str(TransportError(Failure.EMPTY)) == "empty"


def test_a_cut_completion_is_marked() -> None:
    assert Completion(text="{", finish_reason=FinishReason.LENGTH).truncated
    assert not Completion(text="{}").truncated
    assert Usage(prompt_tokens=3).total_tokens == 3


def test_transports_and_wrappers_are_transports() -> None:
    scripted = ScriptedTransport(lambda _: "Hello")
    assert isinstance(scripted, Transport)
    assert isinstance(Limit(scripted), Transport)


def test_no_sdk_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, llm_wire.transport, llm_wire.transports.openai, "
        "llm_wire.transports.anthropic, llm_wire.transports.spec, llm_wire.transports.resilient\n"
        "print([m for m in ('openai', 'anthropic', 'httpx', 'httpx2', 'pydantic') "
        "if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
