from pathlib import Path

import pytest

from llm_wire.transports.anthropic import AnthropicTransport
from llm_wire.transports.openai import OpenAITransport
from llm_wire.transports.schema_style import SchemaStyle
from llm_wire.transports.scripted import ScriptedTransport
from llm_wire.transports.spec import (
    ModelSpec,
    SpecError,
    Vendor,
    key_name,
    open_model,
    parse_model,
)
from tests.llm_wire.transports.dialects import KEY

LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("scripted", ModelSpec(vendor=Vendor.SCRIPTED)),
        ("openai:small", ModelSpec(vendor=Vendor.OPENAI, name="small")),
        ("openai:llama3:8b", ModelSpec(vendor=Vendor.OPENAI, name="llama3:8b")),
        ("anthropic:large", ModelSpec(vendor=Vendor.ANTHROPIC, name="large")),
        ("recorded:runs/1.jsonl", ModelSpec(vendor=Vendor.RECORDED, name="runs/1.jsonl")),
    ],
)
def test_what_can_be_written(text: str, spec: ModelSpec) -> None:
    assert parse_model(text) == spec
    assert str(spec) == text
    assert spec.takes_time == (spec.vendor in (Vendor.OPENAI, Vendor.ANTHROPIC))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpt-5", "'gpt-5' names no model; write scripted, openai:MODEL, "),
        ("", "'' names no model"),
        ("openai", "'openai' says too little; write openai:MODEL"),
        ("recorded:", "write recorded:FILE"),
        ("scripted:x", "says too much"),
    ],
)
def test_what_cannot(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        parse_model(text)


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080",
        "ftp://x/v1",
        "http://",
        "http://x:99999/v1",
        "http://[x/v1",
        f"http://u:{KEY}@x/v1",
        f"http://x/v1?key={KEY}",
    ],
)
def test_a_base_url_that_is_none_or_hides_a_key(url: str) -> None:
    with pytest.raises(SpecError, match="the base URL") as caught:
        parse_model("openai:small", base_url=url)
    assert KEY not in str(caught.value)


def test_a_base_url_without_a_server() -> None:
    with pytest.raises(SpecError, match="has no server"):
        parse_model("scripted", base_url=LOCAL)


@pytest.mark.parametrize(
    ("text", "base_url", "name"),
    [
        ("openai:m", None, "OPENAI_API_KEY"),
        ("openai:m", LOCAL, "OPENAI_API_KEY"),
        ("openai:m", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        ("anthropic:m", None, "ANTHROPIC_API_KEY"),
        ("scripted", None, None),
    ],
)
def test_where_keys_come_from(text: str, base_url: str | None, name: str | None) -> None:
    assert key_name(parse_model(text, base_url=base_url)) == name


def test_a_key_of_another_name() -> None:
    assert key_name(parse_model("openai:m", base_url=LOCAL, key_env="GROQ_KEY")) == "GROQ_KEY"


@pytest.mark.parametrize("text", ["openai:m", "anthropic:m"])
def test_the_vendors_own_servers_want_a_key(text: str) -> None:
    with pytest.raises(SpecError, match=r"^(OPENAI|ANTHROPIC)_API_KEY is not set; export it"):
        open_model(parse_model(text), env={})


def test_a_local_server_wants_none() -> None:
    spec = parse_model("openai:m", base_url=LOCAL, schema_style="json_object")
    assert isinstance(open_model(spec, env={}), OpenAITransport)
    assert spec.schema_style is SchemaStyle.JSON_OBJECT


def test_keys_stay_in_the_transport() -> None:
    spec = parse_model("anthropic:m")
    transport = open_model(spec, env={"ANTHROPIC_API_KEY": KEY})
    assert isinstance(transport, AnthropicTransport)
    assert KEY not in f"{spec!r} {spec} {transport!r}"


def test_an_unknown_schema_style() -> None:
    with pytest.raises(SpecError, match="schema_style 'xml' is none of json_schema, json_object"):
        parse_model("openai:m", schema_style="xml")


def test_a_script_and_a_recording(tmp_path: Path) -> None:
    assert isinstance(
        open_model(parse_model("scripted"), env={}, script=lambda _: "x"), ScriptedTransport
    )
    with pytest.raises(SpecError, match="there is no script"):
        open_model(parse_model("scripted"), env={})
    (tmp_path / "run").write_text("")
    open_model(parse_model(f"recorded:{tmp_path / 'run'}"), env={})


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_an_sdk_that_is_not_there(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, vendor, None)
    spec = parse_model(f"{vendor}:m", base_url=LOCAL)
    with pytest.raises(SpecError, match=rf"pip install 'mindot-npc\[{vendor}\]'"):
        open_model(spec, env={})
