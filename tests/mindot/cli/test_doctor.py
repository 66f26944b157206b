"""``mindot doctor``, against servers on loopback that are well or ill in known ways."""

import json
from collections.abc import Mapping
from pathlib import Path
from ssl import SSLError
from typing import Any

import pytest
from click.testing import CliRunner, Result

from llm_wire.transport import Failure
from llm_wire.transports._named import named
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
from tests.llm_wire.transports.loopback import Loopback, http, json_answer, refused_port

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


@pytest.mark.parametrize("error", [{"message": "out of memory"}, {}])
def test_a_server_that_is_there_and_fails(error: dict[str, str]) -> None:
    broken = json_answer({"error": error}, status="503 Service Unavailable")
    done, found, server = _checked([broken])
    assert done.exit_code == 1
    assert found["answers"][0]["status"] == 503
    said = "".join(f": {text}" for text in error.values())
    (advice,) = found["advice"]
    answered = f"the server at {server.base_url} answered with an error (HTTP 503{said})"
    assert advice == f"{answered}; its own log says why"


def test_a_server_that_breaks_off_before_its_answer() -> None:
    done, found, server = _checked([[b""]])
    assert done.exit_code == 1
    (advice,) = found["advice"]
    failed = f"the server at {server.base_url} is there, but failed"
    assert advice == f"{failed} (the connection broke before an answer); its own log says why"


def test_a_vendors_log_is_out_of_reach() -> None:
    down = Answer(failure=Failure.UNREACHABLE, status=500, detail="oops")
    (advice,) = about_failures([down], parse_model("openai:m"), ())
    assert advice.endswith("answered with an error (HTTP 500: oops); ask again later")


def test_a_certificate_that_is_not_trusted_is_no_server_to_start() -> None:
    error = OSError()
    error.__cause__ = SSLError()
    refusal = named(error, began=False)
    answer = Answer(failure=refusal.failure, detail=refusal.detail)
    (advice,) = about_failures([answer], LOCAL, ())
    assert "is not trusted: name the file of its authority in SSL_CERT_FILE" in advice


@pytest.mark.parametrize("path", ["/v1", ""])
def test_a_page_where_json_was_due(path: str) -> None:
    page = [http(b"<html>hello</html>", content_type="text/html; charset=utf-8")]
    with Loopback([page]).serving() as server:
        url = server.base_url.removesuffix("/v1") + path
        done = _doctor("--llm", "openai:small", "--base-url", url)
        other = _doctor(
            "--llm", "anthropic:m", "--base-url", url, env={"ANTHROPIC_API_KEY": "some"}
        )
    what = "content type 'text/html' where JSON was due"
    assert f"change  check the base URL (mostly it ends in /v1): {what}\n" in done.stdout
    assert f"change  check the base URL: {what}\n" in other.stdout


def test_a_key_that_is_not_there() -> None:
    done = _doctor("--llm", "anthropic:large")
    assert done.exit_code == 1
    assert "ANTHROPIC_API_KEY is not set; export it" in done.stdout


@pytest.mark.parametrize(
    ("model", "url", "state"),
    [
        ("openai:m", None, "OPENAI_API_KEY (not set)"),
        ("anthropic:m", None, "ANTHROPIC_API_KEY (not set)"),
        ("anthropic:m", "https://api.anthropic.com", "ANTHROPIC_API_KEY (not set)"),
        ("openai:m", "local", "OPENAI_API_KEY (not set; most local servers need none)"),
    ],
)
def test_only_local_servers_may_need_no_key(model: str, url: str | None, state: str) -> None:
    if url == "local":
        url = f"http://127.0.0.1:{refused_port()}/v1"
    done = _doctor("--llm", model, *(("--base-url", url) if url else ()))
    assert f"  key     {state}\n" in done.stdout


def test_a_stream_that_is_cut() -> None:
    cut = OPENAI.answer(GOOD, stream=True)[:2]
    done, found, _ = _checked([cut, cut, cut])
    assert done.exit_code == 1
    assert found["answers"][0]["failure"] == "truncated"
    assert found["advice"][0] == (
        "the server broke off in the middle of an answer; its own log says why"
    )


def test_a_server_that_wants_to_be_left_alone_is_asked_once() -> None:
    busy = json_answer(OPENAI.error("slow"), status="429 Too Many Requests", Retry_After="3")
    done, found, server = _checked([busy, busy, busy])
    assert done.exit_code == 1
    assert [answer["failure"] for answer in found["answers"]] == ["rate-limited"]
    assert len(server.seen) == 1


def test_a_key_that_is_wrong() -> None:
    refusal = json_answer(ANTHROPIC.error("authentication_error"), status="401 Unauthorized")
    with Loopback([refusal]).serving() as server:
        url = server.base_url.removesuffix("/v1")
        done = _doctor(
            "--llm", "anthropic:large", "--base-url", url, env={"ANTHROPIC_API_KEY": KEY}
        )
    assert done.exit_code == 1
    changes = [line for line in done.stdout.splitlines() if line.startswith("  change")]
    assert changes == ["  change  export the right key as ANTHROPIC_API_KEY"]
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
    assert (
        "set --rate 0.33 or raise verdict_fresh_s to 24 (the world's seconds, at 2 a sweep)"
        in advice
    )
    assert about_time(slow, 0.25) == []
    assert about_time([], 2.0) == []


def test_advice_on_the_schema_and_on_reading() -> None:
    assert about_schema("json_schema", LOCAL) == []
    assert about_schema(None, LOCAL) == []
    assert 'schema_style = "json_object"' in about_schema(SchemaStyle.JSON_OBJECT, LOCAL)[0]
    (needs_file,) = about_schema(SchemaStyle.JSON_OBJECT, LOCAL)
    assert "under its [models.NAME] in a file for --models: the server takes" in needs_file
    (none,) = about_schema("none", LOCAL)
    assert "takes no schema" in none
    assert 'schema_style = "none" under its [models.NAME]' in none
    assert "`mindot run` --no-schema" in none
    odd = Answer(route="json", actions=("dance",), admissible=False)
    assert "not offered" in about_reading([odd], 100)[0]
