"""Where the pins of a block are on the page, if not in rows left and right.

A place is a share of width and height, from the upper left corner. A sketch counts from the lower
left one, of the block before it is turned and mirrored; the page turns by quarters.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..diagrams.chart import Pin
from ..drawing.sketch import Box, Sketch

Share = tuple[float, float]


def quarters_of(box: Box | None) -> int:
    """By how many quarters a block is turned, counterclockwise."""
    return 0 if box is None else round(box.rotation / 90.0) % 4


def places_of(
    part: str, sketch: Sketch, left: Sequence[Pin], right: Sequence[Pin]
) -> dict[tuple[str, str], Share]:
    """The places of all pins of a block, by side and name; empty if they are as usual."""
    box = sketch.boxes.get(part)
    own = {p.name: sketch.points.get(f"{part}.{p.name}") for p in (*left, *right)}
    if not any(own.values()) and not quarters_of(box) and not mirrored(box):
        return {}
    found: dict[tuple[str, str], Share] = {}
    for side, x, pins in (("left", 0.0, left), ("right", 1.0, right)):
        for k, pin in enumerate(pins):
            point = own[pin.name]
            plain = (x, (k + 1) / (len(pins) + 1)) if point is None else (point[0], 1 - point[1])
            found[side, pin.name] = _seen(box, plain)
    return found


def mirrored(box: Box | None) -> str:
    """How a block is mirrored: "", "x", "y" or "xy"."""
    return "" if box is None else "x" * (box.x1 > box.x2) + "y" * (box.y1 > box.y2)


def straightened(box: Box | None, at: Share) -> Share:
    """The place of a pin before its block was turned and mirrored."""
    x, y = at
    for _ in range(quarters_of(box)):
        x, y = 1.0 - y, x  # clockwise
    return _mirrored(box, (x, y))


def _seen(box: Box | None, at: Share) -> Share:
    x, y = _mirrored(box, at)
    for _ in range(quarters_of(box)):
        x, y = y, 1.0 - x  # counterclockwise
    return _inside(x), _inside(y)


def _mirrored(box: Box | None, at: Share) -> Share:
    across = mirrored(box)
    x, y = at
    return (1.0 - x if "x" in across else x), (1.0 - y if "y" in across else y)


def _inside(share: float) -> float:
    return min(1.0, max(0.0, share))
