"""What a run shows while it goes on: a table of the characters on a terminal, else nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mindot.cli._common import escape
from mindot.game.contract import TIERS

if TYPE_CHECKING:
    from mindot.game.frame import Command, Frame
    from mindot.host.play import OnSweep
    from mindot.host.statistics import HostStatistics

__all__ = ["stage"]

_STYLE_OF_FAMILY = {"acted": "green", "quiet": "dim", "refusal": "yellow", "unsure": "magenta"}
_FRAMES_A_SECOND = 10
_ROWS_AT_MOST = 18


@contextmanager
def stage(sweeps: int, *, show: bool) -> "Iterator[OnSweep | None]":
    """A live view for the time of a run. Without a terminal on stderr there is none."""
    import sys

    if not show or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    view = _View(sweeps)
    with Live(
        view,
        console=Console(stderr=True),
        refresh_per_second=_FRAMES_A_SECOND,
        transient=True,
    ):
        yield view.on_sweep


class _View:
    """The newest deed of each character, and how far the run has come."""

    def __init__(self, sweeps: int) -> None:
        self._sweeps = sweeps
        self._n = 0
        self._where: dict[str, tuple[str, str]] = {}
        self._deeds: dict[str, str] = {}
        self._statistics: HostStatistics | None = None

    def on_sweep(
        self,
        n: int,
        frame: "Frame",
        commands: "tuple[Command, ...]",
        statistics: "HostStatistics",
    ) -> None:
        self._n, self._statistics = n, statistics
        self._where = {c.name: (c.archetype, c.station or "on the way") for c in frame.characters}
        for command in commands:
            said = f' "{command.say}"' if command.say else ""
            whom = f" {command.target}" if command.target else ""
            self._deeds[command.name] = f"{command.cmd}{whom}{said}"

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.padding import Padding
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, expand=True)
        for title, ratio in (("name", 2), ("job", 2), ("where", 2), ("last deed", 8)):
            table.add_column(title, ratio=ratio, no_wrap=True, overflow="ellipsis")
        for name, (job, where) in list(self._where.items())[:_ROWS_AT_MOST]:
            cells = (name, job, where, self._deeds.get(name, ""))
            table.add_row(*(Text(escape(cell)) for cell in cells))
        return Group(
            Text(f"sweep {self._n} of {self._sweeps}"),
            # a bar alone does not end its line
            Padding(ProgressBar(total=self._sweeps, completed=self._n), 0),
            table,
            self._families(),
        )

    def _families(self) -> Any:
        from rich.text import Text

        counts: dict[str, int] = {}
        served = self._statistics.served if self._statistics else {}
        for tier, count in served.items():
            family = TIERS[tier].family.value if tier in TIERS else "other"
            counts[family] = counts.get(family, 0) + count
        line = Text()
        for family, count in sorted(counts.items()):
            line.append(f"{family} {count}  ", style=_STYLE_OF_FAMILY.get(family, ""))
        if self._statistics:
            line.append(
                f"thoughts {self._statistics.thoughts}  fallbacks {self._statistics.fallback_count}"
            )
        return line
