"""``mindot churn --follow``: the report on a terminal, kept up to date."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mindot.cli._churn_text import headline, key_rows, loss_line, reason_rows
from mindot.cli._common import escape
from mindot.records.churn import Churn, ChurnReport
from mindot.records.churn_verdict import verdict
from mindot.records.facet_events import TraceFile

__all__ = ["Followed", "follow_traces", "view"]

_PAUSE_S: Final = 0.5
_KEYS_SHOWN: Final = 10
_SENTENCES_SHOWN: Final = 6

_STYLES: Final = {"idle": "yellow", "lru": "bold red", "explicit": "dim", "unknown": "magenta"}


class Followed:
    """Trace files that grow, and new ones that join them: a new day begins a new file."""

    def __init__(self, churn: Churn, paths: Callable[[], list[Path]]) -> None:
        self._churn = churn
        self._paths = paths
        self._open: dict[Path, TraceFile] = {}

    def read(self) -> int:
        """Take in what has come since the last time; the number of new rows.

        A file that was replaced or cut short is read to its old end and begun anew.
        """
        new = 0
        for path in self._paths():
            trace = self._open.get(path)
            if trace is not None and trace.replaced:
                new += self._read(trace)
                trace.close()
                trace = None
            if trace is None:
                try:
                    trace = self._open[path] = TraceFile(path)
                except FileNotFoundError:
                    continue
            new += self._read(trace)
        return new

    def _read(self, trace: TraceFile) -> int:
        before = trace.rows
        self._churn.read(trace)
        return trace.rows - before

    def close(self) -> None:
        for trace in self._open.values():
            trace.close()


def follow_traces(churn: Churn, paths: Callable[[], list[Path]]) -> None:
    """Show the report until the user ends it with Ctrl-C.

    Where standard output is no terminal, the report is written anew after each change instead.
    """
    console = Console(file=sys.stdout, highlight=False)
    followed = Followed(churn, paths)
    try:
        if console.is_terminal:
            with Live(console=console, screen=True, auto_refresh=False) as live:
                for _ in _changes(followed):
                    live.update(view(churn.report()), refresh=True)
        else:
            for _ in _changes(followed):
                console.print(view(churn.report()))
    except KeyboardInterrupt:
        console.print(view(churn.report()))
    finally:
        followed.close()


def _changes(followed: Followed) -> Iterator[None]:
    followed.read()
    yield
    while True:
        time.sleep(_PAUSE_S)
        if followed.read():
            yield


def view(report: ChurnReport) -> Group:
    """The report as something rich can draw."""
    sentences = verdict(report)
    shown = [Text(f"• {escape(sentence)}") for sentence in sentences[:_SENTENCES_SHOWN]]
    if len(sentences) > _SENTENCES_SHOWN:
        shown.append(Text(f"... and {len(sentences) - _SENTENCES_SHOWN} more", style="dim"))
    lost = Text(loss_line(report), style="bold red" if report.lost else "green")
    return Group(
        Text(headline(report), style="bold"),
        Text(),
        _table(reason_rows(report)),
        Text(),
        _table(key_rows(report, _KEYS_SHOWN)),
        Text(),
        lost,
        *shown,
        Text("Ctrl-C ends", style="dim"),
    )


def _table(rows: list[tuple[str, ...]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in rows[0]:
        words = name in ("population", "reason", "key")
        table.add_column(
            name,
            justify="left" if words else "right",
            no_wrap=True,
            overflow="ellipsis",
            style=_STYLES.get(name, ""),
        )
    for row in rows[1:]:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    return table
