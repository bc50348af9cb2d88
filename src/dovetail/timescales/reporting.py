"""A cycle analysis as text."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from ..core.markup import card, folded, paragraph, table

if TYPE_CHECKING:
    from .analysis import Analysis

_ROWS = 200  # states in a table for notebooks
_MANY = 24  # states that are listed one by one
_LARGE = 10_000  # states above which few cycles are listed
_FEW = 300  # states up to which every method is tried at the cut


def lines(analysis: Analysis) -> list[str]:
    """The report, line by line."""
    finite = int(np.isfinite(analysis.limits[0]).sum())
    report = [_title(analysis), *_scales(analysis), ""]
    if finite > 1:
        report.append(f"stiffness      {analysis.stiffness:.4g}  (largest bound over smallest)")
        report.append(
            f"separability   {analysis.separability:.4g}  (near 1: one cut divides them well)"
        )
    if analysis.eigenvalues is not None:
        report.append(f"eigenvalues    {_spectrum(analysis)}")
    report += [""] if report[-1] else []
    report += _cut(analysis, finite)
    if finite:
        report.append(
            "Bounds are a structural hint, not a proof: the radius of a cut is the check."
        )
    return report


def page(analysis: Analysis) -> str:
    """The report for notebooks: a table of the states, fast ones first, and what follows."""
    lower, upper = analysis.limits
    order = np.argsort(lower, kind="stable").tolist()
    count = len(_scales(analysis)) if order else 0
    rest = [line.strip() for line in lines(analysis)[1 + count :] if line.strip()]
    rows = []
    for k in order[:_ROWS]:
        cycle = analysis.limiting(analysis.names[k]) if len(order) <= _LARGE else None
        rows.append((analysis.names[k], _bound(lower[k], upper[k]), "" if cycle is None else cycle))
    heads = ("state", "largest step", "because of")
    shown = [table(heads, rows[:_MANY])]
    if len(order) > _MANY:
        more = table(heads, rows[_MANY:])
        if len(order) > _ROWS:
            more += paragraph(f"and {len(order) - _ROWS} more that are slower")
        shown.append(folded(f"and {len(order) - _MANY} more states", more))
    return card(_title(analysis), *shown, *map(paragraph, rest))


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
    count = counted(len(analysis.names), "state")
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
    explained = _MANY // 4 if order.size <= _LARGE else 2  # rings of large models take a second
    while k < order.size:  # states of one bound, or nearly, on one line
        j = k
        while j + 1 < order.size and lower[order[j + 1]] <= lower[order[k]] * 1.001:
            j += 1
        first, last = analysis.names[order[k]], analysis.names[order[j]]
        names = first if j == k else f"{j - k + 1} states, such as {first} and {last}"
        high = max(upper[order[k : j + 1]])
        why = _why(analysis, int(order[k])) if len(found) < explained else ""
        found.append(f"  {_bound(lower[order[k]], high)}  {names}{why}")
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


def counted(number: int, what: str) -> str:
    """A number of things, singular or plural."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _spectrum(analysis: Analysis) -> str:
    assert analysis.eigenvalues is not None
    parts = analysis.eigenvalues.real
    if not analysis.eigenvalues.any():
        return "all zero: nothing decays, grows or swings by itself"
    if parts.size == 1:
        return f"{parts[0]:.4g} 1/s"
    swing = float(np.abs(analysis.eigenvalues.imag).max())
    swings = f"swinging with up to {swing:.4g} rad/s" if swing else ""
    if not parts.any():
        return f"none decays or grows, {swings}"
    text = f"real parts from {parts.min():.4g} to {parts.max():.4g} 1/s"
    ratio = analysis.stiffness_ratio
    if ratio is not None and ratio < inf:
        text = f"{text}, ratio {ratio:.4g}"
    return f"{text}; {swings}" if swings else text


def _cut(analysis: Analysis, finite: int) -> list[str]:
    step = widest_gap(analysis)
    if finite == 0:
        return ["No state is in a cycle: none limits the step, and there is nothing to cut."]
    if step is None:
        why = "Only one state has a bound" if finite == 1 else "All bounds are the same"
        return [f"{why}: there is nothing to cut."]
    p = analysis.partition(step)
    methods = [*p.radius] if len(analysis.names) <= _FEW else ["heun"]
    radii = {m: p.radius[m] for m in methods}
    best = min(radii, key=lambda m: radii[m])
    stable = [m for m, r in radii.items() if r <= 1.001]
    report = [
        f"The widest gap is around {step:.4g} s: "
        f"{counted(len(p.fast), 'state')} below, {len(p.slow)} above.",
        f"  mixed steps there are stable with {', '.join(stable)}"
        if stable
        else f"  mixed steps there amplify deviations by {radii[best]:.4g} at best ({best})",
        _blocks(len(p.blocks), len(p.parallel)),
    ]
    if p.undecided:
        report.append(f"  {counted(len(p.undecided), 'state')} undecided there, counted as fast")
    return report


def _blocks(blocks: int, rounds: int) -> str:
    if blocks == 1:
        return "  within a step all states hang together"
    how = "that do not touch" if rounds == 1 else f"that can be solved in {rounds} rounds"
    return f"  within a step they fall into {blocks} blocks {how}"
