"""What ``mindot run`` and ``mindot replay`` share: playing, and telling what it came to."""

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mindot.cli._common import escape, fail
from mindot.game.contract import TIERS

if TYPE_CHECKING:
    from mindot.host.models import Models
    from mindot.host.play import Play, Played
    from mindot.records.run_end import RunEnd

__all__ = ["perform", "prepare", "summary", "tell"]


def prepare(given: Path | None, *, append: bool | None = None) -> "tuple[Path, RunEnd | None]":
    """The directory to write to, and the end of the run it already holds.

    ``append``: whether to add to what is there; None for a command that cannot.
    """
    from mindot.host.play import LASTING_DIR
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
    if not day_files(given) and not (given / LASTING_DIR).exists():
        return given, None
    if not append:
        instead = "" if append is None else ", or add to them with --append"
        fail(f"{str(given)!r} holds the records of another run: choose a fresh --dir{instead}")
    return given, run_end(given)


def perform(play: "Play", models: "Models", rate: float | None, *, show: bool) -> "Played":
    """Play, with a live view on a terminal; whatever ends it early is told, with exit 2."""
    import anyio

    from mindot.cli._stage import stage
    from mindot.host.pace import paced
    from mindot.host.play import play_village
    from mindot.lasting import LastingStateError
    from mindot.records.writer import LogWriteError

    try:
        with stage(play.sweeps, show=show) as on_sweep:
            return anyio.run(play_village, play, models, paced(rate), on_sweep)
    except LogWriteError as error:
        fail(f"{error}. The rows before it are safe; make room, and go on with --append")
    except LastingStateError as error:
        fail(f"{error}; move that file away to go on without it")
    except KeyboardInterrupt:
        fail(f"stopped; what was played is in {str(play.directory)!r}")


def summary(played: "Played") -> dict[str, Any]:
    """The run as one JSON object."""
    statistics = played.statistics
    return {
        "sweeps": statistics.sweeps,
        "characters": statistics.characters,
        "served": statistics.served_in_order,
        "thoughts": statistics.thoughts,
        "fallbacks": statistics.fallback_count,
        "fallbacks_by_name": dict(statistics.fallbacks),
        "answered": statistics.answered,
        "late": statistics.late,
        "dropped": statistics.stale,
        "files": [str(path) for path in played.files],
    }


def tell(played: "Played", directory: Path) -> None:
    """The end of a run for people: what was served, and the commands to try next."""
    statistics = played.statistics
    click.echo(f"{statistics.sweeps} sweeps, {statistics.characters} characters")
    for tier, count in statistics.served_in_order.items():
        known = TIERS.get(tier)
        meaning = f"  {known.family:<8} {known.meaning}" if known else ""
        click.echo(_fitting(f"  {tier:<21}{count:>6}{meaning}"))
    fell = ", ".join(f"{name} {n}" for name, n in statistics.fallbacks.items()) or "none"
    click.echo(
        f"thoughts: {statistics.thoughts} asked, {statistics.answered} answered, "
        f"{statistics.served.get('llm-verdict', 0)} served, {statistics.late} late, "
        f"{statistics.stale} dropped, {statistics.unfinished} cut off by the end"
    )
    click.echo(f"fallbacks: {statistics.fallback_count} ({fell})")
    click.echo(f"records: {escape(str(directory))}")
    where = shlex.quote(str(directory))
    click.echo("Try next:")
    about = f"why {shlex.quote(played.busiest)} --tier intention" if played.busiest else "names"
    for line in (
        f"mindot {about} --dir {where}",
        f"mindot watch --once --dir {where}",
        f"mindot promises --dir {where}",
        f"mindot churn --dir {where}",
        f"mindot check {where}/*.jsonl",
    ):
        click.echo(f"  {line}")
    if statistics.thoughts and not statistics.answered and (model := _model_asked()):
        click.echo(f"Not one thought came back. What stands in the way: mindot doctor {model}")


def _fitting(line: str) -> str:
    """A line of a table, cut to the terminal's width; whole where there is no terminal."""
    if not sys.stdout.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _model_asked() -> str:
    """The options by which a real model was named, as `mindot doctor` takes them too; or ""."""
    given = click.get_current_context().params
    model = str(given.get("llm") or "")
    if not given.get("models_file") and not model.startswith(("openai:", "anthropic:")):
        return ""
    named = (("--llm", model), ("--base-url", given.get("base_url")))
    told = (("--models", given.get("models_file")), *named)
    return " ".join(f"{option} {escape(shlex.quote(str(v)))}" for option, v in told if v)
