"""The churn plot: live facets over time, how they ended, and the keys lost most.

The only module that needs matplotlib. The file says in its metadata what it shows, and every bar
and mark in an SVG has an id that names its reason.
"""

import warnings
from pathlib import Path
from typing import Any, Final, NamedTuple
from unicodedata import east_asian_width

import matplotlib as mpl
import orjson
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from mindot.records.churn_picture import OTHER, Picture
from mindot.records.lanes import Lane

__all__ = ["draw"]

WIDTH_PX: Final = 1200
HEIGHT_PX: Final = 600
_DPI: Final = 96
"""With it an SVG of so many points has the same size in pixels as the PNG."""

_LABEL_PX: Final = 196
"""Room for a lane's key left of the lanes; a longer one loses its middle."""
_REASON_PX: Final = 76
"""Room for a reason in a legend."""

_WIDE: Final = 11.0
"""Pixels of the widest characters in the font of the labels."""


class _Look(NamedTuple):
    colour: str
    marker: str


# The palette of Okabe and Ito: the colours stay apart in every common form of colour blindness.
# In the lanes the shape of a mark says the reason too.
_KEYED: Final = "#0072B2"
_KEYLESS: Final = "#56B4E9"
_LOOKS: Final = {
    "explicit": _Look("#999999", "|"),
    "idle": _Look("#E69F00", "v"),
    "lru": _Look("#D55E00", "X"),
    "unknown": _Look("#000000", "d"),
    OTHER: _Look("#F0E442", "o"),
}
_COMMON: Final = (_Look("#CC79A7", "s"), _Look("#009E73", "P"))
"""For other minds' reasons, the commonest first."""

_UNITS: Final = ((86_400_000, "days"), (3_600_000, "hours"), (60_000, "minutes"), (1000, "seconds"))
_LONG_ENOUGH: Final = 3
"""An axis uses the largest unit of which it spans at least this many."""


def draw(picture: Picture, out: Path, *, title: str) -> None:
    """Write the plot to ``out``; its suffix says whether as SVG or PNG, 1200 by 600 pixels.

    The same picture gives the same bytes. Raises ``OSError`` where it cannot be written.
    """
    with mpl.rc_context({"svg.hashsalt": "churn", "font.size": 9.0, "axes.grid": False}):
        figure = Figure(figsize=(WIDTH_PX / _DPI, HEIGHT_PX / _DPI), dpi=_DPI)
        FigureCanvasAgg(figure)
        live, ends, lanes = figure.subplots(
            3,
            sharex=True,
            gridspec_kw={
                "height_ratios": (2.8, 1.9, 3.2),
                "left": 0.2,
                "right": 0.86,
                "top": 0.93,
                "bottom": 0.085,
                "hspace": 0.12,
            },
        )
        figure.suptitle(title, x=0.2, y=0.985, ha="left", va="top", fontsize=11, parse_math=False)
        scale, unit = _unit(picture.last - picture.first)
        axis = _Axis(picture.first, scale)
        _draw_live(live, picture, axis)
        _draw_ends(ends, picture, axis)
        _draw_lanes(lanes, picture, axis)
        end = max(axis.at(picture.last), axis.at(picture.first + picture.step_width))
        live.set_xlim(-0.005 * end, end * 1.005)
        lanes.set_xlabel(f"{unit} since {_clock(picture.first)}")
        figure.align_ylabels((live, ends))
        for axes in (live, ends, lanes):
            axes.spines[["top", "right"]].set_visible(False)
        with warnings.catch_warnings():
            # a key may be in a script the font does not have: boxes are drawn, which will do
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure.savefig(out, dpi=_DPI, metadata=_metadata(picture, out, title))


class _Axis(NamedTuple):
    first: int
    scale: int

    def at(self, wall: float) -> float:
        return (wall - self.first) / self.scale


def _draw_live(axes: Axes, picture: Picture, axis: _Axis) -> None:
    times: list[float] = []
    keyed: list[int] = []
    total: list[int] = []
    for step in picture.steps:
        # within a step its fullest moment, after it the level that lasts until the next
        for wall, low, high in (
            (max(step.start, picture.first), step.keyed, step.keyless),
            (step.start + picture.step_width, step.keyed_after, step.keyless_after),
        ):
            times.append(axis.at(wall))
            keyed.append(low)
            total.append(low + high)
    times.append(max(axis.at(picture.last), times[-1]))
    keyed.append(keyed[-1])
    total.append(total[-1])
    axes.fill_between(times, 0, keyed, step="post", color=_KEYED, lw=0).set_gid("live-keyed")
    axes.fill_between(times, keyed, total, step="post", color=_KEYLESS, lw=0).set_gid(
        "live-keyless"
    )
    axes.set_ylim(0, max(total) * 1.08 + 0.2)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.set_ylabel("live facets")
    _legend(
        axes,
        "population",
        [Patch(color=_KEYLESS, label="keyless"), Patch(color=_KEYED, label="keyed")],
    )


