"""What junctions remember from window to window, behind their unknowns in z."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.signals import Vector
from .merging import InheritedGap


@dataclass(frozen=True, slots=True)
class JunctionMemory:
    """Places in z, for one group of junctions. All zero means that nothing is known yet.

    Kept there and not in an object, so that going back and resuming take it along.
    """

    first: int
    count: int  # unknowns of the group
    states: int  # continuous states of its parts, where they are needed

    @property
    def size(self) -> int:
        """How many places it takes."""
        n = self.count
        return 5 * n + n * n + 6 + self.states

    def index(self, z: Vector) -> Vector:
        """The index of each row; zero before it was found."""
        return z[self._rows(0)]

    def sliding(self, z: Vector) -> Vector:
        """s where it was left."""
        return z[self._rows(1)]

    def gap(self, z: Vector) -> Vector:
        """g where it was left."""
        return z[self._rows(2)]

    def jacobian(self, z: Vector) -> Vector | None:
        """The Jacobian that was used last, if any."""
        a = self.first + 3 * self.count
        found = z[a : a + self.count**2].reshape(self.count, self.count)
        return found.copy() if np.any(found) else None

    def window(self, z: Vector) -> float:
        """The size of the windows, those that an event cut short hardly counted."""
        return float(z[self._flags])

    def unsolved(self, z: Vector) -> bool:
        """Whether the last search ended without a solution."""
        return bool(z[self._flags + 1])

    def time(self, z: Vector) -> float:
        """When the states below were seen."""
        return float(z[self._flags + 2])

    def scale(self, z: Vector) -> float:
        """mu, as it was used last."""
        return float(z[self._flags + 3])

    def inherited(self, z: Vector) -> InheritedGap:
        """The disagreement that the parts started with, for junctions that are iterated."""
        a, n = self._flags + 4, self.count
        gap, slope = z[a : a + n].copy(), z[a + n : a + 2 * n].copy()
        return InheritedGap(gap, slope, float(z[a + 2 * n]), float(z[a + 2 * n + 1]))

    def seen(self, z: Vector) -> Vector:
        """The states of the parts where the unknowns were left."""
        return z[self._flags + 6 + 2 * self.count : self.first + self.size]

    def keep(
        self,
        z: Vector,
        *,
        index: Vector,
        sliding: Vector,
        gap: Vector,
        jacobian: Vector | None,
        window: float,
        unsolved: bool,
        time: float,
        scale: float,
        inherited: InheritedGap,
        states: Vector,
    ) -> None:
        """Write it all down, in place."""
        n = self.count
        flat = np.zeros(n * n) if jacobian is None else jacobian.ravel()
        flags = [window, float(unsolved), time, scale]
        old = inherited
        z[self.first : self.first + self.size] = np.concatenate(
            [index, sliding, gap, flat, flags, old.gap, old.slope, [old.since, old.scale], states]
        )

    def keep_jacobian(self, z: Vector, jacobian: Vector | None) -> None:
        """Write down the Jacobian alone, in place; None forgets it."""
        a = self.first + 3 * self.count
        z[a : a + self.count**2] = 0.0 if jacobian is None else jacobian.ravel()

    @property
    def _flags(self) -> int:
        return self.first + 3 * self.count + self.count**2

    def _rows(self, k: int) -> slice:
        return slice(self.first + k * self.count, self.first + (k + 1) * self.count)
