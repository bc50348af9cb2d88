"""The one door to matplotlib, and what all our drawings have in common."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from ...core.whole_file import whole_file
from ..files.needs import need

INK, QUIET, LINES, GRID = "#1f2933", "#5f6b7a", "#c3cad4", "#e8ebf0"
WIDTH = 10.0  # inches
RESOLUTION = 160
PAGES = "an .html page needs nothing else"


def blank(size: tuple[float, float], **more: Any) -> Any:
    """An empty figure of this size in inches that leaves the user's pyplot alone."""
    need("matplotlib", "plot", PAGES)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=100, facecolor="white", **more)
    FigureCanvasAgg(figure)
    setattr(figure, "_repr_png_", partial(png, figure))  # noqa: B010  what a notebook asks for
    return figure


def png(figure: Any) -> bytes:
    """The figure as the bytes of a picture."""
    out = BytesIO()
    save(figure, out, format="png")
    return out.getvalue()


def save(figure: Any, place: Path | BytesIO, **more: Any) -> None:
    """Write the figure. A letter that the font does not have becomes a box."""
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        place = stack.enter_context(whole_file(place)) if isinstance(place, Path) else place
        figure.savefig(place, dpi=RESOLUTION, **more)


def style(axes: Any, *, grid: bool = True, **ticks: Any) -> None:
    """Quiet lines, no box."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINES)
    if grid:
        axes.grid(True, color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
    axes.tick_params(**({"color": LINES, "labelcolor": QUIET, "labelsize": 9, "length": 3} | ticks))
