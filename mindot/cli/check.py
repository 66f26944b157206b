"""``mindot check``: what is in record files, and what is broken."""

import shlex
from pathlib import Path

import click

from mindot.cli._common import (
    EXIT_FOUND,
    EXIT_MISUSE,
    dir_option,
    escape,
    fail,
    json_option,
    records_dir,
)
from mindot.cli._records import emit_document, warn_newer
from mindot.records.check import FileReport, check_file
from mindot.records.logs import day_files

__all__ = ["command"]

_BAD_LINES_SHOWN = 20


@click.command("check", short_help="Count what is in record files, and find what is broken.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@dir_option("Directory to check when no file is named.")
@json_option
def command(files: tuple[Path, ...], directory: Path | None, as_json: bool) -> None:
    """Count the rows of record files, and find lines that are broken.

    Reflex receipts, flywheel records and traces are told apart by their content; .gz is read too.
    Exits 1 if a file has bad lines, ends in a torn one or cannot be read beside others that can.
    """
    paths = files or tuple(file.path for file in day_files(records_dir(directory)))
    if not paths:
        fail(f"no record files in {str(records_dir(directory))!r}; name files, or give --dir")
    paths = tuple(path for path in paths if not _is_index(path))
    reports = [report for path in paths if (report := _check(path)) is not None]
    if not reports:
        raise SystemExit(EXIT_MISUSE)
    for report in reports:
        if report.newer:
            warn_newer(report.file)
    if as_json:
        emit_document([report.to_json() for report in reports])
    else:
        for report in reports:
            _show(report)
    if len(reports) < len(paths) or any(report.broken for report in reports):
        raise SystemExit(EXIT_FOUND)


def _is_index(path: Path) -> bool:
    """Whether it is what `mindot index` leaves beside a file, as `DIR/*` names it; that is said."""
    if path.suffix != ".idx":
        return False
    click.echo(f"mindot: {str(path)!r} is an index and holds no records; left out", err=True)
    return True


def _check(path: Path) -> FileReport | None:
    """A file's report; None if it cannot be read, which is said at once."""
    if path.is_dir():
        instead = f"check what is in it with --dir {escape(shlex.quote(str(path)))}"
        click.echo(f"mindot: cannot read {str(path)!r}: a directory; {instead}", err=True)
        return None
    try:
        return check_file(path)
    except OSError as error:
        click.echo(f"mindot: cannot read {str(path)!r}: {error.strerror or error}", err=True)
        return None


def _show(report: FileReport) -> None:
    state = click.style("broken", fg="red") if report.broken else click.style("fine", fg="green")
    click.echo(f"{escape(report.file)}: {report.rows:,} rows, {state}")
    for title, counts in (
        ("served", report.served),
        ("kinds", report.kinds),
        ("versions", report.versions),
        ("unknown fields", report.unknown_fields),
        ("unknown tiers", report.unknown_served),
    ):
        if counts:
            listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            words = ", ".join(f"{escape(name)} {n:,}" for name, n in listed)
            click.echo(f"  {title}: {words}")
    for bad in report.bad_lines[:_BAD_LINES_SHOWN]:
        click.echo(f"  line {bad.line}: {escape(bad.reason)}")
    if (more := len(report.bad_lines) - _BAD_LINES_SHOWN) > 0:
        click.echo(f"  ... and {more:,} more bad lines (--json lists them all)")
    if report.torn_tail:
        click.echo("  the last line is torn: its writer broke off, or is still writing")
