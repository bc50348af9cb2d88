"""One step of Dormand and Prince's method, and the curve through it.

Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.5.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt

import numpy as np

from ..core.signals import Vector
from .events import Curve
from .sums import BY_BLAS, Sums

_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9)
_A = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
_B = (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
_E = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
_D = (
    -12715105075 / 11282082432,
    0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)

# Columns: the state, then seven derivatives. Rows: five stages, the step, its error.
_TABLEAU = np.zeros((7, 8))
for _i, _row in enumerate((*_A, _B, _E)):
    _TABLEAU[_i, 1 : 1 + len(_row)] = _row
_STAGES = len(_A)

# The curve is begin + s (rise + r (bend + s (twist + r rest))), r = 1 - s. One row for each.
_CURVE = np.zeros((5, 8))
_CURVE[1, 1:7] = _B
_CURVE[2] = np.eye(8)[1] - _CURVE[1]
_CURVE[3] = _CURVE[1] - np.eye(8)[7] - _CURVE[2]
_CURVE[4, 1:] = _D


class Steps:
    """Steps of one run. All memory is taken once; small states cost little more than the rates.

    State and derivatives are rows of one array, so that each stage is a single product.
    """

    __slots__ = (
        *("_b", "_e", "_first", "_parts", "_rates", "_rows", "_six", "_sixth", "_sums", "_table"),
    )

    def __init__(
        self,
        rates: Callable[[float, Vector], Vector],
        time: float,
        state: Vector,
        sums: Sums = BY_BLAS,
    ) -> None:
        self._rates, self._sums = rates, sums
        self._rows = rows = np.empty((8, state.size))
        self._table = table = np.empty_like(_TABLEAU)
        self._first = table[:_STAGES, 0]
        self._parts = [(table[i, : i + 2], rows[: i + 2]) for i in range(_STAGES)]
        self._six = rows[1:7]
        self._b, self._e = table[5, 1:7], table[6, 1:]
        rows[0] = state
        self._sixth = state
        rows[1] = rates(time, state)

    @property
    def derivative(self) -> Vector:
        """The rates of change where the next step starts."""
        derivative: Vector = self._rows[1]
        return derivative

    def step(self, time: float, size: float, end: float) -> Vector | None:
        """The state at `end`, or None if something is not finite on the way."""
        rates, rows, (combined, square) = self._rates, self._rows, self._sums
        np.multiply(_TABLEAU, size, self._table)
        self._first[:] = 1.0
        i = 2
        for node, (weights, known) in zip(_NODES, self._parts, strict=False):
            rows[i] = rates(time + node * size, combined(weights, known))
            i += 1
        weights, known = self._parts[-1]
        self._sixth = sixth = combined(weights, known)
        rows[6] = rates(end, sixth)
        change = combined(self._b, self._six)
        if not isfinite(square(change)):
            return None
        new: Vector = rows[0] + change
        rows[7] = rates(end, new)
        return new

    def error(self) -> Vector:
        """The estimated error of the last step."""
        return self._sums.combined(self._e, self._rows[1:])

    def stiffness(self, size: float, new: Vector) -> float:
        """An estimate of size |lambda| for the fastest mode, from two stages at the same time.

        Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2.
        """
        rates, apart = self._rows[7] - self._rows[6], new - self._sixth
        between = self._sums.square(apart)
        return size * sqrt(self._sums.square(rates) / between) if between > 0 else 0.0

    def accept(self, new: Vector) -> None:
        """Go on from the last step, with its last derivative as the first of the next."""
        self._rows[0] = new
        self._rows[1] = self._rows[7]

    def curve(self, time: float, size: float) -> Curve:
        """The solution along the last step."""
        table = _CURVE * size
        table[0, 0] = 1.0
        combined = self._sums.combined
        if self._sums is BY_BLAS:
            rows = table.dot(self._rows)
        else:
            rows = np.array([combined(weights, self._rows) for weights in table])

        def at(instant: float) -> Vector:
            s = (instant - time) / size
            r = 1.0 - s
            sr = s * r
            return combined(np.array((1.0, s, sr, s * sr, sr * sr)), rows)

        return at
