"""Pictures drawn by matplotlib, without touching the user's pyplot."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.signals import Vector
from ..files.needs import need
from .canvas import INK, PAGES, QUIET, WIDTH, blank, save, style
from .captions import shortened
from .curves import Curve, curve
from .lanes import LANE_HEIGHT, draw_lanes
from .panels import Panel
from .sheet import Sheet
from .strokes import Stroke, strokes

MOST_CURVES, MOST_POINTS = 12, 4000
PANEL_HEIGHT, XY_HEIGHT = 2.15, 4.2


def draw(sheet: Sheet) -> Any:
    """The matplotlib figure, which a notebook shows as an interactive plot."""
    need("matplotlib", "plot", PAGES)
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from .notebook import bundle

    stack = sheet.panels(MOST_CURVES)
    heights = [_height(panel, sheet) for panel in stack]
    layout = ConstrainedLayoutEngine(w_pad=0.14, h_pad=0.1, hspace=0.0)
    figure = blank(sheet.size or (WIDTH, 1.1 + sum(heights)), layout=layout)
    rows = figure.subplots(len(stack), 1, sharex=True, squeeze=False, height_ratios=heights)
    for axes, panel in zip(rows[:, 0], stack, strict=True):
        style(axes, width=0.8)
        _panel(axes, panel)
        legend = axes.get_legend()
        if legend is not None:
            legend.set_loc("upper left")
            legend.set_bbox_to_anchor((1.005, 1.03), transform=axes.transAxes)
    bottom = rows[-1, 0]
    _limits(bottom, sheet)
    bottom.set_xlabel(shortened(sheet.x, 80), color=QUIET, fontsize=9.5, parse_math=False)
    _headings(rows[0, 0], sheet.title, sheet.below_title(stack))
    show = partial(bundle, sheet, figure)
    setattr(figure, "_repr_mimebundle_", show)  # noqa: B010  what a notebook asks for first
    return figure


def save_drawing(sheet: Sheet, path: Path) -> None:
    """Draw into a file."""
    save(draw(sheet), path)


def draw_on(axes: Any, sheet: Sheet, title: str | None) -> Any:
    """Draw one panel onto axes of the user, whose looks are left alone; the axes."""
    if not all(hasattr(axes, name) for name in ("plot", "set_xlabel", "get_legend")):
        raise OptionError(f"ax must be one axes of matplotlib, not {type(axes).__name__}")
    stack = sheet.panels(MOST_CURVES)
    if len(stack) > 1:
        found = ", ".join(shortened(panel.label or "values without numbers", 30) for panel in stack)
        raise OptionError(
            f"ax has room for one panel, and these variables need {len(stack)} ({found}): choose "
            "variables of one unit, or leave ax out"
        )
    _panel(axes, stack[0])
    axes.set_xlabel(sheet.x, parse_math=False)
    if title is not None:
        axes.set_title(title, parse_math=False)
    return axes


def _height(panel: Panel, sheet: Sheet) -> float:
    if not sheet.over_time:
        return XY_HEIGHT
    return 0.3 + LANE_HEIGHT * len(panel.traces) if panel.lanes else PANEL_HEIGHT


def _panel(axes: Any, panel: Panel) -> None:
    curves = [curve(trace, MOST_POINTS) for trace in panel.traces]
    if panel.lanes:
        draw_lanes(axes, panel, curves)
    else:
        _lines(axes, panel, curves)


def _limits(bottom: Any, sheet: Sheet) -> None:
    """All of the time, and no more."""
    if not sheet.over_time:
        return
    ends = [(t.result.time[0], t.result.time[-1]) for t in sheet.drawn]
    first, last = min(float(a) for a, _ in ends), max(float(b) for _, b in ends)
    if last > first:
        bottom.set_xlim(first, last)


def _lines(axes: Any, panel: Panel, curves: list[Curve]) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    handles = []
    made = strokes(panel, curves)
    for one, stroke in zip(curves, made, strict=True):
        look = {"marker": "o" if len(one.x) <= 40 else None, "markersize": 3.0, **_look(stroke)}
        if one.stepped:
            handles += axes.plot(one.x, one.values, drawstyle="steps-post", **look)
            continue
        x, values, jumps = _broken(one)
        handles += axes.plot(x, values, **look)
        for across, up in jumps:
            axes.plot(across, up, color=stroke.colour, linewidth=0.9, alpha=0.5, linestyle=":")
    axes.set_ylabel(shortened(panel.label, 44), color=QUIET, fontsize=9.5, parse_math=False)
    formatter = ScalarFormatter(useOffset=False)
    formatter.set_powerlimits((-3, 6))
    axes.yaxis.set_major_formatter(formatter)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=all(c.stepped for c in curves)))
    axes.yaxis.get_offset_text().set(color=QUIET, fontsize=8.5)
    axes.margins(y=0.08)
    _legend(axes, handles, [shortened(stroke.label, 44) for stroke in made], panel.left_out)


def _look(stroke: Stroke) -> dict[str, Any]:
    dashes = "-" if stroke.dashes is None else (stroke.offset, stroke.dashes)
    joined = {"solid_joinstyle": "round", "dash_capstyle": "butt"}
    return {"color": stroke.colour, "linewidth": stroke.width, "linestyle": dashes, **joined}


def _broken(one: Curve) -> tuple[Vector, Vector, list[tuple[list[float], list[float]]]]:
    """The curve with a gap at every jump, and the jumps: both ends, in x and in value."""
    rows = one.jumps()
    x, values = one.x, one.values
    jumps = [
        ([float(x[r]), float(x[r + 1])], [float(values[r]), float(values[r + 1])]) for r in rows
    ]
    return np.insert(x, rows + 1, x[rows]), np.insert(values, rows + 1, np.nan), jumps


def _legend(axes: Any, handles: list[Any], labels: list[str], left_out: int) -> None:
    legend = axes.legend(
        handles,
        [f" {label}" for label in labels],  # a label that begins with _ would be left out
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=2.0,
        handletextpad=0.35,
        labelspacing=0.38,
        borderaxespad=0.0,
        title=f"and {left_out} more" if left_out else None,
        title_fontsize=8,
        alignment="left",
    )
    legend.get_title().set_color(QUIET)
    for line in legend.legend_handles:
        if line.get_linestyle() != "-":
            line.set_linestyle((0, (3, 2)))  # the gaps of the curve may be longer than the sample
    for text in legend.get_texts():
        text.set_parse_math(False)


def _headings(top: Any, title: str, below: str) -> None:
    """Title and subtitle above the first panel, flush with it."""
    style = {"ha": "left", "va": "bottom", "parse_math": False, "annotation_clip": False}
    place = {"xy": (0, 1), "xycoords": "axes fraction", "textcoords": "offset points"}
    height = 24 if below else 10
    top.annotate(
        shortened(title, 80),
        xytext=(0, height),
        fontsize=13,
        fontweight="bold",
        color=INK,
        **style,
        **place,
    )
    if below:
        top.annotate(
            shortened(below, 130), xytext=(0, 9), fontsize=8.5, color=QUIET, **style, **place
        )
