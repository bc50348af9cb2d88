"""How a drawing looks, said in the words of a YAML file: corners and sizes, y downwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..core.errors import DrawingError, OptionError, Problem, did_you_mean
from .sketch import Box, Mark

if TYPE_CHECKING:
    from .canvas import Canvas

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "grey")
_WIDE, _HIGH = 120.0, 80.0  # of a block that was nowhere


class Looks:
    """Changes how a system looks on paper, and nothing else about it."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def place(
        self, part: str, x: float, y: float, width: float | None = None, height: float | None = None
    ) -> None:
        """Put a part somewhere: its upper left corner, and its size if that is given."""
        _finite(x, y, width or 1.0, height or 1.0)
        before = self._canvas.sketch.boxes.get(self._part(part), Box(0.0, 0.0, _WIDE, _HIGH))
        wide = abs(before.x2 - before.x1) if width is None else width
        high = abs(before.y2 - before.y1) if height is None else height
        left, low = (x, x + wide), (-y - high, -y)
        x1, x2 = left if before.x1 <= before.x2 else left[::-1]
        y1, y2 = low if before.y1 <= before.y2 else low[::-1]
        self._box(part, replace(before, x1=x1, x2=x2, y1=y1, y2=y2))

    def turn(self, part: str, degrees: float = 90.0) -> None:
        """Turn a part that has a place, counterclockwise."""
        _finite(degrees)
        box = self._placed(part)
        self._box(part, replace(box, rotation=(box.rotation + degrees) % 360.0))

    def mirror(self, part: str, across: str = "x") -> None:
        """Mirror a part that has a place: left to right ("x") or upside down ("y")."""
        box = self._placed(part)
        if across not in ("x", "y"):
            raise OptionError(f"a block is mirrored across 'x' or 'y', not {across!r}")
        if across == "x":
            self._box(part, replace(box, x1=box.x2, x2=box.x1))
        else:
            self._box(part, replace(box, y1=box.y2, y2=box.y1))

    def colour(self, part: str, colour: str | None) -> None:
        """Give a part a colour, or none again."""
        self._part(part)
        colours = {n: c for n, c in self._canvas.sketch.colours.items() if n != part}
        self._change(colours=colours | ({} if colour is None else {part: _known(colour)}))

    def pin(self, name: str, at: tuple[float, float] | None) -> None:
        """Where a variable or port, `part.name`, is on its block: shares of width and height.

        Both from the upper left corner of the block as it is before it is turned or mirrored.
        With None it is where it would be by itself.
        """
        part, _, variable = name.partition(".")
        d = self._canvas.parts[self._part(part)].description
        known = [v.name for v in (*d.inputs, *d.outputs, *d.parameters)] + list(d.ports)
        if variable not in known:
            what = f"'{part}' has no '{variable}'.{did_you_mean(variable, known)}"
            raise DrawingError([Problem(name, what)], self._canvas.name)
        points = {n: p for n, p in self._canvas.sketch.points.items() if n != name}
        if at is not None:
            _finite(*at)
            x, y = (min(1.0, max(0.0, v)) for v in at)
            points[name] = x, 1.0 - y
        self._change(points=points)

    def junction(self, port: str, at: tuple[float, float] | None) -> None:
        """Where the junction is that a port belongs to; with None between those that meet."""
        found = next((j for j in self._canvas.junctions if port in map(str, j.ends)), None)
        if found is None:
            what = f"'{port}' is in no junction."
            raise DrawingError([Problem(port, what)], self._canvas.name)
        ends = set(map(str, found.ends))
        joints = {n: p for n, p in self._canvas.sketch.joints.items() if n not in ends}
        if at is not None:
            _finite(*at)
            joints[str(found.ends[0])] = at[0], -at[1]
        self._change(joints=joints)

    def bend(self, target: str, points: Iterable[tuple[float, float]]) -> None:
        """The corners of the wire that ends at an input; none make it find its way by itself."""
        drawn = {str(c.target) for c in self._canvas.connections if not c.junction}
        if target not in drawn:
            what = f"no wire ends at '{target}'.{did_you_mean(target, drawn)}"
            raise DrawingError([Problem(target, what)], self._canvas.name)
        way = tuple((x, -y) for x, y in points)
        _finite(*(v for point in way for v in point))
        lines = {n: w for n, w in self._canvas.sketch.lines.items() if n != target}
        self._change(lines=lines | ({target: way} if way else {}))

    def note(
        self,
        text: str,
        at: tuple[float, float, float, float],
        *,
        colour: str | None = None,
        number: int | None = None,
    ) -> int:
        """Write on the paper: x, y, width, height; in a frame if it has a colour. Its number.

        With the `number` of a note that is there already, that one is changed.
        """
        _finite(*at)
        x, y, wide, high = at
        mark = Mark(x, -y - high, x + wide, -y, text, "" if colour is None else _known(colour))
        marks = list(self._canvas.sketch.marks)
        if number is None:
            marks.append(mark)
        else:
            marks[self._note(number)] = mark
        self._change(marks=tuple(marks))
        return len(marks) - 1 if number is None else number

    def without_notes(self, numbers: Collection[int]) -> None:
        """Take notes away; those behind them move up."""
        gone = {self._note(number) for number in numbers}
        marks = (mark for k, mark in enumerate(self._canvas.sketch.marks) if k not in gone)
        self._change(marks=tuple(marks))

    def _change(self, **parts: Any) -> None:
        self._canvas.sketch = replace(self._canvas.sketch, **parts)

    def _box(self, part: str, box: Box) -> None:
        boxes: Mapping[str, Box] = {**self._canvas.sketch.boxes, part: box}
        self._change(boxes=boxes)

    def _part(self, name: str) -> str:
        if name not in self._canvas.parts:
            what = f"there is no part '{name}'.{did_you_mean(str(name), self._canvas.parts)}"
            raise DrawingError([Problem(str(name), what)], self._canvas.name)
        return name

    def _placed(self, part: str) -> Box:
        box = self._canvas.sketch.boxes.get(self._part(part))
        if box is None:
            what = (
                f"'{part}' has no place yet; give it one with system.looks.place('{part}', x, y)."
            )
            raise DrawingError([Problem(part, what)], self._canvas.name)
        return box

    def _note(self, number: int) -> int:
        count = len(self._canvas.sketch.marks)
        if not 0 <= number < count:
            raise OptionError(f"there is no note {number}; the drawing has {count}")
        return number


def _known(colour: str) -> str:
    if colour not in COLOURS:
        raise OptionError(f"there is no colour {colour!r}; there are {', '.join(COLOURS)}")
    return colour


def _finite(*numbers: float) -> None:
    if not all(isfinite(n) for n in numbers):
        raise OptionError("places are finite numbers")
