"""What the choice for users who choose nothing costs, beside the best that is known.

    python -m benchmarks.planner [--write] [PROBLEM ...]

The five problems of benchmarks/work_precision and eight of tests/truth: the error of a run with
nothing said, its evaluations, and the fewest evaluations with which any of the candidates reaches
the same error, between its points. `--write` puts the rows into the table of docs/choosing.md and
leaves those of other problems as they are. Counts and errors, no seconds. Takes half an hour.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import dovetail as dv
from benchmarks.work_precision.problems import PROBLEMS as MEASURED
from benchmarks.work_precision.study import Curve, Point
from dovetail.controllers.base import Accept, Branch
from dovetail.core.window import Window
from dovetail.verification.companion import Trajectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from truth.problems import PROBLEMS, TruthProblem, true_errors  # noqa: E402

EIGHT = [
    "reactor",
    "ladder",
    "double_pendulum",
    "cylinder",
    "backlash",
    "contact",
    "delay_line",
    "rooms",
]
IQN = dv.rootfinders.IqnIls()
CLOSE = {"rtol": 1e-7, "atol": 1e-9}
MISSILES, CUBICS = dv.Missiles(**CLOSE), dv.GaussSeidel(50, inputs="hermite", solver=IQN, **CLOSE)
FIXED = [
    MISSILES,
    CUBICS,
    dv.GaussSeidel(extrapolation=1),
    dv.GaussSeidel(extrapolation=2),
    dv.GaussSeidel(50, inputs="ramp", solver=IQN, **CLOSE),
    dv.Newton(inputs="ramp", **CLOSE),
]
SIZED = [MISSILES, CUBICS, dv.GaussSeidel(extrapolation=2)]
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5)
FLOOR = 1e-9  # below, rounding decides which error is smaller
ENOUGH = 0.5  # of the error asked for: finer runs of a candidate are left out
Measure = Callable[[dv.Result], float]


@dataclass(frozen=True)
class ListedTimes:
    """Windows that end at given times."""

    times: tuple[float, ...]

    rejects: ClassVar[bool] = False
    chooses: ClassVar[bool] = False
    varies: ClassVar[bool] = True

    @property
    def first_size(self) -> float:
        return self.times[1] - self.times[0]

    def plan(self, window: Window, state: None) -> tuple[Branch, ...]:
        return ((window,),)

    def judge(self, window: Window, branches: Any, state: None) -> Accept:
        later = window.stop + 1e-12 * self.times[-1]
        k = int(np.searchsorted(self.times, later, side="right"))
        return Accept(self.times[k] - window.stop if k < len(self.times) else None)


def share(problem: TruthProblem, result: dv.Result) -> float:
    """The largest error of any signal: all equations at once, at the times of the result."""
    whole = dv.System(problem.name)
    whole.add("all", dv.merge(problem.draw(), rtol=1e-10, atol=1e-12))
    times = ListedTimes(tuple(np.unique(result.time).tolist()))
    found = dv.simulate(whole, stop=problem.stop, controller=times, quiet=True, verify=False)
    truth = {n.removeprefix("all."): v for n, v in Trajectory.of(found).values.items()}
    errors = true_errors(Trajectory.of(result), Trajectory(found.time, truth))
    return max(errors.values())


def measured(name: str, folder: Path) -> tuple[dv.System, float, list[float], Measure]:
    """A problem: its drawing, its stop time, windows from long to short, and the error."""
    if name in MEASURED:
        one = MEASURED[name]

        def error(result: dv.Result) -> float:
            return one.error(result.time, [result[n] for n in one.watched])

        return one.draw(folder), one.stop, list(one.sizes), error
    p = PROBLEMS[name]
    sizes = [p.windows[0] * (p.windows[2] / p.windows[0]) ** (k / 4) for k in range(5)]
    return p.draw(), p.stop, sizes, lambda result: share(p, result)


def run(system: dv.System, stop: float, error: Measure, **options: Any) -> Point | None:
    """One run; None where it does not finish."""
    try:
        result = dv.simulate(system, stop=stop, quiet=True, verify=False, **options)
    except dv.DovetailError:
        return None
    return Point(result.statistics.evaluations, 0.0, error(result))


def ladders(sizes: list[float]) -> Iterator[tuple[Any, list[Any]]]:
    """Each candidate, with controllers from coarse to fine."""
    for algorithm in FIXED:
        yield algorithm, [dv.FixedStep(h) for h in sizes]
    for algorithm in SIZED:
        first = sizes[-1] / 4
        yield algorithm, [dv.StepDoubling(t, 1e-9, first, scale="range") for t in TOLERANCES]


def row(name: str, folder: Path) -> str:
    """One line of the table."""
    system, stop, sizes, error = measured(name, folder)
    ours = run(system, stop, error)
    assert ours is not None, name
    best, by, asked = float("inf"), "", max(ours.error, FLOOR)
    for algorithm, controllers in ladders(sizes):
        points = list[Point]()
        for controller in controllers:
            point = run(system, stop, error, algorithm=algorithm, controller=controller)
            if point is None:
                continue
            points.append(point)
            if point.error < ENOUGH * asked or point.work > best:  # finer ones cost even more
                break
        cost = Curve("", tuple(points)).cost(asked)
        if cost is not None and cost < best:
            best, by = cost, f"`{_spelled(algorithm)}`, `{type(controllers[0]).__name__}`"
    shown = f"{best:.0f} | {by} | {ours.work / best:.1f}" if by else "| none is as good | below 1"
    return f"| {name.replace('_', ' ')} | {ours.error:.1e} | {ours.work} | {shown} |"


def _spelled(algorithm: Any) -> str:
    if isinstance(algorithm, dv.GaussSeidel) and algorithm.solver is not None:
        return f'GaussSeidel(50, inputs="{algorithm.inputs}", solver=IqnIls())'
    if isinstance(algorithm, dv.GaussSeidel):
        return f"GaussSeidel(extrapolation={algorithm.extrapolation})"
    return "Missiles()" if isinstance(algorithm, dv.Missiles) else 'Newton(inputs="ramp")'


HEAD = """| problem | error | evaluations | best known | with | ratio |
| --- | ---: | ---: | ---: | --- | ---: |"""
USUAL = [*MEASURED, *EIGHT]


def write(rows: list[str]) -> None:
    """The table with these rows; those of other problems stay."""
    page = ROOT / "docs" / "choosing.md"
    before, _, rest = page.read_text().partition("<!-- measured: planner -->\n")
    old, _, after = rest.partition("<!-- end -->")
    known = {line.split("|")[1].strip(): line for line in [*old.splitlines(), *rows] if "|" in line}
    kept = [known[n] for n in (name.replace("_", " ") for name in USUAL) if n in known]
    table = "\n".join([HEAD, *kept])
    page.write_text(f"{before}<!-- measured: planner -->\n\n{table}\n\n<!-- end -->{after}")


def main() -> None:
    names = [a for a in sys.argv[1:] if a != "--write"] or USUAL
    print(HEAD)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            rows.append(row(name, Path(folder)))
            print(rows[-1], flush=True)
            if "--write" in sys.argv:
                write(rows)


if __name__ == "__main__":
    main()
