"""How well a fit knows its values: covariance, intervals, and what the residuals give away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from ..core.signals import Vector

_APART = 3e-4  # of the largest singular value: differences are not more exact than that
_INVOLVED = 0.2  # of a direction: values that take part in it
_NOTHING = 1e-6  # of a signal's range
_AT_LIMIT = 1e-6  # of a range


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """Half widths of intervals, the correlation of values, and which cannot be told apart."""

    half_widths: Vector
    deviations: Vector  # standard ones
    correlation: Vector
    confounded: tuple[tuple[int, ...], ...]


def certainty(
    jacobian: Vector, residuals: Vector, groups: Sequence[Vector], confidence: float
) -> Certainty:
    """From the Jacobian of weighted residuals; each group of residuals has a variance of its own.

    With one group it is the usual s^2 (J^T J)^-1, as in Seber and Wild, Nonlinear Regression,
    Wiley 1989. With several, signals may be measured with different noise.
    """
    count, free = jacobian.shape
    sizes = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / np.where(sizes > 0, sizes, 1.0)
    _, strengths, directions = np.linalg.svd(scaled, full_matrices=False)
    weak = strengths < _APART * strengths[0]
    confounded = tuple(
        tuple(np.flatnonzero(np.abs(direction) > _INVOLVED).tolist())
        for direction in directions[: strengths.size][weak]
    )
    rest = count - free
    spread = np.full(free, np.inf)
    correlation = np.full((free, free), np.nan)
    if rest > 0 and not confounded:
        inverse = directions.T @ np.diag(strengths**-2) @ directions
        middle = np.zeros((free, free))
        for group in groups:
            own, part = residuals[group], scaled[group]
            left = own.size * rest / count
            middle += (own @ own) / left * (part.T @ part)
        covariance = inverse @ middle @ inverse
        deviations = np.sqrt(np.diag(covariance))
        outer = np.outer(deviations, deviations)
        correlation = covariance / np.where(outer > 0, outer, 1.0)
        spread = deviations / sizes
    factor = float(student.ppf(0.5 + confidence / 2, max(rest, 1)))
    return Certainty(factor * spread, spread, correlation, confounded)


def persistence(groups: Sequence[tuple[Vector, float]]) -> float:
    """How alike neighbouring residuals are, from 0 for noise to 1: the largest of all curves.

    Each comes with the range of its signal: what is left below a millionth of it is not looked at.
    """
    found = [0.0]
    for one, span in groups:
        off = one - one.mean()
        total = float(off @ off)
        if one.size > 10 and total > one.size * (_NOTHING * span) ** 2:
            found.append(float(off[1:] @ off[:-1]) / total)
    return max(found)


def at_limit(value: float, low: float, high: float) -> bool:
    """Whether a value lies on one of its limits."""
    span = high - low if np.isfinite(high - low) else max(abs(value), 1.0)
    return bool(min(value - low, high - value) <= _AT_LIMIT * span)
