"""How far down each seat stands: links as straight as their order and their room allow."""

from __future__ import annotations

from collections.abc import Sequence

from .seats import Seat, Seating

_BLOCKS, _BESIDE, _LANES = 30.0, 16.0, 12.0  # between two blocks, a block and a lane, two lanes
_SWEEPS = 8

Pull = tuple[int, float, int]  # another seat, how much lower than it this one wants to be, weight


def placed(seating: Seating, columns: Sequence[Sequence[int]]) -> list[float]:
    """The top of each seat; those of strips stay at zero.

    Column by column each seat wants the median of what its links ask for, and makes way only as
    far as it must.
    """
    ahead, behind, level = _pulls(seating)
    tops = [0.0] * len(seating.seats)
    for column in columns:
        rooms = _rooms(seating.seats, column)
        start = -(rooms[-1] + seating.seats[column[-1]].height) / 2 if column else 0.0
        for k, room in zip(column, rooms, strict=True):
            tops[k] = start + room
    for sweep in range(_SWEEPS + 2):
        forth = sweep % 2 == 0
        for column in columns if forth else reversed(columns):
            sides = [behind if forth else ahead] if sweep < _SWEEPS else [ahead, behind]
            _shift(seating.seats, column, tops, sides, level)
    return [float(round(top)) for top in tops]


def _pulls(seating: Seating) -> tuple[list[list[Pull]], list[list[Pull]], list[list[int]]]:
    """What each seat wants of those ahead and behind; the blocks that a lane wants to be near."""
    seats = seating.seats
    ahead: list[list[Pull]] = [[] for _ in seats]
    behind: list[list[Pull]] = [[] for _ in seats]
    level: list[list[int]] = [[] for _ in seats]
    for h in seating.turns():
        a, b = seats[h.start], seats[h.end]
        weight = 1 + 3 * (a.block is None) + 3 * (b.block is None)
        lower = h.start_offset - h.end_offset  # the end, where both meet at one height
        if a.column == b.column:
            lane, block = (h.end, h.start) if b.block is None else (h.start, h.end)
            level[lane].append(block)
        elif a.column + 1 == b.column:
            ahead[h.start].append((h.end, -lower, weight))
            behind[h.end].append((h.start, lower, weight))
        elif b.column + 1 == a.column:
            ahead[h.end].append((h.start, lower, weight))
            behind[h.start].append((h.end, -lower, weight))
    for found in (*ahead, *behind):
        found.sort()
    return ahead, behind, level


def _rooms(seats: Sequence[Seat], column: Sequence[int]) -> list[float]:
    """How far below the first one each seat must at least stand."""
    rooms, down = [], 0.0
    for place, k in enumerate(column):
        if place:
            above, lanes = seats[column[place - 1]], seats[k].block is None
            lanes_above = above.block is None
            between = (
                _LANES if lanes and lanes_above else _BESIDE if lanes or lanes_above else _BLOCKS
            )
            down += above.height + between
        rooms.append(down)
    return rooms


def _shift(
    seats: Sequence[Seat],
    column: Sequence[int],
    tops: list[float],
    pulls: Sequence[Sequence[Sequence[Pull]]],
    level: Sequence[Sequence[int]],
) -> None:
    """Move the seats of a column to where they want to be, in their order.

    That is isotonic regression by medians: neighbours that would collide move as one. A lane that
    returns keeps as close to its block as what is between them allows.
    """
    rooms = _rooms(seats, column)
    room_of = dict(zip(column, rooms, strict=True))
    groups: list[tuple[list[float], float, int]] = []  # what all want, their median, how many
    for k, room in zip(column, rooms, strict=True):
        wanted = [tops[j] + d - room for side in pulls for j, d, w in side[k] for _ in range(w)]
        wanted += [tops[j] - room_of[j] for j in level[k]]
        values = sorted(wanted) or [tops[k] - room]
        group = (values, _median(values), 1)
        while groups and groups[-1][1] > group[1]:
            values, _, count = groups.pop()
            values = sorted([*values, *group[0]])
            group = (values, _median(values), count + group[2])
        groups.append(group)
    place = 0
    for _, start, count in groups:
        for k, room in zip(
            column[place : place + count], rooms[place : place + count], strict=True
        ):
            tops[k] = start + room
        place += count


def _median(values: Sequence[float]) -> float:
    return values[(len(values) - 1) // 2]
