"""What an integrator costs that calls into an FMU, beside one that calls NumPy functions.

    python benchmarks/model_exchange.py

Two models, solved by CVODE to the same tolerance: by scikit-sundae with the equations as NumPy
functions, and by Dovetail with a model-exchange FMU, from the drawing to the result. The van der
Pol oscillator with mu = 1000, over six of its periods, in one window and in many; a bouncing
ball, with an event at each bounce. Costs are process time, the least of several.

Then what many windows cost beside one: 1,000 windows may take 1.2 times as long. Where the solver
starts anew in each, that is beside the same starts with nothing around them, called one by one.
"""

from __future__ import annotations

import ctypes as c
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sksundae.cvode import CVODE

import dovetail as dv
from dovetail.integrators import FixedSize

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from fmus.build import build

MU, STOP, RTOL, ATOL = 1000.0, 10_000.0, 1e-6, 1e-8
GRAVITY, REBOUND, BOUNCING = 9.81, 0.99, 80.0
WINDOWS = (1, 10, 100, 1000)
REPEATS = 7
SPAN, LIMIT = 1000.0, 1.2
BACK = {"part": dv.Rollback()}
DERIVATIVES = ("directional_derivatives", "adjoint_derivatives")
BARE = "scikit-sundae, NumPy functions"


def bare(windows: int) -> None:
    """scikit-sundae, told to hand out the solution at the same times."""

    def rates(t: float, x: Any, dx: Any) -> None:
        dx[0] = x[1]
        dx[1] = MU * (1 - x[0] ** 2) * x[1] - x[0]

    solver = CVODE(rates, rtol=RTOL, atol=ATOL, max_num_steps=100_000)
    times = np.linspace(0.0, STOP, max(windows, 2) + 1)
    assert solver.solve(times, np.array([2.0, 0.0])).success


def bare_ball() -> int:
    """scikit-sundae with its own search for roots, started anew at each bounce."""

    def rates(t: float, x: Any, dx: Any) -> None:
        dx[0] = x[1]
        dx[1] = -GRAVITY

    def ground(t: float, x: Any, z: Any) -> None:
        z[0] = x[0]

    ground.direction = [-1]  # type: ignore[attr-defined]
    solver = CVODE(
        rates, rtol=RTOL, atol=ATOL, eventsfn=ground, num_events=1, max_num_steps=100_000
    )
    time, state, bounces = 0.0, np.array([1.0, 0.0]), 0
    solver.init_step(time, state)
    while True:
        done = solver.step(BOUNCING, "normal", BOUNCING)
        assert done.success
        if done.t >= BOUNCING:
            return bounces
        time, state = done.t, np.array([0.0, -REBOUND * done.y[1]])
        bounces += 1
        solver.init_step(time, state)


def exchanged(system: dv.System, stop: float, windows: int) -> dv.Result:
    """The FMU: assembled, initialised, run, recorded."""
    options: dict[str, Any] = {"algorithm": dv.Jacobi(), "quiet": True}
    return dv.simulate(system, stop=stop, controller=dv.FixedStep(stop / windows), **options)


def without_step_notes(xml: str) -> str:
    """FMI 2: the FMU does not want to hear of every completed step."""
    told = '<ModelExchange completedIntegratorStepNotNeeded="true" '
    return xml.replace("<ModelExchange ", told)


def compare(title: str, runs: dict[str, Callable[[], Any]]) -> None:
    """Time each a few times, in turn, and take the least."""
    found: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        for name, run in runs.items():
            begin = process_time()
            run()
            found.setdefault(name, []).append(process_time() - begin)
    least = {name: min(times) for name, times in found.items()}
    print(title)
    for name, seconds in least.items():
        print(f"  {name:32} {1e3 * seconds:8.2f} ms   {seconds / least[BARE]:5.2f}x")


def many(system: dv.System, windows: int, **options: Any) -> float:
    """Seconds of a run along so many windows."""
    with dv.Session(
        system,
        stop=SPAN,
        algorithm=dv.Jacobi(),
        controller=dv.FixedStep(SPAN / windows),
        quiet=True,
        **options,
    ) as session:
        begin = process_time()
        session.run()
        return process_time() - begin


