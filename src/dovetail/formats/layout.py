"""Where parts are drawn, as `layout:` of a YAML file says it: corner and size, y downwards.

And what is plotted, as `plots:` says it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from ..drawing.sketch import Box, PlotPanel

Corners = tuple[float, float, float, float]


def boxes_of(layout: Mapping[str, Corners], parts: Container[str]) -> dict[str, Box]:
    """Boxes by part; places of parts that are not there are left out."""
    return {n: Box(x, -y - h, x + w, -y) for n, (x, y, w, h) in layout.items() if n in parts}


def layout_of(boxes: Mapping[str, Box]) -> dict[str, list[float]]:
    """The same as a file has it; how a block is turned or flipped is not kept."""
    return {
        name: [
            _short(min(b.x1, b.x2)),
            _short(-max(b.y1, b.y2)),
            _short(abs(b.x2 - b.x1)),
            _short(abs(b.y2 - b.y1)),
        ]
        for name, b in boxes.items()
        if b.x1 != b.x2 and b.y1 != b.y2
    }


def plots_data(plots: Sequence[PlotPanel]) -> list[Any]:
    """Plots as a file has them: a list of names, or a mapping for one over another signal."""
    return [
        {"signals": list(p.signals), "over": p.over} if p.over else list(p.signals) for p in plots
    ]


def _short(number: float) -> float:
    """Without digits that nobody sees."""
    found = float(f"{number:.6g}") or 0.0
    return int(found) if found == int(found) else found
