"""What an integrator costs that calls into an FMU, beside one that calls NumPy functions.

    python benchmarks/model_exchange.py

The van der Pol oscillator with mu = 1000, over six of its periods, solved by CVODE to the same
tolerance: by scikit-sundae with the equations as NumPy functions, and by Dovetail with a
model-exchange FMU, from the drawing to the result. Costs are process time, the least of several.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sksundae.cvode import CVODE

import dovetail as dv

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from fmus.build import build

MU, STOP, RTOL, ATOL = 1000.0, 10_000.0, 1e-6, 1e-8
WINDOWS = (1, 10, 100)
REPEATS = 7
DERIVATIVES = ("directional_derivatives", "adjoint_derivatives")
BARE = "scikit-sundae, NumPy functions"


def bare(windows: int) -> float:
    """scikit-sundae, told to hand out the solution at the same times."""

    def rates(t: float, x: Any, dx: Any) -> None:
        dx[0] = x[1]
        dx[1] = MU * (1 - x[0] ** 2) * x[1] - x[0]

    begin = process_time()
    solver = CVODE(rates, rtol=RTOL, atol=ATOL, max_num_steps=100_000)
    times = np.linspace(0.0, STOP, max(windows, 2) + 1)
    assert solver.solve(times, np.array([2.0, 0.0])).success
    return process_time() - begin


def exchanged(system: dv.System, windows: int) -> float:
    """The FMU: assembled, initialised, run, recorded."""
    begin = process_time()
    dv.simulate(
        system,
        stop=STOP,
        algorithm=dv.Jacobi(),
        controller=dv.FixedStep(STOP / windows),
        quiet=True,
    )
    return process_time() - begin


def without_step_notes(xml: str) -> str:
    """FMI 2: the FMU does not want to hear of every completed step."""
    told = '<ModelExchange completedIntegratorStepNotNeeded="true" '
    return xml.replace("<ModelExchange ", told)


def main() -> None:
    """Time each a few times, in turn, and take the least."""
    with tempfile.TemporaryDirectory() as folder:
        systems = {}
        for title, version, options in (
            ("FMI 3", 3, {}),
            ("FMI 3, without derivatives", 3, dict.fromkeys(DERIVATIVES, False)),
            ("FMI 2", 2, {"edit": without_step_notes}),
            ("FMI 2, told of every step", 2, {}),
        ):
            path = build("vanderpol", version, folder, co_simulation=False, **options)
            system = dv.System("vanderpol")
            system.add("part", dv.load(path, rtol=RTOL, atol=ATOL), mu=MU)
            systems[title] = system
        for windows in WINDOWS:
            found: dict[str, list[float]] = {}
            for _ in range(REPEATS):
                found.setdefault(BARE, []).append(bare(windows))
                for title, system in systems.items():
                    found.setdefault(title, []).append(exchanged(system, windows))
            least = {title: min(times) for title, times in found.items()}
            print(f"{windows} windows")
            for title, seconds in least.items():
                ratio = seconds / least[BARE]
                print(f"  {title:32} {1e3 * seconds:8.2f} ms   {ratio:5.2f}x")


if __name__ == "__main__":
    main()
