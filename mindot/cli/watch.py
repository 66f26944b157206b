"""``mindot watch``: decisions as they are made, and the alert when a character starves."""

import math
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import click

from mindot.cli._common import (
    EXIT_FOUND,
    clock_time,
    dir_option,
    escape,
    fail,
    json_option,
    records_dir,
)
from mindot.cli._explanation import decision_line
from mindot.cli._output import write_output
from mindot.cli._records import warn_newer
from mindot.game.contract import CODES, UNSURE_TIERS
from mindot.records.answers import ServedDeeds
from mindot.records.decided import decided_rows
from mindot.records.encoding import decode, to_json
from mindot.records.explain import code_of, deed_of, meaning_of
from mindot.records.fields import time_of
from mindot.records.follow import LogFollower
from mindot.records.lines import is_large
from mindot.records.logs import Log, day_files
from mindot.records.parts import PART_SIZE, Part, each_part, parts_of
from mindot.records.reader import CALM, is_newer
from mindot.records.starvation import (
    CODE,
    STARVE_AFTER,
    STARVE_WINDOW_S,
    StarvationAlert,
    StarvationWatch,
)
from mindot.records.verdicts import VERDICT_TIER

__all__ = ["Report", "command", "follow"]

_POLL_S: Final = 0.25
_BATCH_BYTES: Final = 1 << 20

_Unsure: TypeAlias = tuple[str, str, float]
"""Name, tier and time of a row that has a say in starvation."""
_Event: TypeAlias = _Unsure | str
"""What has to be seen in the order of the rows: that, or the JSON of a served verdict's row, whose
deed may depend on those before it."""


