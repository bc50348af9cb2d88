"""A drawing drawn anew, with other parts or links.

Everything comes in the order in which it was drawn before and is checked on the way, so that the
other drawing is as if it had been drawn like this from the start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from ..core.errors import DrawingError, Problem
from .canvas import Canvas
from .connection import Connection
from .junction import Junction
from .part import Part
from .part_coordinator import PartCoordinator
from .sketch import Sketch

C = TypeVar("C", bound=Canvas)
_Name = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Revision:
    """What is to be drawn instead: parts, and the links between them by the names they have then.

    Parts come without what connections make of them.
    """

    parts: tuple[Part, ...]
    wires: tuple[tuple[str, str, Connection], ...]
    joints: tuple[tuple[tuple[str, ...], Junction], ...]

    @staticmethod
    def of(canvas: Canvas, name: _Name = lambda part: part) -> Revision:
        """The drawing as it is, with its parts by other names; without those that get none.

        Ports of a part that is gone leave their junctions, and so does the last one of each.
        """
        named = {part: new for part in canvas.parts if (new := name(part)) is not None}
        joints = (
            (tuple(f"{named[e.part]}.{e.name}" for e in j.ends if e.part in named), _by(j, name))
            for j in canvas.junctions
        )
        return Revision(
            tuple(canvas.parts[old].bare(new) for old, new in named.items()),
            tuple(
                (
                    f"{named[c.source.part]}.{c.source.variable.name}",
                    f"{named[c.target.part]}.{c.target.variable.name}",
                    c,
                )
                for c in canvas.connections
                if not c.junction and c.source.part in named and c.target.part in named
            ),
            tuple((ports, j) for ports, j in joints if len(ports) > 1),
        )

    def drawn(self, canvas: C) -> tuple[C, list[Problem]]:
        """The other drawing, and what does not fit in it; its sketch is still the old one."""
        made, problems = canvas.blank(), list[Problem]()
        for part in self.parts:
            made.put(part)
        for source, target, c in self.wires:
            options = (c.gain, c.offset, c.convert, dict(c.table))
            wire, found = made.checked_connection(source, target, *options)
            problems += found
            if wire is not None and not found:
                made.put(wire)
        for ports, j in self.joints:
            junction, found = made.checked_junction(ports, *j.asked, j.coordinator)
            problems += found
            if junction is not None and not found:
                made.put(junction)
        return made, problems

    def redrawn(self, canvas: C, name: _Name = lambda part: part) -> C:
        """The other drawing with its sketch and settings, refused where something does not fit."""
        made, problems = self.drawn(canvas)
        if problems:
            raise DrawingError(problems, canvas.name)
        made.sketch = _sketched(canvas, made, name)
        made.run_settings = canvas.run_settings.renamed(name)
        return made


def _by(junction: Junction, name: _Name) -> Junction:
    """The junction with the part that settles it by its new name; without it where it is gone."""
    service = junction.coordinator
    if not isinstance(service, PartCoordinator) or (new := name(service.part)) == service.part:
        return junction
    return replace(junction, coordinator=service.called(new))


def _sketched(before: Canvas, after: Canvas, name: _Name) -> Sketch:
    """The sketch without lines that are gone, and without variables that a part no longer has."""
    lines = {str(c.target) for c in after.connections if not c.junction}
    lost: set[str] = set()
    for old, part in before.parts.items():
        new = name(old)
        if new is not None:
            gone = _variables(part) - _variables(after.parts[new])
            lost.update(f"{new}.{variable}" for variable in gone)
    made = before.sketch.changed(name, lambda variable: variable not in lost)
    return replace(made, lines={n: points for n, points in made.lines.items() if n in lines})


def _variables(part: Part) -> set[str]:
    d = part.description
    return {v.name for v in (*d.inputs, *d.outputs, *d.parameters)}
