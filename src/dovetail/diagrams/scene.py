"""A picture as a list of simple shapes, for whatever writes it down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .arrangement import Dot

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class RoundedBox:
    """A rectangle, with rounded corners and an edge if it has a colour."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str = ""
    radius: float = 0.0
    thickness: float = 1.2


@dataclass(frozen=True, slots=True)
class RoundedLine:
    """A line through these points, its corners rounded."""

    dots: tuple[Dot, ...]
    colour: str
    thickness: float = 1.6
    radius: float = 5.0


@dataclass(frozen=True, slots=True)
class Patch:
    """A filled shape with these corners."""

    dots: tuple[Dot, ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle, with an edge if it has a colour."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; y is that of its middle."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Anchor = "start"
    bold: bool = False
    italic: bool = False


Figure = RoundedBox | RoundedLine | Patch | Disc | Words


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Shapes that belong together; `details` are shown where the mouse rests on them."""

    figures: tuple[Figure, ...]
    details: str = ""
    role: str = ""  # "block" or "wire", for those who look into the file


@dataclass(frozen=True, slots=True)
class Scene:
    """All of it, in the order in which it is painted."""

    title: str
    width: float
    height: float
    clusters: tuple[FigureGroup, ...]


def moved(figure: Figure, x: float, y: float) -> Figure:
    """The same shape somewhere else."""
    match figure:
        case RoundedLine() | Patch():
            return replace(figure, dots=tuple((a + x, b + y) for a, b in figure.dots))
    return replace(figure, x=figure.x + x, y=figure.y + y)
