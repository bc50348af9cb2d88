"""Probes other than Euler's: gains are polynomials of the step, feasible steps intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from ..core.signals import Vector
from .digraph import Digraph
from .enumeration import simple_cycles

Interval = tuple[float, float]


@dataclass(frozen=True)
class CycleProbe:
    """An explicit Runge-Kutta method, by its stability polynomial 1 + z + c_2 z^2 + ...

    One step with size h moves a linear system by that polynomial of h J.
    """

    name: str
    coefficients: tuple[float, ...]

    @staticmethod
    def of(name: str, a: Sequence[Sequence[float]], b: Sequence[float]) -> CycleProbe:
        """The probe of a tableau, strictly lower triangular."""
        A, weights = np.array(a, dtype=float), np.array(b, dtype=float)
        if A.shape != (weights.size, weights.size) or np.triu(A).any():
            raise ValueError("a probe is an explicit method: a strictly lower triangular tableau")
        row, coefficients = np.ones(weights.size), [1.0]
        for _ in range(weights.size):
            coefficients.append(float(weights @ row))
            row = A @ row
        return CycleProbe(name, tuple(coefficients))


PROBES = {
    p.name: p
    for p in (
        CycleProbe("euler", (1.0, 1.0)),
        CycleProbe("heun", (1.0, 1.0, 1 / 2)),
        CycleProbe("midpoint", (1.0, 1.0, 1 / 2)),
        CycleProbe("rk3", (1.0, 1.0, 1 / 2, 1 / 6)),
        CycleProbe("rk4", (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24)),
    )
}


@dataclass(frozen=True, eq=False)
class ProbedCycle:
    """A cycle, its gain as a polynomial of the step (lowest power first), and where it is feasible.

    `bound` is the end of the first feasible interval. Its beginning is left out, as for Euler's
    probe: a self loop's gain tends to 1 with the step, so that small steps never meet an alpha
    below 1, and yet do no harm. 0 where no step is feasible.
    """

    states: tuple[int, ...]
    gain: Vector
    feasible: tuple[Interval, ...]

    @property
    def bound(self) -> float:
        """The largest step that this cycle allows."""
        return self.feasible[0][1] if self.feasible else 0.0


def probed_cycles(
    jacobian: Any, probe: CycleProbe, alpha: float, limit: int | None = None
) -> list[ProbedCycle]:
    """Every cycle of the probe's step matrix, with its feasible steps."""
    dense = jacobian.toarray() if hasattr(jacobian, "toarray") else np.asarray(jacobian)
    J = np.array(dense, dtype=float)
    powers, gains = np.eye(len(J)), []
    for c in probe.coefficients:
        gains.append(c * powers)
        powers = powers @ J
    weights = np.stack(gains)  # one matrix per power of the step
    reached = (np.abs(weights[1:]) > 0).any(axis=0).astype(float)
    graph = Digraph.of(reached)
    found = []
    for cycle in simple_cycles(graph, limit):
        factors = _factors(weights, cycle)
        gain = np.ones(1)
        for f in factors:
            gain = np.convolve(gain, f)
        feasible = _feasible(gain, factors, alpha)
        found.append(ProbedCycle(cycle, np.trim_zeros(gain, "b"), feasible))
    return found


def _factors(weights: Vector, cycle: tuple[int, ...]) -> list[Vector]:
    if len(cycle) == 1:
        f = weights[:, cycle[0], cycle[0]].copy()
        if len(f) > 1 and f[1] > 0:
            f[0] = 0.0  # it grows by itself: what it adds must stay below alpha
        return [f]
    pairs = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
    return [weights[:, i, j] for i, j in pairs]


def _feasible(gain: Vector, factors: list[Vector], alpha: float) -> tuple[Interval, ...]:
    """Where |gain| <= alpha for steps above zero, as intervals in order.

    Roots of gain - alpha and gain + alpha, on a scale of steps that balances the coefficients;
    what lies between two of them is seen from the product in their middle.
    """
    top = np.flatnonzero(gain)
    if not top.size or top[-1] == 0:
        constant = abs(float(gain[0])) if gain.size else 0.0
        return ((0.0, inf),) if constant <= alpha or len(factors) == 1 else ()
    degree = int(top[-1])
    scale = (alpha / abs(float(gain[degree]))) ** (1 / degree)
    scaled = gain[: degree + 1] * scale ** np.arange(degree + 1)
    edges = {0.0}
    for level in (alpha, -alpha):
        shifted = scaled.copy()
        shifted[0] -= level
        roots = np.roots(shifted[::-1])
        real = roots.real[(np.abs(roots.imag) < 1e-7 * np.abs(roots)) & (roots.real > 1e-14)]
        edges.update(_polished(shifted, r) * scale for r in real.tolist())
    marks = [*sorted(edges), inf]
    found: list[Interval] = []
    for a, b in pairwise(marks):
        middle = 2 * a + scale if b == inf else 0.5 * (a + b)
        value = 1.0
        for f in factors:
            value *= float(np.polyval(f[::-1], middle))
        if abs(value) > alpha:
            continue
        if found and found[-1][1] == a:
            found[-1] = (found[-1][0], b)
        else:
            found.append((a, b))
    return tuple(found)


def _polished(polynomial: Vector, root: float) -> float:
    """One root, freed of most of the rounding of the eigenvalue method by Newton's."""
    derivative = np.polynomial.polynomial.polyder(polynomial)
    for _ in range(3):
        steep = float(np.polynomial.polynomial.polyval(root, derivative))
        change = float(np.polynomial.polynomial.polyval(root, polynomial)) / steep if steep else 0
        if not abs(change) < 0.1 * root:
            break
        root -= change
    return root
