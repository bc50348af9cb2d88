"""The same circuit as a heat pump: indoor units condense, the outdoor unit evaporates.

Three junctions: the manifold behind the compressor and both indoor units give the pressure of the
discharge line, outdoor unit and accumulator that of the suction line. Both pairs start 50 kPa
apart. Run this file; with `--plots` it draws pressures, flows and temperatures next to itself.
"""

import sys
from pathlib import Path

import models
import numpy as np

import dovetail as dv

HERE = Path(__file__).parent
ROOMS, OUTSIDE = (293.15, 291.15), 280.15  # K
TO_ROOM = 280.0  # W/K


def indoor(wall: float, tail: float) -> dv.Dynamic:
    """One of the two indoor units: a condenser."""
    return models.heat_exchanger(
        evaporates=False,
        volume=1.2e-3,
        saturated_share=0.65,
        to_refrigerant=(1500.0, 350.0),
        to_air=TO_ROOM,
        wall=2500.0,
        tail=250.0,
        start=(1450e3, 0.55, wall, tail),
        joined="in",
    )


PARTS = {
    "surroundings": models.surroundings(
        {
            "room1": ROOMS[0],
            "room2": ROOMS[1],
            "outside": OUTSIDE,
            "speed": 55.0,
            "opening1": 4.6e-7,
            "opening2": 5.0e-7,
        }
    ),
    "manifold": models.manifold(volume=4e-4, pressure=1400e3),
    "indoor1": indoor(306.15, 304.15),
    "indoor2": indoor(305.15, 303.15),
    "outdoor": models.heat_exchanger(
        evaporates=True,
        volume=3e-3,
        saturated_share=0.80,
        to_refrigerant=(3000.0, 300.0),
        to_air=1200.0,
        wall=6000.0,
        tail=150.0,
        start=(500e3, 0.85, 276.15, 277.15),
        joined="out",
        inlets=2,
    ),
    "accumulator": models.accumulator(
        volume=3e-3,
        to_refrigerant=20.0,
        to_air=2.0,
        wall=3000.0,
        start=(450e3, 0.80, 272.0),
        inlets=1,
    ),
    "valve1": models.valve,
    "valve2": models.valve,
    "compressor": models.compressor(30e-6, 0.70),
}


def drawing(coordinator: dv.SlidingMode | None = None) -> dv.System:
    """The circuit. Volumes come first, so that valves and compressor see their new pressures."""
    system = dv.System("heat pump")
    for name, model in PARTS.items():
        system.add(name, model)
    models.surround(system)
    system.connect("accumulator.P", "compressor.P_in")
    system.connect("manifold.P", "compressor.P_out")
    system.connect("compressor.m", "manifold.in")
    system.connect("compressor.m", "accumulator.out")
    for k in "12":
        system.connect("compressor.h", f"indoor{k}.h_in")
        system.connect(f"indoor{k}.P", f"valve{k}.P_in")
        system.connect("outdoor.P", f"valve{k}.P_out")
        system.connect(f"valve{k}.m", f"indoor{k}.out")
        system.connect(f"valve{k}.m", f"outdoor.in{k}")
        system.connect(f"indoor{k}.h", f"outdoor.h_in{k}")
        system.join(f"indoor{k}.line", f"manifold.line{k}", coordinator=coordinator)
    system.connect("outdoor.h", "accumulator.h1")
    system.join("outdoor.line", "accumulator.line1", coordinator=coordinator)
    return system


def simulate(stop: float = 60.0, coordinator: dv.SlidingMode | None = None) -> dv.Result:
    """A run with windows of 10 ms, and pressures that merge within .1 s."""
    return dv.simulate(
        drawing(coordinator or dv.SlidingMode(time_scale=0.1)),
        stop=stop,
        algorithm=dv.GaussSeidel(),
        controller=dv.FixedStep(models.STEP),
        quiet=True,
    )


def main() -> None:
    """Run it, and say how it went."""
    stop = next((float(a) for a in sys.argv[1:] if not a.startswith("-")), 60.0)
    result = simulate(stop)
    for t in (0.0, 0.5, 1.0, 2.0, 5.0, 60.0):
        if t <= stop:
            row = int(np.argmin(np.abs(result.time - t)))
            high, low = result["manifold.P"][row], result["accumulator.P"][row]
            heat = [
                TO_ROOM * (result[f"indoor{k + 1}.Tw"][row] - room) for k, room in enumerate(ROOMS)
            ]
            print(
                f"t = {t:4g} s: {high / 1e3:.2f} and {low / 1e3:.2f} kPa, "
                f"{heat[0]:.0f} and {heat[1]:.0f} W into the rooms"
            )
    volumes = ("manifold", "indoor1", "indoor2", "outdoor", "accumulator")
    charge = sum(result[f"{name}.mass"] for name in volumes)
    print(f"refrigerant: {charge[0]:.4f} kg, drift {np.ptp(charge):.1e} kg")
    print(f"took {result.statistics.wall_seconds:.1f} s")
    if "--plots" in sys.argv:
        for name, patterns in {"pressures": "*.P", "flows": "*.m", "walls": "*.Tw"}.items():
            result.plot(patterns, path=HERE / f"heating_{name}.png", title=f"heating, {name}")


if __name__ == "__main__":
    main()
