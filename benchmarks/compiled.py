"""What Python models cost, as they are and compiled, beside the same steps as a C loop.

    python benchmarks/compiled.py

A ring of n pendulums, `dv.Dynamic` with two states each, by Gauss-Seidel in windows of 0.01 s: each
takes a step of rk45 a window. Costs are process time per part and window, as the slope between a
run and one three times as long, so that set-up does not count; in turns, a round after another,
and the median over the rounds. The C loop (benchmarks/compiled.c) does the same steps.
`Python` rows are windows from Python; with compiled functions these are the twin of native ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dovetail as dv

STEP, ROUNDS = 0.01, 5
WAYS = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(STEP), "quiet": True}


def ring(n: int, *, compile: bool) -> dv.System:
    """The system."""
    system = dv.System("ring")
    for k in range(n):
        pendulum = dv.Dynamic(
            states={"x": 1.0, "v": 0.0},
            inputs={"u": 0.0},
            outputs=["x"],
            parameters={"k": 4.0},
            derivatives=lambda t, x, u, p: [x.v, u.u - p.k * np.sin(x.x) - 0.3 * x.v],
            compile=compile,
        )
        system.add(f"p{k}", pendulum, k=4.0 + 0.1 * k)
    for k in range(n):
        system.connect(f"p{k}.x", f"p{(k + 1) % n}.u", gain=0.5)
    return system


def run(n: int, windows: int, *, compile: bool, native: bool) -> float:
    """Seconds of process time of one run, without set-up."""
    with dv.Session(ring(n, compile=compile), stop=windows * STEP, **WAYS) as session:
        if not native:
            session._loop._fused = None
        began = time.process_time()
        result = session.run()
        assert result.statistics.native_windows == (windows if native else 0)
        return time.process_time() - began


def slope(n: int, windows: int, seconds: Callable[[int, int], float]) -> float:
    """Microseconds per part and window."""
    short, long = seconds(n, windows), seconds(n, 3 * windows)
    return 1e6 * (long - short) / (2 * windows * n)


def main() -> None:
    """The table."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "compiled"
        source = Path(__file__).with_suffix(".c")
        command = ["cc", "-O3", "-ffp-contract=off", "-o", str(program), str(source), "-lm"]
        subprocess.run(command, check=True)

        def loop(n: int, windows: int) -> float:
            done = subprocess.run(
                [str(program), str(n), str(windows)], capture_output=True, text=True, check=True
            )
            return float(done.stdout.split()[0])

        print("microseconds per part and window, medians of", ROUNDS, "rounds")
        print("   n   Python   compiled, Python windows   compiled, native   C loop   gain   ratio")
        for n in map(int, sys.argv[1:] or ["2", "10", "50"]):
            rows = []
            for _ in range(ROUNDS):
                plain = slope(n, 200 // n + 20, lambda n, w: run(n, w, compile=False, native=False))
                twin = slope(n, 200 // n + 20, lambda n, w: run(n, w, compile=True, native=False))
                fused = slope(n, 40000 // n, lambda n, w: run(n, w, compile=True, native=True))
                limit = slope(n, 400000 // n, loop)
                rows.append((plain, twin, fused, limit, plain / fused, fused / limit))
            a, b, c, d, gain, ratio = np.median(rows, axis=0)
            print(f"{n:4d} {a:8.1f} {b:26.1f} {c:18.3f} {d:8.3f} {gain:6.0f} {ratio:7.2f}")


if __name__ == "__main__":
    main()
