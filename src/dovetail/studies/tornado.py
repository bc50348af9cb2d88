"""Bars of what values do to signals, the longest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..results.pictures.canvas import INK, LINES, QUIET, WIDTH, blank, style
from .picture_file import saved

_BLUE, _PALE, _MOST = "#2f6db3", "#a9c4e4", 12

Bars = Sequence[tuple[str, float, float]]  # a name, how long, how uncertain


def tornado(
    panels: Mapping[str, tuple[Bars, Bars]], words: tuple[str, str], path: str | Path | None
) -> Any:
    """A panel for each signal; two bars for each name, of which the second may be missing."""
    rows = max(min(len(first), _MOST) for first, _ in panels.values())
    size = WIDTH, (0.6 + 0.42 * rows + 0.6) * len(panels)
    figure = blank(size, layout="constrained")
    for axes, (title, (first, second)) in zip(
        np.atleast_1d(figure.subplots(len(panels), 1)), panels.items(), strict=True
    ):
        decisive = second or first
        order = np.argsort([-abs(length) for _, length, _ in decisive])[:_MOST]
        places = np.arange(len(order))[::-1]
        height = 0.36 if second else 0.6
        for k, (bars, colour) in enumerate(((first, _BLUE), (second, _PALE))):
            if bars:
                shown = [bars[i] for i in order]
                axes.barh(
                    places + (0.5 - k) * height * bool(second),
                    [length for _, length, _ in shown],
                    height,
                    xerr=[apart for _, _, apart in shown],
                    color=colour,
                    ecolor=QUIET,
                    label=words[k],
                )
        axes.axvline(0, color=LINES, linewidth=1)
        axes.set_yticks(places, [decisive[i][0] for i in order])
        axes.set_title(title, loc="left", fontsize=10, color=INK)
        axes.legend(frameon=False, fontsize=8.5, labelcolor=QUIET, loc="lower right")
        style(axes)
    return saved(figure, path)
