"""``mindot thought``: the prompt and the raw answer behind a decision."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mindot.cli._common import (
    clock_time,
    dir_option,
    escape_lines,
    fail,
    json_option,
    records_dir,
)
from mindot.cli._records import emit_document, parse_time
from mindot.records.logs import Log, day_files
from mindot.records.promises import name_in
from mindot.records.reader import read_records

__all__ = ["command"]


@click.command("thought", short_help="Show a thought's prompt and the raw answer to it.")
@click.argument("name")
@click.option("--at", metavar="T", help="The newest thought at or before this time. [default: now]")
@click.option(
    "--last",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many thoughts, the newest last.",
)
@click.option("--failed", is_flag=True, help="Only thoughts that did not come back.")
@dir_option("Directory with the kept thoughts.")
@json_option
def command(
    name: str, at: str | None, last: int, failed: bool, directory: Path | None, as_json: bool
) -> None:
    """Show what NAME's mind was asked and what the model answered, word for word.

    Thoughts are kept by `mindot run --keep-prompts`, or by a host that sets `keep_thought`.
    """
    where = records_dir(directory)
    until = parse_time(at) if at is not None else None
    files = day_files(where, [Log.THOUGHTS])
    if not files:
        fail(
            f"no kept thoughts in {str(where)!r}: play with `mindot run --keep-prompts --dir D`, "
            "or give --dir"
        )
    kept: list[dict[str, Any]] = []
    minds: set[str] = set()
    for path in (file.path for file in files):
        for row in _rows(path):
            whose = name_in(str(row.get("mind", ""))).lower()
            minds.add(whose)
            if whose != name.lower():
                continue
            if until is not None and not _time(row) <= until:
                continue
            if failed and row.get("error") is None:
                continue
            kept = [*kept[-(last - 1) :], row] if last > 1 else [row]
    if not kept:
        if name.lower() in minds:
            which = "thought that failed" if failed else "thought"
            when = "here" if until is None else "by then; leave out --at for the newest"
            fail(f"{name!r} had no {which} {when}")
        fail(f"{name!r} had no thought here; those who had: {', '.join(sorted(minds)) or 'nobody'}")
    if as_json:
        emit_document(kept)
        return
    for row in kept:
        _show(row)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        for record in read_records(path):
            yield record.value
    except OSError as error:
        fail(f"cannot read {str(path)!r}: {error.strerror or error}")


def _time(row: dict[str, Any]) -> float:
    wall = row.get("wallTime")
    try:
        return wall / 1000.0 if isinstance(wall, int | float) else float("inf")
    except OverflowError:  # an integer beyond every float
        return float("inf")


def _show(row: dict[str, Any]) -> None:
    about = row.get("key") or row.get("part")
    click.echo(
        click.style(
            f"{clock_time(_time(row))}  {row.get('mind')}  {about}  tick {row.get('tick')}",
            bold=True,
        )
    )
    for title in ("system", "prompt", "answer", "error", "detail"):
        if row.get(title) is not None:
            took = f" ({row.get('latencyMs')} ms)" if title in ("answer", "error") else ""
            click.echo(click.style(f"--- {title}{took}", fg="cyan"))
            click.echo(escape_lines(str(row[title])))
