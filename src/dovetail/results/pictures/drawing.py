"""Pictures drawn by matplotlib, without touching the user's pyplot."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Vector
from .captions import shortened, subtitle, title_of
from .panels import COLOURS, Curve, Panel, curve, panels

if TYPE_CHECKING:
    from ..result import Result

MOST_CURVES, MOST_POINTS = 12, 4000
INK, QUIET, LINES, GRID = "#1f2933", "#5f6b7a", "#c3cad4", "#e8ebf0"
WIDTH, PANEL_HEIGHT, LANE_HEIGHT = 10.0, 2.15, 0.42
RESOLUTION = 160


def draw(result: Result, names: Sequence[str], title: str | None) -> Any:
    """The matplotlib figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    stack = panels(result, names, MOST_CURVES)
    heights = [_height(panel) for panel in stack]
    layout = ConstrainedLayoutEngine(w_pad=0.14, h_pad=0.1, hspace=0.0)
    figure = Figure(figsize=(WIDTH, 1.1 + sum(heights)), dpi=100, layout=layout, facecolor="white")
    FigureCanvasAgg(figure)
    rows = figure.subplots(len(stack), 1, sharex=True, squeeze=False, height_ratios=heights)
    for axes, panel in zip(rows[:, 0], stack, strict=True):
        _style(axes)
        curves = [curve(result, column, MOST_POINTS) for column in panel.columns]
        if panel.lanes:
            _lanes(axes, panel, curves)
        else:
            _lines(axes, panel, curves)
    bottom = rows[-1, 0]
    bottom.set_xlabel("time [s]", color=QUIET, fontsize=9.5)
    first, last = float(result.time[0]), float(result.time[-1])
    if last > first:
        bottom.set_xlim(first, last)
    _headings(rows[0, 0], title_of(result, title), subtitle(result, stack))
    setattr(figure, "_repr_png_", partial(png, figure))  # noqa: B010  what a notebook asks for
    return figure


def save_drawing(result: Result, names: Sequence[str], title: str | None, path: Path) -> None:
    """Draw into a file."""
    figure = draw(result, names, title)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # boxes will do
        figure.savefig(path, dpi=RESOLUTION)


def png(figure: Any) -> bytes:
    """The figure as the bytes of a picture."""
    out = BytesIO()
    figure.savefig(out, format="png", dpi=RESOLUTION)
    return out.getvalue()


def _height(panel: Panel) -> float:
    return 0.3 + LANE_HEIGHT * len(panel.columns) if panel.lanes else PANEL_HEIGHT


def _style(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINES)
    axes.grid(True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=QUIET, labelsize=9, length=3, width=0.8)
    axes.tick_params(axis="both", color=LINES)


def _lines(axes: Any, panel: Panel, curves: list[Curve]) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    handles = []
    thickest = 2.0 if len(curves) <= 4 else 1.6
    for k, one in enumerate(curves):
        colour = panel.colour(k)
        style = {
            "color": colour,
            "linewidth": thickest - 0.15 * min(k, 4),  # curves beneath still show
            "linestyle": "-" if k < len(COLOURS) else "--",
            "solid_joinstyle": "round",
            "marker": "o" if len(one.time) <= 40 else None,
            "markersize": 3.0,
        }
        if one.stepped:
            handles += axes.plot(one.time, one.values, drawstyle="steps-post", **style)
            continue
        time, values, jumps = _broken(one)
        handles += axes.plot(time, values, **style)
        for t, left, right in jumps:
            axes.plot([t, t], [left, right], color=colour, linewidth=0.9, alpha=0.5, linestyle=":")
    axes.set_ylabel(shortened(panel.label, 30), color=QUIET, fontsize=9.5, parse_math=False)
    formatter = ScalarFormatter(useOffset=False)
    formatter.set_powerlimits((-3, 6))
    axes.yaxis.set_major_formatter(formatter)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=all(c.stepped for c in curves)))
    axes.yaxis.get_offset_text().set(color=QUIET, fontsize=8.5)
    axes.margins(y=0.08)
    _legend(axes, handles, [shortened(c.column.name, 34) for c in curves], panel.left_out)


def _lanes(axes: Any, panel: Panel, curves: list[Curve]) -> None:
    """Values that are not numeric, one lane each, the first on top."""
    for k, one in enumerate(curves):
        floor, colour = len(curves) - 1 - k, panel.colour(k)
        height = floor + 0.12 + 0.72 * one.values
        axes.fill_between(
            one.time, floor + 0.12, height, step="post", color=colour, alpha=0.16, linewidth=0
        )
        axes.plot(one.time, height, drawstyle="steps-post", color=colour, linewidth=1.6)
        if one.text is not None and not set(one.text) <= {"false", "true"}:
            _label_lane(axes, one, floor, colour)
    axes.set_ylim(-0.1, len(curves))
    axes.set_yticks(
        [len(curves) - 1 - k + 0.48 for k in range(len(curves))],
        [shortened(c.column.name, 26) for c in curves],
        parse_math=False,
    )
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0, labelsize=8.5, labelcolor=INK)


def _label_lane(axes: Any, one: Curve, floor: int, colour: str) -> None:
    """Write each value where it begins, if there is room before the next."""
    span = one.time[-1] - one.time[0]
    ends = np.append(one.time[1:], one.time[-1])
    for t, end, text in zip(one.time, ends, one.text or [], strict=True):
        if span > 0 and (end - t) / span > 0.012 * min(len(text), 18) + 0.01:
            axes.text(
                t + 0.006 * span,
                floor + 0.48,
                shortened(text, 18),
                va="center",
                fontsize=7.5,
                color=colour,
                parse_math=False,
                bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6},
            )


def _broken(one: Curve) -> tuple[Vector, Vector, list[tuple[float, float, float]]]:
    """The curve with a gap at every jump, and the jumps: time, left and right value."""
    time, values = one.time, one.values
    finite = values[np.isfinite(values)]
    visible = 2e-3 * float(np.ptp(finite)) if len(finite) else 0.0
    with np.errstate(invalid="ignore"):
        jump = (np.diff(time) <= 0) & (np.abs(np.diff(values)) > visible)
    rows = np.flatnonzero(jump)
    jumps = [(float(time[r]), float(values[r]), float(values[r + 1])) for r in rows]
    return np.insert(time, rows + 1, time[rows]), np.insert(values, rows + 1, np.nan), jumps


def _legend(axes: Any, handles: list[Any], labels: list[str], left_out: int) -> None:
    legend = axes.legend(
        handles,
        [f" {label}" for label in labels],  # a label that begins with _ would be left out
        loc="upper left",
        bbox_to_anchor=(1.005, 1.03),
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=1.3,
        handletextpad=0.35,
        labelspacing=0.38,
        title=f"and {left_out} more" if left_out else None,
        title_fontsize=8,
        alignment="left",
    )
    legend.get_title().set_color(QUIET)
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
