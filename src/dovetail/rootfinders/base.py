"""Solving r(z) = 0 when an evaluation of r is dear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..core.signals import Tolerance, Vector
from .elimination import Sparse

Residual = Callable[[Vector], Vector]
Jacobian = Callable[[Vector], Vector | Sparse]


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """Where a root finder stopped. `value` is the last point evaluated.

    `error` is the residual there, measured with the tolerance: 1 is just within it. `memory`:
    what a `LearningRootFinder` keeps for the next window. Root finders are frozen, so it travels
    with the run: it rolls back with a window, is in checkpoints, and is forgotten at events.
    `floor`: the multiple of the tolerance that was searched for, above 1 where noise forbids more.
    """

    value: Vector
    error: float
    evaluations: int
    converged: bool
    memory: Any = None
    floor: float = 1.0


class RootFinder(Protocol):
    """Finds z with r(z) within tolerance, where a plain iteration would be z <- z + r(z).

    `jacobian`, of r, may be used by root finders that can; the others ignore it.
    """

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""


@runtime_checkable
class LearningRootFinder(RootFinder, Protocol):
    """A root finder that a search teaches something about the next one."""

    def recalling(self, memory: Any) -> RootFinder:
        """The same with what `Root.memory` held."""


def recalled(finder: RootFinder, memory: Any) -> RootFinder:
    """A root finder with what it learned before, if it did."""
    if memory is None or not isinstance(finder, LearningRootFinder):
        return finder
    return finder.recalling(memory)


def differences(residual: Residual, z: Vector, r: Vector, tolerance: Tolerance) -> Vector:
    """The Jacobian of r by forward differences; increments as in MasterSim's notes."""
    deltas = np.maximum(np.abs(z) * tolerance.rtol + 0.01 * tolerance.atol, 1e-9)
    deltas = np.maximum(deltas, 1e-8 * np.abs(z))
    columns = []
    for k, delta in enumerate(deltas):
        moved = z.copy()
        moved[k] += delta
        columns.append((residual(moved) - r) / (moved[k] - z[k]))
    return np.column_stack(columns) if columns else np.zeros((0, 0))
