"""Whether `dv.benchmark` finds what the work-precision study finds, on its five problems.

    python -m benchmarks.recommending                 all five, against the study's page
    python -m benchmarks.recommending predation       some
    python -m benchmarks.recommending --time          process time as well, against curves run here

The study runs every algorithm of tests/catalogue.py at several windows, with errors against
solutions that are exact. docs/work-precision.md has the fewest advances for an error of 1e-3,
which are the same on every machine. The recommendation is run once more by the study's own
measure. It is to be within twice the study's least cost, and as right as it says.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

import dovetail as dv
from benchmarks.work_precision import entries, study
from benchmarks.work_precision.problems import PROBLEMS, ROOT, Problem

TOLERANCE = 1e-3
PAGE = ROOT / "docs" / "work-precision.md"


def from_page(problem: Problem) -> tuple[float, str]:
    """The fewest advances on the page, and whose they are."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if cells[1:3] == [problem.title, "1e-03"]:
            found = re.fullmatch(r"`(.*)` (\d+)", cells[3])
            assert found is not None
            return float(found[2]), found[1]
    raise LookupError(problem.title)


def from_curves(problem: Problem, folder: Path) -> tuple[float, str]:
    """The least process time of any algorithm of the study, run here."""
    found = []
    for entry in entries.by_algorithm(problem):
        curve = study.curve(problem, entry, folder)
        if (cost := curve.cost(TOLERANCE, "seconds")) is not None:
            found.append((cost, curve.title))
    return min(found)


def line(problem: Problem, folder: Path, cost: str, bound: float, winner: str) -> str:
    """What is recommended, and what it costs and misses by the study's own measure."""
    system = problem.draw(folder)
    ways = {"stop": problem.stop, "record": list(problem.watched), "tolerance": TOLERANCE}
    found = dv.benchmark(system, cost=cost, budget=600.0, **ways)
    best = found.recommended
    entry = entries.Entry(best.candidate.algorithm, (), best.candidate.estimator)
    point = study.run(problem, system, entry, best.controller)
    here = point.work if cost == "evaluations" else point.seconds
    numbers = f"{bound:10.4g} {here:10.4g} {here / bound:6.2f} {best.error:8.1e} {point.error:8.1e}"
    return f"{problem.name:13} {cost:11} {numbers}  {best.candidate.title} | {winner}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--time", action="store_true", help="process time as well")
    parser.add_argument("problems", nargs="*", help="these only")
    arguments = parser.parse_args()
    heads = f"{'problem':13} {'cost':11} {'study':>10} {'here':>10} {'ratio':>6} {'said':>8}"
    print(f"{heads} {'is off':>8}  recommended | best of the study", flush=True)
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        for name in arguments.problems or list(PROBLEMS):
            problem = PROBLEMS[name]
            print(line(problem, folder, "evaluations", *from_page(problem)), flush=True)
            if arguments.time:
                bound = from_curves(problem, folder)
                print(line(problem, folder, "seconds", *bound), flush=True)


if __name__ == "__main__":
    main()
