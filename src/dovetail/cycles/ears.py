"""Cycles made of a critical cycle and one node beside it: cheap, and often nearly the best."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from ..core.signals import Vector
from .closing import CycleComponent
from .digraph import Index


@dataclass(frozen=True, eq=False)
class Ears:
    """Ways from a node onto the critical cycle, along it, and back to the node."""

    part: CycleComponent
    critical: Index
    node: Index  # one entry per pair of an edge onto the cycle and an edge off it
    slack: Vector
    length: Index
    onto: Index  # the position on the critical cycle where it begins

    def ratios(self, bonus: float) -> Vector:
        """For each node, the least (slack - bonus) / length; infinite without an ear."""
        best = np.full(self.part.size, inf)
        np.minimum.at(best, self.node, (self.slack - bonus) / self.length)
        return best

    def cycle(self, node: int, bonus: float) -> tuple[int, ...]:
        """The nodes of the best one; empty if there is none."""
        mine = np.flatnonzero(self.node == node)
        if not mine.size:
            return ()
        best = mine[np.argmin((self.slack[mine] - bonus) / self.length[mine])]
        count = self.critical.size
        along = (int(self.onto[best]) + np.arange(int(self.length[best]) - 1)) % count
        return (node, *self.critical[along].tolist())


def ears(part: CycleComponent, critical: Index) -> Ears:
    """All ears of a component that touch its critical cycle with one edge each way."""
    position = np.full(part.size, -1, dtype=np.intp)
    position[critical] = np.arange(critical.size)
    tails = np.repeat(np.arange(part.size), np.diff(part.starts))
    onto = np.flatnonzero((position[tails] < 0) & (position[part.heads] >= 0))
    off = np.flatnonzero((position[tails] >= 0) & (position[part.heads] < 0))
    off = off[np.argsort(part.heads[off], kind="stable")]
    first = np.searchsorted(part.heads[off], tails[onto], side="left")
    last = np.searchsorted(part.heads[off], tails[onto], side="right")
    counts = last - first
    a = np.repeat(onto, counts)
    b = off[np.arange(a.size) - np.repeat(np.cumsum(counts) - counts - first, counts)]
    begin, end = position[part.heads[a]], position[tails[b]]
    length = (end - begin) % max(critical.size, 1) + 2
    slack = part.slack[a] + part.slack[b]
    return Ears(part, critical, tails[a], slack, length.astype(np.intp), begin)
