"""Where the wires of one net part: such a point gets a dot, a mere crossing does not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .arrangement import Dot

Bends = Sequence[Dot]


def branches(wires: Sequence[Bends]) -> list[Dot]:
    """The points where wires that come from one pin go three ways."""
    if len(wires) < 2:
        return []
    pieces = sorted({_sorted(a, b) for w in wires for a, b in pairwise(w) if a != b})
    found = []
    for dot in sorted({dot for wire in wires for dot in wire}):
        ways = set()
        for a, b in pieces:
            if _is_on(dot, a, b):
                ways |= {_way(dot, end) for end in (a, b) if end != dot}
        if len(ways) > 2:
            found.append(dot)
    return found


def _sorted(a: Dot, b: Dot) -> tuple[Dot, Dot]:
    return (a, b) if a <= b else (b, a)


def _is_on(dot: Dot, a: Dot, b: Dot) -> bool:
    if not (a[0] <= dot[0] <= b[0] and min(a[1], b[1]) <= dot[1] <= max(a[1], b[1])):
        return False
    return (b[0] - a[0]) * (dot[1] - a[1]) == (b[1] - a[1]) * (dot[0] - a[0])


def _way(dot: Dot, end: Dot) -> tuple[bool, bool, bool, bool]:
    return end[0] > dot[0], end[0] < dot[0], end[1] > dot[1], end[1] < dot[1]