def _finite(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """No comparison keeps NaN out of a range, and an endless window would hold every row."""
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number of seconds", ctx=ctx, param=param)
    return value


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
    callback=_finite,
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
    starvation = StarvationWatch(starve_after, starve_window)
    report = Report(starvation, ServedDeeds(folder, live=not once), as_json=as_json)
    if once:
        paths = [file.path for file in day_files(folder, [Log.RECEIPTS])]
        if not paths:
            fail(f"no reflex receipts in {str(folder)!r}; give --dir, or set MINDOT_DIR")
        for path in paths:
            _whole_file(path, report)
        if report.alerts:
            raise SystemExit(EXIT_FOUND)
        return
    if not folder.is_dir():
        fail(f"no directory {str(folder)!r} to follow; give --dir, or set MINDOT_DIR")
    follow(folder, report, time.sleep)


def follow(folder: Path, report: "Report", wait: Callable[[float], None]) -> None:
    """Report the rows as they are written, until an interrupt ends it."""
    with LogFollower(folder, Log.RECEIPTS) as follower:
        try:
            while True:
                for path, record in follower.poll():
                    if is_newer(record.value):
                        report.newer(path)
                    if record.value.get("served", CALM) != CALM:
                        report.take(*report.frame(record.value, record.text))
                sys.stdout.flush()
                wait(_POLL_S)
        except KeyboardInterrupt:
            return


def _whole_file(path: Path, report: "Report") -> None:
    try:
        typed, parts = is_large(path), parts_of(path, PART_SIZE)
        if len(parts) > 1:
            _by_parts(path, parts, report)
            return

        def take(row: Mapping[str, Any], text: bytes) -> None:
            report.take(*report.frame(row, text))

        if decided_rows(parts[0], take, typed=typed):
            report.newer(path)
    except OSError as error:
        fail(f"cannot read {error.filename or str(path)!r}: {error.strerror or error}")


def _by_parts(path: Path, parts: list[Part], report: "Report") -> None:
    """Lines are made in several processes; alerts need the order, so they are raised here."""

    def work(part: Part, output: IO[bytes]) -> None:
        batch = _Batch()

        def take(row: Mapping[str, Any], text: bytes) -> None:
            nonlocal batch
            batch.add(*report.frame(row, text))
            if batch.weight > _BATCH_BYTES:
                batch.put(output)
                batch = _Batch()

        later = decided_rows(part, take, typed=True)
        batch.put(output)
        output.write(to_json(later))

    for output in each_part(parts, work):
        while isinstance(events := decode(output.readline()), list):
            _take_batch(report, events, output)
        if events:
            report.newer(path)


def _take_batch(report: "Report", events: list[tuple[int, _Event]], output: IO[bytes]) -> None:
    text = output.read(decode(output.readline()))
    written = 0
    for position, event in events:
        if told := report.told(event):
            write_output(text[written:position] + told)
            written = position
    write_output(text[written:])


class _Batch:
    """Lines and the events among them, handed on many at a time: one by one it is slow."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes of the lines."""
        self.weight = 0
        """Bytes of the lines and of the rows among the events."""
        self._lines: list[bytes] = []
        self._events: list[tuple[int, _Event]] = []
        """Each with the number of bytes before it."""

    def add(self, line: bytes, event: _Event | None) -> None:
        self._lines.append(line)
        self.size += len(line)
        self.weight += len(line) + (len(event) if isinstance(event, str) else 0)
        if event is not None:
            self._events.append((self.size, event))

    def put(self, output: IO[bytes]) -> None:
        output.write(to_json(self._events))
        output.write(to_json(self.size))
        output.writelines(self._lines)


def _fewer_bytes(row: Mapping[str, Any], text: bytes) -> bytes:
    """A row's JSON from the fields that were read, or its own where those cannot be written."""
    try:
        return to_json(row)
    except ValueError:  # nested deeper than is written, though not than is read
        return text


class Report:
    """Prints decisions and alerts."""

    def __init__(self, starvation: StarvationWatch, served: ServedDeeds, *, as_json: bool) -> None:
        self.alerts = 0
        self._starvation = starvation
        self._served = served
        self._as_json = as_json
        self._colour = not as_json and sys.stdout.isatty()
        self._encoding = sys.stdout.encoding or "utf-8"
        self._newer: set[Path] = set()

    def frame(self, row: Mapping[str, Any], text: bytes) -> tuple[bytes, _Event | None]:
        """The line about a row, and what has to be taken in order to the rows around it."""
        if row.get("served") == VERDICT_TIER:
            return b"", (text if self._as_json else _fewer_bytes(row, text)).decode()
        line = self._line(row, text, deed_of(row))
        name, served, t = row.get("name"), row.get("served"), time_of(row)
        if not isinstance(name, str) or not isinstance(served, str) or t is None:
            return line, None
        if served in UNSURE_TIERS or served.startswith("intention"):
            return line, (name, served, t)
        return line, None

    def take(self, line: bytes, event: _Event | None) -> None:
        """Print what :meth:`frame` gave."""
        write_output(line)
        if event is not None:
            write_output(self.told(event))

    def told(self, event: _Event) -> bytes:
        """The line that an event calls for, if it does; to be asked in the order of the rows."""
        if isinstance(event, str):
            text = event.encode()
            row = decode(text)
            return self._line(row, text, self._served.deed_of(row))
        alert = self._starvation.see(*event)
        if alert is None:
            return b""
        self.alerts += 1
        return to_json(alert.to_json()) if self._as_json else self._alert_line(alert)

    def newer(self, path: Path) -> None:
        """Warn, once a file, that it holds rows of a later format."""
        if path not in self._newer:
            self._newer.add(path)
            warn_newer(str(path))

    def _line(self, row: Mapping[str, Any], text: bytes, deed: str | None) -> bytes:
        return self._json_line(row, text, deed) if self._as_json else self._text_line(row, deed)

    def _json_line(self, row: Mapping[str, Any], text: bytes, deed: str | None) -> bytes:
        told = {"meaning": meaning_of(row.get("served")), "deed": deed}
        rest = to_json(told | {"code": code_of(row.get("served"))})
        return b'{"receipt":' + text.strip() + b"," + rest[1:]

    def _text_line(self, row: Mapping[str, Any], deed: str | None) -> bytes:
        line = decision_line(row, deed, colour=self._colour)
        code = code_of(row.get("served"))
        return self._bytes(f"{line}  {code}\n" if code else f"{line}\n")

    def _alert_line(self, alert: StarvationAlert) -> bytes:
        code = CODES[CODE]
        tiers = ", ".join(f"{tier} {n}" for tier, n in sorted(alert.tiers.items()))
        label = f"{CODE} {code.title}"
        label = click.style(label, fg="red", bold=True) if self._colour else label
        return self._bytes(
            f"{label}: {escape(alert.name)} was unsure {alert.count} times since "
            f"{clock_time(alert.since)} ({tiers}), with no intention between; {code.advice}\n"
        )

    def _bytes(self, text: str) -> bytes:
        return text.encode(self._encoding, "backslashreplace")
