"""Pairs of Runge-Kutta methods with common stages: explicit for some states, implicit for others.

Stage i has the values

    slow:  x + h sum_j<i explicit[i][j] k_j        fast:  x + h sum_j<=i implicit[i][j] k_j

with k_j the rates at stage j, and the step ends with the weights in the same way. The forms of
order two differ from those of Papadopoulos and Leva (2014), in which slow states see fast ones
as they were at the start of the step; that is of order one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Pair:
    """Two tableaus with the same nodes; the first stage is the start of the step."""

    name: str
    order: int
    nodes: tuple[float, ...]
    explicit: Rows
    implicit: Rows
    explicit_weights: tuple[float, ...]
    implicit_weights: tuple[float, ...]

    @cached_property
    def ends_slow(self) -> bool:
        """Whether the slow states of the last stage are those at the end of the step."""
        return (*self.explicit[-1], 0.0) == self.explicit_weights and self.nodes[-1] == 1

    @cached_property
    def ends_fast(self) -> bool:
        """The same of the fast states."""
        return self.implicit[-1] == self.implicit_weights and self.nodes[-1] == 1

    @cached_property
    def uses_slow(self) -> tuple[bool, ...]:
        """For each stage, whether its rates of slow states are needed once it is known."""
        weights = () if self.ends_slow else (self.explicit_weights,)
        return _used((*self.explicit, *weights), len(self.nodes))

    @cached_property
    def uses_fast(self) -> tuple[bool, ...]:
        """The same of the fast states."""
        weights = () if self.ends_fast else (self.implicit_weights,)
        before = tuple(row[:i] for i, row in enumerate(self.implicit))
        return _used((*before, *weights), len(self.nodes))


def _used(rows: Rows, stages: int) -> tuple[bool, ...]:
    return tuple(any(len(row) > i and row[i] for row in rows) for i in range(stages))


PAIRS = {
    p.name: p
    for p in (
        Pair(
            "euler",
            1,
            (0.0, 1.0),
            ((), (1.0,)),
            ((0.0,), (0.0, 1.0)),
            (1.0, 0.0),
            (0.0, 1.0),
        ),
        Pair(
            "midpoint",
            2,
            (0.0, 1 / 2),
            ((), (1 / 2,)),
            ((0.0,), (0.0, 1 / 2)),
            (0.0, 1.0),
            (0.0, 1.0),
        ),
        Pair(  # Heun's method and Lobatto IIIA
            "heun",
            2,
            (0.0, 1.0),
            ((), (1.0,)),
            ((0.0,), (1 / 2, 1 / 2)),
            (1 / 2, 1 / 2),
            (1 / 2, 1 / 2),
        ),
        Pair(  # Ascher, Ruuth, Spiteri (1997), section 2.8, (4,4,3): the implicit one is L-stable
            "ars3",
            3,
            (0.0, 1 / 2, 2 / 3, 1 / 2, 1.0),
            (
                (),
                (1 / 2,),
                (11 / 18, 1 / 18),
                (5 / 6, -5 / 6, 1 / 2),
                (1 / 4, 7 / 4, 3 / 4, -7 / 4),
            ),
            (
                (0.0,),
                (0.0, 1 / 2),
                (0.0, 1 / 6, 1 / 2),
                (0.0, -1 / 2, 1 / 2, 1 / 2),
                (0.0, 3 / 2, -3 / 2, 1 / 2, 1 / 2),
            ),
            (1 / 4, 7 / 4, 3 / 4, -7 / 4, 0.0),
            (0.0, 3 / 2, -3 / 2, 1 / 2, 1 / 2),
        ),
    )
}
