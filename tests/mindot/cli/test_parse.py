"""``mindot parse``: what it prints, and how it ends."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from mindot.cli.parse import command

ANSWER = (
    '{"actions": [{"type": "flee", "target": "Bo", "args": {"n": 123456789012345678901234567890}}],'
    ' "reasoning": "Go.\\u001b [PLANS][1][/PLANS]", "undertakings": [{"what": "mend"}],'
    ' "escalation": "think"}\n[REPLY_TEXT]one\ntwo[/REPLY_TEXT] [NO_MESSAGE][/NO_MESSAGE]'
)


def run(*arguments: str, text: str | bytes = "") -> Result:
    return CliRunner().invoke(command, list(arguments), input=text)


def test_a_table_shows_all_of_it() -> None:
    result = run(text=ANSWER)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "route        json",
        "confidence   0.5",
        "sentence     Go.\\x1b",
        'action       flee -> Bo {"n": 123456789012345678901234567890}',
        "plans        [1]",
        'undertaking  {"what": "mend"}',
        "escalation   think",
        "silence      (no reason given)",
        "reply        one",
        "             two",
    ]


def test_json_is_the_whole_reading(tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_text(ANSWER, encoding="utf-8")
    result = run(str(file), "--json")
    assert result.exit_code == 0
    read = json.loads(result.stdout)
    assert read["route"] == "json"
    assert read["actions"][0]["args"] == {"n": 123456789012345678901234567890}
    assert read["blocks"] == {"plans": [1]}
    assert (read["reply_text"], read["no_message"], read["speech"]) == (
        "one\ntwo",
        "(no reason given)",
        None,
    )
    assert read["problems"] == []


def test_strip_prints_the_sentence() -> None:
    assert run("--strip", text=ANSWER).stdout == "Go.\\x1b\n"


def test_the_fallback_is_no_failure() -> None:
    result = run(text=b"\xff no answer")
    assert result.exit_code == 0
    assert "route       fallback" in result.stdout
    assert "problem     no-answer in answer: \ufffd no answer" in result.stdout


def test_misuse_ends_with_two() -> None:
    assert run("--strip", "--json").exit_code == 2
    assert run("no such file").exit_code == 2
    assert run("a", "b").exit_code == 2
