"""A scene as SVG: plain attributes, no script, no style sheet, nothing that is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot

from ..core.markup import escaped
from .arrangement import Dot
from .scene import Disc, Figure, FigureGroup, Patch, RoundedBox, RoundedLine, Scene, Words

_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def svg_of(scene: Scene) -> str:
    """The whole file."""
    width, height = _n(scene.width), _n(scene.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{_FONT}" role="img">',
        f"<title>{escaped(scene.title)}</title>",
    ]
    for cluster in scene.clusters:
        lines += _cluster(cluster)
    return "\n".join([*lines, "</svg>", ""])


def _cluster(cluster: FigureGroup) -> Iterator[str]:
    role = f' class="dovetail-{cluster.role}"' if cluster.role else ""
    yield f"<g{role}>"
    if cluster.details:
        yield f"<title>{escaped(cluster.details)}</title>"
    for figure in cluster.figures:
        yield _figure(figure)
    yield "</g>"


def _figure(figure: Figure) -> str:
    match figure:
        case RoundedBox():
            edge = _edge(figure.edge, figure.thickness)
            round_ = f' rx="{_n(figure.radius)}"' if figure.radius else ""
            size = f'width="{_n(figure.width)}" height="{_n(figure.height)}"'
            corner = f'x="{_n(figure.x)}" y="{_n(figure.y)}"'
            return f'<rect {corner} {size}{round_} fill="{figure.fill}"{edge}/>'
        case RoundedLine():
            path = _path(figure.dots, figure.radius)
            edge = _edge(figure.colour, figure.thickness)
            return f'<path d="{path}" fill="none"{edge}/>'
        case Patch():
            corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in figure.dots)
            return f'<polygon points="{corners}" fill="{figure.fill}"/>'
        case Disc():
            middle = f'cx="{_n(figure.x)}" cy="{_n(figure.y)}" r="{_n(figure.radius)}"'
            return f'<circle {middle} fill="{figure.fill}"{_edge(figure.edge, 1.6)}/>'
        case Words():
            return _words(figure)


def _words(words: Words) -> str:
    style = ' font-weight="600"' if words.bold else ""
    style += ' font-style="italic"' if words.italic else ""
    style += f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    at = f'x="{_n(words.x)}" y="{_n(words.y + 0.35 * words.size)}" font-size="{_n(words.size)}"'
    return f'<text {at} fill="{words.colour}"{style}>{escaped(words.text)}</text>'


def _edge(colour: str, thickness: float) -> str:
    return f' stroke="{colour}" stroke-width="{_n(thickness)}"' if colour else ""


def _path(dots: Sequence[Dot], radius: float) -> str:
    """Straight pieces with rounded corners between them."""
    path = [f"M{_n(dots[0][0])} {_n(dots[0][1])}"]
    for enter, corner, leave in rounded(dots, radius):
        path.append(f"L{_n(enter[0])} {_n(enter[1])}")
        path.append(f"Q{_n(corner[0])} {_n(corner[1])} {_n(leave[0])} {_n(leave[1])}")
    return " ".join([*path, f"L{_n(dots[-1][0])} {_n(dots[-1][1])}"])


def rounded(dots: Sequence[Dot], radius: float) -> Iterator[tuple[Dot, Dot, Dot]]:
    """For each corner of a line: where the curve begins, the corner, where it ends."""
    for before, corner, after in zip(dots, dots[1:], dots[2:], strict=False):
        yield _towards(corner, before, radius), corner, _towards(corner, after, radius)


def _towards(corner: Dot, other: Dot, radius: float) -> Dot:
    """A point on the way from a corner to the next one, at most half of it away."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = hypot(dx, dy)
    share = min(radius, length / 2) / length if length else 0.0
    return corner[0] + share * dx, corner[1] + share * dy


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"
