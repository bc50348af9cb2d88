"""What orchestration costs per FMU and step, beside a plain C loop over the same binary.

    python benchmarks/fmu.py

A ring of n near-free FMUs (FMI 2.0, tests/fmus/linear.c), driven so that nothing decays into
denormals. Costs are process time, as the slope between a run and one three times as long, so
that set-up does not count. `ratio` is Dovetail over the C loop that does the same steps
(benchmarks/floor.c).

The machine may be busy, and then everything takes longer, by a factor that changes from one
second to the next. So both are measured in turns, a round after another: short and long of the
one, short and long of the other, and who begins changes from round to round. A ratio is the
median over the rounds of that in each round, where both met the same neighbours; the least of
many would be that of the round where noise helped most. Costs are medians too. Nothing is left
out for either. Threads are measured by wall time, with FMUs that take a millisecond a step: what
share of the C loop's gain there is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.assembly.assembly import Assembly
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.fmi.model import Fmu

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "fmus"))

sys.path.insert(0, str(HERE))

import doubling  # noqa: E402

import build  # noqa: E402

SIZES = (2, 10, 100, 1000)
STEP = 0.01
ROUNDS = 9


def compiled(folder: Path) -> Path:
    target = folder / "floor"
    command = ["cc", "-O3", "-fopenmp", "-o", str(target), str(HERE / "floor.c"), "-ldl"]
    subprocess.run(command, check=True)
    return target


def slopes(windows: int, *seconds: Callable[[int], float]) -> Any:
    """Seconds per window of each, a row per round: slopes between a run and one thrice as long."""
    found = []
    for k in range(ROUNDS):
        row = [0.0] * len(seconds)
        for which in range(len(seconds)) if k % 2 else reversed(range(len(seconds))):
            short, long = (seconds[which](count) for count in (windows, 3 * windows))
            row[which] = (long - short) / (2 * windows)
        found.append(row)
    return np.array(found)


class Floor:
    """The C loop, as a command."""

    def __init__(self, folder: Path, fmu: Fmu) -> None:
        self.program = compiled(folder)
        known = {v.name: v.reference for v in fmu.fmu.variables}
        self.fixed = [str(fmu.library.path), fmu.token, str(known["u"]), str(known["y"])]

    def run(self, n: int, windows: int, mode: str, *more: str) -> tuple[float, float, int, float]:
        command = [str(self.program), *self.fixed, str(n), str(windows), str(STEP), mode, *more]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        cpu, wall, steps, total = done.stdout.split()
        return float(cpu), float(wall), int(steps), float(total)


def ring(n: int, fmu: Fmu, **values: float) -> dv.System:
    system = dv.System("ring")
    for k in range(n):
        system.add(f"part{k}", fmu, **values)
    for k in range(n):
        system.connect(f"part{k}.y", f"part{(k + 1) % n}.u")
    return system


def compare(
    system: dv.System, windows: int, algorithm: Any, record: str, floor: Floor, mode: str
) -> Any:
    """Seconds per window, ours and the C loop's, by rounds."""
    options: dict[str, Any] = {"algorithm": algorithm, "controller": dv.FixedStep(STEP)}

    def ours(count: int) -> float:
        with dv.Session(system, stop=STEP * count, record=record, quiet=True, **options) as session:
            begin = time.process_time()
            session.run()
            return time.process_time() - begin

    n = len(system.parts)
    return slopes(windows, ours, lambda count: floor.run(n, count, mode)[0])


def evaluation(system: dv.System) -> float:
    """Seconds of one Python-driven evaluation of the whole batch."""
    assembly = Assembly.of(system)
    assembly.initialize(0.0, {}, derivatives=False)
    for live in assembly.subsystems:
        live.outputs(Signals(np.zeros(1)))
    assembly.begin()
    n = len(system.parts)
    before, z = Signals(np.ones(n)), assembly.coordinator.start()
    inputs = Waveform(np.ones((n, 1)))
    best = float("inf")
    for k in range(2000):
        attempt = assembly.attempt(Window(k * STEP, STEP, (k + 1) * STEP), before, z)
        begin = time.perf_counter()
        attempt.outputs(inputs)
        best = min(best, time.perf_counter() - begin)
    assembly.close()
    return best


