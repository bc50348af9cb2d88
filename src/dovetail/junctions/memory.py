"""What a group of junctions remembers from window to window."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.signals import Vector
from .merging import InheritedGap


@dataclass(frozen=True, slots=True, eq=False)
class JunctionMemory:
    """One group of junctions, where its unknowns were left. A value: rollback uses the older one.

    `index`, `sliding` (s) and `gap` (g) have one entry per row; an index of zero was not found
    yet. `window` is the usual size of windows, those that an event cut short hardly counted.
    `states` of the parts at `time` are kept for laws that follow them. `inherited`: the
    disagreement that the parts started with, for junctions that are iterated.
    """

    index: Vector
    sliding: Vector
    gap: Vector
    inherited: InheritedGap
    states: Vector
    jacobian: Vector | None = None  # that was used last
    window: float = 0.0
    unsolved: bool = False  # the last search ended without a solution
    time: float = 0.0
    scale: float = 0.0  # mu, as it was used last

    @staticmethod
    def blank(count: int) -> JunctionMemory:
        """Nothing is known yet of a group with so many unknowns."""
        rows = np.zeros(count)
        return JunctionMemory(rows, rows, rows, InheritedGap(rows, rows, 0.0, 0.0), np.zeros(0))

    @property
    def probed(self) -> bool:
        """Whether the index of every row was found."""
        return bool(np.all(self.index))

    @property
    def follows_at_once(self) -> bool:
        """Whether all its unknowns follow the states at once: index 1."""
        return bool(np.all(self.index == 1))

    def with_jacobian(self, jacobian: Vector | None) -> JunctionMemory:
        """The same with this Jacobian for the next window; None forgets it."""
        return replace(self, jacobian=jacobian)

    def equals(self, other: JunctionMemory) -> bool:
        """Whether both remember the same."""
        a, b = self.inherited, other.inherited
        mine = self.window, self.unsolved, self.time, self.scale, a.since, a.scale
        theirs = other.window, other.unsolved, other.time, other.scale, b.since, b.scale
        pairs = (
            (self.index, other.index),
            (self.sliding, other.sliding),
            (self.gap, other.gap),
            (self.states, other.states),
            (a.gap, b.gap),
            (a.slope, b.slope),
        )
        return (
            mine == theirs
            and all(np.array_equal(x, y) for x, y in pairs)
            and _same(self.jacobian, other.jacobian)
        )


def _same(a: Vector | None, b: Vector | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)
