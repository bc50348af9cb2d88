"""A live plot as SVG: a few thousand characters, made in milliseconds."""

from __future__ import annotations

from html import escape
from math import isnan

import numpy as np

from .frame import LiveCurve, LiveFrame, LivePanel

WIDTH, LEFT, RIGHT, PANEL, GAP = 860, 70, 210, 130, 26
_COLUMNS = 800


def svg(frame: LiveFrame) -> str:
    """The frame as a picture that stands alone; text has the colour of what is around it."""
    height = 34 + len(frame.panels) * (PANEL + GAP) + 14
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" style="max-width:100%" font-family="system-ui, sans-serif" '
        'font-size="11" fill="currentColor">'
    ]
    at = f"{frame.title}: {frame.clock.at(frame.time)}, {frame.share:.0%}"
    parts.append(f'<text x="{LEFT}" y="18" font-size="13" font-weight="bold">{escape(at)}</text>')
    for k, panel in enumerate(frame.panels):
        parts += _panel(panel, frame, 34 + k * (PANEL + GAP))
    below = height - 12
    start, stop = frame.span
    parts.append(f'<text x="{LEFT}" y="{below}">{start:g}</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{below}" text-anchor="end">{stop:g} s</text>')
    return "".join([*parts, "</svg>"])


def _panel(panel: LivePanel, frame: LiveFrame, top: float) -> list[str]:
    low, high = panel.limits()
    wide = WIDTH - LEFT - RIGHT
    box = f'x="{LEFT}" y="{top}" width="{wide}" height="{PANEL}"'
    unit = f"[{panel.unit}]" if panel.unit else ""
    parts = [
        f'<rect {box} fill="none" stroke="currentColor" stroke-opacity="0.25"/>',
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{high:.4g}</text>',
        f'<text x="{LEFT - 6}" y="{top + PANEL}" text-anchor="end">{low:.4g}</text>',
        f'<text x="{LEFT - 6}" y="{top + PANEL / 2 + 4}" text-anchor="end">{escape(unit)}</text>',
    ]
    for k, curve in enumerate(panel.curves):
        y = top + 10 + 15 * k
        x = WIDTH - RIGHT + 10
        parts.append(_path(curve, frame, (low, high), top))
        parts.append(
            f'<line x1="{x}" x2="{x + 18}" y1="{y - 4}" y2="{y - 4}" stroke="{curve.colour}" '
            f'stroke-width="2.5"/><text x="{x + 24}" y="{y}">{escape(curve.name)}</text>'
        )
    if panel.more:
        y = top + 10 + 15 * len(panel.curves)
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{y}">and {panel.more} more</text>')
    return parts


def _path(curve: LiveCurve, frame: LiveFrame, limits: tuple[float, float], top: float) -> str:
    low, high = curve.columns(*frame.span, _COLUMNS)
    x = LEFT + (np.arange(_COLUMNS) + 0.5) / _COLUMNS * (WIDTH - LEFT - RIGHT)
    with np.errstate(over="ignore", invalid="ignore"):
        ends = [top + (limits[1] - v) / (limits[1] - limits[0]) * PANEL for v in (low, high)]
    steps, pen = [], False
    for at, down, up in zip(x.tolist(), *(end.tolist() for end in ends), strict=True):
        if isnan(down):
            pen = False
            continue
        steps.append(f"{'L' if pen else 'M'}{at:.1f} {down:.1f}")
        if down - up > 0.5:
            steps.append(f"L{at:.1f} {up:.1f}")
        pen = True
    line = f'fill="none" stroke="{curve.colour}" stroke-width="1.6" stroke-linejoin="round"'
    return f'<path d="{" ".join(steps)}" {line}/>'