def _draw_ends(axes: Axes, picture: Picture, axis: _Axis) -> None:
    heights: dict[int, int] = {}
    width = picture.bar_width / axis.scale
    looks = _looks(picture)
    for reason, look in looks.items():
        for number, bar in enumerate(b for b in picture.bars if b.reason == reason):
            below = heights.get(bar.start, 0)
            (drawn,) = axes.bar(
                axis.at(bar.start),
                bar.count,
                width * 0.9,
                bottom=below,
                align="edge",
                color=look.colour,
                lw=0,
            )
            drawn.set_gid(f"ends-{_slug(reason)}-{number}")
            heights[bar.start] = below + bar.count
    axes.set_ylim(0, max(heights.values(), default=1) * 1.1)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))
    scale, unit = _unit(picture.bar_width)
    axes.set_ylabel(f"ends per\n{picture.bar_width / scale:.3g} {unit}")
    handles = [Patch(color=looks[r].colour, label=_fitting(r, _REASON_PX)) for r in reversed(looks)]
    _legend(axes, "ended", handles)


def _draw_lanes(axes: Axes, picture: Picture, axis: _Axis) -> None:
    axes.set_ylabel("keys lost most")
    if not picture.lanes:
        axes.set_yticks([])
        axes.text(
            0.5, 0.5, "no conversation was cut in two",
            transform=axes.transAxes, ha="center", va="center", color="#555555",
        )  # fmt: skip
        return
    looks = _looks(picture)
    for row, lane in enumerate(picture.lanes):
        _draw_lane(axes, row, lane, axis, looks)
        lost = picture.lost[lane.key]
        axes.text(
            1.008, row, f"lost {lost}",
            transform=axes.get_yaxis_transform(), va="center", fontsize=8,
        )  # fmt: skip
    axes.set_ylim(len(picture.lanes) - 0.4, -0.6)
    axes.set_yticks(range(len(picture.lanes)))
    axes.set_yticklabels([_fitting(lane.key, _LABEL_PX) for lane in picture.lanes], fontsize=8)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    seen = {reason for lane in picture.lanes for _, reason in lane.ends}
    marks = [
        Line2D([], [], ls="", label=_fitting(reason, _REASON_PX), **_mark(look))
        for reason, look in looks.items()
        if reason in seen
    ]
    _legend(axes, "lanes", [Patch(color=_KEYED, alpha=0.45, label="alive"), *marks], x=1.075)


def _draw_lane(axes: Axes, row: int, lane: Lane, axis: _Axis, looks: dict[str, _Look]) -> None:
    bars = [(axis.at(start), axis.at(end) - axis.at(start)) for start, end in lane.stretches]
    axes.broken_barh(bars, (row - 0.22, 0.44), color=_KEYED, alpha=0.45, lw=0).set_gid(
        f"lane-{row}-alive"
    )
    ended = {reason for _, reason in lane.ends}
    for reason, look in looks.items():
        if reason not in ended:
            continue
        times = [axis.at(wall) for wall, r in sorted(lane.ends) if r == reason]
        (drawn,) = axes.plot(times, [row] * len(times), ls="", clip_on=False, **_mark(look))
        drawn.set_gid(f"lane-{row}-{_slug(reason)}")


def _legend(axes: Axes, title: str, handles: list[Any], x: float = 1.01) -> None:
    legend = axes.legend(
        handles=handles, title=title, loc="upper left", bbox_to_anchor=(x, 1.04), frameon=False,
        borderaxespad=0.0, handlelength=1.2, labelspacing=0.25, fontsize=8,
        title_fontsize=8, alignment="left",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _looks(picture: Picture) -> dict[str, _Look]:
    """How each reason looks, in the order in which they are drawn."""
    common = iter(_COMMON)
    return {reason: _LOOKS.get(reason) or next(common) for reason in picture.reasons}


def _mark(look: _Look) -> dict[str, Any]:
    thin = look.marker == "|"
    return {
        "marker": look.marker,
        "color": look.colour,
        "markersize": 7.0 if thin else 5.5,
        "markeredgewidth": 1.6 if thin else 0.4,
        "markeredgecolor": look.colour if thin else "white",
    }


def _unit(span: int) -> tuple[int, str]:
    for scale, name in _UNITS:
        if span >= _LONG_ENOUGH * scale:
            return scale, name
    return 1000, "seconds"


def _fitting(text: str, room: float) -> str:
    """``text`` on one line of at most ``room`` pixels, its middle left out where it is longer."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    if sum(map(_width, clean)) <= room:
        return clean
    half = (room - _WIDE) / 2
    return f"{_beginning(clean, half)}…{_beginning(clean[::-1], half)[::-1]}"


def _beginning(text: str, room: float) -> str:
    for at, char in enumerate(text):
        room -= _width(char)
        if room < 0:
            return text[:at]
    return text


def _width(char: str) -> float:
    """Pixels of a character in a label, rather too many than too few."""
    if east_asian_width(char) in "WF" or char in "mwMW@%":
        return _WIDE
    if char in "fijlrtI.,:;!|()[]":
        return 4.4
    return 8.0 if char.isupper() else 6.7


def _slug(reason: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in reason)[:32]


def _clock(wall: int) -> str:
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(wall / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{wall} ms"


def _metadata(picture: Picture, out: Path, title: str) -> dict[str, str | None]:
    said: dict[str, str | None] = {
        "Title": title,
        "Description": orjson.dumps(picture.facts()).decode(),
    }
    if out.suffix.lower() == ".svg":
        said["Date"] = None  # the same trace gives the same file
    return said
