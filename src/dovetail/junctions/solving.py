"""Solving s(z) = 0 after a window: damped Newton with a Jacobian that is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np

from ..core.errors import PartFailed
from ..core.signals import Vector

_ENOUGH = 1e-8  # of the unknowns, or of their usual size
_MOST = 60  # moves
_LEAST = 2.0**-14  # share of a move
_SMALL = 2.0**-7  # a share that changes s by less than its rounding, where that is all there is
_ROUNDED = 1e-5  # of the unknowns: what the rounding of differences may leave of them


class JunctionFunction(Protocol):
    """s(z), its rounding where it was asked last, and ds/dz; `group` has the nominal values."""

    trust: Vector

    @property
    def group(self) -> Any:
        """What has `nominal`, the usual size of each unknown."""

    def __call__(self, z: Vector) -> Vector:
        """s for these unknowns."""

    def jacobian(self, z: Vector, s: Vector, *, central: bool = False) -> Vector:
        """ds/dz by differences."""


def differences(
    many: Callable[[Sequence[Vector]], list[tuple[Vector, Vector]]],
    nominal: Vector,
    z: Vector,
    s: Vector,
    *,
    central: bool = False,
) -> Vector:
    """ds/dz by differences, asked for at once; a change that might be rounding is none.

    Central ones are taken as they are.
    """
    deltas, tried = 1e-4 * np.maximum(np.abs(z), nominal), list[Vector]()
    for k, delta in enumerate(deltas):
        for place in (z[k] + delta, z[k] - delta)[: 1 + central]:
            moved = z.copy()
            moved[k] = place
            tried.append(moved)
    found, columns = iter(zip(tried, many(tried), strict=True)), []
    for k in range(len(deltas)):
        moved, (value, trust) = next(found)
        change, width = value - s, moved[k] - z[k]
        if central:
            moved, (value, _) = next(found)
            change, width = change + s - value, width + z[k] - moved[k]
        else:
            change[np.abs(change) <= 0.1 * trust] = 0.0
        columns.append(change / width)
    return np.column_stack(columns)


class SingularJacobian(Exception):
    """ds/dz cannot be inverted: some push moves nothing, or two push the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Where the search ended: the unknowns, s there, the Jacobian, and whether s vanishes."""

    z: Vector
    s: Vector
    jacobian: Vector | None
    converged: bool


def solve(
    surface: JunctionFunction, z: Vector, jacobian: Vector | None, enough: float = _ENOUGH
) -> Solution:
    """Move z until -J^-1 s is nothing: `enough` of the unknowns, or of their usual size.

    A move counts only if |J^-1 s| falls by (1 - share/4); else it is halved. The Jacobian is
    formed anew where it contracts slower than 1/4. Where no share of a move helps, s may be all
    rounding, as that of second differences is: it then scatters by its own size between points
    that are next to each other. Else a single unknown is bracketed.
    """
    nominal, s = surface.group.nominal, surface(z)
    trust, fresh, J, inverse = surface.trust, jacobian is None, jacobian, None
    for _ in range(_MOST):
        if J is None:
            J, fresh, inverse = surface.jacobian(z, s), True, None
        try:
            inverse = inverse or Inverse(J, nominal)
        except SingularJacobian:
            if fresh:
                raise
            J = None
            continue
        move = -inverse(s)
        weight = np.maximum(np.abs(z), nominal)
        norm = float(np.max(np.abs(move) / weight))
        if norm <= enough or np.all(np.abs(s) <= trust):
            return Solution(z + move if norm <= enough else z, s, J, True)
        share, found, scatter = 1.0, None, 0.0
        while share >= _LEAST and found is None:
            there = z + share * move
            value, size = _measured(surface, there, inverse, weight)
            if size <= (1 - share / 4) * norm:
                found = there, value, size
            elif share <= _SMALL and size < inf:
                unforeseen = inverse(value - (1 - share) * s)
                scatter = max(scatter, float(np.max(np.abs(unforeseen) / weight)))
            share /= 2
        if found is not None:
            z, s, size = found
            trust, fresh = surface.trust, False
            if size > norm / 4:
                J = None
        elif not fresh:
            J = None
        elif norm <= _ROUNDED and scatter > norm / 4:
            return Solution(z, s, J, True)  # s is no more than its own rounding
        else:
            return _bracketed(surface, z, s, J) if z.size == 1 else Solution(z, s, J, False)
    return Solution(z, s, surface.jacobian(z, s) if J is None else J, False)


class Inverse:
    """J^-1, refused where J is singular in rows and columns of equal weight."""

    def __init__(self, J: Vector, nominal: Vector) -> None:
        rows = np.max(np.abs(J) * nominal, axis=1)
        if not np.all(np.isfinite(J)) or np.any(rows == 0):
            raise SingularJacobian
        scaled = J * nominal / rows[:, None]
        if J.shape[0] > 1 and np.linalg.svd(scaled, compute_uv=False)[-1] < 1e-11:
            raise SingularJacobian
        self._matrix: Vector = nominal[:, None] * np.linalg.inv(scaled) / rows

    def __call__(self, s: Vector) -> Vector:
        """J^-1 s."""
        solved: Vector = self._matrix @ s
        return solved


def _measured(
    surface: JunctionFunction, z: Vector, inverse: Inverse, weight: Vector
) -> tuple[Vector, float]:
    """s there, and the size of J^-1 s; infinite where a part cannot follow."""
    try:
        s = surface(z)
    except PartFailed:
        return z, inf
    return s, float(np.max(np.abs(inverse(s)) / weight))


def _bracketed(surface: JunctionFunction, z: Vector, s: Vector, J: Vector) -> Solution:
    """A root between two points of opposite sign, by false position with halved ends."""
    a, fa, step = z, float(s[0]), 1e-3 * max(abs(float(z[0])), float(surface.group.nominal[0]))
    for k in range(60):
        b = z + (step * 2 ** (k // 2)) * (1 if k % 2 else -1)
        try:
            fb = float(surface(b)[0])
        except PartFailed:
            continue
        if fa * fb <= 0:
            break
    else:
        return Solution(z, s, J, False)
    for _ in range(200):
        c = (a * fb - b * fa) / (fb - fa) if fb != fa else (a + b) / 2
        value = surface(c)
        fc = float(value[0])
        close = abs(float(b[0] - a[0])) <= _ENOUGH * max(
            abs(float(c[0])), float(surface.group.nominal[0])
        )
        if close or abs(fc) <= float(surface.trust[0]):
            return Solution(c, value, surface.jacobian(c, value), True)
        if fc * fb < 0:
            a, fa = b, fb
        else:
            fa /= 2
        b, fb = c, fc
    return Solution(b, value, J, False)
