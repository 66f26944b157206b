"""``mindot churn``: which facets end, which population they are of, and why."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from mindot.cli import _churn_text
from mindot.cli._common import dir_option, escape, fail, fail_to_read, json_option, records_dir
from mindot.cli._records import parse_time
from mindot.records.churn import RESUME_WINDOW_TICKS, Churn, ChurnReport, Watcher
from mindot.records.churn_json import json_pieces
from mindot.records.churn_shares import ends_of, read_in_shares, shares_of
from mindot.records.facet_events import TraceFile, in_order_of_time, trace_files
from mindot.records.timeline import Timeline

__all__ = ["command"]

_MINUTE_MS = 60_000
_MINUTE_STEPS = 10_080
"""A week of minutes; a longer trace is told in wider steps."""


class _Time(click.ParamType[float]):
    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return parse_time(str(value))
        except click.BadParameter as error:
            self.fail(error.message, param, ctx)


@click.command("churn")
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False, path_type=Path))
@dir_option("Directory with trace files.")
@click.option(
    "--since",
    type=_Time(),
    help="Only what happened at or after this time: unix seconds or a date and time, in UTC.",
)
@click.option(
    "--by",
    type=click.Choice(["reason", "key", "minute"]),
    default="reason",
    show_default=True,
    help="What the table counts by.",
)
@click.option("--mind", metavar="NAME", help="Only this mind: world:name, or the name alone.")
@click.option(
    "--resume-window",
    type=click.IntRange(min=0),
    default=RESUME_WINDOW_TICKS,
    show_default=True,
    metavar="TICKS",
    help="A key that is back within this time of its end was cut in two.",
)
@json_option
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.svg|OUT.png",
    help="Draw live facets, ends and the keys lost most.",
)
@click.option("--follow", is_flag=True, help="Keep reading, and show the report as it changes.")
def command(
    files: tuple[Path, ...],
    directory: Path | None,
    since: float | None,
    by: str,
    mind: str | None,
    resume_window: int,
    as_json: bool,
    plot: Path | None,
    follow: bool,
) -> None:
    """Report which facets ended and why, from the traces in FILES or in a directory.

    A conversation counts as lost when its facet ended idle or was evicted, and the same key was
    spawned again within the resume window. Facets without a key that their owner closed are
    ordinary, and are never losses.
    """
    if files and directory is not None:
        fail("give either --dir or FILES, not both")
    if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
        fail(f"--plot writes .svg or .png, and {str(plot)!r} is neither")
    if follow and (as_json or plot is not None):
        fail("--follow shows the report on the terminal; leave --json and --plot away")
    select = partial(Churn, resume_window=resume_window, mind=mind, since=since)

    def begin() -> tuple[Churn, Timeline | None]:
        timeline = Timeline(_MINUTE_MS, limit=_MINUTE_STEPS) if by == "minute" else None
        return select(watcher=timeline), timeline

    if follow:
        _follow(begin, files, directory, by)
        return
    churn, timeline, paths = _count(select, begin, _found(files, directory))
    report = churn.report()
    if churn.nobody:
        fail(_nobody(mind or "", churn.minds))
    _note_nothing(churn, report, since=since, named=bool(files))
    if churn.timeless and (plot is not None or by == "minute" or since is not None):
        _note(churn.timeless, "without a readable wallTime", "left out")
    if plot is not None:
        _draw(plot, report, lambda watcher: _watched(select(watcher=watcher), paths))
    if as_json:
        for piece in json_pieces(report):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    for line in _churn_text.lines(report, by, timeline):
        click.echo(line)


def _follow(
    begin: Callable[[], tuple[Churn, Timeline | None]],
    files: tuple[Path, ...],
    directory: Path | None,
    by: str,
) -> None:
    from mindot.cli._churn_live import Followed, follow_traces

    where = records_dir(directory)
    wanted = ", ".join(repr(str(f)) for f in files) or f"trace-*.jsonl in {str(where)!r}"
    followed = Followed(begin, lambda: list(files) or trace_files(where))
    try:
        follow_traces(followed, by, wanted)
    except OSError as error:
        fail_to_read(error, "the traces")


def _nobody(asked: str, minds: list[str]) -> str:
    """That there is no such mind, with the names that are nearest to the one asked for."""
    from difflib import get_close_matches

    if not minds:
        return f"no mind {asked!r} in these traces: their facet rows name none"
    names = {
        form: mind
        for mind in minds
        for form in (mind.casefold(), mind.casefold().partition(":")[2])
    }
    near = get_close_matches(asked.casefold(), names, n=3, cutoff=0.3)
    shown = list(dict.fromkeys(names[form] for form in near)) or minds[:3]
    return f"no mind {asked!r} in these traces; the nearest: {', '.join(map(escape, shown))}"


def _found(files: tuple[Path, ...], directory: Path | None) -> list[Path]:
    where = records_dir(directory)
    try:
        missing = [path for path in files if not path.is_file()]
        found = list(files) or trace_files(where)
    except OSError as error:
        fail_to_read(error, "the traces")
    if missing:
        fail(f"no such file: {str(missing[0])!r}")
    if not found:
        fail(f"no trace-*.jsonl in {str(where)!r}: name files, or another directory with --dir")
    return found


def _count(
    select: Callable[..., Churn],
    begin: Callable[[], tuple[Churn, Timeline | None]],
    found: Sequence[Path],
) -> tuple[Churn, Timeline | None, list[Path]]:
    """Count everything, in several processes where only totals are asked for and rows are many.

    Returns:
        The counts, and the files in the order in which they were read.
    """
    churn, timeline = begin()
    notes: dict[Path, list[str]] = {}  # what a second reading finds again is said once
    try:
        paths = in_order_of_time(found)
        shares = [] if timeline is not None or churn.mind is not None else shares_of(paths)
        if len(shares) > 1:
            ends = ends_of(paths)
            churn = read_in_shares(
                shares,
                lambda share: select(share=share),
                lambda part, _: notes.update(_read(part, paths, ends)),
            )
        else:
            notes.update(_read(churn, paths))
    except OSError as error:
        fail_to_read(error, "the traces")
    for path, said in notes.items():
        for note in said:
            click.echo(f"mindot: {escape(str(path))}: {note}", err=True)
    _note(churn.unreadable, "without an id", "left out")
    _note(churn.tickless, "without a readable tick", "left out of lives, gaps and losses")
    return churn, timeline, paths


def _read(
    churn: Churn, paths: Iterable[Path], ends: Mapping[Path, int | None] | None = None
) -> dict[Path, list[str]]:
    """Take in the files, up to their ``ends``; what there is to say about each of them."""
    notes = {}
    for path in paths:
        try:
            with TraceFile(path, stop=ends[path] if ends else None) as trace:
                churn.read(trace)
        except OSError as error:
            error.filename = error.filename or str(path)
            raise
        notes[path] = list(_notes(trace))
    return notes


def _note_nothing(churn: Churn, report: ChurnReport, *, since: float | None, named: bool) -> None:
    """Say so where not one row counted: of the files of a run, the wrong one is easily named."""
    counted = report.statistics
    if counted.spawned or counted.destroyed or churn.unreadable or churn.timeless:
        return
    when = "" if since is None else " since then"
    hint = "; traces, which hold them, are called trace-*.jsonl" if named else ""
    click.echo(f"mindot: there are no facet events{when} in what was read{hint}", err=True)


def _note(count: int, what: str, consequence: str) -> None:
    if count:
        rows = "row" if count == 1 else "rows"
        click.echo(f"mindot: {count} facet {rows} {what} {consequence}", err=True)


def _notes(trace: TraceFile) -> Iterator[str]:
    if trace.damaged:
        yield f"{trace.damaged} damaged {'line' if trace.damaged == 1 else 'lines'} skipped"
    if trace.torn_tail:
        yield "the last line is not finished"


def _watched(churn: Churn, paths: Iterable[Path]) -> ChurnReport:
    try:
        _read(churn, paths)
    except OSError as error:
        fail_to_read(error, "the traces")
    return churn.report()


def _draw(out: Path, report: ChurnReport, read_again: Callable[[Watcher], ChurnReport]) -> None:
    """Draw the report. The files are read twice more, so that memory stays bounded."""
    try:
        from mindot.records.churn_plot import draw
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        fail("--plot needs matplotlib: pip install 'mindot-npc[plot]'")
    from mindot.records.churn_picture import gather

    picture = gather(report, read_again)
    if picture is None:
        fail("there is nothing to plot: no facet event with a wallTime")
    try:
        draw(picture, out, title=_churn_text.title(report))
    except OSError as error:
        fail(f"cannot write {str(out)!r}: {error.strerror or error}")
