"""Two rooms cooled by one compressor: indoor units and accumulator share a suction line.

Each of the three volumes has its pressure as an output, and none takes it as an input: two
junctions find the mass flows that make the pressures agree. They start 50 kPa apart. Run this file;
with `--plots` it draws the figures of the thesis next to itself, with `--apart` it runs as there:
ten parts, two coordinators among them, each in a process of its own.
"""

import sys
from pathlib import Path

import models
import numpy as np

import dovetail as dv

HERE = Path(__file__).parent


def indoor(wall: float, tail: float) -> dv.Dynamic:
    """One of the two indoor units: an evaporator."""
    return models.heat_exchanger(
        evaporates=True,
        volume=1.2e-3,
        saturated_share=0.80,
        to_refrigerant=(1100.0, 120.0),
        to_air=280.0,
        wall=2500.0,
        tail=60.0,
        start=(700e3, 0.85, wall, tail),
        joined="out",
    )


PARTS = {
    "surroundings": models.surroundings(
        {
            "room1": 300.15,
            "room2": 303.15,
            "outside": 308.15,
            "speed": 55.0,
            "opening1": 6.2e-7,
            "opening2": 6.8e-7,
        }
    ),
    "indoor1": indoor(289.15, 291.15),
    "indoor2": indoor(290.15, 293.15),
    "outdoor": models.heat_exchanger(
        evaporates=False,
        volume=3e-3,
        saturated_share=0.65,
        to_refrigerant=(3000.0, 700.0),
        to_air=1200.0,
        wall=6000.0,
        tail=500.0,
        start=(1800e3, 0.55, 316.15, 314.15),
        outlets=2,
    ),
    "accumulator": models.accumulator(
        volume=3e-3, to_refrigerant=20.0, to_air=2.0, wall=3000.0, start=(650e3, 0.80, 282.0)
    ),
    "valve1": models.valve,
    "valve2": models.valve,
    "compressor": models.compressor(30e-6, 0.70),
}

COORDINATORS = {f"coordinator{k}": dv.Coordinator(time_scale=0.1) for k in "12"}


def drawing(coordinator: dv.SlidingMode | None = None, *, apart: bool = False) -> dv.System:
    """The circuit. Volumes come first, so that valves and compressor see their new pressures.

    `apart`: coordinators are parts as well, one for each junction.
    """
    system = dv.System("air conditioner")
    for name, model in {**PARTS, **(COORDINATORS if apart else {})}.items():
        system.add(name, model)
    models.surround(system)
    system.connect("accumulator.P", "compressor.P_in")
    system.connect("outdoor.P", "compressor.P_out")
    system.connect("compressor.m", "outdoor.in")
    system.connect("compressor.h", "outdoor.h_in")
    system.connect("compressor.m", "accumulator.out")
    for k in "12":
        system.connect("outdoor.P", f"valve{k}.P_in")
        system.connect(f"indoor{k}.P", f"valve{k}.P_out")
        system.connect(f"valve{k}.m", f"outdoor.out{k}")
        system.connect(f"valve{k}.m", f"indoor{k}.in")
        system.connect("outdoor.h", f"indoor{k}.h_in")
        system.connect(f"indoor{k}.h", f"accumulator.h{k}")
        how = f"coordinator{k}" if apart else coordinator
        system.join(f"indoor{k}.line", f"accumulator.line{k}", coordinator=how)
    return system


def simulate(
    stop: float = 60.0, coordinator: dv.SlidingMode | None = None, *, apart: bool = False
) -> dv.Result:
    """A run with windows of 10 ms, and pressures that merge within .1 s."""
    system = drawing(coordinator or dv.SlidingMode(time_scale=0.1), apart=apart)
    return dv.simulate(
        system,
        stop=stop,
        algorithm=dv.GaussSeidel(),
        controller=dv.FixedStep(models.STEP),
        placement={name: dv.LocalHost(name) for name in system.parts} if apart else None,
        quiet=True,
    )


THESIS = dv.SlidingMode(time_scale=0.1, limit=0.005, moves=10, presolve=False)
FIGURES = {
    "pressures": ("*.P",),
    "flows": ("accumulator.m1", "accumulator.m2"),
    "void_fractions": ("*.gamma",),
    "wall_temperatures": ("*.Tw",),
    "refrigerant_temperatures": ("*.Ts",),
}


def main() -> None:
    """Run it, and say how it went."""
    stop = next((float(a) for a in sys.argv[1:] if not a.startswith("-")), 60.0)
    result = simulate(stop, apart="--apart" in sys.argv)
    gap = np.max([np.abs(result[f"indoor{k}.P"] - result["accumulator.P"]) for k in "12"], axis=0)
    for t in (0.0, 0.5, 1.0, 2.0, 5.0, 60.0):
        if t <= stop:
            row = int(np.argmin(np.abs(result.time - t)))
            pressure, flows = result["accumulator.P"][row] / 1e3, result["accumulator.m1"][row]
            second = result["accumulator.m2"][row]
            print(
                f"t = {t:4g} s: {pressure:.2f} kPa, apart by {gap[row]:.3g} Pa, "
                f"{1e3 * flows:.3f} and {1e3 * second:.3f} g/s"
            )
    charge = sum(result[f"{n}.mass"] for n in ("indoor1", "indoor2", "outdoor", "accumulator"))
    print(f"refrigerant: {charge[0]:.4f} kg, drift {np.ptp(charge):.1e} kg")
    print(f"took {result.statistics.wall_seconds:.1f} s")
    if "--plots" in sys.argv:
        draw(result)


def draw(result: dv.Result, folder: Path = HERE) -> None:
    """The figures of the thesis: a minute, and the start with the limited moves it makes."""
    for name, patterns in FIGURES.items():
        result.plot(*patterns, path=folder / f"{name}.png", title=name.replace("_", " "))
    result.ledger.plot(path=folder / "mass_created.png")
    start = simulate(2.0, THESIS)
    start.junctions.plot("s:*", path=folder / "sliding_functions.png", title="sliding functions")
    start.plot("indoor*.P", "accumulator.P", path=folder / "merging.png", title="merging")
    flows = "accumulator.m1", "accumulator.m2"
    start.plot(*flows, path=folder / "flows_at_the_start.png", title="flows at the start")


if __name__ == "__main__":
    main()
