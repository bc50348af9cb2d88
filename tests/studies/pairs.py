"""Systems of FMUs that are run hundreds of times, and one of an FMU and a Python model."""

from pathlib import Path

from fmus import build

import dovetail as dv


def predation(folder: Path) -> dv.System:
    """Prey and predators, two FMUs."""
    system = dv.System("predation")
    for name in ("prey", "predator"):
        system.add(name, dv.load(build.build(name, 2, folder)))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


def thermostat(folder: Path) -> dv.System:
    """A heated room, an FMU, and its controller in Python."""
    system = dv.System("heating")
    room = dv.load(build.build("linear", 2, folder))
    control = dv.Dynamic(
        states={"i": 0.0},
        inputs=["y"],
        outputs=["u"],
        parameters={"Kp": 2.0, "Ki": 1.5},
        derivatives=lambda t, x, u, p: [1.0 - u.y],
        output=lambda t, x, u, p: [p.Kp * (1.0 - u.y) + p.Ki * x.i],
    )
    system.add("room", room, a=-0.5, b=1.0, drive=0.0, x=0.0)
    system.add("control", control)
    system.connect("room.y", "control.y")
    system.connect("control.u", "room.u")
    return system
