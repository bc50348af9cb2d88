"""Pairs of Runge-Kutta methods with common stages: explicit for some states, implicit for others.

Stage i has the values

    slow:  x + h sum_j<i explicit[i][j] k_j        fast:  x + h sum_j<=i implicit[i][j] k_j

with k_j the rates at stage j, and the step ends with the weights in the same way. The forms of
order two differ from those of Papadopoulos and Leva (2014), in which slow states see fast ones
as they were at the start of the step; that is of order one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

Rows = tuple[tuple[float, ...], ...]
Terms = tuple[tuple[int, float], ...]  # stages that count, with their weights


class Stage(NamedTuple):
    """One stage after the first, ready to be computed."""

    node: float
    share: float  # with which a fast state's own rate counts
    slow: Terms  # where slow states are, seen from the start of the step
    known: Terms  # where fast states are without their own rate
    slow_on: Terms  # where slow states are, seen from the stage before
    fast_on: Terms  # the same of fast ones, if their rates stayed what they were there
    wants_slow: bool  # whether the rates of slow states are needed once the stage is known
    wants_fast: bool


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

    @cached_property
    def last_slow(self) -> Terms:
        """With which the moves of slow states make the step."""
        return _terms(self.explicit_weights)

    @cached_property
    def last_fast(self) -> Terms:
        """The same of fast states."""
        return _terms(self.implicit_weights)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """All stages but the first, which is the start of the step."""
        found = []
        for i in range(1, len(self.nodes)):
            slow, (*known, share) = self.explicit[i], self.implicit[i]
            ahead = _less(known, self.implicit[i - 1])
            ahead[-1] += share
            found.append(
                Stage(
                    self.nodes[i],
                    share,
                    _terms(slow),
                    _terms(known),
                    _terms(_less(slow, self.explicit[i - 1])),
                    _terms(ahead),
                    self.uses_slow[i],
                    self.uses_fast[i],
                )
            )
        return tuple(found)


def _terms(weights: Sequence[float]) -> Terms:
    return tuple((j, a) for j, a in enumerate(weights) if a)


def _less(row: Sequence[float], before: Sequence[float]) -> list[float]:
    return [a - (before[j] if j < len(before) else 0.0) for j, a in enumerate(row)]


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
