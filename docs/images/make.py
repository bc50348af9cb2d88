"""Makes the pictures of the documentation from real runs: python docs/images/make.py

quarter-car.png   a car with a switching damper drives up a kerb: five parts, one cycle
windows.png       the same oscillator with three algorithms and one window size
structure.png     where a heat exchanger wants to be cut
estimates.png     error against window size, with rollback and without
inside.png        one window of an estimated part: inputs tried, answers, the genuine step
conflict.png      two masses that both take a force
air-conditioner.png   the first second of examples/air_conditioner
diagram-*.svg     block diagrams of the car and of the air conditioner
choosing.svg      which algorithm: the chart, drawn by chart.py
studies.png       one parameter, three runs: the program on the page about parameter studies
"""

from __future__ import annotations

import struct
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from chart import decision_chart

mpl.use("agg")
from matplotlib import pyplot as plt
from scipy.integrate import solve_ivp

import dovetail as dv

HERE = Path(__file__).parent


def quarter_car() -> dv.System:
    """Road, wheel, body, strut, and a controller that switches the damper every 10 ms."""
    road = dv.Source(
        outputs=["height"],
        units={"height": "m"},
        jumps=[0.2],
        function=lambda t, p: [0.05 if t >= 0.2 else 0.0],
    )
    wheel = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["road", "force"],
        outputs=["x", "v"],
        parameters={"m": 40.0, "k": 200e3, "c": 300.0},
        units={"x": "m", "v": "m/s", "road": "m", "force": "N", "m": "kg"},
        derivatives=lambda t, x, u, p: [
            x.v,
            (p.k * (u.road - x.x) - p.c * x.v - u.force) / p.m,
        ],
    )
    body = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        parameters={"m": 300.0},
        units={"x": "m", "v": "m/s", "force": "N", "m": "kg"},
        derivatives=lambda t, x, u, p: [x.v, u.force / p.m],
    )
    strut = dv.Algebraic(
        inputs=["x_wheel", "v_wheel", "x_body", "v_body", "damping"],
        outputs=["force"],
        parameters={"k": 20e3},
        units={"x_wheel": "m", "v_wheel": "m/s", "x_body": "m", "v_body": "m/s"}
        | {"damping": "N.s/m", "force": "N"},
        function=lambda t, u, p: [
            p.k * (u.x_wheel - u.x_body) + u.damping * (u.v_wheel - u.v_body)
        ],
    )
    control = dv.Discrete(
        period=0.01,
        inputs=["v_body", "v_wheel"],
        outputs=["damping"],
        units={"v_body": "m/s", "v_wheel": "m/s", "damping": "N.s/m"},
        output=lambda t, x, u, p: [1800.0 if u.v_body * (u.v_body - u.v_wheel) > -1e-4 else 300.0],
    )
    system = dv.System("Quarter car with a switching damper drives up a kerb")
    parts = {"road": road, "wheel": wheel, "body": body, "strut": strut, "control": control}
    for name, model in parts.items():
        system.add(name, model)
    system.connect("road.height", "wheel.road")
    for side in ("wheel", "body"):
        system.connect(f"{side}.x", f"strut.x_{side}")
        system.connect(f"{side}.v", f"strut.v_{side}")
        system.connect(f"{side}.v", f"control.v_{side}")
        system.connect("strut.force", f"{side}.force")
    system.connect("control.damping", "strut.damping")
    return system


def oscillator() -> dv.System:
    """The mass and the spring of the README."""
    mass = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
    )
    spring = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
    system = dv.System("oscillator")
    system.add("mass", mass)
    system.add("spring", spring)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    return system


def car_picture(path: Path) -> None:
    """What `result.plot` makes of it."""
    result = dv.simulate(
        quarter_car(),
        stop=1.5,
        algorithm=dv.GaussSeidel(20, inputs="ramp"),
        controller=dv.FixedStep(0.0025),
    )
    result.plot("road.height", "wheel.x", "body.x", "strut.force", "control.damping", path=path)


