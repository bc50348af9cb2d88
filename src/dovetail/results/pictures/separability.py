"""The picture of a cycle analysis: gaps between time scales over alpha, and the time scales."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import FileError
from .canvas import GRID, INK, LINES, QUIET, WIDTH, blank, save, style

if TYPE_CHECKING:
    from ...timescales.analysis import Analysis

_BLUE, _RED = "#2f6db3", "#b3412f"
_NAMED = 40  # states up to which each is named


def draw(analysis: Analysis, path: str | Path | None = None) -> Any:
    """The matplotlib figure; with a path also a file, a .png, .svg or .pdf.

    Above, for each alpha a row: how wide the gap is between each state and the next in the order
    of their bounds, over the widest of the row. A dark column is a place to cut, for every alpha
    where it is dark. Below, the bounds themselves.
    """
    figure = blank((WIDTH, 6.2), layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=[1.35, 1])
    _gaps(figure, upper, analysis)
    _bounds(lower, analysis)
    upper.set_title(_title(analysis), loc="left", fontsize=11, color=INK)
    if path is not None:
        _save(figure, Path(path))
    return figure


def _title(analysis: Analysis) -> str:
    count, bounded = len(analysis.names), np.isfinite(analysis.limits[0]).sum()
    title = f"Time scales of {count} state{'s' if count > 1 else ''} at alpha {analysis.alpha:g}"
    if bounded < 2:
        return f"{title}: nothing to cut"
    indices = f"stiffness {analysis.stiffness:.3g}, separability {analysis.separability:.3g}"
    return f"{title}: {indices}"


def _gaps(figure: Any, axes: Any, analysis: Analysis) -> None:
    study = analysis.study()
    terms = study.terms if study.terms.shape[1] else np.zeros((study.alphas.size, 1))
    places = np.arange(terms.shape[1] + 1) + 0.5
    step = study.alphas[1] - study.alphas[0]
    edges = np.append(study.alphas[0] - step, study.alphas)
    mesh = axes.pcolormesh(places + 0.5, edges, terms, cmap="Blues", vmin=0, vmax=1)
    axes.axhline(analysis.alpha, color=_RED, linewidth=1.2, linestyle="--")
    axes.set_ylabel("alpha", color=QUIET, fontsize=9.5)
    axes.set_xlabel("cut between the i-th fastest state and the next", color=QUIET, fontsize=9.5)
    if terms.shape[1] <= _NAMED:
        numbers = np.arange(1, terms.shape[1] + 1)
        axes.set_xticks(numbers + 0.5, [f"{k}|{k + 1}" for k in numbers], fontsize=7, rotation=90)
    bar = figure.colorbar(mesh, ax=axes, pad=0.01)
    bar.set_label("gap, of the widest", color=QUIET, fontsize=9)
    bar.ax.tick_params(colors=QUIET, labelsize=7.5, length=3)
    bar.outline.set_edgecolor(LINES)
    style(axes, grid=False, which="both", color=QUIET, labelsize=7.5)


def _bounds(axes: Any, analysis: Analysis) -> None:
    low, high = analysis.limits
    order = np.argsort(low, kind="stable")
    shown = order[np.isfinite(low[order]) & (low[order] > 0)]
    if not shown.size:
        what = (
            "no state is in a cycle" if not low.size or low[order[0]] > 0 else "no step meets alpha"
        )
        axes.text(0.5, 0.5, what, ha="center", transform=axes.transAxes, color=QUIET)
        axes.set_axis_off()
        return
    free = int(np.isinf(low).sum())
    if free:
        more = f"and {free} state{'s' if free > 1 else ''} in no cycle, at any step"
        axes.text(1, 1.02, more, ha="right", transform=axes.transAxes, color=QUIET, fontsize=8.5)
    place = np.arange(1, shown.size + 1)
    apart = np.where(np.isfinite(high[shown]), high[shown], low[shown]) - low[shown]
    axes.errorbar(
        place,
        low[shown],
        yerr=[np.zeros(shown.size), apart],
        fmt="o",
        markersize=4,
        color=_BLUE,
        ecolor=LINES,
    )
    axes.set_yscale("log")
    axes.set_ylabel("largest step [s]", color=QUIET, fontsize=9.5)
    if shown.size <= _NAMED:
        axes.set_xticks(place, [analysis.names[k] for k in shown], fontsize=7, rotation=90)
    else:
        axes.set_xlabel("states in the order of their bounds", color=QUIET, fontsize=9.5)
    axes.grid(True, color=GRID, linewidth=0.8)
    style(axes, grid=False, which="both", color=QUIET, labelsize=7.5)


def _save(figure: Any, path: Path) -> None:
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise FileError(path, "a picture is a .png, .svg or .pdf file")
    try:
        save(figure, path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error
