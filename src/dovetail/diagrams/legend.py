"""What the colours and marks of a diagram mean, for those that are in it."""

from __future__ import annotations

from .chart import Chart
from .colours import EDGE, QUIET, SURFACE, WIRE, cycle_colour
from .lettering import width_of
from .marks import arrow, badge, bond, junction_mark, pin_mark
from .scene import Figure, RoundedBox, RoundedLine, Words, moved

_LINE, _TEXT, _SAMPLE, _PAD = 20.0, 11.0, 36.0, 10.0
_MANY = 6  # cycles that are listed


def legend(chart: Chart) -> tuple[list[Figure], tuple[float, float]]:
    """Shapes, and the room they take; none where everything is plain."""
    entries = _entries(chart)
    if not entries:
        return [], (0.0, 0.0)
    width = max(width_of(text, _TEXT) for _, text in entries) + _SAMPLE + 4 * _PAD
    height = _LINE * len(entries) + _PAD
    figures: list[Figure] = [RoundedBox(0.0, 0.0, width, height, SURFACE, EDGE, 5.0, 0.6)]
    for k, (sample, text) in enumerate(entries):
        y = _PAD / 2 + _LINE * (k + 0.5)
        figures += [moved(figure, _PAD, y) for figure in sample]
        figures.append(Words(_SAMPLE + 2 * _PAD, y, text, _TEXT, QUIET))
    return figures, (width, height)


def _entries(chart: Chart) -> list[tuple[list[Figure], str]]:
    entries: list[tuple[list[Figure], str]] = []
    for k, count in enumerate(chart.cycles[:_MANY]):
        what = "one part feeds itself" if count == 1 else f"{count} parts depend on each other"
        colour = cycle_colour(k)
        line = RoundedLine(((0.0, 0.0), (_SAMPLE - 4.0, 0.0)), colour)
        entries.append(([*badge(8.0, 0.0, k), line, arrow((_SAMPLE, 0.0), colour)],
                        f"cycle {k + 1}: {what}"))  # fmt: skip
        entries[-1][0].sort(key=lambda figure: not isinstance(figure, RoundedLine))
    if len(chart.cycles) > _MANY:
        entries.append(([], f"and {len(chart.cycles) - _MANY} more cycles"))
    if any(block.is_junction for block in chart.blocks):
        line_ = bond(((0.0, 0.0), (_SAMPLE, 0.0)), WIRE)
        entries.append(([*line_, *junction_mark(_SAMPLE / 2, 0.0, WIRE)], "power ports that meet"))
    if any(pin.kind == "tuned" for block in chart.blocks for pin in block.left):
        mark = pin_mark("tuned", _SAMPLE / 2, 0.0)
        entries.append((mark, "a parameter that a link sets during the run"))
    return entries
