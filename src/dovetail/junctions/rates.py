"""The laws that follow the states over a window: single rate and multi rate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..core.signals import Vector
from .sliding_mode import SlidingMode
from .solving import Inverse, Solution
from .surface import Surface

_SHARE = 1e-3  # of a window, by which s is differenced along it


def followed(law: SlidingMode, surface: Surface, z: Vector, past: tuple[float, Vector]) -> Solution:
    """n moves z += lim(-J^-1 (s + Jx dx + Jt dt), v0), each over 1/n of the window.

    States between its ends lie on a straight line. Jx dx + Jt dt is the change of s along it,
    by central differences.
    """
    line = _Line(surface, past)
    moves, whole, J = law.moves or 1, True, np.zeros((z.size, z.size))
    for k in range(moves):
        share = k / moves
        with line.at(share) as there:
            s = there(z)
            J = there.jacobian(z, s, central=True)
        change = np.zeros(z.size)
        for sign in (1, -1):
            with line.at(share + sign * _SHARE) as near:
                change += sign * near(z)
        move = -Inverse(J, surface.group.nominal)(s + change / (2 * _SHARE * moves))
        cut = law.limited(move)
        whole = cut is move
        z = z + cut
    return Solution(z, surface(z), J, whole)


class _Line:
    """The states of all parts on a straight line over the window."""

    def __init__(self, surface: Surface, past: tuple[float, Vector]) -> None:
        self.surface, (self.start, self.before) = surface, past
        here = [surface.now.state(part) for part in surface.group.parts]
        self.after, self.stop = np.concatenate(here), surface.now.time
        self.cuts = np.cumsum([x.size for x in here])[:-1]

    @contextmanager
    def at(self, share: float) -> Iterator[Surface]:
        """The sliding function this far along."""
        states = np.split(self.before + share * (self.after - self.before), self.cuts)
        time = self.start + share * (self.stop - self.start)
        placed = dict(zip(self.surface.group.parts, states, strict=True))
        with self.surface.now.at(time, placed):
            yield self.surface.again()
