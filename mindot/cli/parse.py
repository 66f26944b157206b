"""``mindot parse``: read a model's response and show what is in it."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mindot.cli._common import escape, json_option

if TYPE_CHECKING:
    from cognition.executive_output import ExecutiveOutput

__all__ = ["command"]


@click.command("parse")
@click.argument(
    "file",
    required=False,
    type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True),
)
@click.option("--strip", is_flag=True, help="Print the sentence only, without blocks.")
@json_option
def command(file: Path | None, strip: bool, as_json: bool) -> None:
    """Read a model's response from FILE, or from standard input, and show what is in it.

    The exit code is 0 for any text: a response that says nothing is a reading too.
    """
    if strip and as_json:
        raise click.UsageError("--strip and --json exclude each other; choose one.")
    text = _read(file)
    # Only now: `--help` and a wrong call need no reader.
    from cognition.response import parse_response

    output = parse_response(text)
    if strip:
        click.echo(_escaped(output.reasoning))
    elif as_json:
        # Not orjson: arguments may hold integers beyond 64 bits, and they are printed as they are.
        sys.stdout.buffer.write(json.dumps(_plain(output), ensure_ascii=False).encode() + b"\n")
        sys.stdout.buffer.flush()
    else:
        for line in _table(output):
            click.echo(line)


def _read(file: Path | None) -> str:
    """The text as it came: bytes that are no UTF-8 become U+FFFD, line ends stay."""
    raw = sys.stdin.buffer.read() if file is None or str(file) == "-" else file.read_bytes()
    return raw.decode("utf-8", errors="replace")


def _escaped(text: str) -> str:
    return "\n".join(escape(line) for line in text.split("\n"))


def _plain(output: "ExecutiveOutput") -> dict[str, Any]:
    """The reading as JSON, its fields by their Python names; absent blocks are left out."""
    from llm_wire.contracts import BLOCK_FIELDS

    blocks = {
        name: value
        for name in BLOCK_FIELDS.values()
        if name not in ("undertakings", "escalation")
        and (value := getattr(output, name)) is not None
    }
    return {
        "route": output.route,
        "actions": [
            {
                "type": action.type,
                "reasoning": action.reasoning,
                "expected_outcome": action.expected_outcome,
                "target": action.target,
                "args": action.args,
            }
            for action in output.actions
        ],
        "reasoning": output.reasoning,
        "because": output.because,
        "confidence": output.confidence,
        "reply_text": output.reply_text,
        "no_message": output.no_message,
        "speech": output.speech,
        "undertakings": output.undertakings,
        "escalation": output.escalation,
        "blocks": blocks,
        "problems": [problem._asdict() for problem in output.problems],
    }


def _table(output: "ExecutiveOutput") -> list[str]:
    plain = _plain(output)
    rows: list[tuple[str, str]] = [
        ("route", output.route),
        ("confidence", f"{output.confidence:g}"),
        ("sentence", output.reasoning or "-"),
    ]
    for action in plain["actions"]:
        target = f" -> {action['target']}" if action["target"] is not None else ""
        args = f" {_dumped(action['args'])}" if action["args"] else ""
        why = f": {action['reasoning']}" if action["reasoning"] else ""
        rows.append(("action", f"{action['type']}{target}{args}{why}"))
    if not plain["actions"]:
        rows.append(("action", "none"))
    rows += [(name, _dumped(value)) for name, value in plain["blocks"].items()]
    rows += [("undertaking", _dumped(promise)) for promise in output.undertakings]
    if output.escalation is not None:
        rows.append(("escalation", output.escalation))
    if output.no_message is not None:
        rows.append(("silence", output.no_message))
    rows.append(("reply", output.reply_text or "-"))
    for problem in output.problems:
        dropped = f": {problem.dropped}" if problem.dropped else ""
        rows.append(("problem", f"{problem.code} in {problem.where or '-'}{dropped}"))
    width = max(len(name) for name, _ in rows)
    return [f"{name.ljust(width)}  {_indented(value, width + 2)}" for name, value in rows]


def _dumped(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _indented(value: str, width: int) -> str:
    return _escaped(value).replace("\n", "\n" + " " * width)
