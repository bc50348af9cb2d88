"""MasterSim, as a command."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import ClassVar

import numpy as np

from .case import Case
from .peer import ENOUGH, Peer, Run, slope

COMMANDS = ("MasterSimulator", "mastersim")  # as released, and as built by CMake
REPEATS = 3


class MasterSim(Peer):
    """Gauss-Jacobi with fixed steps, from a project file. It is a program: each run is a process.

    It always writes its results; not recording means writing them once, at the end.
    """

    name = "MasterSim"
    is_program: ClassVar[bool] = True

    def missing(self) -> str | None:
        return None if found() else f"there is no program {' or '.join(COMMANDS)} on the path"

    def release(self) -> str:
        command = [found() or COMMANDS[0], "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return re.findall(r"version ([\d.]+)", done.stdout)[0]

    def open(self, case: Case, record: str | None = None) -> Run:
        raise NotImplementedError  # there is no going on after a run

    def series(self, case: Case, windows: int) -> list[list[float]]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            simulate(case, windows, folder, every=1)
            return values(case, folder)

    def cost(self, case: Case, record: str | None = None) -> tuple[float, float]:
        def seconds(windows: int) -> float:
            with tempfile.TemporaryDirectory() as name:
                every = windows if record is None else 1
                return simulate(case, windows, Path(name), every)

        setup = min(seconds(1) for _ in range(2))
        windows = 16
        while seconds(windows) - setup < ENOUGH:
            windows *= 2
        return setup, slope(seconds, windows, REPEATS)


def found() -> str | None:
    """The program."""
    return next(filter(None, map(shutil.which, COMMANDS)), None)


def simulate(case: Case, windows: int, folder: Path, every: int) -> float:
    """Runs a case in a folder; seconds of process time of the program."""
    project = folder / "case.msim"
    project.write_text(written(case, windows, every))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = found()
    assert program is not None
    command = [program, "--verbosity-level=0", "--close-on-exit", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"MasterSim ended with {done.returncode}: {done.stdout[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def written(case: Case, windows: int, every: int) -> str:
    """The case as a project file; results are written every so many windows."""
    lines = [
        "tStart               0 s",
        f"tEnd                 {case.step * windows!r} s",
        f"hMax                 {case.step!r} s",
        f"hMin                 {case.step * 1e-6!r} s",
        f"hFallBackLimit       {case.step * 1e-6!r} s",
        f"hStart               {case.step!r} s",
        f"hOutputMin           {case.step * (every - 0.5)!r} s",
        "adjustStepSize       no",
        "absTol               1e-06",
        "relTol               1e-06",
        "MasterMode           GAUSS_JACOBI",
        "ErrorControlMode     NONE",
        "maxIterations        1",
        "",
    ]
    lines += [
        f'simulator {k} {k} {n} #ff0000ff "{p}"' for k, (n, p) in enumerate(case.parts.items())
    ]
    lines += [f"graph {a}.{out} {b}.{into}" for a, out, b, into in case.wires]
    for part, given in case.values.items():
        lines += [f"parameter {part}.{name} {value!r}" for name, value in given.items()]
    return "\n".join(lines) + "\n"


def values(case: Case, folder: Path) -> list[list[float]]:
    """The watched outputs from the table that MasterSim wrote."""
    table = next((folder / "case" / "results").glob("values.csv"))
    with open(table, encoding="utf-8") as lines:
        names = [
            name.strip('"').split(" ")[0] for name in lines.readline().rstrip("\n").split("\t")
        ]
    columns = [names.index(f"{part}.{output}") for part, output in case.watched]
    rows = np.loadtxt(table, skiprows=1, delimiter="\t", ndmin=2)
    return [list(map(float, row)) for row in rows[:, columns]]
