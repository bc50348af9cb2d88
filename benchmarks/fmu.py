"""What orchestration costs per FMU and step, beside a plain C loop over the same binary.

    python benchmarks/fmu.py

A ring of n near-free FMUs (FMI 2.0, tests/fmus/linear.c), driven so that nothing decays into
denormals. Costs are process time, as the slope between a short and a long run, so that set-up
does not count; each figure is the least of several. `ratio` is Dovetail over the C loop that does
the same steps (benchmarks/floor.c), measured in the same run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.assembly import Assembly
from dovetail.fmi.model import Fmu
from dovetail.signals import Signals, Waveform
from dovetail.window import Window

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "fmus"))
SIZES = (2, 10, 100, 1000)
STEP = 0.01
REPEATS = 5


def compiled(folder: Path) -> Path:
    target = folder / "floor"
    command = ["cc", "-O3", "-fopenmp", "-o", str(target), str(HERE / "floor.c"), "-ldl"]
    subprocess.run(command, check=True)
    return target


def slope(seconds: Callable[[int], float], windows: int) -> float:
    """Seconds per window: the slope between a run and one three times as long, the least of each.

    The least of the slopes themselves would be the one where noise helped most.
    """
    pairs = [(seconds(windows), seconds(3 * windows)) for _ in range(REPEATS)]
    short, long = (min(times) for times in zip(*pairs, strict=True))
    return max(long - short, 0.0) / (2 * windows)


class Floor:
    """The C loop, as a command."""

    def __init__(self, folder: Path, fmu: Fmu) -> None:
        self.program = compiled(folder)
        known = {v.name: v.reference for v in fmu.fmu.variables}
        self.fixed = [str(fmu.library.path), fmu.token, str(known["u"]), str(known["y"])]

    def run(self, n: int, windows: int, mode: str) -> tuple[float, float, int, float]:
        command = [str(self.program), *self.fixed, str(n), str(windows), str(STEP), mode]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        cpu, wall, steps, total = done.stdout.split()
        return float(cpu), float(wall), int(steps), float(total)

    def per_window(self, n: int, windows: int, mode: str) -> float:
        return slope(lambda count: self.run(n, count, mode)[0], windows)


def ring(n: int, fmu: Fmu) -> dv.System:
    system = dv.System("ring")
    for k in range(n):
        system.add(f"part{k}", fmu)
    for k in range(n):
        system.connect(f"part{k}.y", f"part{(k + 1) % n}.u")
    return system


def per_window(system: dv.System, windows: int, algorithm: Any, record: str) -> float:
    def seconds(count: int) -> float:
        options: dict[str, Any] = {"algorithm": algorithm, "controller": dv.FixedStep(STEP)}
        with dv.Session(system, stop=STEP * count, record=record, quiet=True, **options) as session:
            begin = time.process_time()
            session.run()
            return time.process_time() - begin

    return slope(seconds, windows)


def evaluation(system: dv.System) -> float:
    """Seconds of one Python-driven evaluation of the whole batch."""
    assembly = Assembly.of(system)
    assembly.initialize(0.0, {}, slopes=False)
    for live in assembly.subsystems:
        live.outputs(Signals(np.zeros(1)))
    assembly.begin()
    n = len(system.parts)
    before, z = Signals(np.ones(n)), np.zeros(0)
    inputs = Waveform(np.ones((n, 1)))
    best = float("inf")
    for k in range(2000):
        attempt = assembly.attempt(Window(k * STEP, STEP, (k + 1) * STEP), before, z)
        begin = time.perf_counter()
        attempt.outputs(inputs)
        best = min(best, time.perf_counter() - begin)
    assembly.close()
    return best


def row(title: str, n: int, ours: float, floor: float, target: str) -> None:
    ratio = ours / floor if floor else float("inf")
    print(
        f"{title:34} {n:6d} {1e9 * ours / n:12.1f} {1e9 * floor / n:12.1f} {ratio:8.2f}  {target}"
    )


def main() -> None:
    import build

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fmu = Fmu(str(build.build("linear", 2, folder)))
        floor = Floor(folder, fmu)
        print(f"{'':34} {'parts':>6} {'ns/FMU/win':>12} {'C floor':>12} {'ratio':>8}  target")
        for n in SIZES:
            windows = max(200_000 // n, 200)
            system = ring(n, fmu)
            plain = floor.per_window(n, windows, "plain")
            row(
                "Jacobi, fused",
                n,
                per_window(system, windows, dv.Jacobi(), "part0.y"),
                plain,
                "1.5",
            )
            recorded = floor.per_window(n, windows, "record")
            ours = per_window(system, windows, dv.Jacobi(), "*.y")
            row("Jacobi, all outputs recorded", n, ours, recorded, "3")
            swept = floor.per_window(n, windows, "sweep")
            ours = per_window(system, windows, dv.GaussSeidel(), "part0.y")
            row("Gauss-Seidel, fused", n, ours, swept, "1.5")
        for n in SIZES:
            best = evaluation(ring(n, fmu))
            target = f"target {5 + 0.05 * n:.1f}"
            print(f"one evaluation from Python {n:13d} {1e6 * best:9.2f} us   {target}")
        n, windows = 100, 400
        system = ring(n, fmu)
        iterated = floor.per_window(n, windows, "iterate")
        algorithm = dv.GaussSeidel(2, on_limit="accept", rtol=1e-14, atol=1e-14)
        ours = per_window(system, windows, algorithm, "part0.y")
        row("Gauss-Seidel, 2 sweeps", n, ours, iterated, "5")
        columns = floor.per_window(n, windows, "columns")
        newton = dv.Newton(2, on_limit="accept", rtol=1e-9, atol=1e-9)
        ours = per_window(system, windows, newton, "part0.y")
        row("Newton, 2 evaluations", n, ours, columns, "5")
        begin = time.perf_counter()
        with dv.Session(ring(1000, fmu), stop=1.0, controller=dv.FixedStep(STEP), quiet=True):
            print(f"set-up of 1000 instances: {time.perf_counter() - begin:.2f} s (target 2)")


if __name__ == "__main__":
    main()
