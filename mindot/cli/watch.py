"""``mindot watch``: decisions as they are made, and the alert when a character starves."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from mindot.cli._common import (
    EXIT_FOUND,
    dir_option,
    escape,
    fail,
    json_option,
    records_dir,
)
from mindot.cli._explanation import decision_line
from mindot.cli._records import emit_line, fragment, warn_newer
from mindot.game.contract import CODES
from mindot.records.explain import explain
from mindot.records.follow import LogFollower
from mindot.records.join import time_of
from mindot.records.logs import Log, day_files
from mindot.records.reader import Record, is_newer, read_records
from mindot.records.starvation import (
    CODE,
    STARVE_AFTER,
    STARVE_WINDOW_S,
    StarvationAlert,
    StarvationWatch,
)

__all__ = ["command"]

_POLL_S: Final = 0.25


@click.command("watch", short_help="Follow decisions as they are made, and raise alerts.")
@click.option("--once", is_flag=True, help="Read what is there, oldest first, and end.")
@click.option(
    "--starve-after",
    type=click.IntRange(min=0),
    default=STARVE_AFTER,
    show_default=True,
    help=f"Unsure rows of one character before {CODE} is raised.",
)
@click.option(
    "--starve-window",
    type=click.FloatRange(min=0, min_open=True),
    default=STARVE_WINDOW_S,
    show_default=True,
    help="Seconds of record time over which they are counted.",
)
@dir_option()
@json_option
def command(
    once: bool, starve_after: int, starve_window: float, directory: Path | None, as_json: bool
) -> None:
    """Print one line for each decision that is not calm, and alerts.

    Without --once it follows the day's files from their end until interrupted. With --once it
    exits 1 if it raised an alert.
    """
    folder = records_dir(directory)
    report = _Report(StarvationWatch(starve_after, starve_window), as_json=as_json)
    if once:
        paths = [file.path for file in day_files(folder, [Log.RECEIPTS])]
        if not paths:
            fail(f"no reflex receipts in {str(folder)!r}; give --dir, or set MINDOT_DIR")
        report.rows(_rows(paths))
        if report.alerts:
            raise SystemExit(EXIT_FOUND)
        return
    if not folder.is_dir():
        fail(f"no directory {str(folder)!r} to follow; give --dir, or set MINDOT_DIR")
    follow(folder, report.rows, time.sleep)


def follow(
    folder: Path,
    take: Callable[[Iterable[tuple[Path, Record]]], None],
    wait: Callable[[float], None],
) -> None:
    """Hand on the rows as they are written, until an interrupt ends it."""
    with LogFollower(folder, Log.RECEIPTS) as follower:
        try:
            while True:
                take(follower.poll())
                sys.stdout.flush()
                wait(_POLL_S)
        except KeyboardInterrupt:
            return


def _rows(paths: Iterable[Path]) -> Iterator[tuple[Path, Record]]:
    for path in paths:
        try:
            for record in read_records(path):
                yield path, record
        except OSError as error:
            fail(f"cannot read {str(path)!r}: {error.strerror or error}")


class _Report:
    """Prints decisions and alerts."""

    def __init__(self, starvation: StarvationWatch, *, as_json: bool) -> None:
        self.alerts = 0
        self._starvation = starvation
        self._as_json = as_json
        self._newer: set[Path] = set()

    def rows(self, rows: Iterable[tuple[Path, Record]]) -> None:
        for path, record in rows:
            row = record.value
            if is_newer(row) and path not in self._newer:
                self._newer.add(path)
                warn_newer(str(path))
            served = row.get("served")
            if served is None or served == "calm":
                continue
            self._decision(record)
            self._starving(row)

    def _decision(self, record: Record) -> None:
        told = explain(record, ())
        if self._as_json:
            emit_line(
                {
                    "receipt": fragment(record.text),
                    "meaning": told.meaning,
                    "deed": told.deed,
                    "code": told.code,
                }
            )
        else:
            code = f"  {told.code}" if told.code else ""
            click.echo(decision_line(record.value, told.deed) + code)

    def _starving(self, row: dict[str, Any]) -> None:
        name, served, t = row.get("name"), row.get("served"), time_of(row)
        if not isinstance(name, str) or not isinstance(served, str) or t is None:
            return
        alert = self._starvation.see(name, served, t)
        if alert is None:
            return
        self.alerts += 1
        if self._as_json:
            emit_line(alert.to_json())
        else:
            click.echo(_alert_line(alert))


def _alert_line(alert: StarvationAlert) -> str:
    code = CODES[CODE]
    since = time.strftime("%H:%M:%S", time.gmtime(alert.since))
    tiers = ", ".join(f"{tier} {n}" for tier, n in sorted(alert.tiers.items()))
    label = click.style(f"{CODE} {code.title}", fg="red", bold=True)
    return (
        f"{label}: {escape(alert.name)} was unsure {alert.count} times since {since} ({tiers}) "
        f"with no intention between; {code.advice}"
    )
