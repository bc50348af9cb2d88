"""The picture of a benchmark: error over cost, on logarithmic scales."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.brief import brief
from ...results.pictures.canvas import INK, LINES, QUIET, WIDTH, blank, style
from ..picture_file import saved

if TYPE_CHECKING:
    from .table import Benchmark

_COLOURS = (
    *("#2f6db3", "#b3412f", "#2f9e5b", "#8e5bb3", "#c08a1e", "#1f8a8a"),
    *("#6b7280", "#d46a9f", "#7a9a2e", "#4a4a8a"),
)
_NAMED = len(_COLOURS)
_BEYOND = 10.0  # errors that are no longer told from others


def draw(benchmark: Benchmark, path: str | Path | None = None) -> Any:
    """The matplotlib figure: the best ten by name, the others in grey."""
    figure = blank((WIDTH, 5.6), layout="constrained")
    axes = figure.subplots()
    rank = {id(row.candidate): k for k, (row, _) in enumerate(benchmark.ranked())}
    for entrant in sorted(benchmark.entrants, key=lambda e: -rank.get(id(e.candidate), 999)):
        rows = [row for row in entrant.good if 0 < row.error < _BEYOND]
        if not rows:
            continue
        place = rank[id(entrant.candidate)]
        named = place < _NAMED
        rows = sorted(rows, key=lambda row: row.error)
        costs = [getattr(row, benchmark.cost) for row in rows]
        ladder = entrant.candidate.ladder
        more = "" if ladder == "FixedStep" else f", {ladder}"
        axes.plot(
            costs,
            [row.error for row in rows],
            marker="o",
            markersize=4,
            linewidth=1.3 if named else 0.8,
            color=_COLOURS[place] if named else LINES,
            label=f"{entrant.candidate.title}{more}" if named else None,
            zorder=3 if named else 1,
        )
    best = benchmark.recommended
    axes.plot(getattr(best, benchmark.cost), best.error, "o", mfc="none", mec=INK, markersize=11)
    axes.axhline(benchmark.tolerance, color=INK, linewidth=1, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    cost = "process time [s]" if benchmark.cost == "seconds" else "advances of all parts"
    axes.set_xlabel(cost, color=QUIET, fontsize=9.5)
    axes.set_ylabel("largest error, of a signal's range", color=QUIET, fontsize=9.5)
    title = f"{best.candidate.title} with {brief(best.controller)}"
    axes.set_title(f"'{benchmark.system}': {title}", loc="left", fontsize=11, color=INK)
    style(axes, which="both")
    axes.legend(
        *axes.get_legend_handles_labels(),
        frameon=False,
        fontsize=8,
        labelcolor=QUIET,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
    return saved(figure, path)
