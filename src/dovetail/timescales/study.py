"""How bounds and gaps change with alpha: where a model wants to be cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.signals import Vector
from ..cycles import separability, stiffness

if TYPE_CHECKING:
    from .analysis import Analysis


@dataclass(frozen=True, eq=False)
class Study:
    """Bounds for several alphas, one row each, in the order of the states.

    `terms` are, row by row, the gaps between neighbours in the order of size, over the largest
    gap of their row: where a term stays near 1 for many alphas, there is a place to cut.
    """

    names: tuple[str, ...]
    alphas: Vector
    bounds: Vector
    stiffness: Vector
    separability: Vector
    terms: Vector


def study(analysis: Analysis, alphas: Vector) -> Study:
    """The parametric study of an analysis."""
    share = max(analysis.budget // 10, 1)  # a picture needs less
    rows = np.array([analysis.lower_limits(float(a), share) for a in alphas])
    with np.errstate(invalid="ignore"):  # between two states in no cycle there is no gap
        gaps = np.diff(np.sort(rows, axis=1), axis=1)
    gaps = np.where(np.isfinite(gaps), gaps, 0.0)
    largest = gaps.max(axis=1, initial=0.0)[:, None]
    terms = np.divide(gaps, largest, out=np.zeros_like(gaps), where=largest > 0)
    return Study(
        analysis.names,
        alphas,
        rows,
        np.array([stiffness(row) for row in rows]),
        np.array([separability(row) for row in rows]),
        terms,
    )