def windows_picture(path: Path) -> None:
    """One window size, three algorithms, and what is true."""
    runs = {
        "Jacobi()": dv.Jacobi(),
        "GaussSeidel()": dv.GaussSeidel(),
        'GaussSeidel(50, inputs="ramp")': dv.GaussSeidel(50, inputs="ramp"),
    }
    figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
    time = np.linspace(0.0, 10.0, 500)
    axes.plot(time, np.cos(2 * time), color="0.75", linewidth=5, label="exact")
    for title, algorithm in runs.items():
        result = dv.simulate(
            oscillator(), stop=10.0, algorithm=algorithm, controller=dv.FixedStep(0.1)
        )
        axes.plot(result.time, result["mass.x"], label=title, linewidth=1.6)
    axes.set(xlabel="time [s]", ylabel="mass.x", ylim=(-4, 4), xlim=(0, 10))
    axes.set_title("Windows of 0.1 s", loc="left")
    axes.grid(color="0.92")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def species(rate: float, gain: float) -> dv.Dynamic:
    """x' = (rate + gain u) x."""
    return dv.Dynamic(
        states={"x": 1.0},
        inputs={"u": 1.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [(rate + gain * u.u) * x.x],
        rtol=1e-10,
        atol=1e-12,
        jacobian="complex",
    )


def predation() -> dv.System:
    """Prey and predators."""
    system = dv.System("predation")
    system.add("prey", species(0.67, -1.33))
    system.add("predator", species(-1.0, 1.0))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


def together(t: Any, z: Any) -> Any:
    """Prey and predators, solved as one."""
    return [(0.67 - 1.33 * z[1]) * z[0], (z[0] - 1.0) * z[1]]


def estimates_picture(path: Path) -> None:
    """Error against window size: what rollback costs, and what is lost without it."""
    article = dv.Ifosmondi(tolerance=1e-11, restart=False)
    plain = dv.Costarica(carry_over=False, time_slope=False)
    ways = {
        "explicit: Jacobi()": (dv.Jacobi(), "auto", "0.6"),
        "state space only": (article, replace(plain, form="state-space"), "tab:red"),
        "COSTARICA as in the article": (article, plain, "tab:orange"),
        "... restarted from genuine outputs": (dv.Ifosmondi(tolerance=1e-11), plain, "tab:olive"),
        "... defects carried over (default)": (
            dv.Ifosmondi(tolerance=1e-11),
            dv.Costarica(),
            "tab:green",
        ),
        "with rollback": (article, dv.Rollback(), "tab:blue"),
    }
    exact = solve_ivp(
        together, (0, 20), [1, 1], "DOP853", rtol=1e-13, atol=1e-14, dense_output=True
    ).sol
    sizes = np.array([0.4, 0.2, 0.1, 0.05])
    figure, axes = plt.subplots(figsize=(8, 3.8), layout="constrained")
    for title, (algorithm, estimator, color) in ways.items():
        errors = []
        for size in sizes:
            result = dv.simulate(
                predation(),
                stop=20.0,
                algorithm=algorithm,
                controller=dv.FixedStep(float(size)),
                estimators=estimator
                if estimator == "auto"
                else {"prey": estimator, "predator": estimator},
                quiet=True,
            )
            found = np.array([result["prey.x"], result["predator.x"]])
            errors.append(np.max(np.abs(found - exact(result.time))))
        order = np.log2(errors[-2] / errors[-1])
        axes.loglog(
            sizes, errors, "o-", color=color, markersize=4, label=f"{title}: order {order:.1f}"
        )
    axes.set(xlabel="window [s]", ylabel="largest error up to 20 s")
    axes.set_xticks(sizes, [f"{s:g}" for s in sizes])
    axes.minorticks_off()
    axes.set_title("Prey and predators, without and with rollback", loc="left")
    axes.grid(color="0.92")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def conflict_picture(path: Path) -> None:
    """Two masses that both take a force and both give a velocity."""
    figure, axes = plt.subplots(figsize=(8, 2.6), layout="constrained")
    arrow = {"arrowstyle": "-|>", "linewidth": 1.8, "mutation_scale": 16}
    for left, name in ((0.4, "wagon"), (6.4, "engine")):
        box = plt.Rectangle((left, 0.6), 2.2, 1.6, facecolor="0.93", edgecolor="0.4", linewidth=1.5)
        axes.add_patch(box)
        axes.text(left + 1.1, 1.4, name, ha="center", va="center", fontsize=14)
    for inner, outer in ((2.6, 4.2), (6.4, 4.8)):
        axes.annotate("", (inner, 1.8), (outer, 1.8), arrowprops=arrow | {"color": "#c0392b"})
        axes.annotate("", (outer, 1.0), (inner, 1.0), arrowprops=arrow | {"color": "#2c6fbb"})
        middle = (inner + outer) / 2
        axes.text(middle, 1.93, "force", ha="center", color="#c0392b", fontsize=12)
        axes.text(middle, 0.66, "velocity", ha="center", color="#2c6fbb", fontsize=12)
    axes.text(4.5, 1.75, "?", ha="center", va="center", fontsize=22, color="#c0392b")
    axes.text(4.5, 1.0, "=", ha="center", va="center", fontsize=20, color="#2c6fbb")
    axes.set(xlim=(0, 9), ylim=(0.3, 2.5))
    axes.axis("off")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def inside_picture(path: Path) -> None:
    """What happens inside a window: one that is far too long, so that it can be seen."""
    h, x_0, u_0 = 1.6, 1.0, 1.0
    derivatives = (0.67 - 1.33 * u_0) * x_0, (x_0 - 1.0) * u_0
    grid = np.linspace(0.0, h, 200)
    # x, u and their derivatives at the window's end
    ends = np.array([x_0 + h * derivatives[0], u_0 + h * derivatives[1], *derivatives])

    def cubic(y: float, dy: float, end: float, rate: float) -> Any:
        rise = (end - y) / h
        a2, a3 = (3 * rise - 2 * dy - rate) / h, (dy + rate - 2 * rise) / h**2
        return lambda t: y + dy * t + a2 * t**2 + a3 * t**3

    def linear(rate: float, gain: float, y: float, u: float, inputs: Any) -> Any:
        def f(t: float, z: Any) -> Any:
            growth = rate + gain * u
            return growth * y + growth * (z - y) + gain * y * (inputs(t) - u)

        return solve_ivp(f, (0, h), [y], rtol=1e-9, atol=1e-11, dense_output=True).sol

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    shades = plt.get_cmap("Oranges")(np.linspace(0.3, 0.9, 6))
    for shade in shades:
        u_in = cubic(u_0, derivatives[1], ends[1], ends[3])
        x_in = cubic(x_0, derivatives[0], ends[0], ends[2])
        x = linear(0.67, -1.33, x_0, u_0, u_in)
        u = linear(-1.0, 1.0, u_0, x_0, x_in)
        left.plot(grid, u_in(grid), color=shade, linewidth=1.5)
        right.plot(grid, x(grid)[0], color=shade, linewidth=1.5)
        right.plot(h, x(h)[0], "o", color=shade, markersize=5)
        growths = 0.67 - 1.33 * u_0, -1.0 + x_0
        ends = np.array(
            [
                x(h)[0],
                u(h)[0],
                growths[0] * x(h)[0] - 1.33 * x_0 * (u_in(h) - u_0),
                growths[1] * u(h)[0] + u_0 * (x_in(h) - x_0),
            ]
        )
    genuine = solve_ivp(
        lambda t, z: (0.67 - 1.33 * u_in(t)) * z, (0, h), [x_0], rtol=1e-9, dense_output=True
    ).sol
    right.plot(grid, genuine(grid)[0], color="tab:blue", linewidth=2.2)
    right.plot(h, genuine(h)[0], "s", color="tab:blue", markersize=6)
    right.annotate(
        "defect",
        (h, (genuine(h)[0] + x(h)[0]) / 2),
        (h + 0.12, (genuine(h)[0] + x(h)[0]) / 2),
        va="center",
        arrowprops={"arrowstyle": "-[, widthB=0.9", "color": "0.3"},
    )
    left.set_title("1. Inputs that are tried", loc="left", fontsize=11)
    right.set_title("2. Estimated answers, 3. the genuine step", loc="left", fontsize=11)
    left.set(xlabel="local time [s]", ylabel="input of the prey: predators", xlim=(0, h + 0.45))
    right.set(xlabel="local time [s]", ylabel="output: prey", xlim=(0, h + 0.45))
    for axes in (left, right):
        axes.axvline(h, color="0.8", linewidth=1, zorder=0)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def air_conditioner_picture(path: Path) -> None:
    """Pressures that start apart and merge, and the flows that two junctions found."""
    sys.path.insert(0, str(HERE.parents[1] / "examples" / "air_conditioner"))
    import run

    result = run.simulate(1.0)
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 4.4), sharex=True, layout="constrained")
    for name in ("indoor1", "indoor2", "accumulator"):
        above.plot(result.time, result[f"{name}.P"] / 1e3, label=name, linewidth=1.6)
    for k in "12":
        flow = 1e3 * result[f"accumulator.m{k}"]
        below.plot(result.time, flow, label=f"from indoor {k}", linewidth=1.6)
    above.set(ylabel="pressure [kPa]", xlim=(0, 1))
    below.set(ylabel="mass flow [g/s]", xlabel="time [s]")
    for axes in (above, below):
        axes.grid(color="0.92")
        axes.legend(loc="upper right", frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def favicon(path: Path, size: int = 32) -> None:
    """A dovetail joint, drawn pixel by pixel."""
    tail, board = (0x45, 0x5A, 0x64, 255), (0xE6, 0x7E, 0x22, 255)
    rows = b""
    for y in range(size):
        half = size * (0.16 + 0.16 * (1 - y / (size * 0.6)))  # wide end inside the other board
        row = bytearray()
        for x in range(size):
            inside = y < size * 0.6 and abs(x + 0.5 - size / 2) < half
            row += bytes(board if inside or y >= size * 0.6 else tail)
        rows += b"\0" + bytes(row)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ]
    data = b"\x89PNG\r\n\x1a\n"
    for name, body in chunks:
        check = zlib.crc32(name + body)
        data += struct.pack(">I", len(body)) + name + body + struct.pack(">I", check)
    path.write_bytes(data)


