"""Pictures of a study: curves, a map over two axes, or everything against everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import OptionError, did_you_mean
from ..core.signals import Vector
from ..results.pictures.canvas import INK, QUIET, WIDTH, blank, style
from ..results.result import UnknownVariable
from .picture_file import saved
from .reductions import REDUCTIONS, reduced
from .tornado import tornado

if TYPE_CHECKING:
    from .study import Study

KINDS = ("lines", "map", "scatter", "tornado")
_MOST = 400  # curves in one picture
_PANELS = 6  # columns of a scatter matrix


def draw(study: Study, name: str, kind: str | None, at: str, path: str | Path | None) -> Any:
    """The matplotlib figure. Without a kind: a map of a grid of two axes, else curves."""
    if name not in study.names:
        raise UnknownVariable(name, study.names)
    if at not in REDUCTIONS:
        raise OptionError(f"at is one of {', '.join(REDUCTIONS)}, not {at!r}")
    if kind is None:
        kind = "map" if _maps(study) else "lines"
    match kind:
        case "lines":
            figure = _lines(study, name)
        case "map":
            figure = _map(study, name, at)
        case "scatter":
            figure = _scatter(study, name, at)
        case "tornado":
            return _tornado(study, name, at, path)
        case _:
            hint = did_you_mean(kind, KINDS)
            raise OptionError(f"a study is drawn as {', '.join(KINDS)}, not {kind!r}.{hint}")
    return saved(figure, path)


def _numbers(study: Study, entry: str) -> Vector:
    """The values of an entry, by run; places in the list where they are no numbers."""
    values = [study.space[k][entry] for k in range(len(study))]
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=float)
    known = list(dict.fromkeys(map(str, values)))
    return np.array([float(known.index(str(v))) for v in values])


def _flat(study: Study, name: str) -> Vector:
    return study[name].reshape(len(study), -1)


def _maps(study: Study) -> bool:
    axes = study.space.axes
    return len(axes) == 2 and all(len(a.entries) == 1 and len(a.rows) > 2 for a in axes)


def _lines(study: Study, name: str) -> Any:
    """Each run over time, coloured by the first thing that is varied."""
    from matplotlib import colormaps

    figure = blank((WIDTH, 4.6), layout="constrained")
    axes = figure.subplots()
    entry, curves = study.space.entries[0], _flat(study, name)
    values = _numbers(study, entry)
    low, span = float(values.min()), float(np.ptp(values)) or 1.0
    shown = np.unique(np.linspace(0, len(study) - 1, min(_MOST, len(study))).astype(int))
    colours = colormaps["viridis"]
    for k in shown:
        axes.plot(study.time, curves[k], color=colours((values[k] - low) / span), linewidth=1)
    axes.set_title(f"{name} of {len(shown)} runs, by {entry}", loc="left", fontsize=11, color=INK)
    axes.set_xlabel("time [s]", color=QUIET, fontsize=9.5)
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    mapped = ScalarMappable(Normalize(low, low + span), colours)
    figure.colorbar(mapped, ax=axes, pad=0.01).set_label(entry, color=QUIET, fontsize=9)
    style(axes)
    return figure


def _map(study: Study, name: str, at: str) -> Any:
    """A number of each run over two axes."""
    if len(study.space.axes) != 2:
        raise OptionError("a map is of a study with two axes; draw lines, scatter or tornado")
    first, second = study.space.axes
    figure = blank((WIDTH * 0.75, 5.0), layout="constrained")
    axes = figure.subplots()
    values = reduced(study[name], at)
    mesh = axes.pcolormesh(np.arange(values.shape[1] + 1), np.arange(values.shape[0] + 1), values)
    for axis, put in ((second, axes.set_xticks), (first, axes.set_yticks)):
        labels = [f"{row[0]:g}" if isinstance(row[0], float) else str(row[0]) for row in axis.rows]
        some = range(0, len(labels), max(1, len(labels) // 12))
        put([k + 0.5 for k in some], [labels[k] for k in some])
    axes.set_xlabel(second.name, color=QUIET, fontsize=9.5)
    axes.set_ylabel(first.name, color=QUIET, fontsize=9.5)
    axes.set_title(f"{name}, {at}", loc="left", fontsize=11, color=INK)
    figure.colorbar(mesh, ax=axes, pad=0.01)
    style(axes, grid=False)
    return figure


def _scatter(study: Study, name: str, at: str) -> Any:
    """What is varied, and what came of it, each against each."""
    columns = {e: _numbers(study, e) for e in study.space.entries[: _PANELS - 1]}
    columns[f"{name}, {at}"] = reduced(_flat(study, name), at)
    count, names = len(columns), list(columns)
    figure = blank((2.2 * count, 2.0 * count), layout="constrained")
    grid = np.atleast_2d(figure.subplots(count, count, squeeze=False))
    for i, row in enumerate(names):
        for k, column in enumerate(names):
            axes = grid[i, k]
            if i == k:
                axes.hist(columns[row][np.isfinite(columns[row])], bins=20, color="#a9c4e4")
            else:
                axes.plot(columns[column], columns[row], ".", markersize=3, color="#2f6db3")
            if i == count - 1:
                axes.set_xlabel(column, color=QUIET, fontsize=8)
            if k == 0:
                axes.set_ylabel(row, color=QUIET, fontsize=8)
            style(axes, grid=False)
    return figure


def _tornado(study: Study, name: str, at: str, path: str | Path | None) -> Any:
    """For each thing that is varied, by how much the mean of runs at its ends differs."""
    values = reduced(_flat(study, name), at)
    bars = []
    for entry in study.space.entries:
        given = _numbers(study, entry)
        low, high = np.quantile(given, [0.25, 0.75])
        upper, lower = values[given >= high], values[given <= low]
        change = float(np.nanmean(upper) - np.nanmean(lower)) if low < high else 0.0
        bars.append((entry, change, 0.0))
    words = "change of the mean, from the lowest quarter of values to the highest"
    return tornado({f"{name}, {at}": (bars, [])}, (words, ""), path)
