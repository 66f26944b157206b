"""``mindot run``: play the built-in village and leave its records."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mindot.cli._common import emit_json, fail, json_option

if TYPE_CHECKING:
    from llm_wire.transports.config import LlmConfig

__all__ = ["command"]

REAL_TIME_HZ = 2.0
"""Sweeps a second with a model that takes real time, unless --rate says otherwise."""


@click.command("run", short_help="Play the built-in village and leave its records.")
@click.option(
    "--sweeps",
    type=click.IntRange(1),
    default=400,
    show_default=True,
    help="How many sweeps to play.",
)
@click.option(
    "--seed",
    type=int,
    default=7,
    show_default=True,
    help="The same seed leaves the same bytes in every file.",
)
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where the records go. [default: a fresh temporary directory]",
)
@click.option("--append", is_flag=True, help="Add to the files of an earlier run.")
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    default=None,
    help=f"Sweeps a second. [default: {REAL_TIME_HZ:g} with a real model, else as fast as it goes]",
)
@click.option(
    "--keep-prompts",
    is_flag=True,
    help="Keep each thought's prompt and raw answer, for `mindot thought`.",
)
@click.option("--log", "log_trace", is_flag=True, help="Log the minds' events on stderr.")
@click.option(
    "--crowd",
    is_flag=True,
    help="Market day: many talkers, few facets; then see `mindot churn`.",
)
@click.option(
    "--llm",
    metavar="MODEL",
    default=None,
    help="Who thinks: scripted, openai:MODEL, anthropic:MODEL or recorded:FILE. "
    "Keys come from the environment. [default: scripted]",
)
@click.option("--base-url", metavar="URL", default=None, help="The server, if not the vendor's.")
@click.option(
    "--models",
    "models_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="A TOML file with models per character and per kind of thought.",
)
@click.option("--lock-step", is_flag=True, help="Let each sweep wait for its thoughts.")
@click.option(
    "--schema/--no-schema",
    default=True,
    show_default=True,
    help="Ask servers that can to hold the model to the answer's schema.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Keep all that is asked and answered in this file, for `mindot replay`.",
)
@json_option
def command(
    sweeps: int,
    seed: int,
    directory: Path | None,
    append: bool,
    rate: float | None,
    keep_prompts: bool,
    log_trace: bool,
    crowd: bool,
    llm: str | None,
    base_url: str | None,
    models_file: Path | None,
    lock_step: bool,
    schema: bool,
    record: Path | None,
    as_json: bool,
) -> None:
    """Play the built-in village: characters decide, think, act and leave records."""
    if record is not None and append:
        fail("--record needs a run of its own: leave --append out")
    if record is not None and record.exists() and record.stat().st_size:
        fail(f"{str(record)!r} is there already; move it away, or give --record another file")
    if log_trace:
        _log_to_stderr()
    config = _config(llm, base_url, models_file)

    from llm_wire.transports.recording import RecordingError
    from llm_wire.transports.spec import SpecError
    from mindot.cli._village import perform, prepare, summary, tell
    from mindot.host.models import open_models
    from mindot.host.play import Play

    chosen, after = prepare(directory, append=append)
    play = Play(
        directory=chosen,
        sweeps=sweeps,
        seed=seed,
        keep_prompts=keep_prompts,
        log_trace=log_trace,
        crowd=crowd,
        after=after,
    )
    try:
        models = open_models(
            config,
            seed,
            lock_step=lock_step,
            schema=schema,
            record=record,
            run=play.header(),
        )
    except (SpecError, RecordingError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"cannot use {error.filename!r}: {error.strerror}")
    if rate is None and models.lands is None:
        rate = REAL_TIME_HZ
    played = perform(play, models, rate, show=not (as_json or log_trace))
    if as_json:
        emit_json(summary(played))
    else:
        tell(played, chosen)


def _log_to_stderr() -> None:
    import sys

    import structlog

    structlog.configure(
        processors=[structlog.processors.KeyValueRenderer(key_order=["event"])],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _config(llm: str | None, base_url: str | None, models_file: Path | None) -> "LlmConfig":
    """The models that the options name."""
    from llm_wire.transports.config import LlmConfig, load_config
    from llm_wire.transports.spec import SpecError, parse_model

    if models_file is not None and (llm is not None or base_url is not None):
        fail("--models names the models: leave --llm and --base-url out")
    try:
        if models_file is not None:
            return load_config(models_file)
        return LlmConfig.of(parse_model(llm or "scripted", base_url=base_url))
    except SpecError as error:
        fail(str(error))
