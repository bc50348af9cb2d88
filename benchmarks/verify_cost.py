"""What a companion costs: its evaluations beside those of the run, and processor time.

    python benchmarks/verify_cost.py [PROBLEM ...]

Problems of tests/truth. Processor time of a run alone, of the same run where it is verified, and of
the companion, which is a process of its own; the last two as shares of the first. With a second
core free, a verified run takes as long as the slower of the two processes; processor times say so
on a busy machine too. The least of some rounds, in turns.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent / "tests")  # in place of this folder, which has a truth.py

from truth.problems import PROBLEMS, TruthProblem  # noqa: E402

import dovetail as dv  # noqa: E402

USUAL = ["two_masses", "predation", "reactor", "rooms", "double_pendulum"]
ROUNDS = 7


def ways(problem: TruthProblem) -> dict[str, dict[str, Any]]:
    """Options of runs in one pass, of iterated ones, and of the one with nothing said."""
    fixed = dv.FixedStep(problem.windows[2])
    return {
        "one pass": {"algorithm": dv.GaussSeidel(), "controller": fixed},
        "one pass, extrapolated": {
            "algorithm": dv.GaussSeidel(extrapolation=1),
            "controller": fixed,
        },
        "iterated, linear": {
            "algorithm": dv.GaussSeidel(50, inputs="ramp"),
            "controller": fixed,
        },
        "iterated, cubic": {
            "algorithm": dv.GaussSeidel(50, inputs="hermite"),
            "controller": fixed,
        },
        "nothing said": {},
    }


def measured(
    problem: TruthProblem, options: dict[str, Any], verify: bool
) -> tuple[float, float, float]:
    """Processor time of the run, and of its companion; evaluations of that beside the run's."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    before = [resource.getrusage(kind) for kind in kinds]
    result = dv.simulate(problem.draw(), stop=problem.stop, quiet=True, verify=verify, **options)
    after = [resource.getrusage(kind) for kind in kinds]
    own, other = (
        a.ru_utime + a.ru_stime - b.ru_utime - b.ru_stime
        for a, b in zip(after, before, strict=True)
    )
    verdict = result.verdict
    assert verdict is not None
    return own, other, verdict.companion_evaluations / result.statistics.evaluations


def main() -> None:
    print(
        f"{'problem':16} {'way':23} {'alone, s':>8} {'verified':>9} {'companion':>10} "
        f"{'slower':>7} {'both':>6} {'evaluations':>12}"
    )
    found: dict[str, list[tuple[float, float, float]]] = {}
    for name in sys.argv[1:] or USUAL:
        problem = PROBLEMS[name]
        for way, options in ways(problem).items():
            alone, own, other, share = [], [], [], 0.0
            for _ in range(ROUNDS):
                alone.append(measured(problem, options, verify=False)[0])
                run, companion, share = measured(problem, options, verify=True)
                own.append(run)
                other.append(companion)
            base, run, companion = min(alone), min(own), min(other)
            ratios = max(run, companion) / base, (run + companion) / base, share
            found.setdefault(way, []).append(ratios)
            print(
                f"{name:16} {way:23} {base:8.3f} {run / base:9.2f} {companion / base:10.2f} "
                f"{ratios[0]:7.2f} {ratios[1]:6.2f} {share:12.2f}",
                flush=True,
            )
    print("medians: slower of the two, both, evaluations of the companion")
    for way, rows in found.items():
        print(
            f"{way:23} " + " ".join(f"{median(column):6.2f}" for column in zip(*rows, strict=True))
        )


if __name__ == "__main__":
    main()
