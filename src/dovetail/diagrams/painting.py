"""A chart that has its places, as shapes."""

from __future__ import annotations

from collections.abc import Iterator

from .arrangement import Arrangement, Dot, Remark
from .blocks import block_figures
from .branching import branches
from .chart import Chart, Link, PinPlace
from .colours import EDGE, INK, SURFACE, TITLES, cycle_colour
from .legend import legend
from .lettering import width_of
from .marks import ARROW, arrow, bond
from .measures import PIN, SMALL, TITLE
from .scene import Disc, Figure, FigureGroup, RoundedBox, RoundedLine, Scene, Words, moved

_AROUND, _ABOVE = 16.0, 36.0  # room around everything, and for the title


def painted(chart: Chart, arrangement: Arrangement) -> Scene:
    """The whole picture: title, wires, blocks, labels, legend."""
    down = _ABOVE if chart.title else 0.0
    title = Words(0.0, 8.0, chart.title, TITLE, TITLES, bold=True)
    explained, size = legend(chart)
    below = down + arrangement.height + (_AROUND if explained else 0.0)
    body = [*_wires(chart, arrangement), *_blocks(chart, arrangement)]
    body += [_label(k, wire) for k, wire in zip(chart.links, arrangement.wires, strict=True)]
    if not chart.blocks:
        body.append(FigureGroup((Words(0.0, 0.0, "no parts yet", PIN, TITLES, italic=True),)))
    body += [_remark(remark) for remark in arrangement.remarks]
    clusters = [
        FigureGroup((title,) if chart.title else ()),
        *(_moved(cluster, 0.0, down) for cluster in body),
        _moved(FigureGroup(tuple(explained), role="legend"), 0.0, below),
    ]
    width = max(arrangement.width, size[0], width_of(chart.title, TITLE, bold=True))
    return Scene(
        chart.title or "a system",
        width + 2 * _AROUND,
        below + size[1] + 2 * _AROUND,
        tuple(_moved(c, _AROUND, _AROUND) for c in clusters if c.figures),
    )


def _moved(cluster: FigureGroup, x: float, y: float) -> FigureGroup:
    figures = tuple(moved(figure, x, y) for figure in cluster.figures)
    return FigureGroup(figures, cluster.details, cluster.role)


def _wires(chart: Chart, arrangement: Arrangement) -> Iterator[FigureGroup]:
    """Those in no cycle first, so that cycles are on top; then a dot where they part."""
    pairs = list(zip(chart.links, arrangement.wires, strict=True))
    for link, wire in sorted(pairs, key=lambda pair: pair[0].cycle is not None):
        colour = cycle_colour(link.cycle)
        details = f"{link.details}\n{link.label}" if link.label else link.details
        if link.is_bond:
            yield FigureGroup(tuple(bond(wire, colour)), details, "wire")
            continue
        (x, y), thick = wire[-1], 1.6 if link.cycle is None else 2.0
        short = (*wire[:-1], (x - ARROW, y))
        figures = (RoundedLine(short, colour, thick), arrow((x, y), colour))
        yield FigureGroup(figures, details, "wire")
    nets: dict[PinPlace, list[tuple[Link, tuple[Dot, ...]]]] = {}
    for link, wire in pairs:
        if not link.is_bond:
            nets.setdefault(link.source, []).append((link, wire))
    dots: list[Figure] = []
    for net in nets.values():
        colour = cycle_colour(next((k.cycle for k, _ in net if k.cycle is not None), None))
        dots += [Disc(x, y, 3.2, colour) for x, y in branches([wire for _, wire in net])]
    yield FigureGroup(tuple(dots))


def _blocks(chart: Chart, arrangement: Arrangement) -> Iterator[FigureGroup]:
    for k, block in enumerate(chart.blocks):
        left = [arrangement.left_pin(chart, (k, n)) for n in range(len(block.left))]
        right = [arrangement.right_pin(chart, (k, n)) for n in range(len(block.right))]
        figures = block_figures(block, arrangement.places[k], left, right)
        yield FigureGroup(
            tuple(figures), block.details, "junction" if block.is_junction else "block"
        )


def _label(link: Link, wire: tuple[Dot, ...]) -> FigureGroup:
    """What happens on the way, right before the end."""
    if not link.label:
        return FigureGroup(())
    width = width_of(link.label, SMALL) + 8.0
    x, y = wire[-1][0] - ARROW - 4.0 - width, wire[-1][1]
    sheet = RoundedBox(x, y - 7.5, width, 15.0, SURFACE, cycle_colour(link.cycle) or EDGE, 4.0, 0.8)
    return FigureGroup((sheet, Words(x + width / 2, y, link.label, SMALL, INK, "middle")))


def _remark(remark: Remark) -> FigureGroup:
    """Text of a file, line by line in the middle of its place."""
    lines, at = remark.text.splitlines()[:20], remark.place
    x, y = at.x + at.width / 2, at.y + at.height / 2 - 7.0 * (len(lines) - 1)
    return FigureGroup(
        tuple(
            Words(x, y + 14.0 * k, line, PIN, TITLES, "middle", italic=True)
            for k, line in enumerate(lines)
        )
    )
