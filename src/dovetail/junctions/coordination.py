"""Where a coordinator stands: its unknowns, and what it remembers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.signals import Vector
from .memory import JunctionMemory


@dataclass(frozen=True, slots=True, eq=False)
class Coordination:
    """The state of a coordinator, part of a run's position. A value: rollback uses the older one.

    `z` are the unknowns of all groups of junctions, in units of their domains; `memories` has one
    entry per group. Plain wires have neither.
    """

    z: Vector = field(default_factory=lambda: np.zeros(0))
    memories: tuple[JunctionMemory, ...] = ()

    @property
    def unsolved(self) -> int:
        """How many groups of junctions were left without a solution."""
        return sum([m.unsolved for m in self.memories])

    @property
    def waiting(self) -> bool:
        """Whether a group has not been looked at yet."""
        return any(not m.probed for m in self.memories)

    def equals(self, other: Coordination) -> bool:
        """Whether both are the same."""
        pairs = zip(self.memories, other.memories, strict=True)
        return np.array_equal(self.z, other.z) and all(a.equals(b) for a, b in pairs)
