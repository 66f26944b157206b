"""``mindot run``: play the built-in village and leave its records."""

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mindot.cli._common import emit_json, escape, fail, json_option
from mindot.game.contract import TIERS

if TYPE_CHECKING:
    from mindot.host.play import Play, Played
    from mindot.records.run_end import RunEnd

__all__ = ["command"]


@click.command("run")
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
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    default=None,
    help="Sweeps a second. [default: as fast as it goes]",
)
@click.option("--append", is_flag=True, help="Add to the files of an earlier run.")
@click.option(
    "--keep-prompts",
    is_flag=True,
    help="Keep each thought's prompt and raw answer, for `mindot thought`.",
)
@click.option(
    "--crowd",
    is_flag=True,
    help="Market day: many talkers, few facets; then see `mindot churn`.",
)
@json_option
def command(
    sweeps: int,
    seed: int,
    directory: Path | None,
    rate: float | None,
    append: bool,
    keep_prompts: bool,
    crowd: bool,
    as_json: bool,
) -> None:
    """Play the built-in village: characters decide, think, act and leave records."""
    from mindot.host.play import Play

    chosen, after = _prepare(directory, append)
    play = Play(
        directory=chosen,
        sweeps=sweeps,
        seed=seed,
        keep_prompts=keep_prompts,
        crowd=crowd,
        after=after,
    )
    played = _play(play, rate, show=not as_json)
    if as_json:
        emit_json(_summary(played))
    else:
        _tell(played, chosen)


def _prepare(given: Path | None, append: bool) -> tuple[Path, "RunEnd | None"]:
    """The directory to write to, and the end of the run it already holds."""
    from mindot.records.logs import day_files
    from mindot.records.run_end import run_end

    if given is None:
        if append:
            fail("--append adds to an earlier run: name its directory with --dir")
        return Path(tempfile.mkdtemp(prefix="mindot-village-")), None
    try:
        given.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot write to {str(given)!r}: {error.strerror}; choose another --dir")
    if not day_files(given):
        return given, None
    if not append:
        fail(
            f"{str(given)!r} holds the records of another run: choose a fresh --dir, "
            "or add to them with --append"
        )
    return given, run_end(given)


def _play(play: "Play", rate: float | None, *, show: bool) -> "Played":
    import anyio

    from mindot.cli._stage import stage
    from mindot.host.pace import paced
    from mindot.host.play import play_village
    from mindot.lasting import LastingStateError
    from mindot.records.writer import LogWriteError

    with stage(play.sweeps, show=show) as on_sweep:
        try:
            return anyio.run(play_village, play, paced(rate), on_sweep)
        except LogWriteError as error:
            fail(f"{error}. The rows before it are safe; make room and go on with --append")
        except LastingStateError as error:
            fail(f"{error}; move that file away to go on without it")
        except KeyboardInterrupt:
            fail(f"stopped; what was played is in {str(play.directory)!r}")


def _summary(played: "Played") -> dict[str, Any]:
    statistics = played.statistics
    return {
        "sweeps": statistics.sweeps,
        "characters": statistics.characters,
        "served": statistics.served_in_order,
        "thoughts": statistics.thoughts,
        "fallbacks": dict(statistics.fallbacks),
        "files": [str(path) for path in played.files],
    }


def _tell(played: "Played", directory: Path) -> None:
    """The end of a run for people: what was served, and the commands to try next."""
    statistics = played.statistics
    click.echo(f"{statistics.sweeps} sweeps, {statistics.characters} characters")
    for tier, count in statistics.served_in_order.items():
        known = TIERS.get(tier)
        meaning = f"  {known.family:<8} {known.meaning}" if known else ""
        click.echo(f"  {tier:<21}{count:>6}{meaning}")
    fell = ", ".join(f"{name} {n}" for name, n in statistics.fallbacks.items()) or "none"
    click.echo(f"thoughts {statistics.thoughts}; fallbacks {statistics.fallback_count} ({fell})")
    click.echo(f"records in {escape(str(directory))}")
    where = shlex.quote(str(directory))
    click.echo("Try next:")
    for line in (
        f"mindot why {_somebody(played)} --dir {where}",
        f"mindot watch --once --dir {where}",
        f"mindot promises --dir {where}",
        f"mindot churn --dir {where}",
        f"mindot check {where}/*.jsonl",
    ):
        click.echo(f"  {line}")


def _somebody(played: "Played") -> str:
    return shlex.quote(played.busiest or "NAME")
