"""What takes room in the columns: blocks, and the lanes of links that pass by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .bands import Bands
from .chart import Link, PinPlace

MARGIN = -1  # the gap to the left of all bands


@dataclass(frozen=True, slots=True)
class Seat:
    """Room in a column: of a block, or of a lane that has none. A strip lies below its band."""

    column: int
    height: float = 0.0
    block: int | None = None
    strip: int | None = None  # the band above it
    is_return: bool = False  # a lane that leads to the left


@dataclass(frozen=True, slots=True, order=True)
class Bend:
    """A link changes its height in a gap: from one seat to another, so far below their tops."""

    gap: int
    start: int
    start_offset: float
    end: int
    end_offset: float


@dataclass(frozen=True, slots=True)
class Seating:
    """All seats, those of blocks first, and the way of each link through them."""

    seats: tuple[Seat, ...]
    ways: tuple[tuple[Bend, ...], ...]
    bands: Bands

    def turns(self) -> list[Bend]:
        """The turns inside bands, each once: between neighbouring columns, or inside of one."""
        return [h for h in sorted({h for way in self.ways for h in way}) if not self._leaves(h)]

    def _leaves(self, h: Bend) -> bool:
        a, b = self.seats[h.start], self.seats[h.end]
        if a.strip is not None or b.strip is not None:
            return True
        return h.gap == MARGIN and a.column != b.column


def seated(
    sizes: Sequence[float],
    columns: Sequence[int],
    bands: Bands,
    links: Sequence[Link],
    offsets: Sequence[tuple[float, float]],
) -> Seating:
    """Seats for blocks of these heights; `offsets` are those of the pins of each link.

    Links from one pin share their lanes. Gap k lies to the right of column k.
    """
    seats = [Seat(c, h, k) for k, (c, h) in enumerate(zip(columns, sizes, strict=True))]
    lanes: dict[tuple[PinPlace, int, str], int] = {}

    def lane(source: PinPlace, column: int, sort: str, strip: int | None = None) -> int:
        key = source, column, sort
        if key not in lanes:
            lanes[key] = len(seats)
            seats.append(Seat(column, strip=strip, is_return=sort == "left"))
        return lanes[key]

    ways = []
    for link, (out, into) in zip(links, offsets, strict=True):
        start, end = link.source[0], link.target[0]
        a, b = columns[start], columns[end]
        stops = _stops(a, b, bands)
        at, depth, way = start, out, list[Bend]()
        for gap, column, sort in stops:
            strip = column if sort == "strip" else None
            following = lane(link.source, column, sort, strip)
            way.append(Bend(gap, at, depth, following, 0.0))
            at, depth = following, 0.0
        last = MARGIN if b == bands.first(bands.band(b)) else b - 1
        ways.append((*way, Bend(last, at, depth, end, into)))
    return Seating(tuple(seats), tuple(ways), bands)


def _stops(a: int, b: int, bands: Bands) -> list[tuple[int, int, str]]:
    """The lanes between two columns: the gap before each, its column (or band), and its sort."""
    here, there = bands.band(a), bands.band(b)
    if here == there and a < b:
        return [(k - 1, k, "right") for k in range(a + 1, b)]
    if here < there:
        last, first = bands.last(here), bands.first(there)
        out = [(k - 1, k, "right") for k in range(a + 1, last + 1)]
        into = [(MARGIN if k == first else k - 1, k, "right") for k in range(first, b)]
        return [*out, (last, here, "strip"), *into]
    first = bands.first(here)
    back = [(k, k, "left") for k in range(a, max(first, b if here == there else first) - 1, -1)]
    if here == there:
        return back
    first = bands.first(there)
    return [*back, *((MARGIN if k == first else k - 1, k, "right") for k in range(first, b))]
