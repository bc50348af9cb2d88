"""A coupled problem with a tight monolithic reference, and how far a result is from that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from truth.along import Along
from truth.rollbackless import free

import dovetail as dv
from dovetail.core.signals import Vector
from dovetail.verification.companion import Trajectory
from dovetail.verification.distance import between, events

TIGHT = {"rtol": 1e-9, "atol": 1e-11}  # parts: far below any coupling error that is looked at
_TIGHTER = {"rtol": 1e-11, "atol": 1e-13}  # the reference
_DENSER = 2  # rows of the reference in one of the shortest windows


@dataclass(frozen=True)
class TruthProblem:
    """A drawing, how far it runs, and windows from too long to short."""

    name: str
    draw: Callable[[], dv.System]
    stop: float
    windows: tuple[float, float, float]
    group: str = ""


PROBLEMS: dict[str, TruthProblem] = {}


def problem(stop: float, *windows: float) -> Callable[[Callable[[], dv.System]], object]:
    """Keep a drawing under the name of its function, in the group of its file."""

    def keep(draw: Callable[[], dv.System]) -> Callable[[], dv.System]:
        name, group = draw.__name__, draw.__module__.rpartition(".")[2]
        long, middle, short = windows
        PROBLEMS[name] = TruthProblem(name, cache(draw), stop, (long, middle, short), group)
        return draw

    return keep


def reference(problem: TruthProblem, times: Vector | None = None) -> Trajectory:
    """All equations at once, to 1e-11, with rows at the shortest windows, or at these times."""
    whole = dv.System(problem.name)
    whole.add("all", dv.merge(free(problem.draw()), **_TIGHTER))
    pace = dv.FixedStep(problem.windows[2] / _DENSER)
    if times is not None:
        pace = Along(tuple(np.unique(times).tolist()))
    result = dv.simulate(whole, stop=problem.stop, controller=pace, quiet=True)
    found = Trajectory.of(result)
    return Trajectory(found.time, {n.removeprefix("all."): v for n, v in found.values.items()})


def true_errors(found: Trajectory, truth: Trajectory) -> dict[str, float]:
    """How far a result is from the truth at each of its rows, as shares of the true ranges.

    Left of an event it is compared with left of it; where the counts of events differ, with the
    true curve at the same time, jumps and all.
    """
    cuts, true_cuts = events(found.time), events(truth.time)
    if len(cuts) != len(true_cuts):
        return _pointwise(found, truth)
    errors = dict.fromkeys(truth.values, 0.0)
    spans = zip(
        pairwise([0, *cuts, len(found.time)]),
        pairwise([0, *true_cuts, len(truth.time)]),
        strict=True,
    )
    for (a, b), (c, d) in spans:
        for name, true in truth.values.items():
            right = between(truth.time[c:d], true[c:d], found.time[a:b])
            errors[name] = _worse(errors[name], found.values[name][a:b], right)
    return {n: e / (np.ptp(truth.values[n]) or 1.0) for n, e in errors.items()}


def _pointwise(found: Trajectory, truth: Trajectory) -> dict[str, float]:
    errors = {}
    for name, true in truth.values.items():
        right = np.interp(found.time, truth.time, true)
        errors[name] = _worse(0.0, found.values[name], right) / (np.ptp(true) or 1.0)
    return errors


def _worse(so_far: float, mine: np.ndarray, right: np.ndarray) -> float:
    apart = np.abs(mine - right)
    return max(so_far, float(apart.max())) if np.all(np.isfinite(mine)) else np.inf
