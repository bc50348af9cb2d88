"""The small signs of a diagram: arrows, pins, junctions, numbers of cycles."""

from __future__ import annotations

from .arrangement import Dot
from .chart import PinKind
from .colours import FACE, FAINT, INK, QUIET, cycle_colour
from .scene import Disc, Figure, Patch, RoundedBox, RoundedLine, Words

ARROW = 7.0


def arrow(tip: Dot, colour: str) -> Patch:
    """The head of an arrow that leads to the right."""
    x, y = tip
    return Patch(((x, y), (x - ARROW - 1, y - 4.0), (x - ARROW - 1, y + 4.0)), colour)


def pin_mark(kind: PinKind, x: float, y: float) -> list[Figure]:
    """A pin at the edge of a block."""
    match kind:
        case "tuned":
            return [Patch(((x - 5, y), (x, y - 5), (x + 5, y), (x, y + 5)), QUIET)]
        case "power":
            return [RoundedBox(x - 4, y - 4, 8, 8, INK)]
    return [Disc(x, y, 2.6, QUIET)]


def free_mark(x: float, y: float) -> Disc:
    """A pin without a link."""
    return Disc(x, y, 2.6, FACE, FAINT)


def bond(dots: tuple[Dot, ...], colour: str) -> list[Figure]:
    """A line that leads both ways."""
    return [RoundedLine(dots, colour, 4.6), RoundedLine(dots, FACE, 1.6)]


def junction_mark(x: float, y: float, colour: str) -> list[Figure]:
    """Where power ports meet."""
    return [Disc(x, y, 7.0, FACE, colour), Disc(x, y, 3.2, colour)]


def badge(x: float, y: float, cycle: int) -> list[Figure]:
    """The number of a cycle."""
    text = str(cycle + 1)
    return [Disc(x, y, 7.5, cycle_colour(cycle)), Words(x, y, text, 9.0, FACE, "middle", bold=True)]
