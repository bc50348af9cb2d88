"""A page to look into by hand: zoom, hover, toggle. One file that needs no network."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ...core.signals import Vector
from ...core.whole_file import whole_file
from .curves import Curve, curve
from .lanes import lane_heights
from .panels import Panel
from .sheet import Sheet
from .strokes import strokes
from .uplot import Uplot

MOST_CURVES = 30
FEWEST_POINTS, MOST_POINTS, ALL_POINTS = 10_000, 100_000, 1_000_000  # the first two: of a curve
PIXELS = 96  # per inch


def save_page(sheet: Sheet, path: Path) -> None:
    """Write the page."""
    text = page(sheet)
    with whole_file(path) as place:
        place.write_text(text, encoding="utf-8")


def page(sheet: Sheet, *, inline: bool = False) -> str:
    """The page: the template with the library, the words and the curves put in.

    `inline` is for a frame in a notebook, which stores it: at most 10 000 points of a curve.
    """
    library, stack = Uplot.installed(), sheet.panels(MOST_CURVES)
    curves = curves_of(stack, FEWEST_POINTS if inline else MOST_POINTS)
    template, style, script = (
        files(__package__).joinpath(f"page.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
    size = "" if sheet.size is None else f"width: {PIXELS * sheet.size[0]:.0f}px"
    filled = {
        "title": escape(sheet.title),
        "subtitle": escape(sheet.below_title(stack)),
        "note": escape(_thinned([one for panel in curves for one in panel])),
        "kind": "inline" if inline else "alone",
        "size": size,
        "licence": library.licence.replace("--", "- -"),
        "library_style": library.style,
        "library": library.script,
        "style": style,
        "script": script,
        "sheet": script_safe(sheet_facts(sheet, stack, curves)),
    }
    before, *pieces = template.split("{{")
    parts = [before]
    for piece in pieces:
        name, _, after = piece.partition("}}")
        parts += [filled[name], after]
    return "".join(parts)


def page_height(sheet: Sheet) -> int:
    """Pixels that the page needs inside another one."""
    stack = sheet.panels(MOST_CURVES)
    lanes = sum(40 + 30 * len(panel.traces) for panel in stack if panel.lanes)
    lines = sum(not panel.lanes for panel in stack) * (210 if sheet.over_time else 380)
    return 110 + (lanes + lines if sheet.size is None else round(PIXELS * sheet.size[1]))


def curves_of(stack: list[Panel], most: int = MOST_POINTS) -> list[list[Curve]]:
    """The points of every panel: all that were recorded, unless they are very many."""
    count = max(1, sum(len(panel.traces) for panel in stack))
    most = max(FEWEST_POINTS, min(most, ALL_POINTS // count))
    return [[curve(trace, most) for trace in panel.traces] for panel in stack]


def sheet_facts(sheet: Sheet, stack: list[Panel], curves: list[list[Curve]]) -> dict[str, Any]:
    """The sheet as the script of the page takes it; equal arrays are written once."""
    store = ArrayStore()
    panels = [
        {
            "label": panel.label,
            "lanes": panel.lanes,
            "weight": 0.3 + 0.16 * len(shown) if panel.lanes else 1.0,
            "more": panel.left_out,
            "curves": _curves(panel, shown, store),
        }
        for panel, shown in zip(stack, curves, strict=True)
    ]
    size = None if sheet.size is None else [PIXELS * length for length in sheet.size]
    axis = {"x": sheet.x, "over_time": sheet.over_time, "size": size}
    return {**axis, "panels": panels, "arrays": store.texts}


class ArrayStore:
    """Numbers as bytes: exact, and a third of the length of their digits."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[bytes, int] = {}

    def place(self, values: Vector) -> int:
        """Where the array stands, put there if it is new."""
        data = np.ascontiguousarray(values, dtype="<f8").tobytes()
        if data not in self._places:
            self._places[data] = len(self.texts)
            self.texts.append(b64encode(data).decode())
        return self._places[data]


def script_safe(value: Any) -> str:
    """JSON that cannot end the script it stands in, whatever names it holds."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _curves(panel: Panel, curves: list[Curve], store: ArrayStore) -> list[dict[str, Any]]:
    made = []
    for place, (one, stroke) in enumerate(zip(curves, strokes(panel, curves), strict=True)):
        floor = len(curves) - 1 - place
        made.append(
            {
                "name": one.trace.name,
                "label": stroke.label,
                "colour": stroke.colour,
                "width": stroke.width,
                "dashes": stroke.dashes,
                "offset": stroke.offset,
                "x": store.place(one.x),
                "t": store.place(one.time),
                "y": store.place(lane_heights(one, floor) if panel.lanes else one.values),
                "stepped": one.stepped,
                "text": one.text,
                "unit": one.trace.column.unit,
            }
        )
    return made


def _thinned(curves: list[Curve]) -> str:
    """What is said where not every recorded row is on the page."""
    thinned = [one for one in curves if one.thinned]
    if not thinned:
        return ""
    points, rows = max(len(one.x) for one in thinned), max(one.rows for one in thinned)
    which = f"{len(thinned)} curves show" if len(thinned) > 1 else "One curve shows"
    return (
        f"{which} at most {points} of {rows} recorded points: of each short stretch the lowest "
        "and the highest, so that no peak is lost."
    )
