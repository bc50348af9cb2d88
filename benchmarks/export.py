"""What a window costs in an exported system, beside the same windows of a run in Dovetail.

    python benchmarks/export.py

Linear test FMUs in a ring; each way in turns, the least of several rounds, as the slope between a
short and a long run, so that set-up does not count. The export is stepped through ctypes, a
thousand windows or one to a step; what a call of ctypes takes by itself is measured beside it and
taken off where there is one to each window.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import dovetail as dv

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fmus.build import build

ROUNDS, SHORT, LONG, SIZE = 7, 20_000, 120_000, 0.01
ALGORITHMS = {"Gauss-Seidel": dv.GaussSeidel(), "Newton": dv.Newton()}


def ring(n: int, folder: Path) -> dv.System:
    system, model = dv.System("ring"), dv.load(str(build("linear", 2, folder)))
    for k in range(n):
        system.add(f"p{k}", model, x=1.0 + 0.3 * k, b=0.5)
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")
    return system


def drawn(system: dv.System, algorithm: Any, windows: int) -> float:
    """Seconds of so many windows in Dovetail."""
    options = {"algorithm": algorithm, "controller": dv.FixedStep(SIZE), "quiet": True}
    with dv.Session(system, stop=windows * SIZE, record="p0.y", **options) as session:
        begin = time.perf_counter()
        session.run()
        return time.perf_counter() - begin


class Export:
    """One instance of an exported system at a time."""

    def __init__(self, path: Path, folder: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.library = ctypes.CDLL(str(next(folder.glob("binaries/*/*.so"))))
        self.token = dv.load(str(path)).token.encode()
        self.resources = (folder / "resources").as_uri().encode()
        self.library.fmi2Instantiate.restype = ctypes.c_void_p
        real = ctypes.c_double
        self.library.fmi2DoStep.argtypes = [ctypes.c_void_p, real, real, ctypes.c_int]
        self.library.fmi2SetupExperiment.argtypes = [
            *(ctypes.c_void_p, ctypes.c_int, real, real, ctypes.c_int, real),
        ]

    def stepped(self, windows: int, at_once: int) -> float:
        """Seconds of so many windows, this many to a step."""
        lib = self.library
        made = lib.fmi2Instantiate(b"it", 1, self.token, self.resources, None, 0, 0)
        one = ctypes.c_void_p(made)
        assert lib.fmi2SetupExperiment(one, 0, 0.0, 0.0, 0, 0.0) == 0
        assert lib.fmi2EnterInitializationMode(one) == 0 == lib.fmi2ExitInitializationMode(one)
        step, size = lib.fmi2DoStep, at_once * SIZE
        begin = time.perf_counter()
        for k in range(windows // at_once):
            step(one, k * size, size, 1)
        took = time.perf_counter() - begin
        lib.fmi2FreeInstance(one)
        return took

    def calls(self, count: int) -> float:
        """Seconds of so many calls that do nothing: steps of no instance."""
        step, begin = self.library.fmi2DoStep, time.perf_counter()
        for k in range(count):
            step(None, k * SIZE, SIZE, 1)
        return time.perf_counter() - begin


def slope(measure: Any) -> float:
    return (measure(LONG) - measure(SHORT)) / (LONG - SHORT)


def main() -> None:
    """Print a row for each size and algorithm."""
    print(f"{'':28}{'Dovetail':>10}{'1000 a step':>14}{'1 a step':>12}   ns a window")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in (2, 10):
            for title, algorithm in ALGORITHMS.items():
                system = ring(n, folder)
                path = folder / f"ring{n}{type(algorithm).__name__}.fmu"
                system.export(path, step=SIZE, algorithm=algorithm, outputs="p0.y")
                export = Export(path, folder / path.stem)
                rows = []
                for _ in range(ROUNDS):
                    here = slope(lambda w, s=system, a=algorithm: drawn(s, a, w))
                    many = slope(lambda w, e=export: e.stepped(w, 1000))
                    single = slope(lambda w, e=export: e.stepped(w, 1) - e.calls(w))
                    rows.append((here, many, single))
                here, many, single = (1e9 * min(r[k] for r in rows) for k in range(3))
                ratio = sorted(r[1] / r[0] for r in rows)[ROUNDS // 2]
                alone = sorted(r[2] / r[0] for r in rows)[ROUNDS // 2]
                print(
                    f"{f'{n} FMUs, {title}':28}{here:10.0f}{many:14.0f}{single:12.0f}   "
                    f"x {ratio:.2f}, x {alone:.2f}"
                )


if __name__ == "__main__":
    main()
