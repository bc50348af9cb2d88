"""The picture of a calibration: measured and fitted curves, and what is left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import OptionError
from ..results.pictures.canvas import INK, LINES, QUIET, WIDTH, blank, style
from .picture_file import saved

if TYPE_CHECKING:
    from .fit import Fit

_BLUE, _DOTS = "#2f6db3", "#9aa5b1"
_MOST = 8  # curves in one picture


def draw(fit: Fit, path: str | Path | None = None) -> Any:
    """The matplotlib figure: a column for each curve."""
    curves = fit.curves[:_MOST]
    if not curves:
        raise OptionError("this fit has no curves to draw")
    figure = blank((max(WIDTH, 4.0 * len(curves)), 5.6), layout="constrained")
    rows = figure.subplots(2, len(curves), sharex="col", squeeze=False, height_ratios=[2, 1])
    for curve, upper, lower in zip(curves, *rows, strict=True):
        where = f", measurement {curve.measurement + 1}" if curve.measurement else ""
        unit = f" [{curve.unit}]" if curve.unit else ""
        upper.plot(curve.time, curve.measured, ".", color=_DOTS, markersize=4, label=curve.column)
        upper.plot(curve.time, curve.fitted, color=_BLUE, linewidth=1.4, label="fitted")
        upper.set_title(f"{curve.signal}{unit}{where}", loc="left", fontsize=10, color=INK)
        upper.legend(frameon=False, fontsize=8.5, labelcolor=QUIET)
        lower.axhline(0, color=LINES, linewidth=1)
        lower.plot(curve.time, curve.residuals, ".", color=_BLUE, markersize=3)
        lower.set_ylabel("fitted - measured", color=QUIET, fontsize=9)
        lower.set_xlabel("time [s]", color=QUIET, fontsize=9)
        style(upper)
        style(lower)
    return saved(figure, path)
