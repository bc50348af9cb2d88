"""Where links run up and down in the gaps between columns: each net on a track of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .chart import PinPlace
from .seats import MARGIN, Seating

_MANY = 60  # nets in a gap up to which every pair is compared
_NEAR = 5.0  # nets that come closer to each other take two tracks
_AMBIGUOUS = 50  # a wire that would run on top of another one counts as so many crossings

Spot = tuple[int, PinPlace]  # a gap, and the pin that all links of a net come from


@dataclass(slots=True)
class _Trunk:
    """The links of one net in a gap: heights where it meets the left side, and the right one."""

    left: set[float] = field(default_factory=set)
    right: set[float] = field(default_factory=set)

    @property
    def span(self) -> tuple[float, float]:
        heights = self.left | self.right
        return min(heights), max(heights)

    def against(self, other: _Trunk) -> int:
        """What it costs if this one stands to the left of the other."""
        low, high = other.span
        cost = sum(low < y < high for y in self.right)
        low, high = self.span
        cost += sum(low < y < high for y in other.left)
        touching = sum(abs(y - z) < _NEAR for y in self.right for z in other.left)
        return cost + _AMBIGUOUS * touching


def tracks_of(
    seating: Seating, sources: Sequence[PinPlace], tops: Sequence[float]
) -> tuple[dict[Spot, int], dict[int, int]]:
    """The track of each net in each gap where it changes its height, and how many each gap has.

    `tops` are those of the seats.
    """
    gaps: dict[int, dict[PinPlace, _Trunk]] = {}
    for way, source in zip(seating.ways, sources, strict=True):
        for h in way:
            trunk = gaps.setdefault(h.gap, {}).setdefault(source, _Trunk())
            ends = (h.start, h.start_offset), (h.end, h.end_offset)
            for k, offset in ends:
                (trunk.left if _is_left(seating, h.gap, k) else trunk.right).add(tops[k] + offset)
    tracks, counts = dict[Spot, int](), dict[int, int]()
    for gap, trunks in sorted(gaps.items()):
        moving = {s: t for s, t in trunks.items() if t.span[0] < t.span[1]}
        order = _in_order(moving)
        taken: list[tuple[float, float, int]] = []
        for source in order:
            low, high = moving[source].span
            track = 1 + max((k for a, b, k in taken if a < high + _NEAR and low < b + _NEAR),
                            default=-1)  # fmt: skip
            taken.append((low, high, track))
            tracks[gap, source] = track
        counts[gap] = 1 + max((k for _, _, k in taken), default=-1)
    return tracks, counts


def _is_left(seating: Seating, gap: int, seat: int) -> bool:
    """Whether a seat is at the left side of a gap: in the column before it, or a strip."""
    found = seating.seats[seat]
    if found.strip is not None:
        return gap != MARGIN  # it leaves a gap to the left, and meets the margin from the right
    return found.column == gap


def _in_order(trunks: Mapping[PinPlace, _Trunk]) -> list[PinPlace]:
    """Nets from left to right with few crossings: each goes where it costs least."""
    pending = sorted(trunks, key=lambda s: (*trunks[s].span, s))
    if len(pending) > _MANY:
        return pending
    order: list[PinPlace] = []
    for source in pending:
        new = trunks[source]
        cost = sum(new.against(trunks[o]) for o in order)  # to the left of all
        best, place = cost, 0
        for k, other in enumerate(order, 1):
            cost += trunks[other].against(new) - new.against(trunks[other])
            if cost < best:
                best, place = cost, k
        order.insert(place, source)
    return order
