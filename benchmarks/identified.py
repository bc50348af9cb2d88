"""The identified estimator on problems that nothing was tuned on, against explicit coupling.

    python benchmarks/identified.py

Largest errors over a run, start-up included. Counts and errors only, so that they hold anywhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import held_out

import dovetail as dv

EXPLICIT = (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(inputs="ramp"))
ITERATED = dv.GaussSeidel(100, inputs="ramp")


def main() -> None:
    print("problem                               window   Jacobi  G-Seidel      ramp  identified")
    ratios = []
    for problem, size in held_out.every():
        explicit = [held_out.error(problem, a, None, size) for a in EXPLICIT]
        found = held_out.error(problem, ITERATED, dv.Identified(), size)
        ratios.append((found / explicit[-1], found / min(explicit)))
        row = " ".join(f"{e:9.2e}" for e in (*explicit, found))
        print(f"{problem.name:38} {size:5g} {row}", flush=True)
    kinds = ("the same, not iterated", "the best")
    for against, column in zip(kinds, zip(*ratios, strict=True), strict=True):
        all_of = np.array(column)
        worse = f"{np.sum(all_of > 1.05)} of {all_of.size}"
        print(
            f"against {against}: worse by more than 5 % in {worse}, "
            f"at most {all_of.max():.2f} times; less than half in {np.sum(all_of < 0.5)}; "
            f"{np.exp(np.mean(np.log(all_of))):.2f} times as much in the geometric mean"
        )


if __name__ == "__main__":
    main()
