"""What a companion costs: processor time of a run, of the same run verified, and of the companion.

    python benchmarks/verify_cost.py [PROBLEM ...]

Problems of tests/truth. With a second core free, a verified run takes as long as the slower of the
two processes; processor times say so on a busy machine too. Medians of some rounds, in turns.
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
ROUNDS = 5


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


def seconds(problem: TruthProblem, options: dict[str, Any], verify: bool) -> tuple[float, float]:
    """Processor time of the run, and of its companion."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    before = [resource.getrusage(kind) for kind in kinds]
    dv.simulate(problem.draw(), stop=problem.stop, quiet=True, verify=verify, **options)
    after = [resource.getrusage(kind) for kind in kinds]
    own, other = (
        a.ru_utime + a.ru_stime - b.ru_utime - b.ru_stime
        for a, b in zip(after, before, strict=True)
    )
    return own, other


def main() -> None:
    print("problem          way                     alone, s  verified  companion  slower of both")
    found: dict[str, list[float]] = {}
    for name in sys.argv[1:] or USUAL:
        problem = PROBLEMS[name]
        for way, options in ways(problem).items():
            alone, own, other = [], [], []
            for _ in range(ROUNDS):
                alone.append(seconds(problem, options, verify=False)[0])
                run, companion = seconds(problem, options, verify=True)
                own.append(run)
                other.append(companion)
            base = median(alone)
            ratios = median(own) / base, median(other) / base
            found.setdefault(way, []).append(max(ratios))
            print(
                f"{name:16} {way:23} {base:8.3f} {ratios[0]:9.2f} {ratios[1]:10.2f} "
                f"{max(ratios):15.2f}",
                flush=True,
            )
    for way, ratios in found.items():
        print(f"{way}: median {median(ratios):.2f}")


if __name__ == "__main__":
    main()
