"""Where the pins of a block are on the page, if not in rows left and right.

A place is a share of width and height, from the upper left corner. A sketch counts from the lower
left one, of the block before it is turned and mirrored; the page turns by quarters.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..diagrams.chart import Pin
from ..diagrams.measures import HEADER, ROW
from ..drawing.sketch import Box, Sketch

Share = tuple[float, float]
ZOOM = 1.25  # from the letters of a diagram to those of the page


def quarters_of(box: Box | None) -> int:
    """By how many quarters a block is turned, counterclockwise."""
    return 0 if box is None else round(box.rotation / 90.0) % 4


def places_of(
    part: str, sketch: Sketch, left: Sequence[Pin], right: Sequence[Pin], height: float
) -> dict[tuple[str, str], Share]:
    """The places of pins of a block of this height, by side and name, that are not as usual."""
    box = sketch.boxes.get(part)
    quarters, is_usual = quarters_of(box), not quarters_of(box) and not mirrored(box)
    found: dict[tuple[str, str], Share] = {}
    for side, x, pins in (("left", 0.0, left), ("right", 1.0, right)):
        for k, pin in enumerate(pins):
            point = sketch.points.get(f"{part}.{pin.name}")
            if point is not None:
                found[side, pin.name] = _seen(box, (point[0], 1.0 - point[1]))
            elif not is_usual:
                row = min(1.0, ZOOM * (HEADER + ROW * (k + 0.5)) / height)  # as the page has them
                y = (k + 1) / (len(pins) + 1) if quarters else 1.0 - row if _upside(box) else row
                found[side, pin.name] = _seen(box, (x, y))
    return found


def _upside(box: Box | None) -> bool:
    """Whether a block is upside down; its rows are not."""
    return "y" in mirrored(box)


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
