"""What large drawings cost before anything runs: opened, checked, planned, made live.

    python benchmarks/scale.py [--sizes 100 1000 10000] [--parts-only 100000]

A net of n FMUs (FMI 2.0, tests/fmus/wide.c) with ten inputs each, every one fed by the output of
a part drawn at random, so 10 n connections in one file of YAML. Columns are seconds of processor
time: `open` reads the file; `check` is `system.check()`, `report` its text; `plan` is all that a
run decides before a part lives; `live` makes and initializes every FMU. `per wire` is open, check
and plan together over the connections, in microseconds: where it stays the same, costs are linear.
Memory is the most that the process had. `--parts-only` draws so many parts that are described only.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "fmus"))

import build  # noqa: E402
import dovetail as dv  # noqa: E402
from dovetail.assembly.consistent import Consistent  # noqa: E402
from dovetail.drawing.run_settings import RunSettings  # noqa: E402
from dovetail.run.run_request import RunRequest  # noqa: E402
from dovetail.run.terms import Terms  # noqa: E402

INPUTS = 10  # of each part
WAY = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.01), "stop": 0.1, "record": "p0.y"}


def net(n: int, fmu: dv.Model) -> dv.System:
    """Parts, each fed by ten others, the same ones each time."""
    chosen, system = random.Random(0), dv.System("net")
    for k in range(n):
        system.add(f"p{k}", fmu)
    for k in range(n):
        for j in range(1, INPUTS + 1):
            system.connect(f"p{chosen.randrange(n)}.y", f"p{k}.u{j}")
    return system


class Clock:
    """Seconds of processor time since it was last asked."""

    def __init__(self) -> None:
        self._last = time.process_time()

    def lap(self) -> float:
        now = time.process_time()
        since, self._last = now - self._last, now
        return since


def costs(n: int, fmu: dv.Model, folder: Path) -> list[float]:
    """Seconds of opening, checking, reporting, planning, and bringing to life."""
    path = folder / f"net{n}.yaml"
    net(n, fmu).save(path)
    dv.open(path)  # what is imported once does not count
    clock = Clock()
    system = dv.open(path)
    found = [clock.lap()]
    report = system.check()
    found.append(clock.lap())
    str(report)
    found.append(clock.lap())
    settings = RunSettings(**WAY)
    Terms.of(system, RunRequest.of(system, settings, Consistent()), lambda _: None)
    found.append(clock.lap())
    with dv.Session(system, quiet=True, **WAY):
        found.append(max(0.0, clock.lap() - found[-1]))
    return found


def alone(n: int, fmu_path: Path, folder: Path) -> str:
    """A row of the table, from a process of its own: memory is that of this size alone."""
    command = [sys.executable, __file__, "--row", str(n), str(fmu_path), str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def row(n: int, fmu_path: Path, folder: Path) -> None:
    found = costs(n, dv.load(fmu_path), folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    per_wire = 1e6 * (found[0] + found[1] + found[3]) / (INPUTS * n)
    cells = " ".join(f"{x:8.2f}" for x in found)
    print(f"{n:7} {INPUTS * n:8} {cells} {per_wire:9.1f} {memory:7.0f}")


def described(n: int) -> None:
    """Many parts of one Python model, which nothing makes live."""
    model = dv.Dynamic(
        states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=lambda t, x, u, p: [u.u - x.x]
    )
    clock, system = Clock(), dv.System("chain")
    for k in range(n):
        system.add(f"p{k}", model)
    for k in range(1, n):
        system.connect(f"p{k - 1}.x", f"p{k}.u")
    drawn = clock.lap()
    system.check()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n} parts in a chain, described only: drawn in {drawn:.2f} s, ", end="")
    print(f"checked in {clock.lap():.2f} s, {memory:.0f} MB")


def main() -> None:
    if sys.argv[1:2] == ["--row"]:
        row(int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1000, 10_000])
    parser.add_argument("--parts-only", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fmu = build.build("wide", 2, folder)
        print("  parts    wires     open    check   report     plan     live  per wire      MB")
        for n in given.sizes:
            print(alone(n, fmu, Path(folder)), end="", flush=True)
    described(given.parts_only)


if __name__ == "__main__":
    main()
