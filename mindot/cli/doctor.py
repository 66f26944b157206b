"""``mindot doctor``: does the model answer, how, how fast, and what to change."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from mindot.cli._common import EXIT_FOUND, emit_json, escape, fail, json_option

if TYPE_CHECKING:
    from llm_wire.transports.config import LlmConfig
    from mindot.cli._checkup import Checkup
    from mindot.cli._checkup_advice import Answer

__all__ = ["command"]

_WANT_A_KEY: Final = frozenset({"api.openai.com", "api.anthropic.com", "openrouter.ai"})


@click.command("doctor")
@click.option("--llm", help="The model: openai:MODEL or anthropic:MODEL.")
@click.option("--base-url", help="Where its server is. [default: the vendor's own]")
@click.option(
    "--models",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file of models; every one of them is checked.",
)
@click.option(
    "--asks",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    help="Questions to put to each model.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    default=2.0,
    show_default=True,
    help="Sweeps a second of the host: how soon an answer is needed.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(16),
    default=400,
    show_default=True,
    help="Most tokens of an answer.",
)
@json_option
def command(
    llm: str | None,
    base_url: str | None,
    file: Path | None,
    asks: int,
    rate: float,
    max_tokens: int,
    as_json: bool,
) -> None:
    """Check a model's endpoint, key, answers and speed, and say what to change.

    Keys are read from the environment: OPENAI_API_KEY, OPENROUTER_API_KEY, ANTHROPIC_API_KEY.
    Ends with 1 when something should be changed before characters think with it.
    """
    import anyio

    config = _config(llm, base_url, file)

    async def check() -> list["Checkup"]:
        from mindot.cli._checkup import check_up

        return [
            await check_up(
                name,
                spec,
                env=os.environ,
                asks=asks,
                rate_hz=rate,
                resilience=config.resilience,
                max_tokens=max_tokens,
            )
            for name, spec in config.models.items()
            if spec.takes_time
        ]

    checkups = anyio.run(check)
    if as_json:
        emit_json({"models": [_as_json(checkup) for checkup in checkups]})
    else:
        for checkup in checkups:
            _tell(checkup)
    if any(checkup.advice for checkup in checkups):
        raise SystemExit(EXIT_FOUND)


def _config(llm: str | None, base_url: str | None, file: Path | None) -> "LlmConfig":
    from llm_wire.transports.config import LlmConfig, load_config
    from llm_wire.transports.spec import SpecError, parse_model

    if (llm is None) == (file is None):
        fail("name one model with --llm openai:MODEL, or a file of them with --models")
    try:
        config = (
            load_config(file)
            if file is not None
            else LlmConfig.of(parse_model(llm or "", base_url=base_url))
        )
    except SpecError as error:
        fail(str(error))
    if not config.takes_time:
        fail("there is no server behind that; name openai:MODEL or anthropic:MODEL")
    return config


def _as_json(checkup: "Checkup") -> dict[str, Any]:
    answers = [{**asdict(answer), "readable": answer.readable} for answer in checkup.answers]
    return {**asdict(checkup), "answers": answers, "works": checkup.works}


def _tell(checkup: "Checkup") -> None:
    name = "" if checkup.name == checkup.llm else f"{checkup.name}: "
    click.echo(escape(f"{name}{checkup.llm} at {checkup.base_url}"))
    click.echo(f"  key     {escape(checkup.key_name or '')} ({_key_state(checkup)})")
    if checkup.schema_style is not None:
        click.echo(f"  schema  {checkup.schema_style}")
    for n, answer in enumerate(checkup.answers, start=1):
        click.echo(f"  ask {n:<4}{_line(answer)}")
    for advice in checkup.advice:
        click.echo(f"  change  {escape(advice)}")
    if not checkup.advice:
        click.echo("  all is well")


def _key_state(checkup: "Checkup") -> str:
    if checkup.key_set:
        return "set"
    host = urlsplit(checkup.base_url or "").hostname
    return "not set" if host in _WANT_A_KEY else "not set; most local servers need none"


def _line(answer: "Answer") -> str:
    if answer.failure is not None and answer.route is None:
        return escape(f"{answer.failure}: {answer.detail}")
    actions = ", ".join(answer.actions) or "no action"
    first = "" if answer.first_token_ms is None else f"first token {answer.first_token_ms:.0f} ms, "
    took = f"{first}in all {answer.latency_ms or 0:.0f} ms"
    tokens = "" if answer.completion_tokens is None else f", {answer.completion_tokens} tokens"
    return escape(f"{answer.route}: {actions} ({took}{tokens})")
