"""What a window costs in an exported system, beside the same windows of a run in Dovetail.

    python benchmarks/export.py

Linear test FMUs in a ring, each way in turns, as the slope between a short and a long run, so that
set-up does not count; medians of several rounds, and of the ratios in each. The export is stepped
by a loop in C (export_steps.c, which takes a C compiler), a thousand windows or one to a step.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from statistics import median
from typing import Any

import dovetail as dv

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fmus.build import build

ROUNDS, SHORT, LONG, SIZE = 9, 20_000, 220_000, 0.01
ALGORITHMS = {
    "Jacobi": dv.Jacobi(),
    "Gauss-Seidel": dv.GaussSeidel(),
    "extrapolated": dv.GaussSeidel(extrapolation=2),
    "Newton": dv.Newton(),
}


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

    def stepped(self, windows: int, at_once: int, loop: Any) -> float:
        """Seconds of so many windows, this many to a step."""
        lib = self.library
        made = lib.fmi2Instantiate(b"it", 1, self.token, self.resources, None, 0, 0)
        one = ctypes.c_void_p(made)
        assert lib.fmi2SetupExperiment(one, 0, 0.0, 0.0, 0, 0.0) == 0
        assert lib.fmi2EnterInitializationMode(one) == 0 == lib.fmi2ExitInitializationMode(one)
        step = ctypes.cast(lib.fmi2DoStep, ctypes.c_void_p)
        took: float = loop(step, one, windows // at_once, at_once * SIZE)
        lib.fmi2FreeInstance(one)
        assert took >= 0, "a step failed"
        return took


def loop_in_c(folder: Path) -> Any:
    """The loop, compiled."""
    compiler = next(found for name in ("cc", "gcc", "clang") if (found := shutil.which(name)))
    library, source = folder / "steps.so", Path(__file__).with_name("export_steps.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    loop = ctypes.CDLL(str(library)).stepped
    loop.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double]
    loop.restype = ctypes.c_double
    return loop


def slope(measure: Any) -> float:
    return (measure(LONG) - measure(SHORT)) / (LONG - SHORT)


def main() -> None:
    """Print a row for each size and algorithm."""
    print(f"{'':28}{'Dovetail':>10}{'1000 a step':>14}{'1 a step':>12}   ns a window")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loop = loop_in_c(folder)
        for n in (2, 10):
            for title, algorithm in ALGORITHMS.items():
                system = ring(n, folder)
                path = folder / f"ring{n}{title[:5]}.fmu"
                system.export(path, step=SIZE, algorithm=algorithm, outputs="p0.y")
                export = Export(path, folder / path.stem)
                rows = []
                for _ in range(ROUNDS):
                    here = slope(lambda w, s=system, a=algorithm: drawn(s, a, w))
                    many = slope(lambda w, e=export: e.stepped(w, 1000, loop))
                    single = slope(lambda w, e=export: e.stepped(w, 1, loop))
                    rows.append((here, many, single))
                here, many, single = (1e9 * median(r[k] for r in rows) for k in range(3))
                ratio = median(r[1] / r[0] for r in rows)
                alone = median(r[2] / r[0] for r in rows)
                print(
                    f"{f'{n} FMUs, {title}':28}{here:10.0f}{many:14.0f}{single:12.0f}   "
                    f"x {ratio:.2f}, x {alone:.2f}"
                )


if __name__ == "__main__":
    main()
