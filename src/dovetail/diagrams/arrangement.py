"""Where everything is on the paper: the corners of blocks, and the bends of wires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .chart import Chart, PinPlace
from .measures import pin_offset

Dot = tuple[float, float]  # on the paper; y leads down


@dataclass(frozen=True, slots=True)
class Footprint:
    """A block on the paper: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, x: float, y: float) -> Footprint:
        """The same somewhere else."""
        return Footprint(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Remark:
    """Text that a file has on its paper."""

    place: Footprint
    text: str


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A chart on paper: places by block, wires by link, each from its pin to its pin.

    Pins sit in rows at the sides of their blocks, but for those in `left` and `right`.
    """

    places: tuple[Footprint, ...]
    wires: tuple[tuple[Dot, ...], ...]
    width: float
    height: float
    left: dict[PinPlace, Dot] = field(default_factory=dict)
    right: dict[PinPlace, Dot] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()

    def left_pin(self, chart: Chart, pin: PinPlace) -> Dot:
        """Where an input is."""
        place = self.places[pin[0]]
        row = place.x, place.y + pin_offset(chart.blocks[pin[0]], pin[1])
        return self.left.get(pin, row)

    def right_pin(self, chart: Chart, pin: PinPlace) -> Dot:
        """Where an output is."""
        place = self.places[pin[0]]
        row = place.x + place.width, place.y + pin_offset(chart.blocks[pin[0]], pin[1])
        return self.right.get(pin, row)

    def completed(
        self, wires: Sequence[tuple[Dot, ...]], remarks: Sequence[Remark] = ()
    ) -> Arrangement:
        """With these wires and remarks, and all of it moved to the corner of the paper."""
        boxes = [*self.places, *(r.place for r in remarks)]
        dots = [(p.x, p.y) for p in boxes] + [(p.x + p.width, p.y + p.height) for p in boxes]
        dots += [dot for wire in wires for dot in wire]
        left, top = min(x for x, _ in dots), min(y for _, y in dots)
        return Arrangement(
            tuple(p.moved(-left, -top) for p in self.places),
            tuple(tuple((x - left, y - top) for x, y in wire) for wire in wires),
            max(x for x, _ in dots) - left,
            max(y for _, y in dots) - top,
            {pin: (x - left, y - top) for pin, (x, y) in self.left.items()},
            {pin: (x - left, y - top) for pin, (x, y) in self.right.items()},
            tuple(Remark(r.place.moved(-left, -top), r.text) for r in remarks),
        )
