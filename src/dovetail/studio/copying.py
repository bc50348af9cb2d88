"""The command that copies parts, with all that is drawn between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from ..drawing.sketch import Sketch
from ..drawing.system import System
from .board import Board, Command, Point, Text, known
from .paper import Spot


class Copy(Command):
    """Parts once more, with their values, and the wires and junctions between them.

    They come with their middle `at` a point, or else a bit beside the others. `source` is the
    group that they are copied from, if it is not the one that the command works on.
    """

    do: Literal["copy"]
    parts: Annotated[list[Text], Field(min_length=1, max_length=1000)]
    by: Point = (40.0, 40.0)
    at: Point | None = None
    source: list[Text] | None = None  # a path

    def apply(self, board: Board) -> None:
        """New names count up."""
        system = board.system
        origin = system if self.source is None else board.at(self.source).system
        names: dict[str, str] = {}
        for old in self.parts:
            names[old] = _free_name(system, old, names.values())
        before = board.spots()
        spots = before if self.source is None else board.at(self.source).spots()
        wires = [c for c in origin.connections if not c.junction]
        for old, new in names.items():
            part = known(origin, old)
            system.put(part.bare(new))
        for c in wires:
            if c.source.part in names and c.target.part in names:
                system.connect(
                    f"{names[c.source.part]}.{c.source.variable.name}",
                    f"{names[c.target.part]}.{c.target.variable.name}",
                    gain=c.gain, offset=c.offset, convert=c.convert, table=dict(c.table) or None,
                )  # fmt: skip
        for j in list(origin.junctions):
            if all(e.part in names for e in j.ends):
                kind, level = j.asked
                ports = [f"{names[e.part]}.{e.name}" for e in j.ends]
                system.join(*ports, kind=kind, level=level, coordinator=j.coordinator)
        dx, dy = self._by([spots[old] for old in names])
        copies = {
            new: replace(spots[old], x=spots[old].x + dx, y=spots[old].y + dy)
            for old, new in names.items()
        }
        board.place({**before, **copies})
        _look_alike(system, origin.sketch, names)

    def _by(self, spots: Sequence[Spot]) -> tuple[float, float]:
        if self.at is None:
            return self.by
        left, right = min(s.x for s in spots), max(s.x + s.width for s in spots)
        top, bottom = min(s.y for s in spots), max(s.y + s.height for s in spots)
        return self.at[0] - (left + right) / 2, self.at[1] - (top + bottom) / 2


def _look_alike(system: System, sketch: Sketch, names: Mapping[str, str]) -> None:
    """Copies are turned, mirrored and coloured as the others are."""
    now = system.sketch
    boxes = dict(now.boxes)
    for old, new in names.items():
        seen = sketch.boxes.get(old)
        if seen is not None and new in boxes:
            b = boxes[new]
            x1, x2 = sorted((b.x1, b.x2), reverse=seen.x1 > seen.x2)
            y1, y2 = sorted((b.y1, b.y2), reverse=seen.y1 > seen.y2)
            boxes[new] = replace(seen, x1=x1, x2=x2, y1=y1, y2=y2)
    points = {
        f"{names[part]}.{rest}": at
        for name, at in sketch.points.items()
        for part, _, rest in [name.partition(".")]
        if part in names
    }
    colours = {names[n]: c for n, c in sketch.colours.items() if n in names}
    system.sketch = replace(
        now, boxes=boxes, colours={**now.colours, **colours}, points={**now.points, **points}
    )


def _free_name(system: System, wanted: str, taken: Collection[str]) -> str:
    if wanted not in system.parts and wanted not in taken:
        return wanted
    stem = wanted.rstrip("0123456789").rstrip() or wanted
    count = 2
    while f"{stem}{count}" in system.parts or f"{stem}{count}" in taken:
        count += 1
    return f"{stem}{count}"