def row(title: str, n: int, costs: Any, target: str) -> None:
    ours, floor = 1e9 * np.median(costs, axis=0) / n
    ratio = np.median(costs[:, 0] / costs[:, 1])
    print(f"{title:34} {n:6d} {ours:12.1f} {floor:12.1f} {ratio:8.2f}  {target}", flush=True)


def threads(folder: Path, n: int = 4, windows: int = 15) -> None:
    """FMUs of a millisecond on all cores."""
    fmu = Fmu(str(build.build("busy", 2, folder)))
    floor = Floor(folder, fmu)
    reference = str({v.name: v.reference for v in fmu.fmu.variables}["work"])
    per_round = min(floor.run(1, 5, "plain", reference, "1e5")[0] for _ in range(9)) / 5e5
    work = 1e-3 / per_round
    system = ring(n, fmu, work=work)

    def ours(count: int) -> float:
        options: dict[str, Any] = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(STEP)}
        with dv.Session(system, stop=STEP * count, quiet=True, **options) as session:
            begin = time.perf_counter()
            session.run()
            return time.perf_counter() - begin

    def loop(mode: str) -> Callable[[int], float]:
        return lambda count: floor.run(n, count, mode, reference, str(work))[1]

    found = slopes(windows, ours, loop("plain"), loop("threads"))
    mine, single, several = np.median(found, axis=0)
    share = (single / mine) / (single / several)
    print(
        f"{n} FMUs of 1 ms, {len(os.sched_getaffinity(0))} cores: {single / mine:.2f} times as "
        f"fast as one thread; OpenMP {single / several:.2f}; share {share:.2f} (target 0.95)"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fmu = Fmu(str(build.build("linear", 2, folder)))
        floor = Floor(folder, fmu)
        print(f"{'':34} {'parts':>6} {'ns/FMU/win':>12} {'C floor':>12} {'ratio':>8}  target")
        for n in SIZES:
            windows = max(400_000 // n, 1500)
            system = ring(n, fmu)
            for title, algorithm, record, mode, target in (
                ("Jacobi, fused", dv.Jacobi(), "part0.y", "plain", "1.5"),
                ("Jacobi, all outputs recorded", dv.Jacobi(), "*.y", "record", "3"),
                ("Gauss-Seidel, fused", dv.GaussSeidel(), "part0.y", "sweep", "1.5"),
            ):
                row(title, n, compare(system, windows, algorithm, record, floor, mode), target)
        bent = Fmu(str(build.build("linear", 2, folder, input_derivatives=1)))
        lines = Floor(folder, bent)
        for n in SIZES[:3]:
            for title, algorithm in (
                ("Jacobi, extrapolated", dv.Jacobi(extrapolation=1)),
                ("Gauss-Seidel, extrapolated", dv.GaussSeidel(extrapolation=1)),
            ):
                costs = compare(ring(n, bent), 100_000 // n, algorithm, "part0.y", lines, "curves")
                row(title, n, costs, "")
        system = ring(100, fmu)
        twice = dv.GaussSeidel(2, on_limit="accept", rtol=1e-14, atol=1e-14)
        newton = dv.Newton(2, on_limit="accept", rtol=1e-9, atol=1e-9)
        for title, algorithm, mode in (  # few windows: at rest there is nothing to iterate
            ("Gauss-Seidel, 2 sweeps", twice, "iterate"),
            ("Newton, 2 evaluations", newton, "columns"),
        ):
            row(title, 100, compare(system, 400, algorithm, "part0.y", floor, mode), "5")
        for n in SIZES:
            best = min(evaluation(ring(n, fmu)) for _ in range(3))
            target = f"target {5 + 0.05 * n:.1f}"
            print(f"one evaluation from Python {n:13d} {1e6 * best:9.2f} us   {target}")
        begin = time.process_time()
        with dv.Session(ring(1000, fmu), stop=1.0, controller=dv.FixedStep(STEP), quiet=True):
            print(f"set-up of 1000 instances: {time.process_time() - begin:.2f} s (target 2)")
        threads(folder)
        doubling.rows(folder)
        import model_exchange  # needs scikit-sundae

        model_exchange.rows(folder)


if __name__ == "__main__":
    main()
