import random
from pathlib import Path

import pytest

from llm_wire.transports.config import LlmConfig, load_config, open_transport
from llm_wire.transports.recorded import RecordedTransport
from llm_wire.transports.resilient import Allowance
from llm_wire.transports.resilient.stack import Stack
from llm_wire.transports.routed import Route
from llm_wire.transports.scripted import ScriptedTransport
from llm_wire.transports.spec import SpecError, parse_model
from tests.llm_wire.transports.dialects import KEY, request_of

WHOLE = """
default = "small"

[models.small]
llm = "openai:qwen2.5:7b"
base_url = "http://127.0.0.1:11434/v1"
then = ["large"]

[models.large]
llm = "anthropic:large"
key_env = "VILLAGE_KEY"

[[routes]]
character = "Gerdur"
kind = "conversation"
model = "large"

[limits]
concurrent = 8
first_token_s = 4.5
streams = false

[budget]
calls_per_minute = 6
tokens_per_day = 200000
"""


def _load(tmp_path: Path, text: str) -> LlmConfig:
    path = tmp_path / "models.toml"
    path.write_text(text)
    return load_config(path)


def test_a_whole_file(tmp_path: Path) -> None:
    config = _load(tmp_path, WHOLE)
    assert list(config.models) == ["small", "large"]
    assert config.default == "small"
    assert config.then == {"small": ("large",), "large": ()}
    assert config.routes == (Route(to="large", character="Gerdur", kind="conversation"),)
    assert config.resilience.concurrent == 8
    assert config.resilience.first_token_s == 4.5
    assert not config.resilience.streams
    assert config.resilience.per_minute == Allowance(calls=6)
    assert config.resilience.per_day == Allowance(tokens=200_000)
    assert config.takes_time
    stack = open_transport(config, env={"VILLAGE_KEY": KEY}, rng=random.Random(7))
    assert isinstance(stack, Stack)
    models = [(m.model, m.endpoint) for m in stack.statistics().models]
    assert models == [("small", config.models["small"].url), ("large", config.models["large"].url)]
    assert KEY not in repr(config)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no models; add a table like"),
        ("models = 3", "models in the file is no table"),
        ("x = 1", "the file does not know 'x'; it knows budget, default, limits"),
        ("[models]\nsmall = 3", r"models.small is no table; write \[models.small\]"),
        ("[models.a]", "models.a has no llm"),
        ("[models.a]\nllm = 'gpt'", "models.a: 'gpt' names no model"),
        ("[models.a]\nllm = 3", "models.a.llm is no text: 3"),
        ("[models.a]\nllm = 'scripted'\napi_key = 'x'", "models.a does not know 'api_key'"),
        ("[models.a]\nllm = 'scripted'\nthen = 'b'", "models.a.then is no list"),
        ("[models.a]\nllm = 'scripted'\nthen = ['b']", "no model is named 'b'; there are 'a'"),
        ("default = 'b'\n[models.a]\nllm = 'scripted'", "no model is named 'b'"),
        ("routes = 1\n[models.a]\nllm = 'scripted'", "routes is no list"),
        ("routes = [1]\n[models.a]\nllm = 'scripted'", "a route is no table: 1"),
        ("[models.a]\nllm = 'scripted'\n[[routes]]\nkind = 'x'", "a route has no model"),
        (
            "[models.a]\nllm = 'scripted'\n[[routes]]\nmodel = 'a'\nkind = 'talks'",
            "routes.kind 'talks' is none of conversation, dilemma, facet, master, musing, rank",
        ),
        ("[models.a]\nllm = 'scripted'\n[[routes]]\nmodel = 1", "routes.model is no text: 1"),
        ("[models.a]\nllm = 'scripted'\n[limits]\nx = 1", "limits does not know 'x'"),
        ("[models.a]\nllm = 'scripted'\n[limits]\ntotal_s = '1'", "total_s is no number"),
        ("[models.a]\nllm = 'scripted'\n[limits]\nqueued = 1.5", "queued is no whole number: 1.5"),
        ("[models.a]\nllm = 'scripted'\n[limits]\nattempts = 0", "attempts must be at least 1"),
        ("[models.a]\nllm = 'scripted'\n[limits]\nstreams = 1", "streams is neither true nor"),
        ("[models.a]\nllm = 'scripted'\n[budget]\ncalls_per_minute = -1", "is no number of 0"),
        (
            "[models.a]\nllm = 'scripted'\n[budget]\ncalls_per_week = 1",
            "does not know 'calls_per_w",
        ),
        ("budget = 1\n[models.a]\nllm = 'scripted'", "budget in the file is no table"),
        ("[models", "models.toml': "),
    ],
)
def test_a_file_that_says_something_else(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        _load(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        load_config(tmp_path / "none.toml")


def test_the_script_and_a_recording_stay_bare(tmp_path: Path) -> None:
    rng = random.Random(7)
    config = LlmConfig.of(parse_model("scripted"))
    assert not config.takes_time
    assert isinstance(
        open_transport(config, env={}, rng=rng, script=lambda _: "x"), ScriptedTransport
    )
    (tmp_path / "run").write_text("")
    recorded = LlmConfig.of(parse_model(f"recorded:{tmp_path / 'run'}"))
    assert isinstance(open_transport(recorded, env={}, rng=rng), RecordedTransport)


@pytest.mark.anyio
async def test_scripts_among_others_are_wrapped_too(tmp_path: Path) -> None:
    config = _load(tmp_path, "[models.a]\nllm = 'scripted'\n[models.b]\nllm = 'scripted'")
    stack = open_transport(config, env={}, rng=random.Random(7), script=lambda _: "Hello")
    assert isinstance(stack, Stack)
    assert (await stack.ask(request_of())).text == "Hello"
    await stack.aclose()
