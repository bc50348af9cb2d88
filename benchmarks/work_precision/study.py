"""Runs entries on problems, and keeps what they cost and how far off they are."""

from __future__ import annotations

import itertools
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.core.errors import InputError, RunError

from .entries import Entry
from .problems import Problem

TOLERANCE = {"rtol": 1e-9, "atol": 1e-11}  # of iterations: what is left is the algorithm's error
QUICK = 0.3  # seconds; runs that take less are repeated, and the least counts
BEYOND = 10.0  # an error that is no longer told from others


@dataclass(frozen=True)
class Point:
    """One run: advances of all parts, seconds of process time, and the error."""

    work: int
    seconds: float
    error: float


@dataclass(frozen=True)
class Curve:
    """What one entry costs for what it delivers; or why it does not run."""

    title: str
    points: tuple[Point, ...] = ()
    reason: str = ""

    def cost(self, error: float, what: str = "work") -> float | None:
        """What an error takes: between points on logarithmic scales, or None beyond them."""
        good = [p for p in self.points if p.error > 0]
        for before, after in itertools.pairwise(good):
            if before.error >= error >= after.error and before.error > after.error:
                share = np.log(before.error / error) / np.log(before.error / after.error)
                a, b = getattr(before, what), getattr(after, what)
                return float(a ** (1 - share) * b**share)
        if good and good[0].error < error:
            return float(getattr(good[0], what))  # even the coarsest is better
        return None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Curve:
        return cls(data["title"], tuple(Point(**p) for p in data["points"]), data["reason"])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def run(
    problem: Problem, system: dv.System, entry: Entry, controller: Any, *, repeat: bool = True
) -> Point:
    """One run of a drawing, the least of some if it is quick and time counts."""
    options: dict[str, Any] = {"algorithm": entry.algorithm, "controller": controller}
    if entry.estimator is not None:
        options["estimators"] = dict.fromkeys(system.parts, entry.estimator)
    least = float("inf")
    for _ in range(3 if repeat else 1):
        with dv.Session(system, stop=problem.stop, quiet=True, **options, **TOLERANCE) as session:
            begin = time.process_time()
            result = session.run()
            least = min(least, time.process_time() - begin)
        if least > QUICK:
            break
    values = np.array([result[name] for name in problem.watched])
    with np.errstate(over="ignore"):
        error = problem.error(result.time, values)
    return Point(result.statistics.evaluations, least, error)


def curve(
    problem: Problem, entry: Entry, folder: Path, title: str = "", *, repeat: bool = True
) -> Curve:
    """All points of one entry. What cannot be combined says why; what fails has no point."""
    system = problem.draw(folder)
    points, reason = [], ""
    for controller in entry.controllers:
        try:
            point = run(problem, system, entry, controller, repeat=repeat)
        except InputError as error:
            return Curve(title or entry.title, (), str(error))
        except RunError as error:
            reason = str(error)
            continue
        if point.error < BEYOND:
            points.append(point)
        else:
            reason = f"the error is {point.error:.0e}"
    return Curve(title or entry.title, tuple(points), reason)