def starts(system: dv.System, windows: int) -> float:
    """Seconds of as many starts of its CVODE, with the steps after them."""
    size = SPAN / windows
    with dv.Session(
        system, stop=SPAN, controller=dv.FixedStep(size), estimators=BACK, quiet=True
    ) as session:
        for _ in range(3):
            session.advance()
        part: Any = session.assembly.subsystems[0].subsystem
        solver: Any = part.course.follower.solver
        flow, known = part.native_flow.flow, c.byref(part.native_flow.flow.known)
        anew, mem, y = solver._library.CVodeReInit, solver._made["mem"], solver._made["y"]
        begin = process_time()
        for k in range(windows):
            start, stop = k * size, (k + 1) * size
            flow.begin(known, start)
            anew(mem, start, y)
            flow.known.time, flow.known.steps = start, 0
            flow.steps(known, stop, 1.0)
        return process_time() - begin


def compare_windows(
    systems: dict[str, tuple[dv.System, Callable[[], float], dict[str, Any]]],
) -> None:
    """Many windows beside what they may cost, in turns."""
    print(f"1,000 windows beside the same in one; the limit is {LIMIT}")
    for name, (system, reference, options) in systems.items():
        found = [(many(system, 1000, **options), reference()) for _ in range(REPEATS)]
        took, beside = (min(times) for times in zip(*found, strict=True))
        print(f"  {name:48} {1e3 * took:8.2f} ms   {took / beside:5.2f}x")


def made(
    folder: Path, name: str, version: int, values: dict[str, float], **options: Any
) -> dv.System:
    """One FMU for model exchange."""
    path = build(name, version, folder, co_simulation=False, **options)
    system = dv.System(name)
    system.add("part", dv.load(path, rtol=RTOL, atol=ATOL), **values)
    return system


def rows(folder: Path) -> None:
    """What many windows cost, by each solver."""
    found: dict[str, tuple[dv.System, Callable[[], float], dict[str, Any]]] = {}
    for solver in ("cvode", "rk45", "auto", FixedSize(0.01)):
        path = build("vanderpol", 3, folder, co_simulation=False)
        one = dv.System("one")
        one.add("part", dv.load(path, solver=solver), mu=1.0)
        name = solver if isinstance(solver, str) else "rk4, 0.01 s a step"
        found[f"van der Pol, {name}"] = one, lambda s=one: many(s, 1), {}
    again = made(folder, "vanderpol", 3, {"mu": 1.0})
    found["van der Pol, cvode started anew in each"] = (
        *(again, lambda: starts(again, 1000)),
        {"estimators": BACK},
    )
    compare_windows(found)


def main() -> None:
    """Both models, each way."""
    with tempfile.TemporaryDirectory() as folder:

        def system(name: str, version: int, values: dict[str, float], **options: Any) -> dv.System:
            return made(Path(folder), name, version, values, **options)

        stiff, rest = {"mu": MU}, {"edit": without_step_notes}
        systems = {
            "FMI 3": system("vanderpol", 3, stiff),
            "FMI 3, without derivatives": system(
                "vanderpol", 3, stiff, **dict.fromkeys(DERIVATIVES, False)
            ),
            "FMI 2": system("vanderpol", 2, stiff, **rest),
            "FMI 2, told of every step": system("vanderpol", 2, stiff),
        }
        for windows in WINDOWS:
            runs: dict[str, Callable[[], Any]] = {BARE: lambda n=windows: bare(n)}
            for name, one in systems.items():
                runs[name] = lambda s=one, n=windows: exchanged(s, STOP, n)
            compare(f"van der Pol, {windows} windows", runs)
        thrown = {"e": REBOUND, "g": GRAVITY}
        balls = {f"FMI {v}": system("ball", v, thrown) for v in (3, 2)}
        bounces = int(exchanged(balls["FMI 3"], BOUNCING, 1)["part.bounces"][-1])
        assert bounces == bare_ball()
        runs = {BARE: bare_ball}
        for name, one in balls.items():
            runs[name] = lambda s=one: exchanged(s, BOUNCING, 1)
        compare(f"a ball that bounces {bounces} times", runs)
        rows(Path(folder))


if __name__ == "__main__":
    main()
