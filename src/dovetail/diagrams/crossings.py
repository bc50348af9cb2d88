"""In which order seats stand in their columns, so that few links cross."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence

from .seats import Bend, Seating

_SWEEPS = 12
_BELOW = 0.7  # a lane that returns starts below the block that it comes from

Neighbours = list[list[tuple[int, float]]]  # for each seat: others, and where in them


def ordered(seating: Seating) -> list[list[int]]:
    """The seats of each column from top to bottom.

    Sweeps to and fro put each seat where those beside it are on average; the best order is kept.
    See Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system
    structures" (1981).
    """
    turns, seats = seating.turns(), seating.seats
    ahead, behind, level = _neighbours(seating, turns)
    columns = _first(seating, turns)
    position = _positions(columns, len(seats))
    best, fewest = [list(c) for c in columns], _crossings(seating, turns, position)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        forth = sweep % 2 == 0
        sides = behind if forth else ahead
        for column in columns if forth else reversed(columns):
            _settle(column, position, sides, level)
        found = _crossings(seating, turns, position)
        if found < fewest:
            best, fewest = [list(c) for c in columns], found
    return best


def _share(seating: Seating, seat: int, offset: float) -> float:
    """Where in a seat a turn meets it, from 0 at its top to 1."""
    height = seating.seats[seat].height
    return offset / height if height else 0.5


def _neighbours(seating: Seating, turns: Sequence[Bend]) -> tuple[Neighbours, ...]:
    """Seats in the column ahead of each one, in that behind it, and in its own."""
    seats = seating.seats
    ahead: Neighbours = [[] for _ in seats]
    behind: Neighbours = [[] for _ in seats]
    level: Neighbours = [[] for _ in seats]
    for h in turns:
        a, b = h.start, h.end
        first, second = seats[a].column, seats[b].column
        here, there = _share(seating, a, h.start_offset), _share(seating, b, h.end_offset)
        if first == second:
            lane, block = (b, a) if seats[b].block is None else (a, b)
            level[lane].append((block, _BELOW))
        elif first + 1 == second:
            ahead[a].append((b, there))
            behind[b].append((a, here))
        elif second + 1 == first:
            ahead[b].append((a, here))
            behind[a].append((b, there))
    return ahead, behind, level


def _first(seating: Seating, turns: Sequence[Bend]) -> list[list[int]]:
    """An order to begin with: as links lead from seat to seat, lanes that return last."""
    seats = seating.seats
    near: list[list[int]] = [[] for _ in seats]
    for h in turns:
        near[h.start].append(h.end)
        near[h.end].append(h.start)
    met: dict[int, None] = {}
    starts = sorted(range(len(seats)), key=lambda k: (seats[k].block is None, seats[k].column, k))
    for start in starts:
        queue = deque([start])
        while queue:
            k = queue.popleft()
            if k not in met and seats[k].strip is None:
                met[k] = None
                queue.extend(j for j in near[k] if j not in met)
    columns: list[list[int]] = [[] for _ in range(seating.bands.starts[-1])]
    for k in met:
        columns[seats[k].column].append(k)
    for column in columns:
        column.sort(key=lambda k: seats[k].is_return)
    return columns


def _positions(columns: Sequence[Sequence[int]], count: int) -> list[float]:
    position = [0.0] * count
    for column in columns:
        for place, k in enumerate(column):
            position[k] = float(place)
    return position


def _settle(column: list[int], position: list[float], sides: Neighbours, level: Neighbours) -> None:
    """Sort a column by where the neighbours of its seats are."""

    def wanted(k: int) -> float:
        near = [position[j] + share for j, share in (*sides[k], *level[k])]
        return sum(near) / len(near) if near else position[k] + 0.5

    column.sort(key={k: wanted(k) for k in column}.__getitem__)
    for place, k in enumerate(column):
        position[k] = float(place)


def _crossings(seating: Seating, turns: Sequence[Bend], position: Sequence[float]) -> int:
    """How many pairs of turns between neighbouring columns cross."""
    pairs: dict[int, list[tuple[float, float]]] = {}
    for h in turns:
        first, second = seating.seats[h.start].column, seating.seats[h.end].column
        if abs(first - second) != 1:
            continue
        a = position[h.start] + _share(seating, h.start, h.start_offset)
        b = position[h.end] + _share(seating, h.end, h.end_offset)
        pairs.setdefault(min(first, second), []).append((a, b) if first < second else (b, a))
    total = 0
    for found in pairs.values():
        passed: list[float] = []
        for _, b in sorted(found):
            total += len(passed) - bisect_left(passed, b + 1e-9)
            insort(passed, b)
    return total
