"""``mindot doctor``, against servers on loopback that are well or ill in known ways."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from llm_wire.transport import Failure
from llm_wire.transports.schema_style import SchemaStyle
from llm_wire.transports.spec import parse_model
from mindot.cli._checkup_advice import (
    Answer,
    about_failures,
    about_reading,
    about_schema,
    about_time,
)
from mindot.cli.doctor import command
from tests.llm_wire.transports.dialects import ANTHROPIC, KEY, OPENAI
from tests.llm_wire.transports.loopback import Answer as Steps
from tests.llm_wire.transports.loopback import Loopback, json_answer, refused_port

GOOD = '{"actions": [{"type": "warn_say", "reasoning": "r"}], "reasoning": "r", "confidence": 1}'


def _doctor(*arguments: object, env: Mapping[str, str | None] | None = None) -> Result:
    unset = dict.fromkeys(("OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY"))
    return CliRunner().invoke(command, [str(a) for a in arguments], env={**unset, **(env or {})})


def _checked(answers: list[Steps], *arguments: object, **env: str) -> tuple[Result, Any, Loopback]:
    with Loopback(answers).serving() as server:
        done = _doctor(
            "--llm", "openai:small", "--base-url", server.base_url, "--json", *arguments, env=env
        )
    return done, json.loads(done.stdout)["models"][0], server


def test_a_model_that_is_well() -> None:
    done, found, server = _checked([OPENAI.answer(GOOD, stream=True)], "--rate", "0.01")
    assert done.exit_code == 0
    assert found["works"]
    assert found["advice"] == []
    assert found["schema_style"] == "json_schema"
    assert [a["route"] for a in found["answers"]] == ["json"] * 3
    assert found["answers"][0]["actions"] == ["warn_say"]
    assert found["answers"][0]["first_token_ms"] <= found["answers"][0]["latency_ms"]
    assert len(server.seen) == 3
    # no cache can answer for the model
    assert len({json.dumps(seen.body) for seen in server.seen}) == 3


def test_what_a_person_reads() -> None:
    with Loopback([OPENAI.answer(GOOD, stream=True)]).serving() as server:
        done = _doctor(
            *("--llm", "openai:small", "--base-url", server.base_url),
            *("--asks", "1", "--rate", "0.01"),
            env={"OPENAI_API_KEY": KEY},
        )
    lines = done.stdout.splitlines()
    assert lines[0] == f"openai:small at {server.base_url}"
    assert lines[1] == "  key     OPENAI_API_KEY (set)"
    assert lines[2] == "  schema  json_schema"
    assert lines[3].startswith("  ask 1   json: warn_say (first token ")
    assert lines[4] == "  all is well"
    assert KEY not in done.output


def test_nobody_at_the_door() -> None:
    url = f"http://127.0.0.1:{refused_port()}/v1"
    done = _doctor("--llm", "openai:small", "--base-url", url)
    assert done.exit_code == 1
    assert f"change  start the server at {url}, or name another with --base-url" in done.stdout
    # one refusal is enough: the others would be the same
    assert done.stdout.count("unreachable") == 1


def test_a_key_that_is_not_there() -> None:
    done = _doctor("--llm", "anthropic:large")
    assert done.exit_code == 1
    assert "ANTHROPIC_API_KEY is not set; export it" in done.stdout


def test_a_key_that_is_wrong() -> None:
    refusal = json_answer(ANTHROPIC.error("authentication_error"), status="401 Unauthorized")
    with Loopback([refusal]).serving() as server:
        url = server.base_url.removesuffix("/v1")
        done = _doctor(
            "--llm", "anthropic:large", "--base-url", url, env={"ANTHROPIC_API_KEY": KEY}
        )
    assert done.exit_code == 1
    assert "change  export the right key as ANTHROPIC_API_KEY" in done.stdout
    assert KEY not in done.output


def test_a_model_that_the_server_does_not_have() -> None:
    absent = json_answer(OPENAI.error("model_not_found"), status="404 Not Found")
    offered = json_answer({"object": "list", "data": [{"id": "qwen"}, {"id": "llama"}]})
    done, found, server = _checked([absent, offered], "--asks", "1")
    assert done.exit_code == 1
    assert server.seen[-1].path == "/v1/models"
    assert found["advice"][0].endswith("(the server offers qwen, llama)")


def test_a_model_that_rambles_and_is_late() -> None:
    ramble = OPENAI.answer("I go to the door and", stream=True, finish="length")
    done, found, _ = _checked([ramble], "--max-tokens", "50")
    assert done.exit_code == 1
    assert not found["works"]
    assert [a["failure"] for a in found["answers"]] == ["unreadable"] * 3
    assert found["advice"] == [
        "most answers are no JSON; a larger model, or one tuned to instructions",
        "answers are cut off at 50 tokens; raise --max-tokens",
    ]


def test_every_model_of_a_file_is_checked(tmp_path: Path) -> None:
    with Loopback([OPENAI.answer(GOOD, stream=True)]).serving() as server:
        (tmp_path / "models.toml").write_text(
            f'[models.a]\nllm = "openai:small"\nbase_url = "{server.base_url}"\n'
            f'[models.b]\nllm = "openai:large"\nbase_url = "{server.base_url}"\n'
        )
        done = _doctor("--models", tmp_path / "models.toml", "--asks", "1", "--rate", "0.01")
    assert done.exit_code == 0
    assert [seen.body["model"] for seen in server.seen] == ["small", "large"]
    assert done.stdout.startswith("a: openai:small at ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "name one model with --llm openai:MODEL, or a file of them with --models"),
        (("--llm", "gpt"), "'gpt' names no model"),
        (("--llm", "scripted"), "there is no server behind that"),
        (("--llm", "openai:m", "--base-url", "x"), "the base URL is none"),
        (("--models", "/nowhere.toml"), "cannot be read"),
    ],
)
def test_misuse(arguments: tuple[str, ...], says: str) -> None:
    done = _doctor(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stdout == ""


LOCAL = parse_model("openai:small", base_url="http://127.0.0.1:8080/v1")


@pytest.mark.parametrize("failure", sorted(set(Failure) - {Failure.UNREADABLE}))
def test_every_failure_has_its_advice(failure: Failure) -> None:
    assert about_failures([Answer(failure=failure, detail="d")], LOCAL, ())[0]


def test_advice_on_time_names_settings_that_would_do() -> None:
    slow = [Answer(route="json", latency_ms=ms) for ms in (4000, 9000, 500)]
    (advice,) = about_time(slow, 2.0)
    assert "4.0 s each, where one stays fresh for 1.0 s at --rate 2" in advice
    assert "set --rate 0.33 or raise verdict_fresh_s to 6" in advice
    assert about_time(slow, 0.25) == []
    assert about_time([], 2.0) == []


def test_advice_on_the_schema_and_on_reading() -> None:
    assert about_schema("json_schema", LOCAL) == []
    assert about_schema(None, LOCAL) == []
    assert 'schema_style = "json_object"' in about_schema(SchemaStyle.JSON_OBJECT, LOCAL)[0]
    assert "takes no schema" in about_schema("none", LOCAL)[0]
    odd = Answer(route="json", actions=("dance",), admissible=False)
    assert "not offered" in about_reading([odd], 100)[0]
