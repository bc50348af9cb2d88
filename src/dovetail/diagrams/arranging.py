"""Places for a chart without any: columns, order, heights, tracks, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

from .arrangement import Arrangement, Dot, Footprint
from .bands import Bands, bands_of
from .chart import Chart, Link
from .crossings import ordered
from .layering import columns_of
from .lettering import width_of
from .measures import SMALL, pin_offset, size_of
from .placing import placed
from .seats import MARGIN, Seating, seated
from .tracks import tracks_of

_GAP, _TRACK, _BEFORE, _BEHIND = 46.0, 10.0, 16.0, 20.0  # between columns, and inside of a gap
_STRIP, _BAND = 14.0, 30.0  # between lanes below a band, and around them
_GROUPS = 48.0  # between blocks that nothing joins
_SHAPE, _LEAST = 1.7, 900.0  # of all groups together: width over height, width


def arranged(chart: Chart) -> Arrangement:
    """The whole chart: each group that hangs together by itself, then side by side in rows."""
    groups = chart.separated()
    home = {k: (g, place) for g, group in enumerate(groups) for place, k in enumerate(group)}
    links: list[list[int]] = [[] for _ in groups]
    for number, link in enumerate(chart.links):
        links[home[link.source[0]][0]].append(number)
    parts = []
    for group, numbers in zip(groups, links, strict=True):
        parts.append(_group(Chart("", tuple(chart.blocks[k] for k in group), tuple(
            _renumbered(chart.links[n], home) for n in numbers))))  # fmt: skip
    corners, width, height = _shelves([(p.width, p.height) for p in parts])
    places: list[Footprint | None] = [None] * len(chart.blocks)
    wires: list[tuple[Dot, ...]] = [()] * len(chart.links)
    for part, (x, y), group, numbers in zip(parts, corners, groups, links, strict=True):
        for k, place in zip(group, part.places, strict=True):
            places[k] = place.moved(x, y)
        for n, wire in zip(numbers, part.wires, strict=True):
            wires[n] = tuple((a + x, b + y) for a, b in wire)
    return Arrangement(tuple(p for p in places if p is not None), tuple(wires), width, height)


def _renumbered(link: Link, home: dict[int, tuple[int, int]]) -> Link:
    (a, out), (b, into) = link.source, link.target
    return Link((home[a][1], out), (home[b][1], into), link.label, link.cycle, link.is_bond)


def _shelves(sizes: Sequence[tuple[float, float]]) -> tuple[list[Dot], float, float]:
    """Corners for boxes of these sizes in rows, and the size of all."""
    area = sum((w + _GROUPS) * (h + _GROUPS) for w, h in sizes)
    room = max([_LEAST, sqrt(area * _SHAPE), *(w for w, _ in sizes)])
    corners, x, y, tallest, widest = list[Dot](), 0.0, 0.0, 0.0, 0.0
    for width, height in sizes:
        if x and x + width > room:
            x, y, tallest = 0.0, y + tallest + _GROUPS, 0.0
        corners.append((x, y))
        x, tallest = x + width + _GROUPS, max(tallest, height)
        widest = max(widest, x - _GROUPS)
    return corners, widest, y + tallest


def _group(chart: Chart) -> Arrangement:
    """A chart that hangs together."""
    blocks, links = chart.blocks, chart.links
    sizes = [size_of(b) for b in blocks]
    edges = [(link.source[0], link.target[0]) for link in links]
    columns = columns_of(len(blocks), edges)
    count = 1 + max(columns)
    widths, heights = [0.0] * count, [0.0] * count
    for column, size in zip(columns, sizes, strict=True):
        widths[column] = max(widths[column], size.width)
        heights[column] += size.height + _BAND
    bands = bands_of([w + _GAP for w in widths], max(heights) + _BAND, columns, edges)
    offsets = [
        (pin_offset(blocks[a], out), pin_offset(blocks[b], into))
        for (a, out), (b, into) in ((link.source, link.target) for link in links)
    ]
    seating = seated([s.height for s in sizes], columns, bands, links, offsets)
    tops = _stacked(seating, placed(seating, ordered(seating)))
    tracks, used = tracks_of(seating, [link.source for link in links], tops)
    starts, gaps = _across(bands, widths, used, _labels(seating, links))
    places = []
    for k, (block, size) in enumerate(zip(blocks, sizes, strict=True)):
        room = widths[columns[k]]
        width = size.width if block.is_junction else room
        x = starts[columns[k]] + (room - width) / 2
        places.append(Footprint(x, tops[k], width, size.height))
    wires = []
    for link, way in zip(links, seating.ways, strict=True):
        a, b = places[link.source[0]], places[link.target[0]]
        dots = [(a.x + a.width, tops[way[0].start] + way[0].start_offset)]
        for h in way:
            first, second = tops[h.start] + h.start_offset, tops[h.end] + h.end_offset
            if first != second:
                x = gaps[h.gap] + _TRACK * tracks[h.gap, link.source]
                dots += [(x, first), (x, second)]
        dots.append((b.x, tops[way[-1].end] + way[-1].end_offset))
        wires.append(tuple(dots))
    return Arrangement(tuple(places), (), 0.0, 0.0).completed(wires)


def _stacked(seating: Seating, tops: list[float]) -> list[float]:
    """The tops with bands below each other, and between them the strips of links that go on."""
    bands, seats = seating.bands, seating.seats
    found, down = list(tops), 0.0
    for band in range(bands.count):
        inside = [
            k for k, s in enumerate(seats)
            if s.strip is None and bands.first(band) <= s.column <= bands.last(band)
        ]  # fmt: skip
        above = min(tops[k] for k in inside)
        for k in inside:
            found[k] = tops[k] - above + down
        down = max(found[k] + seats[k].height for k in inside) + _BAND
        for k in [k for k, s in enumerate(seats) if s.strip == band]:
            found[k] = down
            down += _STRIP
        down += _BAND
    return found


def _labels(seating: Seating, links: Sequence[Link]) -> dict[int, float]:
    """The room that labels take at the right side of each gap."""
    room: dict[int, float] = {}
    for way, link in zip(seating.ways, links, strict=True):
        if link.label:
            wide = ceil(width_of(link.label, SMALL)) + 26.0
            room[way[-1].gap] = max(room.get(way[-1].gap, 0.0), wide)
    return room


def _across(
    bands: Bands, widths: Sequence[float], used: dict[int, int], labels: dict[int, float]
) -> tuple[list[float], dict[int, float]]:
    """Where each column begins, and the first track of each gap."""

    def room(gap: int) -> float:
        count = used.get(gap, 0)
        tracks = _BEFORE + _TRACK * (count - 1) + _BEHIND if count else 0.0
        return tracks + labels.get(gap, 0.0)

    starts, gaps = [0.0] * len(widths), {MARGIN: _BEFORE}
    for band in range(bands.count):
        x = room(MARGIN)
        for column in range(bands.first(band), bands.last(band) + 1):
            starts[column] = x
            x += widths[column]
            needed = max(_GAP, room(column))
            free = needed - room(column) if used.get(column) else 0.0
            gaps[column] = x + _BEFORE + free / 2
            x += needed
    return starts, gaps
