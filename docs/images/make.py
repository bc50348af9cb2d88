"""Makes the pictures of the documentation from real runs: python docs/images/make.py

quarter-car.png   a car with a switching damper drives up a kerb: five parts, one cycle
windows.png       the same oscillator with three algorithms and one window size
structure.png     where a heat exchanger wants to be cut
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("agg")
from matplotlib import pyplot as plt

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


if __name__ == "__main__":
    car_picture(HERE / "quarter-car.png")
    windows_picture(HERE / "windows.png")
    structure_picture(HERE / "structure.png")
    favicon(HERE / "favicon.png")
