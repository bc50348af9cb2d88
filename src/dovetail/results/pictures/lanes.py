"""Values that are not numeric, one lane each."""

from __future__ import annotations

from typing import Any

import numpy as np

from .canvas import INK
from .captions import shortened
from .curves import Curve
from .panels import Panel

LANE_HEIGHT = 0.42  # inches
LOW, HIGH = 0.12, 0.72  # where a lane's values lie in it: the lowest, and how much above it


def lane_heights(one: Curve, floor: int) -> Any:
    """The values of a lane that stands on this floor."""
    return floor + LOW + HIGH * one.values


def draw_lanes(axes: Any, panel: Panel, curves: list[Curve]) -> None:
    """Draw them, the first on top."""
    for k, one in enumerate(curves):
        floor, colour = len(curves) - 1 - k, panel.colour(k)
        height = lane_heights(one, floor)
        axes.fill_between(
            one.x, floor + LOW, height, step="post", color=colour, alpha=0.16, linewidth=0
        )
        axes.plot(one.x, height, drawstyle="steps-post", color=colour, linewidth=1.6)
        if one.text is not None and not set(one.text) <= {"false", "true"}:
            _labels(axes, one, floor, colour)
    axes.set_ylim(-0.1, len(curves))
    axes.set_yticks(
        [len(curves) - 1 - k + 0.48 for k in range(len(curves))],
        [shortened(panel.entry(k), 26) for k in range(len(curves))],
        parse_math=False,
    )
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0, labelsize=8.5, labelcolor=INK)


def _labels(axes: Any, one: Curve, floor: int, colour: str) -> None:
    """Write each value where it begins, if there is room before the next."""
    span = one.x[-1] - one.x[0]
    ends = np.append(one.x[1:], one.x[-1])
    for t, end, text in zip(one.x, ends, one.text or [], strict=True):
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
