"""How true estimated errors are: coupled problems against tight solutions of all equations.

    python benchmarks/truth.py [PROBLEM ...]

Every problem of tests/truth, seven ways to couple it, three windows each. A line per run: the
true error and the estimated one, as shares of a signal's range, and their ratio; at the end how
many of the bad (above 5 %) were trusted and how many of the good (below 0.1 %) were doubted.
Takes some minutes a problem.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import dovetail as dv
from dovetail.verification.companion import Trajectory
from dovetail.verification.distance import distance

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from truth.problems import PROBLEMS, TruthProblem, reference

ALGORITHMS = {
    "Jacobi": dv.Jacobi(),
    "Gauss-Seidel": dv.GaussSeidel(),
    "Gauss-Seidel, extrapolated": dv.GaussSeidel(extrapolation=1),
    "iterated, held": dv.GaussSeidel(50),
    "iterated, linear": dv.GaussSeidel(50, inputs="ramp"),
    "iterated, cubic": dv.GaussSeidel(50, inputs="hermite"),
    "Newton, linear": dv.Newton(inputs="ramp"),
}


def measured(problem: TruthProblem) -> list[tuple[float, float]]:
    """True and estimated errors of all runs that finish."""
    truth, found = reference(problem), []
    for size in problem.windows:
        for title, algorithm in ALGORITHMS.items():
            start = f"{problem.name:12} {size:8g}  {title:26}"
            try:
                result = dv.simulate(
                    problem.draw(),
                    stop=problem.stop,
                    step=size,
                    algorithm=algorithm,
                    verify=True,
                    quiet=True,
                )
            except dv.DovetailError as error:
                print(f"{start} does not finish: {str(error)[:60]}", flush=True)
                continue
            mine, verdict = Trajectory.of(result), result.verdict
            assert verdict is not None
            true = distance(mine.time, mine.values, truth.time, truth.values, {})
            error = max(true.shares.values())
            if verdict.error is None:
                print(f"{start} {error:9.2e}  not verified: {verdict.unverified[:50]}", flush=True)
                continue
            ratio = verdict.error / error
            told = f"{error:9.2e} {verdict.error:9.2e} {ratio:8.3f}  {verdict.status}"
            print(f"{start} {told}", flush=True)
            found.append((error, verdict.error))
    return found


def main() -> None:
    names = sys.argv[1:] or list(PROBLEMS)
    print(
        f"{'problem':12} {'window':>8}  {'algorithm':26} {'true':>9} {'estimate':>9} {'ratio':>8}"
    )
    found = np.array([pair for name in names for pair in measured(PROBLEMS[name])])
    true, estimate = found.T
    bad, good, doubted = true > 0.05, true < 1e-3, estimate > 0.0375
    ratio = estimate / true
    print(f"\nabove 5 %: {bad.sum()} runs, {(bad & ~doubted).sum()} trusted")
    print(f"below 0.1 %: {good.sum()} runs, {(good & doubted).sum()} doubted")
    shares = np.quantile(ratio, [0.0, 0.1, 0.5, 0.9, 1.0])
    print(f"estimate / true: {' '.join(f'{q:.3g}' for q in shares)} (least, tenth, median, ...)")
    print(f"within a factor of 3: {np.mean((ratio > 1 / 3) & (ratio < 3)):.0%}")


if __name__ == "__main__":
    main()
