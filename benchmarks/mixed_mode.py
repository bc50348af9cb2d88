"""What mixed-mode integration costs, on the heat exchanger of Papadopoulos and Leva (2014).

    python benchmarks/mixed_mode.py            N = 10, 30, 100, 300, 1000
    python benchmarks/mixed_mode.py 10 100     other sizes

First equal steps: mixed Euler against fully implicit Euler by the same code with the same linear
algebra, dense and sparse, one thread. The step shrinks with N as the bounds of the slow states do.
Then equal errors: for each method the cheapest run that stays within a target, of steps (or
tolerances) tried by halving.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that wait count as work

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse.linalg import expm_multiply

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from exchanger import START, matrix

from dovetail.integrators import FixedSize, Mixed, Problem

SIZES = (10, 30, 100, 300, 1000)
STEPS = 125
TARGETS = (1.0, 0.1)  # K, at five times of the run
DENSE = 300  # volumes up to which dense matrices are tried


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """The least of a few times of the processor, and what came of it."""
    best, result = float("inf"), None
    for _ in range(7):
        begin = time.process_time()
        result = action()
        best = min(best, time.process_time() - begin)
        if best > 0.5:
            break
    return best, result


def in_turns(actions: list[Callable[[], Any]]) -> list[float]:
    """The least times of several actions, one after the other: what disturbs one disturbs all."""
    best = [float("inf")] * len(actions)
    for _ in range(40):
        for k, action in enumerate(actions):
            begin = time.process_time()
            action()
            best[k] = min(best[k], time.process_time() - begin)
        if sum(best) > 0.2:
            break
    return best


def equal_steps(n: int) -> None:
    A, b = matrix(n)
    problem = Problem(lambda t, x: A @ x + b, lambda t, x: A)
    x, size = np.full(3 * n, START), 0.4 / n
    cells = [f"{n:5d}  {size:8.2g}"]
    for linear in ("dense", "sparse"):
        if linear == "dense" and n > DENSE:
            cells.append(f"{'-':>9} {'-':>9} {'-':>6}")
            continue
        methods = [
            Mixed(size, "euler", fast=tuple(range(fast)), linear=linear) for fast in (n, 3 * n)
        ]
        mixed, implicit = in_turns(
            [lambda m=m: m.run(problem, 0.0, x, STEPS * size) for m in methods]
        )
        cells.append(f"{1e3 * mixed:9.2f} {1e3 * implicit:9.2f} {implicit / mixed:6.2f}")
    print("  ".join(cells), flush=True)


def exact(A: Any, b: Any, x: Any, times: Any) -> Any:
    """The solution of the linear equations at equidistant times, to rounding."""
    from scipy.sparse.linalg import spsolve

    rest = spsolve(A.tocsc(), -b)
    return rest + expm_multiply(
        A, x - rest, start=times[0], stop=times[-1], num=len(times), endpoint=True
    )


def equal_errors(n: int, stop: float) -> None:
    A, b = matrix(n)
    x, times = np.full(3 * n, START), np.linspace(0, stop, 6)
    solution = exact(A, b, x, times)
    problem = Problem(lambda t, y: A @ y + b, lambda t, y: A)
    fastest = 1 / (n / 0.1)  # s, that a stream needs for one volume

    def stepwise(make: Callable[[float], Any]) -> Callable[[float], Any]:
        def run(size: float) -> Any:
            integrator = make(size)
            follower = integrator.follower() if hasattr(integrator, "follower") else integrator
            y, found = x, [x]
            for begin, end in pairwise(times.tolist()):
                y = follower.run(problem, begin, y, end).state
                found.append(y)
            return np.array(found)

        return run

    def bdf(rtol: float) -> Any:
        found = solve_ivp(
            problem.rates,
            (0, stop),
            x,
            method="BDF",
            jac=A,
            t_eval=times,
            rtol=rtol,
            atol=100 * rtol,
        )
        return found.y.T

    whole, half = tuple(range(3 * n)), tuple(range(n))
    methods = {
        "mixed euler": (stepwise(lambda h: Mixed(h, "euler", fast=half)), 40 * fastest),
        "mixed heun": (stepwise(lambda h: Mixed(h, "heun", fast=half)), 40 * fastest),
        "mixed ars3": (stepwise(lambda h: Mixed(h, "ars3", fast=half)), 40 * fastest),
        "implicit euler": (stepwise(lambda h: Mixed(h, "euler", fast=whole)), 40 * fastest),
        "explicit euler": (stepwise(lambda h: FixedSize(h, "euler")), 2 * fastest),
        "SciPy BDF": (bdf, 1e-2),
    }
    for target in TARGETS:
        cells = [f"{n:5d}  {target:6.2g}"]
        for run, first in methods.values():
            cells.append(f"{cheapest(run, first, solution, target):>15}")
        print("  ".join(cells), flush=True)


def cheapest(run: Callable[[float], Any], first: float, solution: Any, target: float) -> str:
    """Milliseconds of the first run within the target, halving step or tolerance."""
    option = first
    for _ in range(14):
        with np.errstate(all="ignore"):
            begin = time.process_time()
            try:
                found = run(option)
            except Exception:
                found = np.full_like(solution, np.nan)
            spent = time.process_time() - begin
        error = float(np.max(np.abs(found - solution)))
        if error <= target:
            seconds, _ = timed(lambda o=option: run(o))
            return f"{1e3 * seconds:.1f}"
        if spent > 5:
            break
        option /= 2
    return "-"


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    print(f"Equal steps: {STEPS} steps of Euler's method, milliseconds of processor time")
    print(f"{'':15}  {'dense':>9} {'':9} {'':6}  {'sparse':>9}")
    print("    N      step" + "      mixed  implicit  ratio" * 2)
    for n in sizes:
        equal_steps(n)
    stop = 0.5
    print()
    print(f"Equal errors over {stop:g} s: milliseconds of the cheapest run, sparse matrices")
    names = ("mixed euler", "mixed heun", "mixed ars3", "implicit euler", "explicit euler", "BDF")
    print("    N   error  " + "  ".join(f"{name:>15}" for name in names))
    for n in sizes:
        equal_errors(n, stop)


if __name__ == "__main__":
    main()
