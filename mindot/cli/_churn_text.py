"""The churn report as lines for a terminal."""

from collections.abc import Iterator
from heapq import nsmallest
from typing import TypeAlias

from mindot.cli._common import clock_time, escape
from mindot.records.churn import ChurnReport, KeyReport
from mindot.records.churn_verdict import verdict
from mindot.records.timeline import Step, Timeline

__all__ = [
    "Rows",
    "counts_line",
    "key_rows",
    "lines",
    "loss_line",
    "reason_rows",
    "span_line",
    "step_rows",
    "title",
]

KEYS_SHOWN = 40
"""Keys in a table for people; ``--json`` has every one."""

Rows: TypeAlias = list[tuple[str, ...]]


def lines(report: ChurnReport, by: str, timeline: Timeline | None) -> Iterator[str]:
    """The report: what there was, the table asked for, the losses, and the verdict."""
    span = span_line(report)
    yield counts_line(report) if span is None else f"{counts_line(report)}, {span}"
    yield ""
    if by == "key":
        yield from _table(key_rows(report, KEYS_SHOWN))
        if (hidden := sum(1 for _ in report.each_key()) - KEYS_SHOWN) > 0:
            yield f"... and {hidden} more keys; --json lists every one"
    elif by == "minute" and timeline is not None:
        yield from _table(step_rows(timeline))
    else:
        yield from _table(reason_rows(report))
    yield ""
    yield loss_line(report)
    for sentence in verdict(report):
        yield f"  {escape(sentence)}"


def counts_line(report: ChurnReport) -> str:
    """How many facets there were."""
    counted = report.statistics
    return f"{counted.spawned} spawned, {counted.destroyed} ended, {counted.live} live"


def span_line(report: ChurnReport) -> str | None:
    """Over which time; None where no event has one."""
    if report.first_wall is None or report.last_wall is None:
        return None
    return f"{_clock(report.first_wall)} to {_clock(report.last_wall)} UTC"


def title(report: ChurnReport) -> str:
    """The headline of a picture."""
    counted = report.statistics
    return f"{counted.spawned} facets spawned, {counted.destroyed} ended; {loss_line(report)}"


def loss_line(report: ChurnReport) -> str:
    """One sentence: conversations cut in two, and how fast."""
    rate = report.per_minute(report.lost)
    if not report.lost:
        return "no conversation was cut in two"
    pace = "" if rate is None else f" ({rate:.2f} a minute)"
    what = "conversation was" if report.lost == 1 else "conversations were"
    return f"{report.lost} {what} cut in two{pace}"


def reason_rows(report: ChurnReport) -> Rows:
    """Ends by population and reason, under a line of heads."""
    rows: Rows = [("population", "reason", "count")]
    for end in report.statistics.ended:
        rows.append((end.population, escape(end.reason), str(end.count)))
    return rows


def key_rows(report: ChurnReport, limit: int) -> Rows:
    """The keys lost most, then those spawned most, under a line of heads."""
    rows: Rows = [
        ("key", "spawns", "idle", "lru", "explicit", "other", "lost", "resumed", "median", "gap")
    ]
    keys = nsmallest(limit, report.each_key(), key=lambda k: (-k.lost, -k.spawns, k.key))
    rows += [_key_row(key) for key in keys]
    return rows


def _table(rows: Rows) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if _is_number(rows[-1][at]) else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _key_row(key: KeyReport) -> tuple[str, ...]:
    named = [key.destroys.get(reason, 0) for reason in ("idle", "lru", "explicit")]
    median = "-" if key.median_life_ticks is None else f"{key.median_life_ticks:g}"
    return (
        escape(key.key),
        str(key.spawns),
        *map(str, named),
        str(sum(key.destroys.values()) - sum(named)),
        str(key.lost),
        str(key.resumed),
        median if key.median_is_exact else f"~{median}",
        "-" if key.longest_gap_ticks is None else str(key.longest_gap_ticks),
    )


def step_rows(timeline: Timeline) -> Rows:
    """What happened in each step of time, under a line of heads."""
    minutes = timeline.width // 60_000
    rows: Rows = [
        ("from (UTC)" if minutes == 1 else f"{minutes} minutes from (UTC)", "spawns", "ends",
         "losses", "live at most")
    ]  # fmt: skip
    rows += [_step_row(step) for step in timeline.steps()]
    return rows


def _step_row(step: Step) -> tuple[str, ...]:
    most = step.keyed + step.keyless
    return (_clock(step.start), *map(str, (step.spawns, step.ends, step.losses, most)))


def _clock(wall: int) -> str:
    return clock_time(wall / 1000)


def _is_number(cell: str) -> bool:
    return cell == "-" or (cell.lstrip("~")[:1].isdigit() and " " not in cell)
