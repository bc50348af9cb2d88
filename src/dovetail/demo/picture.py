"""The picture of the demo: the truth, and what loose and strong coupling make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..core.signals import Vector
from ..results.pictures.canvas import INK, LINES, QUIET, blank, save, style
from ..results.pictures.picture import picture
from ..results.pictures.sheet import Sheet
from ..results.pictures.traces import Look
from .runs import SIGNALS, Runs

TRUTH, STRONG, LOOSE = "#b9c3d0", "#1f7a5c", "#d1495b"


def draw(runs: Runs, path: Path) -> None:
    """Draw into a file."""
    figure = blank((10, 7.6))
    figure.subplots_adjust(left=0.1, right=0.975, top=0.87, bottom=0.075, hspace=0.18)
    rows = figure.subplots(len(SIGNALS), 1, sharex=True)
    handles: list[Any] = []
    for axes, (name, (true_name, title)) in zip(rows, SIGNALS.items(), strict=True):
        style(axes)
        handles = _curves(axes, runs, name, true_name)
        unit = runs.truth.units[true_name]
        axes.set_ylabel(f"{title}\n[{unit}]", color=QUIET, fontsize=9.5)
        _mark(axes)
    figure.align_ylabels(rows)
    _say(rows[0])
    rows[-1].set_xlabel("time [s]", color=QUIET, fontsize=9.5)
    rows[-1].set_xlim(float(runs.truth.time[0]), float(runs.truth.time[-1]))
    _headings(figure, runs, handles)
    save(figure, path)


def draw_page(runs: Runs, path: Path) -> None:
    """The same to look into by hand, with every value of every run."""
    looks = {"in one part": Look(TRUTH, 7), "strong": Look(STRONG, 2), "loose": Look(LOOSE, 1.5)}
    title = "A belt drive, coupled loosely and strongly"
    picture(Sheet.of(runs.named(), (list(SIGNALS),), title=title, looks=looks), path)


def _curves(axes: Any, runs: Runs, name: str, true_name: str) -> list[Any]:
    truth, strong, true = runs.truth, runs.strong, runs.truth[true_name]
    bottom, top = true.min() - 0.42 * np.ptp(true), true.max() + 0.42 * np.ptp(true)
    axes.set_ylim(bottom, top)
    thick = axes.plot(truth.time, true, color=TRUTH, linewidth=7, solid_capstyle="round")
    wrong = _leaving(axes, runs.loose.time, runs.loose[name], bottom, top)
    style = {"linestyle": "none", "marker": "o", "markersize": 2.8}
    right = axes.plot(strong.time, strong[name], color=STRONG, **style)
    return [*thick, *right, *wrong]


def _leaving(axes: Any, time: Vector, values: Vector, bottom: float, top: float) -> list[Any]:
    """A curve that fades where it has left the picture for the first time."""
    beyond = np.flatnonzero((values < bottom) | (values > top))
    end = int(beyond[0]) + 1 if beyond.size else len(time)
    curve = axes.plot(time[:end], values[:end], color=LOOSE, linewidth=1.5)
    axes.plot(time[end - 1 :], values[end - 1 :], color=LOOSE, linewidth=0.8, alpha=0.28)
    return list(curve)


def _mark(axes: Any) -> None:
    """Where something happens."""
    axes.axvspan(0.05, 0.25, color="#f3f5f8", zorder=0, linewidth=0)
    axes.axvline(0.5, color=LINES, linewidth=1.0, linestyle=(0, (4, 3)))


def _say(axes: Any) -> None:
    place = {"xycoords": ("data", "axes fraction"), "fontsize": 8.5, "color": QUIET}
    axes.annotate("running up", (0.15, 0.93), ha="center", **place)
    axes.annotate("the load falls onto the belt", (0.507, 0.93), ha="left", **place)


def _headings(figure: Any, runs: Runs, handles: list[Any]) -> None:
    figure.text(
        0.1,
        0.955,
        f"A belt drive, coupled loosely and strongly in the same windows of {runs.window:g} ms",
        fontsize=13.5,
        fontweight="bold",
        color=INK,
    )
    labels = [
        "all equations in one part (truth)",
        f"strong: iterated, {runs.error(runs.strong):.1%} off",
        "loose: one pass per window",
    ]
    figure.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0.09, 0.949),
        ncols=3,
        frameon=False,
        fontsize=9.5,
        labelcolor=INK,
        handlelength=1.6,
        columnspacing=2.2,
    )
