"""Places that a file gave to its parts, as SSP does: kept, and enlarged so that text has room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite

from ..drawing.sketch import Box, Point, Sketch
from .arrangement import Arrangement, Dot, Footprint, Remark
from .chart import Chart, Link, PinPlace
from .measures import JUNCTION, size_of

_ENOUGH = 130.0  # width of a block up to which a long name makes the paper larger
_LARGEST = 6000.0  # of a paper; else the places are no help
_APART = 9.0  # between two wires
_TURN = 18.0  # how far a wire leads away from its block before it turns


def arranged_on_paper(chart: Chart, sketch: Sketch) -> Arrangement | None:
    """The chart where the file has it; None if that is not known of all, or of no use."""
    boxes = _boxes(chart, sketch)
    if boxes is None:
        return None
    scale = _scale(chart, boxes)
    left, top = min(min(b.x1, b.x2) for b in boxes), max(max(b.y1, b.y2) for b in boxes)

    def dot(point: Point) -> Dot:
        return round((point[0] - left) * scale, 2), round((top - point[1]) * scale, 2)

    places = [_place(dot((b.x1, b.y1)), dot((b.x2, b.y2))) for b in boxes]
    rough = Arrangement(tuple(places), (), 0.0, 0.0)
    pins_left, pins_right = dict[PinPlace, Dot](), dict[PinPlace, Dot]()
    for k, box in enumerate(boxes):
        block = chart.blocks[k]
        for pins, known in ((block.left, pins_left), (block.right, pins_right)):
            for n, pin in enumerate(pins):
                point = sketch.points.get(f"{block.name}.{pin.name}")
                if point is not None:
                    known[k, n] = dot(_inside(box, point))
    rough = Arrangement(tuple(places), (), 0.0, 0.0, pins_left, pins_right)
    places += _junctions(chart, rough, len(boxes))
    whole = Arrangement(tuple(places), (), 0.0, 0.0, pins_left, pins_right)
    lines = {name: [dot(p) for p in points] for name, points in sketch.lines.items()}
    nets = {source: k for k, source in enumerate(dict.fromkeys(k.source for k in chart.links))}
    wires = [_wire(chart, whole, link, lines, nets[link.source]) for link in chart.links]
    marks = [Remark(_place(dot((m.x1, m.y1)), dot((m.x2, m.y2))), m.text) for m in sketch.marks]
    found = whole.completed(wires, marks)
    return found if max(found.width, found.height) <= _LARGEST else None


def _boxes(chart: Chart, sketch: Sketch) -> list[Box] | None:
    """Those of all parts, if there are any, all have one, and none lies on another."""
    parts = [b.name for b in chart.blocks if not b.is_junction]
    boxes = [sketch.boxes[name] for name in parts if name in sketch.boxes]
    if not boxes or len(boxes) < len(parts):
        return None
    corners = [(min(b.x1, b.x2), min(b.y1, b.y2), max(b.x1, b.x2), max(b.y1, b.y2)) for b in boxes]
    if not all(all(map(isfinite, c)) and c[0] < c[2] and c[1] < c[3] for c in corners):
        return None
    for k, a in enumerate(corners):
        for b in corners[:k]:
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
                return None
    return boxes


def _scale(chart: Chart, boxes: Sequence[Box]) -> float:
    """How many points a unit of the file is, so that every block has room for its text."""
    needed = []
    for block, box in zip(chart.blocks, boxes, strict=False):
        size = size_of(block)
        needed.append(min(size.width, _ENOUGH) / abs(box.x2 - box.x1))
        needed.append(size.height / abs(box.y2 - box.y1))
    return max(needed)


def _place(first: Dot, second: Dot) -> Footprint:
    (x1, x2), (y1, y2) = sorted((first[0], second[0])), sorted((first[1], second[1]))
    return Footprint(x1, y1, x2 - x1, y2 - y1)


def _inside(box: Box, share: Point) -> Point:
    """A point that is given as a share of its box; swapped corners mirror it."""
    return box.x1 + share[0] * (box.x2 - box.x1), box.y1 + share[1] * (box.y2 - box.y1)


def _junctions(chart: Chart, rough: Arrangement, first: int) -> list[Footprint]:
    """A place in the middle of the ports that meet."""
    ports: dict[int, list[Dot]] = {}
    for link in chart.links:
        if link.is_bond and link.source[0] < first:
            ports.setdefault(link.target[0], []).append(rough.right_pin(chart, link.source))
        elif link.is_bond:
            ports.setdefault(link.source[0], []).append(rough.left_pin(chart, link.target))
    found = []
    for k in range(first, len(chart.blocks)):
        x = sum(dot[0] for dot in ports[k]) / len(ports[k])
        y = sum(dot[1] for dot in ports[k]) / len(ports[k])
        found.append(Footprint(x - JUNCTION / 2, y - JUNCTION / 2, JUNCTION, JUNCTION))
    return found


def _wire(
    chart: Chart, whole: Arrangement, link: Link, lines: Mapping[str, Sequence[Dot]], net: int
) -> tuple[Dot, ...]:
    """As the file bends it; else with right angles, beside those of other nets."""
    start, end = whole.right_pin(chart, link.source), whole.left_pin(chart, link.target)
    block, pin = chart.blocks[link.target[0]], link.target[1]
    bends = lines.get(f"{block.name}.{block.left[pin].name}", ())
    if bends and not link.is_bond:
        dots = [start, *bends, end]
        return (start, *(b for a, b in pairwise(dots) if a != b)) if start != end else (start, end)
    if end[0] > start[0] + _TURN or link.is_bond:
        room = end[0] - start[0]
        middle = start[0] + room / 2 + min(_APART, room / 10) * (net % 9 - 4)
        if start[1] == end[1]:
            return start, end
        return start, (middle, start[1]), (middle, end[1]), end
    aside = _TURN + _APART * (net % 5)
    out, into = start[0] + aside, end[0] - aside
    above = [p.y + p.height for p in whole.places if into < p.x + p.width and p.x < out]
    low = max(above) + aside  # below every block on the way
    return start, (out, start[1]), (out, low), (into, low), (into, end[1]), end
