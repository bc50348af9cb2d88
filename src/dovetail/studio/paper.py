"""Where blocks are on the page: the places of the file, or else those of a layout.

The page counts in points, y downwards; a sketch counts in the units of its file, y upwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any

from ..diagrams.arrangement import Footprint
from ..diagrams.arranging import arranged
from ..diagrams.chart import Chart
from ..diagrams.measures import size_of
from ..drawing.sketch import Box, Sketch
from ..drawing.system import System
from .pins import ZOOM, quarters_of

JUNCTION = 22.0  # a junction on the page
_GAP = 40.0
_LARGEST_SCALE = 50.0
_ENOUGH = 130.0  # width of a block up to which a long name makes the paper larger


@dataclass(frozen=True, slots=True)
class Spot:
    """A block on the page: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float


def scale_of(chart: Chart, sketch: Sketch) -> float:
    """How many points a unit of the file is, so that every block has room for its text."""
    needed = [1.0]
    for block in chart.blocks:
        box = sketch.boxes.get(block.name)
        if not block.is_junction and box is not None and _is_drawn(box):
            size = size_of(block)
            needed.append(ZOOM * min(size.width, _ENOUGH) / abs(box.x2 - box.x1))
            needed.append(ZOOM * size.height / abs(box.y2 - box.y1))
    return min(_LARGEST_SCALE, max(needed))


def spots_of(chart: Chart, sketch: Sketch, scale: float) -> dict[str, Spot]:
    """Where every block and junction is: as the file has it, or laid out where it has nothing."""
    # Junctions are between the blocks that meet there, unless they were put somewhere.
    blocks = [b for b in chart.blocks if not b.is_junction]
    known = {
        b.name: sketch.boxes[b.name]
        for b in blocks
        if b.name in sketch.boxes and _is_drawn(sketch.boxes[b.name])
    }
    if not known:
        places = _laid_out(_bare(chart)) if chart.blocks else ()
        return {
            b.name: _spot(b.is_junction, ZOOM * p.x, ZOOM * p.y, ZOOM * p.width, ZOOM * p.height)
            for b, p in zip(chart.blocks, places, strict=True)
        }
    found = dict[str, Spot]()
    low = max(-min(b.y1, b.y2) * scale for b in known.values()) + _GAP
    left = min(min(b.x1, b.x2) * scale for b in known.values())
    for block in blocks:
        size = size_of(block)
        width, height = ZOOM * size.width, ZOOM * size.height
        box = known.get(block.name)
        if box is None:
            found[block.name] = Spot(left, low, width, height)
            left += width + _GAP
            continue
        x, y, wide, high = (v * scale for v in seen(box))
        found[block.name] = Spot(x, y, max(wide, width), max(high, height))
    found.update(_junctions(chart, found))
    for block in chart.blocks:
        first = block.name.partition(" = ")[0]
        if block.is_junction and first in sketch.joints:
            x, y = sketch.joints[first]
            middle = x * scale - JUNCTION / 2, -y * scale - JUNCTION / 2
            found[block.name] = Spot(*middle, JUNCTION, JUNCTION)
    return found


def seen(box: Box) -> tuple[float, float, float, float]:
    """What a box takes on paper, y downwards: left, top, width, height; turned by quarters."""
    wide, high = abs(box.x2 - box.x1), abs(box.y2 - box.y1)
    x, y = (box.x1 + box.x2) / 2, -(box.y1 + box.y2) / 2
    if quarters_of(box) % 2:
        wide, high = high, wide
    return x - wide / 2, y - high / 2, wide, high


def moved(system: System, spots: Mapping[str, Spot], scale: float) -> Sketch:
    """The sketch of a system with its parts at these places.

    Bends of wires that end at a part that moved were drawn for its old place, and go.
    """
    boxes = dict(system.sketch.boxes)
    gone = set[str]()
    for name, spot in spots.items():
        if name not in system.parts:
            continue
        before = boxes.get(name)
        x1, y2 = spot.x / scale, -spot.y / scale
        x2, y1 = x1 + spot.width / scale, y2 - spot.height / scale
        if before is None or not _is_drawn(before):
            boxes[name] = Box(x1, y1, x2, y2)
            gone.add(name)
            continue
        left, top, _, _ = seen(before)
        dx, dy = x1 - left, y2 + top
        if abs(dx) + abs(dy) > 1e-9:
            gone.add(name)
            boxes[name] = replace(
                before, x1=before.x1 + dx, x2=before.x2 + dx, y1=before.y1 + dy, y2=before.y2 + dy
            )
    ends = {str(c.target): (c.source.part, c.target.part) for c in system.connections}
    lines = {t: w for t, w in system.sketch.lines.items() if not gone & set(ends.get(t, ()))}
    return replace(system.sketch, boxes=boxes, lines=lines)


@lru_cache(maxsize=8)
def _laid_out(chart: Chart) -> tuple[Footprint, ...]:
    """A layout takes its time, and most edits leave the chart as it is."""
    return arranged(chart).places


def _bare(chart: Chart) -> Chart:
    """What a layout depends on: without texts that change with every value."""
    blocks = tuple(replace(b, details="") for b in chart.blocks)
    links = tuple(replace(link, details="") for link in chart.links)
    return Chart("", blocks, links, chart.cycles)


def _spot(is_junction: bool, x: float, y: float, width: float, height: float) -> Spot:
    return Spot(x, y, JUNCTION, JUNCTION) if is_junction else Spot(x, y, width, height)


def _junctions(chart: Chart, spots: Mapping[str, Spot]) -> dict[str, Spot]:
    """In the middle of the blocks that meet there."""
    ends: dict[int, list[Spot]] = {}
    for link in chart.links:
        for home, other in ((link.source[0], link.target[0]), (link.target[0], link.source[0])):
            if chart.blocks[home].is_junction and not chart.blocks[other].is_junction:
                ends.setdefault(home, []).append(spots[chart.blocks[other].name])
    found = {}
    for home, around in ends.items():
        x = sum(s.x + s.width / 2 for s in around) / len(around)
        y = sum(s.y + s.height / 2 for s in around) / len(around)
        found[chart.blocks[home].name] = Spot(
            x - JUNCTION / 2, y - JUNCTION / 2, JUNCTION, JUNCTION
        )
    return found


def _is_drawn(box: Box) -> bool:
    return all(map(isfinite, (box.x1, box.y1, box.x2, box.y2))) and (
        box.x1 != box.x2 and box.y1 != box.y2
    )


def marks_of(sketch: Sketch, scale: float) -> list[dict[str, Any]]:
    """Notes as the page shows them."""
    return [
        {
            "x": min(m.x1, m.x2) * scale,
            "y": -max(m.y1, m.y2) * scale,
            "width": abs(m.x2 - m.x1) * scale,
            "height": abs(m.y2 - m.y1) * scale,
            "text": m.text,
            "colour": m.colour,
        }
        for m in sketch.marks
        if all(map(isfinite, (m.x1, m.y1, m.x2, m.y2)))
    ]


def way_of(sketch: Sketch, target: str, scale: float) -> dict[str, Any]:
    """The corners of a wire, if it has some."""
    way = sketch.lines.get(target, ())
    return {"way": [[x * scale, -y * scale] for x, y in way]} if way else {}


def colour_of(sketch: Sketch, part: str) -> dict[str, Any]:
    """The colour of a block, if it has one."""
    return {"colour": sketch.colours[part]} if part in sketch.colours else {}