def structure_picture(path: Path) -> None:
    """Gaps over alpha and bounds of the heat exchanger on the page about time scales."""
    sys.path.insert(0, str(HERE.parents[1] / "tests"))
    import exchanger

    dv.analyze(exchanger.exchanger(10)).plot(path)


def diagrams(car: Path, conditioner: Path) -> None:
    """What `system.draw` makes of two systems."""
    drawn = quarter_car()
    drawn.name = "quarter car"
    drawn.draw(car)
    sys.path.insert(0, str(HERE.parents[1] / "examples" / "air_conditioner"))
    import run

    run.drawing().draw(conditioner)


def studies_picture(path: Path) -> None:
    """The first loop of the page, with the file that the page shows."""
    page = (HERE.parent / "studies.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(page.partition('title="corner.py"\n')[2].partition("```")[0], names)
    runs = {
        f"d = {d:g}": dv.simulate(
            names["system"], stop=3.0, step=0.02, values={"strut.d": d}, quiet=True
        )
        for d in (500.0, 1500.0, 3000.0)
    }
    dv.plot(runs, "body.x", path=path, size=(8, 3))


if __name__ == "__main__":
    decision_chart(HERE / "choosing.svg")
    studies_picture(HERE / "studies.png")
    diagrams(HERE / "diagram-quarter-car.svg", HERE / "diagram-air-conditioner.svg")
    car_picture(HERE / "quarter-car.png")
    windows_picture(HERE / "windows.png")
    structure_picture(HERE / "structure.png")
    estimates_picture(HERE / "estimates.png")
    inside_picture(HERE / "inside.png")
    conflict_picture(HERE / "conflict.png")
    air_conditioner_picture(HERE / "air-conditioner.png")
    favicon(HERE / "favicon.png")
