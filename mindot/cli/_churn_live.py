"""``mindot churn --follow``: the report on a terminal, kept up to date."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from mindot.cli import _churn_text
from mindot.cli._churn_screen import screen
from mindot.cli._common import escape
from mindot.records.churn import Churn
from mindot.records.facet_events import TraceFile
from mindot.records.timeline import Timeline

__all__ = ["Followed", "follow_traces"]

_PAUSE_S: Final = 0.5


class Followed:
    """Trace files that grow, and new ones that join them: a new day begins a new file."""

    def __init__(
        self, begin: Callable[[], tuple[Churn, Timeline | None]], paths: Callable[[], list[Path]]
    ) -> None:
        """Read the files of ``paths``, which is asked anew each time, into what ``begin`` gives."""
        self._begin = begin
        self._paths = paths
        self._open: dict[Path, TraceFile] = {}
        self.churn, self.timeline = begin()

    @property
    def missing(self) -> list[Path]:
        """Files that are asked for and are not there."""
        return [path for path in self._paths() if path not in self._open]

    @property
    def has_files(self) -> bool:
        return bool(self._open)

    def read(self) -> bool:
        """Take in what has come since the last time; whether that changes the report.

        A file that was moved aside for a new one is read to its end, and its rows count on. Where
        what was read is gone (cut short, written over), everything is counted anew.
        """
        if changed := any(trace.rewritten for trace in self._open.values()):
            self.close()
            self.churn, self.timeline = self._begin()
        for path in self._paths():
            trace = self._open.get(path)
            if trace is not None and trace.replaced:
                changed |= self._read(trace)
                trace.close()
                trace = None
            if trace is None:
                try:
                    trace = self._open[path] = TraceFile(path)
                except FileNotFoundError:
                    continue
                changed = True
            changed |= self._read(trace)
        return changed

    def _read(self, trace: TraceFile) -> bool:
        before = trace.rows
        self.churn.read(trace)
        return trace.rows > before

    def close(self) -> None:
        for trace in self._open.values():
            trace.close()
        self._open.clear()


class _Shown:
    """The report as it fits the window at the moment it is drawn."""

    def __init__(self, followed: Followed, by: str, wanted: str) -> None:
        self._followed = followed
        self._by = by
        self._wanted = wanted

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = screen(
            self._followed.churn.report(),
            self._by,
            self._followed.timeline,
            width=options.max_width,
            height=options.height or console.height,
            waiting=_waiting(self._followed, self._wanted),
        )
        yield Text("\n").join(lines)


def follow_traces(followed: Followed, by: str, wanted: str) -> None:
    """Show the report until the user ends it with Ctrl-C.

    Where standard output is no terminal, the report is written anew after each change instead.

    Args:
        followed: what to read; it is closed in the end.
        by: what the table counts by.
        wanted: what is waited for while no file is there.
    """
    console = Console(file=sys.stdout, highlight=False)
    try:
        if console.is_terminal:
            with Live(console=console, screen=True, auto_refresh=False) as live:
                for _ in _changes(followed, lambda: console.size):
                    live.update(_Shown(followed, by, wanted), refresh=True)
        else:
            waiting = None
            for _ in _changes(followed, lambda: None):
                before, waiting = waiting, _waiting(followed, wanted)
                if waiting is not None and waiting != before:
                    click.echo(f"mindot: {waiting}", err=True)
                if followed.has_files:
                    _print(followed, by)
    except KeyboardInterrupt:
        _print(followed, by)
    finally:
        followed.close()


def _print(followed: Followed, by: str) -> None:
    for line in _churn_text.lines(followed.churn.report(), by, followed.timeline):
        click.echo(line)


def _waiting(followed: Followed, wanted: str) -> str | None:
    if not followed.has_files:
        return f"waiting for {wanted}"
    if missing := followed.missing:
        return f"waiting for {', '.join(repr(str(path)) for path in missing)}"
    if followed.churn.nobody:
        return f"no row of {escape(repr(followed.churn.mind))} so far"
    return None


def _changes(followed: Followed, size: Callable[[], object]) -> Iterator[None]:
    """One turn for each change of the report or of the window."""
    followed.read()
    while True:
        shown = size()
        yield
        while True:
            time.sleep(_PAUSE_S)
            if followed.read() or size() != shown:
                break
