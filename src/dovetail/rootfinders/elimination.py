"""Gaussian elimination of a sparse system whose pattern is known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from ..core.signals import Vector

_BASE, _EACH = 100, 8  # operations that pay: more of them, and LAPACK on a full matrix is quicker
_RESIDUE = 1e-6  # of the right-hand side: what an elimination without pivoting may leave


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """J x = r as a list of operations, for a pattern with a full diagonal.

    The order is Markowitz's, on the diagonal: cheap for the loops and chains that interfaces
    are. There is no pivoting; instead what is left over is looked at, and where it is too much
    the full matrix is solved. Operations are threes of numbers: target, left, right.
    """

    size: int
    rows: Any  # of the values
    columns: Any
    diagonal: Any
    factor: Any  # value -= value * value; with left -1: value /= value
    forward: Any  # x -= value * x
    backward: Any  # the same; with right -1: x /= value

    @staticmethod
    def of(size: int, rows: Sequence[int], columns: Sequence[int]) -> Elimination | None:
        """The elimination for this pattern; None if it is too full to gain from it."""
        limit = _BASE + _EACH * size
        across: list[set[int]] = [{k} for k in range(size)]
        down: list[set[int]] = [{k} for k in range(size)]
        for i, j in zip(rows, columns, strict=True):
            across[i].add(j)
            down[j].add(i)
        if sum(map(len, across)) > limit:
            return None
        order, count = list[int](), 0
        heap = [(len(across[k]) * len(down[k]), k) for k in range(size)]
        heapify(heap)
        gone: set[int] = set()
        while heap:
            cost, k = heappop(heap)
            if k in gone or cost != _cost(across, down, k, gone):
                if k not in gone:
                    heappush(heap, (_cost(across, down, k, gone), k))
                continue
            gone.add(k)
            order.append(k)
            below, right = down[k] - gone, across[k] - gone
            count += len(below) * (len(right) + 2)
            if count > limit:
                return None
            for i in below:
                across[i] |= right
            for j in right:
                down[j] |= below
            for m in below | right:
                heappush(heap, (_cost(across, down, m, gone), m))
        return _program(size, order, across, down)

    def slots(self, rows: Any, columns: Any) -> Any:
        """Where entries of the pattern lie among the values."""
        place = {
            pair: k
            for k, pair in enumerate(zip(self.rows.tolist(), self.columns.tolist(), strict=True))
        }
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return np.array([place[pair] for pair in pairs], dtype=np.intp)

    def factored(self, values: Vector) -> list[float]:
        """The values after elimination; ZeroDivisionError where a pivot vanishes."""
        found: list[float] = values.tolist()
        for target, left, right in self.factor.tolist():
            if left < 0:
                found[target] /= found[right]
            else:
                found[target] -= found[left] * found[right]
        return found

    def substituted(self, factors: list[float], right_side: Vector) -> Vector:
        """x, from what `factored` gave."""
        x: list[float] = right_side.tolist()
        for target, left, right in self.forward.tolist():
            x[target] -= factors[left] * x[right]
        for target, left, right in self.backward.tolist():
            if right < 0:
                x[target] /= factors[left]
            else:
                x[target] -= factors[left] * x[right]
        return np.array(x)

    def fits(self, values: Vector, x: Vector, right_side: Vector) -> bool:
        """Whether x solves J x = r well enough."""
        if not np.all(np.isfinite(x)):
            return False
        made = np.bincount(self.rows, weights=values * x[self.columns], minlength=self.size)
        left = np.max(np.abs(made - right_side), initial=0.0)
        return bool(left <= _RESIDUE * np.max(np.abs(right_side), initial=0.0))

    def full(self, values: Vector) -> Vector:
        """J as a full matrix."""
        J = np.zeros((self.size, self.size))
        J[self.rows, self.columns] = values
        return J


class Sparse:
    """A Jacobian by its values, which knows how to solve with itself."""

    __slots__ = ("_elimination", "_factors", "values")

    def __init__(self, elimination: Elimination, values: Vector) -> None:
        self._elimination, self.values = elimination, values
        try:
            self._factors: list[float] | None = elimination.factored(values)
        except ZeroDivisionError:
            self._factors = None

    def solve(self, right_side: Vector) -> Vector:
        """x with J x = r; LinAlgError if there is none."""
        if self._factors is not None:
            try:
                x = self._elimination.substituted(self._factors, right_side)
            except ZeroDivisionError:
                x = np.full(right_side.size, np.nan)
            if self._elimination.fits(self.values, x, right_side):
                return x
        return np.asarray(np.linalg.solve(self.full(), right_side), dtype=np.float64)

    def full(self) -> Vector:
        """The same as a full matrix."""
        return self._elimination.full(self.values)


def minus_one(
    size: int, sparse: tuple[Elimination, Any] | None, places: tuple[Any, Any], terms: Vector
) -> Vector | Sparse:
    """-1 and what is added to it, at rows and columns; as values if there is an elimination.

    That comes with the places of the terms among its values.
    """
    if sparse is None:
        J = -np.eye(size)
        np.add.at(J, places, terms)
        return J
    elimination, slots = sparse
    values = np.zeros(elimination.rows.size)
    values[elimination.diagonal] = -1.0
    np.add.at(values, slots, terms)
    return Sparse(elimination, values)


def _cost(across: list[set[int]], down: list[set[int]], k: int, gone: set[int]) -> int:
    return len(across[k] - gone) * len(down[k] - gone)


def _program(
    size: int, order: Sequence[int], across: list[set[int]], down: list[set[int]]
) -> Elimination:
    """The operations, in the order in which they are done."""
    pairs = sorted((i, j) for i in range(size) for j in across[i])
    place = {pair: k for k, pair in enumerate(pairs)}
    factor, forward, backward = [], [], []
    rank = {k: n for n, k in enumerate(order)}
    for k in order:
        right = sorted((j for j in across[k] if rank[j] > rank[k]), key=rank.__getitem__)
        for i in sorted((i for i in down[k] if rank[i] > rank[k]), key=rank.__getitem__):
            at = place[i, k]
            factor.append((at, -1, place[k, k]))
            factor += [(place[i, j], at, place[k, j]) for j in right]
            forward.append((i, at, k))
    for k in reversed(order):
        right = sorted((j for j in across[k] if rank[j] > rank[k]), key=rank.__getitem__)
        backward += [(k, place[k, j], j) for j in right]
        backward.append((k, place[k, k], -1))
    threes = [np.array(ops, dtype=np.int32).reshape(-1, 3) for ops in (factor, forward, backward)]
    table = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    diagonal = np.array([place[k, k] for k in range(size)], dtype=np.intp)
    return Elimination(size, table[:, 0].copy(), table[:, 1].copy(), diagonal, *threes)
