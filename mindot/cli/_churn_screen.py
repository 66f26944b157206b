"""The churn report fitted to a terminal: keys give way first, and no figure is ever cut."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.text import Text

from mindot.cli._churn_text import (
    Rows,
    counts_line,
    key_rows,
    loss_line,
    reason_rows,
    span_line,
    step_rows,
)
from mindot.cli._common import escape
from mindot.records.churn import ChurnReport
from mindot.records.churn_verdict import verdict
from mindot.records.timeline import Timeline

__all__ = ["screen", "shortened"]

_KEYS_LOOKED_AT: Final = 60
"""Rows of the table of keys that are worked out: no fewer than the tallest window shows."""
_LEAST_NAME: Final = 12
"""Cells that a name keeps while there are columns of figures that can be left out."""
_ROOMY: Final = 20
"""Lines from which on there are blank ones between the parts."""
_GAP: Final = 2

_LEFT_OUT: Final = (
    "other",
    "explicit",
    "resumed",
    "gap",
    "median",
    "spawns",
    "idle",
    "lru",
    "losses",
    "live at most",
)
"""Columns in the order in which they are left out where they do not fit."""
_NAMES: Final = ("population", "reason", "key")
"""Columns of words."""

_STYLES: Final = {"idle": "yellow", "lru": "bold red", "explicit": "dim", "unknown": "magenta"}


def screen(
    report: ChurnReport,
    by: str,
    timeline: Timeline | None,
    *,
    width: int,
    height: int,
    waiting: str | None = None,
) -> list[Text]:
    """At most ``height`` lines of at most ``width`` cells.

    Args:
        report: what there is so far.
        by: the table asked for, as for the command.
        timeline: of the same trace, for the table by minute.
        width: cells of the window, at least 1.
        height: lines of it, at least 1.
        waiting: what has not come yet, to be said above all else.
    """
    head = _head(report, width, height, waiting)
    foot = [Text("Ctrl-C ends", style="dim")] if height > len(head) + 8 else []
    blank = [Text()] if height >= _ROOMY else []
    room = height - len(head) - len(foot)
    told = _told(report, width, max(room // 2, 3))
    room -= len(told) + len(blank)
    tables: list[Text] = []
    for rows, limit in _tables(report, by, timeline, room - len(blank)):
        # a table takes what it needs, and the last one what is left
        fitted = _table(rows, width, min(limit, room - len(tables) - len(blank)), by == "minute")
        if fitted:
            tables += [*blank, *fitted]
    return [*head, *tables, *blank, *told, *foot][:height]


def _head(report: ChurnReport, width: int, height: int, waiting: str | None) -> list[Text]:
    counts, span = counts_line(report), span_line(report)
    lines = []
    if waiting is not None:
        lines += [Text(part, style="yellow") for part in _folded(waiting, width, "")]
    if span is not None and cell_len(counts) + 2 + cell_len(span) <= width:
        return [*lines, Text(f"{counts}, {span}", style="bold")]
    lines += [Text(part, style="bold") for part in _folded(counts, width, "")]
    if span is not None and height >= _ROOMY:
        lines += [Text(part) for part in _folded(span, width, "")]
    return lines


def _told(report: ChurnReport, width: int, room: int) -> list[Text]:
    """The losses and as many sentences of the verdict as there is room for, each of them whole."""
    style = "bold red" if report.lost else "green"
    lines = [Text(part, style=style) for part in _folded(loss_line(report), width, "")]
    sentences = [
        _folded(f"• {sentence}", width, "  ")
        for sentence in verdict(report, shown=lambda key: shortened(escape(key), width // 2))
    ]
    for number, parts in enumerate(sentences):
        more_follow = number + 1 < len(sentences)
        # the first sentence is told in any case, the others leave a line to say what is missing
        if number and len(lines) + len(parts) + more_follow > room:
            if len(lines) < room:
                lines.append(Text(f"... and {len(sentences) - number} more", style="dim"))
            break
        lines += map(Text, parts)
    return lines


def _tables(
    report: ChurnReport, by: str, timeline: Timeline | None, room: int
) -> list[tuple[Rows, int]]:
    """The tables and how many lines each may have at most."""
    if by == "minute" and timeline is not None:
        return [(step_rows(timeline), room)]
    keys = (key_rows(report, _KEYS_LOOKED_AT), room)
    if by == "key":
        return [keys]
    # five lines hold what mindot itself writes; other minds' reasons leave room for some keys
    most = min(room, max(room - 6, 5))
    return [(_counted(reason_rows(report), most), most), keys]


def _counted(rows: Rows, room: int) -> Rows:
    """Ends by reason in at most ``room`` lines, those beyond them in one row."""
    if len(rows) <= room or room < 3:
        return rows
    beyond = rows[room - 1 :]
    return [*rows[: room - 1], ("", "others", str(sum(int(row[2]) for row in beyond)))]


def _table(rows: Rows, width: int, height: int, latest: bool) -> list[Text]:
    """The table's head and its first rows, or with ``latest`` its last; the key gives way."""
    if height < 2 or len(rows) < 2:
        return []
    body = rows[1:]
    if len(body) > height - 1:
        body = body[1 - height :] if latest else body[: height - 1]
    columns = list(zip(rows[0], *body, strict=True))
    name = rows[0].index("reason") if "reason" in rows[0] else 0
    wanted = _widest(columns[name])
    least = min(_LEAST_NAME, wanted) if rows[0][name] in _NAMES else wanted
    kept = list(range(len(columns)))
    for head in _LEFT_OUT:
        if _others(columns, kept, name) + least <= width:
            break
        kept = [at for at in kept if rows[0][at] != head]
    room = width - _others(columns, kept, name)
    if room < min(least, 3):
        return []
    lines = []
    for row in (rows[0], *body):
        line = Text(style="dim" if row is rows[0] else "")
        for at in kept:
            cell = shortened(row[at], room) if at == name else row[at]
            pad = " " * (min(_widest(columns[at]), room if at == name else width) - cell_len(cell))
            is_words = at == name or rows[0][at] in _NAMES
            gap = " " * _GAP if at != kept[-1] else ""
            style = "" if row is rows[0] else _STYLES.get(row[at], "")
            line.append((cell + pad if is_words else pad + cell) + gap, style=style)
        line.rstrip()
        lines.append(line)
    return lines


def _others(columns: Sequence[tuple[str, ...]], kept: list[int], name: int) -> int:
    """Cells of all columns but that of the names, with the gaps between the columns."""
    return sum(_widest(columns[at]) + _GAP for at in kept if at != name)


def _widest(cells: Sequence[str]) -> int:
    return max(map(cell_len, cells))


def shortened(text: str, room: int) -> str:
    """``text`` in at most ``room`` cells, its middle left out where it is longer."""
    if cell_len(text) <= room:
        return text
    if room < 1:
        return ""
    front = chop_cells(text, max((room - 1) // 2, 1))[0] if room > 2 else ""
    back = ""
    for char in reversed(text):
        if cell_len(front) + 1 + cell_len(char + back) > room:
            break
        back = char + back
    return f"{front}…{back}"


def _folded(text: str, width: int, indent: str) -> list[str]:
    """``text`` in lines of at most ``width`` cells, broken between words where that is possible."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line.strip() or line else word
        if cell_len(longer) <= width:
            line = longer
            continue
        if line.strip():
            lines.append(line)
        start = indent if lines and len(indent) < width else ""
        *whole, line = chop_cells(word, max(width - len(start), 1)) or [""]
        lines += [start + part for part in whole]
        line = start + line
    return [*lines, line]
