"""How often the cheap warnings of a run are right, over coupled problems with tight references.

    python benchmarks/hints.py FILE [PROBLEM ...]    runs, a line of JSON each, added to FILE
    python benchmarks/hints.py FILE --write          the tables of docs/right.md, from FILE

Every problem of tests/truth, six ways to couple it, three windows each, and ways that hold their
inputs at a shorter one as well, because else hardly any of these would be right; junctions of
tests/junction_problems.py, whose forces are compared too. A line has the true error, the largest of
all signals as a share of its range, and the share of each kind of hint, whatever its limit.

A hit is a warning of a run that is off by more than 5 %, a false alarm one of a run that is right
to 1 %. Limits are chosen from every other problem and reported from the others. What the warnings
cost is measured by `benchmarks/hints_cost.py`. Takes about half a minute a problem.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.results.hint import Limits
from dovetail.verification.companion import Trajectory

HERE = Path(__file__).parent
sys.path[0] = str(
    HERE.parent / "tests"
)  # not beside truth.py, which has the name of a folder there

import junction_exact  # noqa: E402
import junction_problems  # noqa: E402
from truth.problems import PROBLEMS, reference, true_errors  # noqa: E402

TINY = 1e-9
EVERYTHING = Limits(TINY, TINY, TINY, (TINY,) * 3, TINY, (TINY,) * 3, TINY, TINY)

HELD = {
    "Jacobi": dv.Jacobi(),
    "Gauss-Seidel": dv.GaussSeidel(),
    "iterated, held": dv.GaussSeidel(50),
}
OTHERS = {
    "extrapolated": dv.GaussSeidel(extrapolation=1),
    "iterated, linear": dv.GaussSeidel(50, inputs="ramp"),
    "iterated, cubic": dv.GaussSeidel(50, inputs="hermite"),
}
SHORTER = 8  # times, where inputs are held
JUNCTIONS = {  # exact solution, end, windows
    "two_masses": (junction_exact.masses, 10.0, (0.2, 0.1, 0.05, 0.02, 0.005)),
    "two_capacitors": (junction_exact.capacitors, 1.0, (0.1, 0.05, 0.02, 0.005, 0.001)),
    "two_inductors": (junction_exact.inductors, 1.0, (0.1, 0.05, 0.02, 0.005, 0.001)),
    "three_capacitors": (junction_exact.three, 1.0, (0.05, 0.02, 0.01, 0.002, 0.0005)),
}
SERVED = {
    "sliding mode": dv.Jacobi(),
    "iterated junction": dv.Newton(),
}


def witnessed(session: dv.Session) -> dict[str, float]:
    """The share of each kind of hint, however small."""
    journal = session._journal
    bonds = journal.ledger.facts()["bonds"] if journal.ledger.bonds else ()
    verdict = journal.witness.verdict(session.counts, finished=True, bonds=bonds, limits=EVERYTHING)
    return {hint.kind: hint.share for hint in verdict.hints}


def coupled(name: str) -> Iterator[dict[str, Any]]:
    """All runs of one problem that finish."""
    problem = PROBLEMS[name]
    truth = reference(problem)
    runs = [(size, how, a) for size in problem.windows for how, a in (HELD | OTHERS).items()]
    runs += [(problem.windows[2] / SHORTER, how, a) for how, a in HELD.items()]
    for size, how, algorithm in runs:
        options: dict[str, Any] = {"algorithm": algorithm, "controller": dv.FixedStep(size)}
        try:
            with dv.Session(problem.draw(), stop=problem.stop, quiet=True, **options) as session:
                result = session.run()
        except dv.DovetailError:
            continue
        error = max(true_errors(Trajectory.of(result), truth).values())
        yield {"how": how, "window": size, "error": error, "shares": witnessed(session)}


def joined(name: str) -> Iterator[dict[str, Any]]:
    """All runs of one junction: its states, and the unknowns at it."""
    exact, stop, windows = JUNCTIONS[name]
    for size in windows:
        for how, algorithm in SERVED.items():
            drawn = getattr(junction_problems, name)(rtol=1e-9, atol=1e-12)
            options: dict[str, Any] = {"algorithm": algorithm, "controller": dv.FixedStep(size)}
            with dv.Session(drawn, stop=stop, quiet=True, **options) as session:
                result = session.run()
            states, unknowns = exact(result.time)
            error = max(
                np.max(np.abs(result[n] - right)) / np.ptp(right)
                for n, right in {**states, **unknowns}.items()
            )
            row = {"how": how, "window": size, "error": float(error)}
            yield row | {"shares": witnessed(session)}


def measure(file: Path, names: list[str]) -> None:
    with file.open("a") as lines:
        for name in names or [*PROBLEMS, *(f"junction {n}" for n in JUNCTIONS)]:
            kind, _, which = name.rpartition(" ")
            for row in (joined if kind else coupled)(which):
                lines.write(json.dumps({"problem": name, **row}) + "\n")
                lines.flush()
                print(
                    f"{name:24} {row['window']:8g} {row['how']:18} {row['error']:9.2e}", flush=True
                )


def main() -> None:
    file, *more = sys.argv[1:] or [""]
    if not file:
        print(__doc__)
    elif more == ["--write"]:
        sys.path.append(str(HERE))
        from hints_table import write

        write(Path(file))
    else:
        measure(Path(file), more)


if __name__ == "__main__":
    main()
