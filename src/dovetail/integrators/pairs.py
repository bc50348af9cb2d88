"""Pairs of Runge-Kutta methods with common stages: explicit for some states, implicit for others.

Stage i has the values

    slow:  x + h sum_j<i explicit[i][j] k_j        fast:  x + h sum_j<=i implicit[i][j] k_j

with k_j the rates at stage j, and the step ends with the weights in the same way. The forms of
order two differ from those of Papadopoulos and Leva (2014), in which slow states see fast ones
as they were at the start of the step; that is of order one.
"""

from __future__ import annotations

from dataclasses import dataclass

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
