"""Junctions with unknowns inside merged equations: constraints that the right-hand side solves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from ..core.errors import JunctionFailed, PartFailed
from ..core.signals import Vector
from ..junctions.solving import SingularJacobian, solve
from ..topology.junction_groups import JunctionGroup

Function = Callable[[float, Vector, Vector], Vector]  # of time, states, unknowns
_MOVES = (0.0, 5e-4, 4e-3)  # along the solution, by order: rounding and truncation in balance
_ROUNDING = (1e-15, 1e-12, 1e-9)  # of a derivative by such differences, by order
_ENOUGH = 1e-10  # of the unknowns, or of their usual size
_APART = 1e-7  # of what is compared: ports that start further apart do not agree


@dataclass(frozen=True, slots=True, eq=False)
class WholeSystem:
    """What constraints are made of: outputs, rates, and how fast the states move."""

    values: Function
    rates: Function
    speed: Callable[[Vector, Vector], float]

    def derivative(self, order: int) -> Function:
        """The outputs, differentiated so often along the solution, unknowns held."""
        if order == 0:
            return self.values
        lower = self.derivative(order - 1)

        def found(t: float, x: Vector, z: Vector) -> Vector:
            dx = self.rates(t, x, z)
            h = _MOVES[order] / self.speed(x, dx)

            def at(share: int) -> Vector:
                return lower(t + share * h, x + share * h * dx, z)

            slope: Vector = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
            return slope

        return found


class MergedJunctions:
    """The unknowns z of all junctions, as functions of time and states.

    Row by row the constraint g is differentiated until z appears, index - 1 times, which gives
    s = (mu d/dt + 1)^(index - 1) g = 0: the index-reduced equations, with what integration lets
    drift, or parts start with, dying away as in sliding mode. Flows are the derivatives of
    displacements, and need not be found by differences. Gu, thesis, MIT, 2001.
    """

    trust: Vector
    _speed = 1.0  # of the states
    scale: float | None = None  # mu, where none was given: twice the first window

    def __init__(
        self, groups: Sequence[JunctionGroup], index: Sequence[Vector], whole: WholeSystem
    ) -> None:
        self.groups, self._whole = tuple(groups), whole
        self.name = "; ".join(g.name for g in groups)
        self.index = np.concatenate(list(index)).astype(int)
        self.nominal = np.concatenate([g.nominal for g in groups])
        self._given = np.concatenate([np.full(g.unknowns.size, _asked(g)) for g in groups])
        self._jacobian: Vector | None = None
        self.trust = np.zeros(self.index.size)
        self._place = 0.0, np.zeros(0)
        self._by_flow = np.concatenate([np.any(g.rates != 0, axis=1) for g in groups])
        highest = np.where(self._by_flow, self.index - 2, self.index - 1)
        self._needed = max(int(highest.max(initial=0)), 0)

    @property
    def group(self) -> MergedJunctions:
        """Itself: all junctions are one group here."""
        return self

    def forget(self) -> None:
        """Form the Jacobian anew."""
        self._jacobian = None

    def solved(self, time: float, x: Vector, z: Vector) -> Vector:
        """The unknowns there, found from a guess."""
        self._stand(time, x, z)
        try:
            found = solve(self, z, self._jacobian, _ENOUGH)
        except SingularJacobian:
            self._jacobian = None
            why = "its unknowns move nothing, or cannot be distinguished (ds/dz is singular)"
            raise JunctionFailed(self.name, time, why, _LOOK) from None
        self._jacobian = found.jacobian
        if not found.converged:
            self._jacobian = None
            gap = float(np.max(np.abs(found.s)))
            why = f"no push makes its ports go on agreeing ({gap:.1g} is left)"
            raise JunctionFailed(self.name, time, why, _LOOK)
        return found.z

    def __call__(self, z: Vector) -> Vector:
        """s for these unknowns."""
        total, trust = np.zeros(z.size), np.zeros(z.size)
        known = [self._whole.derivative(k)(*self._place, z) for k in range(self._needed + 1)]
        for order in range(int(self.index.max())):
            weight = self._weight(order)
            value, blur = self._row_values(known, order, z)
            total += weight * value
            trust += weight * blur
        self.trust = trust
        return total

    def jacobian(self, z: Vector, s: Vector, *, central: bool = False) -> Vector:
        """ds/dz by central differences; a change that might be rounding is none."""
        columns = []
        for k, delta in enumerate(1e-4 * np.maximum(np.abs(z), self.nominal)):
            up, down = z.copy(), z.copy()
            up[k] += delta
            down[k] -= delta
            change = self(up) - self(down)
            change[np.abs(change) <= 0.1 * self.trust] = 0.0
            columns.append(change / (up[k] - down[k]))
        return np.column_stack(columns)

    def check(self, time: float, x: Vector, z: Vector) -> None:
        """Refuse ports that stand apart without a time to come together in, and hidden paths."""
        self._stand(time, x, z)
        known = [self._whole.derivative(k)(time, x, z) for k in range(self._needed + 1)]
        moved = z + np.maximum(np.abs(z), self.nominal)
        try:
            there = [self._whole.derivative(k)(time, x, moved) for k in range(self._needed + 1)]
        except PartFailed:
            there = known  # that far it cannot be asked
        names = [r for g in self.groups for r in g.rows]
        for order in range(2):
            value, blur = self._row_values(known, order, z)
            other, _ = self._row_values(there, order, z)
            size = blur / _ROUNDING[order]
            below = self.index > order + 1
            for row in np.flatnonzero(below & (np.abs(other - value) > 1e-6 * size + 10 * blur)):
                why = f"what {names[row]} compares follows the unknown of another junction at once"
                raise JunctionFailed(names[row], time, why, "merge the parts on each side of it")
            apart = below & np.isnan(self._given) & (np.abs(value) > _APART * (size + 1e-3))
            for row in np.flatnonzero(apart):
                what = "ports" if order == 0 else "flows of its ports"
                why = f"the {what} are {value[row]:.3g} apart, and merged equations have no windows"
                raise JunctionFailed(names[row], time, why, _SCALE)

    def _weight(self, order: int) -> Vector:
        """C(r - 1, k) mu^k of each row."""
        mu = np.where(np.isnan(self._given), self.scale or 1.0, self._given)
        counts = np.array([comb(int(r) - 1, order) for r in self.index], dtype=float)
        weights: Vector = counts * mu**order
        return weights

    def _row_values(self, known: Sequence[Vector], order: int, z: Vector) -> tuple[Vector, Vector]:
        """g, differentiated so often, and its rounding, row by row."""
        values, blurs = [], []
        for g, by_flow in zip(self.groups, self._split(self._by_flow), strict=True):
            value, blur = np.zeros(g.unknowns.size), np.zeros(g.unknowns.size)
            flows = (g.rates, order - 1) if order else (g.N, 0)
            for (matrix, k), rows in (((g.N, order), ~by_flow), (flows, by_flow)):
                if not rows.any() or k >= len(known):
                    continue
                value[rows] = (matrix @ known[k][g.outputs])[rows]
                terms = np.abs(matrix) @ np.abs(known[0][g.outputs])
                blur[rows] = terms[rows] * self._speed**k * _ROUNDING[k]
            if order == 0:
                value += g.D @ z[g.unknowns] + g.c
            values.append(value)
            blurs.append(blur)
        return np.concatenate(values), np.concatenate(blurs)

    def _split(self, rows: Any) -> list[Any]:
        return np.split(rows, np.cumsum([g.unknowns.size for g in self.groups])[:-1])

    def _stand(self, time: float, x: Vector, z: Vector) -> None:
        """Look at the constraint there."""
        self._place = time, x
        if self._needed:
            self._speed = self._whole.speed(x, self._whole.rates(time, x, z))


_LOOK = "a part saturates or is at a dead point there; look at its model"
_SCALE = "give the junction a time to close the gap in, coordinator=dv.SlidingMode(time_scale=0.1)"


def _asked(group: JunctionGroup) -> float:
    """The time in which gaps are to close, as the drawing gives it; NaN where it does not."""
    service = group.coordinator
    own = getattr(service, "time_scale", None) if service is not None else None
    return own or group.time_scale or float("nan")
