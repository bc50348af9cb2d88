"""Bounds of the states over all operating points: the least of them counts."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from ..core.errors import OptionError, did_you_mean
from ..core.signals import Vector
from ..cycles import PROBES, CycleProbe, Digraph, Rule, Scales, TooManyCycles, probed_cycles

_PROBED = 100_000  # cycles that are looked at with other probes than Euler's


def probe_of(given: str | CycleProbe) -> CycleProbe:
    """The probe of this name, or the one that is given."""
    if isinstance(given, CycleProbe):
        return given
    if not isinstance(given, str):
        raise OptionError(f"probe must be one of {', '.join(PROBES)}, not {given!r}.")
    if given not in PROBES:
        hint = did_you_mean(given, PROBES) or f" There are {', '.join(PROBES)}."
        raise OptionError(f"'{given}' is no probe.{hint}")
    return PROBES[given]


def euler_limits(
    scales: Sequence[Scales], alpha: float, rule: Rule, budget: int
) -> tuple[Vector, Vector]:
    """Certified limits of each bound, for steps of Euler's method."""
    share = budget // len(scales)
    found = [one.bounds(alpha, rule, share) for one in scales]
    lower = np.min([b.lower for b in found], axis=0)
    return lower, np.min([b.upper for b in found], axis=0)


def probed_limits(
    jacobians: Sequence[Any], probe: CycleProbe, alpha: float
) -> tuple[Vector, Vector]:
    """The same for another probe, cycle by cycle: exact."""
    bounds = np.min([_probed(J, probe, alpha) for J in jacobians], axis=0)
    return bounds, bounds


def _probed(jacobian: Any, probe: CycleProbe, alpha: float) -> Vector:
    bounds = np.full(jacobian.shape[0], inf)
    try:
        for c in probed_cycles(jacobian, probe, alpha, _PROBED):
            states = list(c.states)
            bounds[states] = np.minimum(bounds[states], c.bound)
    except TooManyCycles as error:
        raise OptionError(f"{error} with probe='euler'.") from error
    return bounds


def united(jacobians: Sequence[Any], probe: CycleProbe) -> Digraph:
    """The graph of every edge that there is at some operating point."""
    total = abs(jacobians[0])
    for J in jacobians[1:]:
        total = total + abs(J)
    if probe.name == "euler":
        return Digraph.of(total)
    reached, power = total, total
    for _ in probe.coefficients[2:]:
        power = power @ total
        reached = reached + power
    return Digraph.of(reached)
