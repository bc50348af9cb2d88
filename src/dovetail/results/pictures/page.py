"""A page to look into by hand: zoom, hover, toggle. One file that needs no network."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Vector
from .captions import shortened, subtitle, title_of
from .panels import COLOURS, Curve, Panel, curve, panels

if TYPE_CHECKING:
    from ..result import Result

MOST_CURVES, MOST_POINTS, ALL_POINTS = 30, 4000, 400_000
GAP = 0.035  # between panels, of the height
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def save_page(result: Result, names: Sequence[str], title: str | None, path: Path) -> None:
    """Write the page."""
    path.write_text(page(result, names, title), encoding="utf-8")


def page(result: Result, names: Sequence[str], title: str | None) -> str:
    """The page: the template with the library, the words and the figure put in."""
    from plotly.offline import get_plotlyjs

    stack = panels(result, names, MOST_CURVES)
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    heading = title_of(result, title)
    filled = {
        "title": escape(heading),
        "subtitle": escape(subtitle(result, stack)),
        "figure": script_safe(figure(result, stack)),
        "library": get_plotlyjs(),
    }
    before, *pieces = template.split("{{")
    parts = [before]
    for piece in pieces:
        name, _, after = piece.partition("}}")
        parts += [filled[name], after]
    return "".join(parts)


def figure(result: Result, stack: Sequence[Panel]) -> dict[str, Any]:
    """The figure as plotly.js takes it: one x axis under a stack of panels."""
    count = sum(len(panel.columns) for panel in stack)
    most = max(500, min(MOST_POINTS, ALL_POINTS // max(1, count)))
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"xaxis": _time_axis(result, len(stack))}
    weights = [0.3 + 0.16 * len(p.columns) if p.lanes else 1.0 for p in stack]
    top = 1.0
    for k, (panel, weight) in enumerate(zip(stack, weights, strict=True)):
        number = "" if k == 0 else str(k + 1)
        height = weight / sum(weights) * (1 - GAP * (len(stack) - 1))
        curves = [curve(result, column, most) for column in panel.columns]
        layout[f"yaxis{number}"] = _value_axis(panel, [max(0.0, top - height), top])
        layout[f"legend{number}"] = _legend(top, panel)
        data += [_trace(one, j, number, panel) for j, one in enumerate(curves)]
        top -= height + GAP
    return {"data": data, "layout": layout | _look()}


def script_safe(value: Any) -> str:
    """JSON that cannot end the script it stands in, whatever names it holds."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _trace(one: Curve, place: int, number: str, panel: Panel) -> dict[str, Any]:
    unit = one.column.unit or ""
    lane = len(panel.columns) - 1 - place
    values = lane + 0.12 + 0.72 * one.values if panel.lanes else one.values
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if len(one.time) <= 40 and not one.stepped else "lines",
        "name": _shown(one.column.name, 48),
        "meta": one.column.name,  # what the filter looks at
        "x": _packed(one.time),
        "y": _packed(values),
        "xaxis": "x",
        "yaxis": f"y{number}",
        "legend": f"legend{number}",
        "line": {
            "color": panel.colour(place),
            "width": 2 - 0.15 * min(place, 4),
            "simplify": False,
        }
        | ({"shape": "hv"} if one.stepped else {})
        | ({"dash": "dash"} if place >= len(COLOURS) else {}),
        "marker": {"size": 5},
        "hovertemplate": "%{y:.6~g} " + _shown(unit, 20).replace("%", "&#37;"),
    }
    if one.text is not None:
        trace["text"] = [_shown(text, 80) for text in one.text]
        trace["hovertemplate"] = "%{text}"
    return trace


def _shown(text: str, most: int) -> str:
    """Text for plotly.js, which would take tags for markup."""
    return escape(shortened(text, most), quote=False)


def _packed(values: Vector) -> dict[str, str]:
    """Numbers as bytes: exact, and a third of the length of their digits."""
    data = np.ascontiguousarray(values, dtype="<f8").tobytes()
    return {"dtype": "f8", "bdata": b64encode(data).decode()}


def _time_axis(result: Result, count: int) -> dict[str, Any]:
    first, last = float(result.time[0]), float(result.time[-1])
    limits = {"range": [first, last]} if last > first else {}
    return {
        "title": {"text": "time [s]"},
        "anchor": "y" if count == 1 else f"y{count}",
        "showspikes": True,
        "spikemode": "across",
        "spikethickness": 1,
        "spikedash": "solid",
        "spikecolor": "#98a3b3",
        "hoverformat": ".6~g",
        "unifiedhovertitle": {"text": "t = %{x:.6~g} s"},
        **limits,
    } | _lines()


def _value_axis(panel: Panel, domain: list[float]) -> dict[str, Any]:
    axis = {"domain": domain, "anchor": "x", "title": {"text": _shown(panel.label, 20)}} | _lines()
    if panel.lanes:
        count = len(panel.columns)
        axis |= {
            "range": [-0.1, count],
            "tickvals": [count - 1 - k + 0.48 for k in range(count)],
            "ticktext": [_shown(c.name, 28) for c in panel.columns],
            "showgrid": False,
            "fixedrange": True,
        }
    return axis | {"exponentformat": "power", "minexponent": 6, "automargin": True}


def _legend(top: float, panel: Panel) -> dict[str, Any]:
    legend: dict[str, Any] = {
        "x": 1.01,
        "y": top,
        "xanchor": "left",
        "yanchor": "top",
        "font": {"size": 12},
        "itemsizing": "constant",
        "tracegroupgap": 0,
    }
    if panel.left_out:
        legend["title"] = {"text": f"and {panel.left_out} more", "font": {"size": 11}}
    return legend


def _lines() -> dict[str, Any]:
    return {"gridcolor": "#e8ebf0", "zerolinecolor": "#d5dae2", "linecolor": "#c3cad4"}


def _look() -> dict[str, Any]:
    return {
        "font": {"family": FONT, "size": 12, "color": "#3b4654"},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "margin": {"l": 74, "r": 20, "t": 36, "b": 48},
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "hoverlabel": {"bgcolor": "rgba(255,255,255,0.94)", "font": {"size": 12}},
        "showlegend": True,
    }
