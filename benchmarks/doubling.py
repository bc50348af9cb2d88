"""What windows that follow their error cost, beside a plain C loop that makes the same steps.

    python benchmarks/doubling.py          # or as part of benchmarks/fmu.py

Pairs of an FMI 2.0 prey and predator (tests/fmus/growth.c: a step is one `exp`), by step doubling
with the slope check. The C loop (benchmarks/doubling_floor.c) makes the same windows with the same
get/setFMUstate; that it takes as many is checked. Costs are process time by window as in
benchmarks/fmu.py: slopes between a run and one three times as long, both in turns, medians over
rounds. "MasterSim's own example" is one pair by Gauss-Seidel in one pass at a tolerance of 1e-6, as
its project has it: that takes MasterSim .03 s.
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
from dovetail.fmi.model import Fmu

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "fmus"))

import build  # noqa: E402

SIZES = (2, 10, 100, 1000)
TOLERANCE, SPAN = 1e-6, 100.0
ROUNDS = 7
ALGORITHMS = {
    "jacobi": dv.Jacobi(),
    "seidel": dv.GaussSeidel(),
    "sweeps": dv.GaussSeidel(5, on_limit="accept"),
    "adaptive": dv.GaussSeidel(5, on_limit="accept", rtol=TOLERANCE, atol=TOLERANCE),
}
TITLES = {
    "jacobi": "step doubling, Jacobi",
    "seidel": "step doubling, Gauss-Seidel",
    "sweeps": "step doubling, iterated Gauss-Seidel",
    "adaptive": "adaptive, iterated Gauss-Seidel",
}


class Floor:
    """The C loop, as a command."""

    def __init__(self, folder: Path, prey: Fmu, predator: Fmu) -> None:
        self.program = folder / "doubling_floor"
        source = HERE / "doubling_floor.c"
        command = ["cc", "-O3", "-o", str(self.program), str(source), "-ldl", "-lm"]
        subprocess.run(command, check=True)
        known = {v.name: str(v.reference) for v in prey.fmu.variables}
        libraries = [str(x) for f in (prey, predator) for x in (f.library.path, f.token)]
        self.fixed = [*libraries, known["u"], known["x"]]

    def run(self, n: int, stop: float, mode: str) -> tuple[float, int]:
        """Seconds, and windows."""
        more = [str(n), repr(stop), repr(TOLERANCE), mode]
        command = [str(self.program), *self.fixed, *more]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, windows, _, _ = done.stdout.split()
        return float(seconds), int(windows)


def pairs(n: int, prey: Fmu, predator: Fmu) -> dv.System:
    system = dv.System("pairs")
    for k in range(0, n, 2):
        names = f"prey{k}", f"predator{k}"
        for name, model in zip(names, (prey, predator), strict=True):
            system.add(name, model)
        system.connect(f"{names[0]}.x", f"{names[1]}.u")
        system.connect(f"{names[1]}.x", f"{names[0]}.u")
    return system


def ours(system: dv.System, stop: float, mode: str) -> tuple[float, int]:
    """Seconds, and windows."""
    sizes = {"first_size": 0.01, "min_size": 1e-8, "max_size": 10.0}
    controller: Any = dv.StepDoubling(TOLERANCE, TOLERANCE, **sizes)
    if mode == "adaptive":
        controller = dv.Adaptive(0.01, max_size=0.05)
    options: dict[str, Any] = {"algorithm": ALGORITHMS[mode], "controller": controller}
    with dv.Session(system, stop=stop, record="*.x", quiet=True, **options) as session:
        begin = time.process_time()
        session.run()
        seconds = time.process_time() - begin
        counts = session.counts
        assert counts.native_windows == counts.windows
        return seconds, counts.windows


def costs(*runs: Callable[[float], tuple[float, int]], stop: float) -> Any:
    """Seconds per window of each, a row per round."""
    found = []
    for k in range(ROUNDS):
        row = [0.0] * len(runs)
        for which in range(len(runs)) if k % 2 else reversed(range(len(runs))):
            (short, few), (long, many) = (runs[which](s) for s in (stop, 3 * stop))
            row[which] = (long - short) / (many - few)
        found.append(row)
    return np.array(found)


def example(prey: Fmu, predator: Fmu, floor: Floor) -> None:
    """MasterSim's prey and predator, from the first window to the last."""
    system, both = pairs(2, prey, predator), []
    for _ in range(ROUNDS):
        both.append((ours(system, SPAN, "seidel"), floor.run(2, SPAN, "seidel")))
    (_, windows), (_, wanted) = both[0]
    mine, limit = (float(np.median([b[k][0] for b in both])) for k in (0, 1))
    print(
        f"MasterSim's own example: {windows} windows (C loop {wanted}) in {1e3 * mine:.1f} ms, "
        f"C loop {1e3 * limit:.1f} ms (target: 30 ms, MasterSim's)"
    )


def rows(folder: Path) -> None:
    """A row for each algorithm and number of FMUs."""
    prey, predator = (Fmu(str(build.build(model, 2, folder))) for model in ("prey", "predator"))
    floor = Floor(folder, prey, predator)
    example(prey, predator, floor)
    head = "parts", "us/window", "C floor", "ratio"
    print(f"{'':38}" + "".join(f"{h:>12}" for h in head) + "  target")
    for mode, title in TITLES.items():
        for n in SIZES:
            system, stop = pairs(n, prey, predator), SPAN if n < 1000 else SPAN / 16
            windows = ours(system, stop, mode)[1], floor.run(n, stop, mode)[1]
            assert abs(windows[0] - windows[1]) <= 0.01 * windows[1], windows

            def of_ours(until: float, system: Any = system, mode: str = mode) -> Any:
                return ours(system, until, mode)

            def of_floor(until: float, n: int = n, mode: str = mode) -> Any:
                return floor.run(n, until, mode)

            found = costs(of_ours, of_floor, stop=stop)
            mine, limit = 1e6 * np.median(found, axis=0)
            ratio = np.median(found[:, 0] / found[:, 1])
            row = f"{title:38}{n:12d}{mine:12.3f}{limit:12.3f}{ratio:12.2f}"
            print(row + "  1.5", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        rows(Path(name))


if __name__ == "__main__":
    main()
