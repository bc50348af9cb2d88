"""A cycle analysis in words."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .analysis import Analysis

_MANY = 24  # states that are told one by one
_FEW = 300  # states up to which every method is tried at the cut


def lines(analysis: Analysis) -> list[str]:
    """The report, line by line."""
    told = [_title(analysis), *_scales(analysis), ""]
    told.append(f"stiffness      {analysis.stiffness:.4g}  (largest bound over smallest)")
    told.append(f"separability   {analysis.separability:.4g}  (near 1: one cut divides them well)")
    ratio = analysis.stiffness_ratio
    if ratio is not None:
        told.append(f"eigenvalues    real parts from {_range(analysis)}, ratio {ratio:.4g}")
    told += ["", *_cut(analysis)]
    told.append("Bounds are a structural hint, not a proof: the radius of a cut is the check.")
    return told


def widest_gap(analysis: Analysis) -> float | None:
    """The step in the middle of the widest gap between bounds; None if there is none."""
    lower = np.sort(analysis.limits[0][np.isfinite(analysis.limits[0])])
    if lower.size < 2 or lower[-1] <= lower[0]:
        return None
    k = int(np.argmax(np.diff(lower)))
    return float(np.sqrt(lower[k] * lower[k + 1])) if lower[k] > 0 else float(lower[k + 1] / 2)


def _title(analysis: Analysis) -> str:
    points = len(analysis.jacobians)
    where = "the start" if points == 1 else f"{points} operating points, the worst of them"
    rule = "" if analysis.rule == "exact" else ", rule as published"
    count = f"{len(analysis.names)} states"
    return f"{count} at {where}; alpha {analysis.alpha:g}, probe {analysis.probe.name}{rule}"


def _scales(analysis: Analysis) -> list[str]:
    lower, upper = analysis.limits
    order = np.argsort(lower, kind="stable")
    if order.size <= _MANY:
        width = max(map(len, analysis.names), default=0)
        return [
            f"  {analysis.names[k]:{width}}  {_bound(lower[k], upper[k])}{_why(analysis, k)}"
            for k in order.tolist()
        ]
    found, k = list[str](), 0
    while k < order.size:  # states of one bound, or nearly, on one line
        j = k
        while j + 1 < order.size and lower[order[j + 1]] <= lower[order[k]] * 1.001:
            j += 1
        first, last = analysis.names[order[k]], analysis.names[order[j]]
        who = first if j == k else f"{j - k + 1} states, such as {first} and {last}"
        high = max(upper[order[k : j + 1]])
        why = _why(analysis, int(order[k])) if len(found) < _MANY // 4 else ""
        found.append(f"  {_bound(lower[order[k]], high)}  {who}{why}")
        k = j + 1
    if len(found) > _MANY:
        hidden = len(found) - _MANY
        found = [*found[: _MANY // 2], f"  ... {hidden} more lines ...", *found[-_MANY // 2 :]]
    return found


def _bound(lower: float, upper: float) -> str:
    if lower == inf:
        return "any step"
    if lower == 0:
        return "no step meets alpha"
    if upper > lower * 1.005:
        return f"{lower:.6g} to {upper:.6g} s"
    return f"{lower:.6g} s"


def _why(analysis: Analysis, k: int) -> str:
    cycle = analysis.limiting(analysis.names[k])
    return "" if cycle is None else f"  ({cycle})"


def _range(analysis: Analysis) -> str:
    assert analysis.eigenvalues is not None
    parts = analysis.eigenvalues.real
    return f"{parts.min():.4g} to {parts.max():.4g} 1/s"


def _cut(analysis: Analysis) -> list[str]:
    step = widest_gap(analysis)
    if step is None:
        return ["All bounds are the same: there is nothing to cut."]
    p = analysis.partition(step)
    methods = [*p.radius] if len(analysis.names) <= _FEW else ["heun"]
    radii = {m: p.radius[m] for m in methods}
    best = min(radii, key=lambda m: radii[m])
    stable = [m for m, r in radii.items() if r <= 1.001]
    told = [
        f"The widest gap is around {step:.4g} s: {len(p.fast)} states below, {len(p.slow)} above.",
        f"  mixed steps there are stable with {', '.join(stable)}"
        if stable
        else f"  mixed steps there amplify deviations by {radii[best]:.4g} at best ({best})",
        f"  {len(p.blocks)} blocks hang together within a step, "
        f"in {len(p.parallel)} groups that can be solved one after another",
    ]
    if p.undecided:
        told.append(f"  {len(p.undecided)} states are undecided there and counted as fast")
    return told
