"""What algorithms and controllers cost for what they deliver: the tables of docs/choosing.md.

    python benchmarks/choosing.py            print the three tables
    python benchmarks/choosing.py --write    put them into docs/choosing.md

Counts and errors only, no seconds: they are the same on every machine, up to rounding.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import dovetail as dv

PAGE = Path(__file__).parent.parent / "docs" / "choosing.md"
EXACT = {"rtol": 1e-10, "atol": 1e-12}  # of the parts' own integrators: what is left is coupling

# two masses ---------------------------------------------------------------------------------------

WALL, BETWEEN, DAMPING = 10.0, 5.0, 0.2


def two_masses() -> dv.System:
    """Two masses between walls. The right part holds the spring and damper in the middle."""
    left = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force - WALL * x.x],
        **EXACT,
    )

    def between(x: Any, u: Any) -> float:
        force: float = BETWEEN * (x.x - u.place) + DAMPING * (x.v - u.speed)
        return force

    right = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"place": 1.0, "speed": 0.0},
        outputs=["force"],
        derivatives=lambda t, x, u, p: [x.v, -WALL * x.x - between(x, u)],
        output=lambda t, x, u, p: [between(x, u)],
        **EXACT,
    )
    return pair("two masses", left, right, [("x", "place"), ("v", "speed")], [("force", "force")])


def pair(
    name: str,
    left: Any,
    right: Any,
    there: Sequence[tuple[str, str]],
    back: Sequence[tuple[str, str]],
) -> dv.System:
    """Two parts and the wires between them."""
    system = dv.System(name)
    system.add("left", left)
    system.add("right", right)
    for a, b in there:
        system.connect(f"left.{a}", f"right.{b}")
    for a, b in back:
        system.connect(f"right.{a}", f"left.{b}")
    return system


def exact_two_masses(time: Any) -> Any:
    """Where the left mass is, from the monolithic equations."""
    k, c, w = BETWEEN, DAMPING, WALL
    A = np.array([[0, 1, 0, 0], [-w - k, -c, k, c], [0, 0, 0, 1], [k, c, -w - k, -c]])
    return np.array([(expm(A * t) @ [1.0, 0.0, 0.0, 0.0])[0] for t in time])


def order_table() -> Iterator[str]:
    """Error and cost against window size."""
    tight = {"rtol": 1e-9, "atol": 1e-11}
    algorithms = {
        "`Jacobi()`": dv.Jacobi(),
        "`GaussSeidel()`": dv.GaussSeidel(),
        "`GaussSeidel(50)`": dv.GaussSeidel(50, **tight),
        '`GaussSeidel(50, inputs="ramp")`': dv.GaussSeidel(50, inputs="ramp", **tight),
        '`Jacobi(50, inputs="ramp")`': dv.Jacobi(50, inputs="ramp", **tight),
        "`Iterative()`": dv.Iterative(**tight),
        '`GaussSeidel(inputs="ramp", solver=IqnIls())`': dv.GaussSeidel(
            inputs="ramp", solver=dv.rootfinders.IqnIls(), **tight
        ),
        '`Newton(inputs="ramp")`': dv.Newton(inputs="ramp", **tight),
    }
    sizes = (0.08, 0.04, 0.02)
    yield "| algorithm | " + " | ".join(f"window {h:g} s" for h in sizes) + " | order | advances |"
    yield "| --- |" + " ---: |" * (len(sizes) + 2)
    for title, algorithm in algorithms.items():
        errors, advances = [], 0.0
        for size in sizes:
            result = run(two_masses(), 8.0, algorithm, dv.FixedStep(size))
            errors.append(np.abs(result["left.x"] - exact_two_masses(result.time)).max())
            advances = result.statistics.evaluations / result.statistics.windows / 2
        shown = " | ".join(f"{e:.1e}" for e in errors)
        yield f"| {title} | {shown} | {log2(errors[-2] / errors[-1]):.1f} | {advances:.1f} |"


# a loop of growing gain ---------------------------------------------------------------------------


def loop(gain: float) -> dv.System:
    """An algebraic loop: b = sin t - gain a, a = b."""
    left = dv.Algebraic(inputs=["b"], outputs=["a"], function=lambda t, u, p: [u.b])
    right = dv.Algebraic(
        inputs=["a"],
        outputs=["b"],
        parameters={"gain": gain},
        function=lambda t, u, p: [np.sin(t) - p.gain * u.a],
    )
    return pair("loop", left, right, [("a", "a")], [("b", "b")])


def gain_table() -> Iterator[str]:
    """Advances per part and window, or failure, against the gain of a loop."""
    finders = dv.rootfinders
    algorithms = {
        "`GaussSeidel(50)`": dv.GaussSeidel(50),
        "`Jacobi(50)`": dv.Jacobi(50),
        "`Iterative(FixedPoint(relaxation=0.5))`": dv.Iterative(
            finders.FixedPoint(60, relaxation=0.5)
        ),
        "`Iterative(Aitken())`": dv.Iterative(finders.Aitken()),
        "`GaussSeidel(solver=Aitken())`": dv.GaussSeidel(solver=finders.Aitken()),
        "`Iterative()` (Anderson)": dv.Iterative(),
        "`GaussSeidel(solver=Anderson())`": dv.GaussSeidel(solver=finders.Anderson()),
        "`Jacobi(solver=IqnIls())`": dv.Jacobi(solver=finders.IqnIls()),
        "`GaussSeidel(solver=IqnIls())`": dv.GaussSeidel(solver=finders.IqnIls()),
        "`Newton()`": dv.Newton(),
    }
    gains = (0.2, 0.9, 2.0, 50.0)
    yield "| algorithm | " + " | ".join(f"gain {g:g}" for g in gains) + " |"
    yield "| --- |" + " ---: |" * len(gains)
    for title, algorithm in algorithms.items():
        cells = [advances_or_failure(loop(g), algorithm) for g in gains]
        yield f"| {title} | {' | '.join(cells)} |"


def advances_or_failure(system: dv.System, algorithm: Any) -> str:
    """What a short run costs per part and window, if it gets through."""
    try:
        result = run(system, 1.0, algorithm, dv.FixedStep(0.05, 0.05))  # no window is cut
    except dv.StepFailed:
        return "fails"
    return f"{result.statistics.evaluations / result.statistics.windows / 2:.1f}"


# fixed and adaptive windows -----------------------------------------------------------------------

VOLTAGE, RESISTANCE, INDUCTANCE, FLUX, INERTIA, FRICTION = 24.0, 1.0, 0.01, 0.5, 0.01, 0.002
DRIVE = 5.0  # how much faster one half of the oscillator is


def motor() -> dv.System:
    """A motor that is switched on: windings and shaft. A short transient, then rest."""
    windings = dv.Dynamic(
        states={"current": 0.0},
        inputs=["speed"],
        outputs=["torque"],
        derivatives=lambda t, x, u, p: [
            (VOLTAGE - RESISTANCE * x.current - FLUX * u.speed) / INDUCTANCE
        ],
        output=lambda t, x, u, p: [FLUX * x.current],
        **EXACT,
    )
    shaft = dv.Dynamic(
        states={"speed": 0.0},
        inputs=["torque"],
        outputs=["speed"],
        derivatives=lambda t, x, u, p: [(u.torque - FRICTION * x.speed) / INERTIA],
        **EXACT,
    )
    return pair("motor", shaft, windings, [("speed", "speed")], [("torque", "torque")])


def exact_motor(time: Any) -> Any:
    """The speed of the shaft, from the monolithic equations."""
    A = np.array(
        [
            [-FRICTION / INERTIA, FLUX / INERTIA, 0.0],
            [-FLUX / INDUCTANCE, -RESISTANCE / INDUCTANCE, VOLTAGE / INDUCTANCE],
            [0.0, 0.0, 0.0],
        ]
    )
    return np.array([(expm(A * t) @ [0.0, 0.0, 1.0])[0] for t in time])


def oscillator() -> dv.System:
    """Van der Pol's oscillator cut in two: it never comes to rest."""
    left = dv.Dynamic(
        states={"x": 2.0},
        inputs=["y"],
        outputs=["x"],
        derivatives=lambda t, x, u, p: [DRIVE * (x.x - x.x**3 / 3 - u.y)],
        **EXACT,
    )
    right = dv.Dynamic(
        states={"y": 2.0 - 8 / 3},
        inputs={"x": 2.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [u.x / DRIVE],
        **EXACT,
    )
    return pair("van der Pol", left, right, [("x", "x")], [("y", "y")])


def exact_oscillator(time: Any) -> Any:
    """The left part's state, from the monolithic equations."""
    found = solve_ivp(
        lambda t, z: [DRIVE * (z[0] - z[0] ** 3 / 3 - z[1]), z[0] / DRIVE],
        (0.0, float(time[-1])),
        [2.0, 2.0 - 8 / 3],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        dense_output=True,
    )
    return found.sol(time)[0]


def control_table() -> Iterator[str]:
    """Fixed windows against step doubling: where that pays, and where it does not."""
    cases: list[tuple[str, Any, Any, str, float, Sequence[float], Sequence[float]]] = [
        ("motor", motor, exact_motor, "left.speed", 5.0, (0.005, 0.0025), (1e-2, 1e-3)),
        ("oscillator", oscillator, exact_oscillator, "left.x", 20.0, (0.05, 0.025), (1e-3, 1e-4)),
    ]
    yield "| problem | controller | windows | largest window | advances of a part | error |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for title, system, exact, name, stop, sizes, tolerances in cases:
        controllers: list[tuple[str, Any]] = [
            (f"`FixedStep({h:g})`", dv.FixedStep(h)) for h in sizes
        ]
        controllers += [
            (f"`StepDoubling({t:g}, {t:g})`", dv.StepDoubling(t, t)) for t in tolerances
        ]
        for what, controller in controllers:
            result = run(system(), stop, dv.GaussSeidel(50, inputs="ramp"), controller)
            truth = exact(result.time)
            error = np.abs(result[name] - truth).max() / np.abs(truth).max()
            s, largest = result.statistics, np.diff(result.time).max()
            counts = f"{s.windows} | {largest:.2g} s | {s.evaluations // 2}"
            yield f"| {title} | {what} | {counts} | {error:.1e} |"


def run(system: dv.System, stop: float, algorithm: Any, controller: Any) -> dv.Result:
    return dv.simulate(system, stop=stop, algorithm=algorithm, controller=controller, quiet=True)


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "order": order_table,
    "gain": gain_table,
    "control": control_table,
}


def written(page: str, tables: dict[str, str]) -> str:
    """The page with these tables between their marks."""
    for name, table in tables.items():
        begin, end = f"<!-- measured: {name} -->", "<!-- end -->"
        pattern = re.compile(f"({re.escape(begin)}\n).*?(\n{re.escape(end)})", re.DOTALL)
        page = pattern.sub(lambda m, table=table: f"{m[1]}\n{table}\n{m[2]}", page)
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    arguments = parser.parse_args()
    tables = {name: "\n".join(table()) for name, table in TABLES.items()}
    for table in tables.values():
        print(table, end="\n\n")
    if arguments.write:
        PAGE.write_text(written(PAGE.read_text(), tables))


if __name__ == "__main__":
    main()
