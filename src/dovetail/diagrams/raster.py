"""A scene as PNG or PDF, by way of matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

from ..core.markup import printable
from ..results.files.needs import need
from .scene import Disc, Figure, Patch, RoundedBox, RoundedLine, Scene, Words

_POINTS = 72 / 96  # SVG counts 96 to an inch
_SIDES = {"start": "left", "middle": "center", "end": "right"}
_MOST = 20_000.0  # pixels at the longer side of a PNG


def save_raster(scene: Scene, path: Path) -> None:
    """Write the file; its background is white."""
    need("matplotlib", "plot", "an .svg needs nothing else")
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(scene.width / 96, scene.height / 96), facecolor="white")
    FigureCanvasAgg(canvas)
    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, scene.width), ylim=(scene.height, 0.0))
    axes.axis("off")
    order = 0
    for cluster in scene.clusters:
        for figure in cluster.figures:
            order += 1
            for artist in _artists(figure):
                artist.set_zorder(order)
                axes.add_artist(artist)
    dpi = min(192.0, 96 * _MOST / max(scene.width, scene.height))
    fonts = ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"]
    with mpl.rc_context({"font.sans-serif": fonts, "pdf.fonttype": 42}), catch_warnings():
        filterwarnings("ignore", message="Glyph")  # a letter that no font has is a box
        canvas.savefig(path, dpi=dpi)


def _artists(figure: Figure) -> list[Any]:
    from matplotlib.patches import Circle, FancyBboxPatch, Polygon, Rectangle
    from matplotlib.text import Text

    match figure:
        case RoundedBox():
            size = (figure.x, figure.y), figure.width, figure.height
            style: dict[str, Any] = {"facecolor": figure.fill, "edgecolor": figure.edge or "none"}
            style |= {"linewidth": figure.thickness * _POINTS}
            if not figure.radius:
                return [Rectangle(*size, **style)]
            shape = f"round,pad=0,rounding_size={figure.radius}"
            return [FancyBboxPatch(*size, boxstyle=shape, **style)]
        case RoundedLine():
            return [_line(figure)]
        case Patch():
            return [Polygon(figure.dots, closed=True, facecolor=figure.fill, edgecolor="none")]
        case Disc():
            style = {"facecolor": figure.fill, "edgecolor": figure.edge or "none"}
            return [Circle((figure.x, figure.y), figure.radius, linewidth=1.6 * _POINTS, **style)]
        case Words():
            look: dict[str, Any] = {"color": figure.colour, "fontsize": figure.size * _POINTS}
            look |= {"ha": _SIDES[figure.anchor], "va": "center_baseline", "parse_math": False}
            look |= {"weight": "bold" if figure.bold else "normal"}
            look |= {"style": "italic" if figure.italic else "normal", "family": "sans-serif"}
            return [Text(figure.x, figure.y, printable(figure.text), **look)]


def _line(stroke: RoundedLine) -> Any:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    from .svg import rounded

    dots, codes = [stroke.dots[0]], [Curve.MOVETO]
    for enter, corner, leave in rounded(stroke.dots, stroke.radius):
        dots += [enter, corner, leave]
        codes += [Curve.LINETO, Curve.CURVE3, Curve.CURVE3]
    dots.append(stroke.dots[-1])
    codes.append(Curve.LINETO)
    style = {"edgecolor": stroke.colour, "linewidth": stroke.thickness * _POINTS}
    return PathPatch(Curve(dots, codes), facecolor="none", capstyle="butt", **style)
