"""How a drawing looks, as YAML says it: y downwards, pins as shares of their block.

`layout:` has corner and size of parts, `look:` what only some of them have.
`plots:` has what is plotted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..drawing.sketch import Box, Mark, PlotPanel, Sketch
from ..drawing.system import System
from .choices import STRICT

Corners = tuple[float, float, float, float]
Pair = Annotated[tuple[float, float], Field(strict=False)]
Area = Annotated[tuple[float, float, float, float], Field(strict=False)]
Colour = Literal["red", "orange", "yellow", "green", "blue", "purple", "grey"]


class NoteEntry(BaseModel):
    """Words on the paper, in a frame if it has a colour."""

    model_config = ConfigDict(**STRICT, allow_inf_nan=False)
    text: str = ""
    at: Area  # x, y, width, height
    colour: Colour | None = None


class LookEntry(BaseModel):
    """What a drawing has beside the places of its parts."""

    model_config = ConfigDict(**STRICT, allow_inf_nan=False)
    turned: dict[str, float] = {}  # parts, by degrees, counterclockwise
    mirrored: dict[str, Literal["x", "y", "xy"]] = {}  # left to right, upside down, both
    colours: dict[str, Colour] = {}
    pins: dict[str, Pair] = {}  # `part.variable`: shares of width and height of the block
    junctions: dict[str, Pair] = {}  # by their first port
    bends: dict[str, list[Pair]] = {}  # of wires, by the input that they end at
    notes: list[NoteEntry] = []


def sketch_of(layout: Mapping[str, Corners], look: LookEntry, system: System) -> Sketch:
    """How a system looks; what is said of things that are not there is left out."""
    boxes = boxes_of(layout, system.parts)
    for name, angle in look.turned.items():
        if name in boxes:
            boxes[name] = replace(boxes[name], rotation=angle)
    for name, across in look.mirrored.items():
        if name in boxes:
            b = boxes[name]
            x1, x2 = (b.x2, b.x1) if "x" in across else (b.x1, b.x2)
            y1, y2 = (b.y2, b.y1) if "y" in across else (b.y1, b.y2)
            boxes[name] = replace(b, x1=x1, x2=x2, y1=y1, y2=y2)
    fed = {str(c.target) for c in system.connections if not c.junction}
    return replace(
        system.sketch,
        boxes=boxes,
        points={n: (x, 1.0 - y) for n, (x, y) in look.pins.items() if _part(n) in system.parts},
        lines={n: tuple((x, -y) for x, y in w) for n, w in look.bends.items() if n in fed},
        marks=tuple(
            Mark(x, -y - h, x + w, -y, note.text, note.colour or "")
            for note in look.notes
            for x, y, w, h in [note.at]
        ),
        joints={n: (x, -y) for n, (x, y) in look.junctions.items() if _part(n) in system.parts},
        colours={n: colour for n, colour in look.colours.items() if n in system.parts},
    )


def look_of(system: System) -> dict[str, Any]:
    """The same as a file has it: nothing of what nobody said."""
    sketch, parts = system.sketch, system.parts
    drawn = {n: b for n, b in sketch.boxes.items() if n in parts and b.x1 != b.x2 and b.y1 != b.y2}
    mirrored = {n: "x" * (b.x1 > b.x2) + "y" * (b.y1 > b.y2) for n, b in drawn.items()}
    look: dict[str, Any] = {
        "turned": {n: _short(b.rotation) for n, b in drawn.items() if b.rotation % 360},
        "mirrored": {n: across for n, across in mirrored.items() if across},
        "colours": {n: colour for n, colour in sketch.colours.items() if n in parts},
        "pins": {
            n: [_short(x), _short(1.0 - y)]
            for n, (x, y) in sketch.points.items()
            if _part(n) in parts
        },
        "junctions": {
            n: [_short(x), _short(-y)]
            for n, (x, y) in sketch.joints.items()
            if n in {str(j.ends[0]) for j in system.junctions}
        },
        "bends": {n: [[_short(x), _short(-y)] for x, y in way] for n, way in sketch.lines.items()},
        "notes": [note_of(mark) for mark in sketch.marks],
    }
    return {key: found for key, found in look.items() if found}


def paper_data(system: System) -> dict[str, Any]:
    """`layout:` and `look:`, as far as somebody said so."""
    boxes = {n: b for n, b in system.sketch.boxes.items() if n in system.parts}
    found = {"layout": layout_of(boxes), "look": look_of(system)}
    return {key: data for key, data in found.items() if data}


def unsaid_look(system: System) -> dict[str, Any]:
    """What SSP has no place for: junctions, colours, pins of power ports."""
    ports = {f"{p.name}.{port}" for p in system.parts.values() for port in p.description.ports}
    look = look_of(system)
    found = {key: look[key] for key in ("junctions", "colours") if key in look}
    pins = {n: at for n, at in look.get("pins", {}).items() if n in ports}
    notes = {"notes": look["notes"]} if any(m.colour for m in system.sketch.marks) else {}
    return found | ({"pins": pins} if pins else {}) | notes


def with_look(sketch: Sketch, look: LookEntry, system: System) -> Sketch:
    """The sketch of a system that was read, with what `unsaid_look` had kept beside it."""
    found = sketch_of({}, look, system)
    same = [m.text for m in sketch.marks] == [m.text for m in found.marks]
    marks = sketch.marks
    if same:
        pairs = zip(marks, found.marks, strict=True)
        marks = tuple(replace(mark, colour=own.colour) for mark, own in pairs)
    points = {**sketch.points, **found.points}
    return replace(sketch, joints=found.joints, colours=found.colours, marks=marks, points=points)


def note_of(mark: Mark) -> dict[str, Any]:
    """A note as a file has it."""
    corner = [min(mark.x1, mark.x2), -max(mark.y1, mark.y2)]
    size = [abs(mark.x2 - mark.x1), abs(mark.y2 - mark.y1)]
    found: dict[str, Any] = {"text": mark.text, "at": [_short(v) for v in corner + size]}
    return found | ({"colour": mark.colour} if mark.colour else {})


def _part(name: str) -> str:
    return name.partition(".")[0]


def boxes_of(layout: Mapping[str, Corners], parts: Container[str]) -> dict[str, Box]:
    """Boxes by part; places of parts that are not there are left out."""
    return {n: Box(x, -y - h, x + w, -y) for n, (x, y, w, h) in layout.items() if n in parts}


def layout_of(boxes: Mapping[str, Box]) -> dict[str, list[float]]:
    """The same as a file has it; how a block is turned or flipped, `look_of` says."""
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


def plots_of(
    panels: Iterable[tuple[Sequence[str], str]], parts: Container[str]
) -> tuple[PlotPanel, ...]:
    """The same the other way round; signals of parts that are not there are left out."""
    made = (
        PlotPanel(
            tuple(n for n in signals if _part(n) in parts), over if _part(over) in parts else ""
        )
        for signals, over in panels
    )
    return tuple(p for p in made if p.signals)


def _short(number: float) -> float:
    """Without digits that nobody sees."""
    found = float(f"{number:.6g}") or 0.0
    return int(found) if found == int(found) else found
