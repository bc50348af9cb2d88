"""How inputs move from window to window, and what of it their interpolation cannot follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.signals import Vector


@dataclass(frozen=True, slots=True, eq=False)
class WindowBlock:
    """Windows of one size that followed each other, and the inputs there.

    `made`: what the outputs make where the first begins and at the end of each; `ends`: what inputs
    were at the end of each, as polynomials of this `order`.
    """

    made: Vector
    ends: Vector
    stops: Vector
    size: float
    order: int


class InputCourse:
    """For each real input what moved it farthest, and sums of squares along the run.

    Held inputs cannot follow a first difference from window to window, linear ones no second and
    cubic ones no third: `bend` is the largest of those, at `bend_time`. `off` adds up mismatches,
    `way` first differences and `turn` second ones. Rest adds nothing to them, so that no share
    of them falls because a run goes on.

    Native twin: `native/witness.c` for held inputs, `native/plan.c` for all others.
    """

    def __init__(self, highest: Vector) -> None:
        n = len(highest)
        self._highest = highest  # power of time that each input can follow
        self.bend, self.bend_time = np.zeros(n), np.full(n, np.nan)
        self.off, self.way, self.turn = np.zeros(n), np.zeros(n), np.zeros(n)
        self.moved, self.turned = np.zeros(n), np.zeros(n)  # in the last window
        self.known = np.zeros(1, dtype=np.int32)  # of these two: none, one, both
        self.size, self.order = 0.0, 0  # of the last window, and of its polynomials

    def orders(self, order: int) -> Any:
        """The power of time that each input follows where polynomials are of this order."""
        return np.minimum(self._highest, order).astype(np.int32)

    def see(self, start: Vector, end: Vector, size: float, stop: float, order: int) -> None:
        """Take note of a window over which inputs moved as polynomials of this order."""
        known = int(self.known[0])
        self.scale(size)
        self.order = order
        moved = end - start
        turned = moved - self.moved if known else np.zeros_like(moved)
        with np.errstate(over="ignore"):  # a run that blows up has no finite sum
            self.way += moved * moved
            self.turn += turned * turned
        lacks = moved
        if order:
            orders = self.orders(order)
            lacks = np.where(orders == 0, moved, turned)
            twice = orders > 1
            if twice.any():
                twisted = turned - self.turned if known > 1 else np.zeros_like(turned)
                lacks[twice], self.turned[twice] = twisted[twice], turned[twice]
        lacks = np.abs(lacks)
        farther = lacks > self.bend
        if farther.any():
            self.bend[farther], self.bend_time[farther] = lacks[farther], stop
        self.moved[:] = moved
        self.known[0] = min(known + 1, 2)

    def see_many(self, block: WindowBlock, gap: Vector) -> None:
        """Take note of many windows at once, in the same order.

        `gap`: what inputs were off by at the end of each.
        """
        if block.order > 1:
            for k, stop in enumerate(block.stops.tolist()):
                self.miss(gap[k])
                self.see(block.made[k], block.made[k + 1], block.size, stop, block.order)
            return
        known = int(self.known[0])
        self.scale(block.size)
        self.order = block.order
        moved = np.diff(block.made, axis=0)
        turned = np.diff(moved, axis=0, prepend=self.moved[None])
        if not known:
            turned[0] = 0.0
        with np.errstate(over="ignore"):
            for total, change in ((self.off, gap), (self.way, moved), (self.turn, turned)):
                total[:] = np.add.accumulate(np.vstack([total, change * change]), axis=0)[-1]
        lacks = np.abs(moved)
        if block.order:
            lacks = np.where(self.orders(block.order) == 0, lacks, np.abs(turned))
        first = np.argmax(lacks, axis=0)
        most = lacks[first, np.arange(lacks.shape[1])]
        farther = most > self.bend
        self.bend[farther], self.bend_time[farther] = most[farther], block.stops[first[farther]]
        self.moved[:] = moved[-1]
        self.known[0] = min(known + len(moved), 2)

    def scale(self, size: float) -> None:
        """The next window has this size: what is expected of it."""
        if self.known[0] and size != self.size:
            ratio = size / self.size
            self.moved *= ratio
            self.turned *= ratio * ratio
        self.size = size

    def miss(self, gap: Vector) -> None:
        """Take note of what inputs were off by at a window's end."""
        with np.errstate(over="ignore"):  # a run that blows up has no finite sum
            self.off += gap * gap

    def restart(self) -> None:
        """An event: what was before says nothing about what comes."""
        self.known[0] = 0

    def renew(self) -> None:
        """Another run: nothing was seen yet."""
        for seen in (self.bend, *self._sums()):
            seen[:] = 0.0
        self.bend_time[:] = np.nan
        self.known[0], self.size, self.order = 0, 0.0, 0

    def activity(self) -> Vector:
        """How much each input turned, of how much it moved: 0 to 2, where it goes to and fro."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.sqrt(self.turn / np.where(self.way > 0, self.way, 1.0))
        return np.where(np.isfinite(found), found, 0.0)

    def dump(self) -> tuple[Any, ...]:
        """What was seen so far but for `bend`, as a value."""
        return (*self._sums(), int(self.known[0]), self.size, self.order)

    def load(self, seen: tuple[Any, ...]) -> None:
        """Go on from what was seen earlier."""
        for mine, given in zip(self._sums(), seen, strict=False):
            mine[:] = given
        self.known[0], self.size, self.order = seen[-3:]

    def shared(self) -> tuple[Any, ...]:
        """What native code goes on with."""
        return (*self._sums(), self.known)

    def _sums(self) -> tuple[Vector, ...]:
        return self.off, self.way, self.turn, self.moved, self.turned
