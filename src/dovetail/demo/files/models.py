"""The parts of a belt drive: profile, controller, motor, rotor and machine.

Every part is a few equations. `drive.yaml` couples them; `reference.yaml` has the same physics in
one part, `plant`, to compare with.
"""

from typing import Any

import dovetail as dv

UNITS = {
    "speed": "rad/s",
    "drive": "rad/s",
    "target": "rad/s",
    "torque": "N.m",
    "belt": "N.m",
    "load": "N.m",
    "current": "A",
    "voltage": "V",
}


def units(*names: str) -> dict[str, str]:
    """The units of these variables."""
    return {name: UNITS[name] for name in names}


# What is asked of the drive: run up to speed, then carry a load that falls onto the belt at once.

profile = dv.Source(
    outputs=["target", "load"],
    parameters={"speed": 100.0, "load_torque": 0.4},
    function=lambda t, p: [
        p.speed * min(max((t - 0.05) / 0.2, 0.0), 1.0),
        p.load_torque if t >= 0.5 else 0.0,
    ],
    jumps=[0.5],
    units=units("target", "load"),
)

# A sampled PI controller: every 5 ms it reads the speed and sets the voltage, up to a limit.

PERIOD = 0.005


def wanted(x: Any, u: Any, p: Any) -> float:
    """The voltage before the limit."""
    return float(p.gain * (u.target - u.speed) + x.integral)


def integrated(x: Any, u: Any, p: Any) -> float:
    """The integral goes on only while the voltage is within its limit."""
    if abs(wanted(x, u, p)) >= p.limit:
        return float(x.integral)
    return float(x.integral + PERIOD * p.reset * (u.target - u.speed))


controller = dv.Discrete(
    period=PERIOD,
    states={"integral": 0.0},
    inputs={"target": 0.0, "speed": 0.0},
    outputs=["voltage"],
    parameters={"gain": 0.05, "reset": 2.0, "limit": 24.0},
    output=lambda t, x, u, p: [min(max(wanted(x, u, p), -p.limit), p.limit)],
    update=lambda t, x, u, p: [integrated(x, u, p)],
    units=units("target", "speed", "voltage"),
)

# The winding of a DC motor: voltage drives the current, the speed works against it.

motor = dv.Dynamic(
    states={"current": 0.0},
    inputs={"voltage": 0.0, "speed": 0.0},
    outputs=["torque", "current"],
    parameters={"R": 0.3, "L": 3e-3, "k": 0.1},
    derivatives=lambda t, x, u, p: [(u.voltage - p.R * x.current - p.k * u.speed) / p.L],
    output=lambda t, x, u, p: [p.k * x.current, x.current],
    units=units("current", "voltage", "speed", "torque"),
)

# Its rotor: light, and between two forces.

rotor = dv.Dynamic(
    states={"speed": 0.0},
    inputs={"torque": 0.0, "belt": 0.0},
    outputs=["speed"],
    parameters={"J": 40e-6, "friction": 1e-3},
    derivatives=lambda t, x, u, p: [(u.torque - u.belt - p.friction * x.speed) / p.J],
    units=units("speed", "torque", "belt"),
)

# The driven machine at the other end of an elastic belt.

machine = dv.Dynamic(
    states={"stretch": 0.0, "speed": 0.0},
    inputs={"drive": 0.0, "load": 0.0},
    outputs=["belt", "speed"],
    parameters={"stiffness": 1.0, "damping": 2e-3, "J": 5e-4},
    derivatives=lambda t, x, u, p: [
        u.drive - x.speed,
        (p.stiffness * x.stretch + p.damping * (u.drive - x.speed) - u.load) / p.J,
    ],
    output=lambda t, x, u, p: [
        p.stiffness * x.stretch + p.damping * (u.drive - x.speed),
        x.speed,
    ],
    units=units("belt", "speed", "drive", "load"),
)

# Motor, rotor and machine as one part, solved far more tightly than is needed.


def plant_derivatives(t: float, x: Any, u: Any, p: Any) -> list[float]:
    """The equations of all three."""
    belt = p.stiffness * x.stretch + p.damping * (x.rotor_speed - x.speed)
    return [
        (u.voltage - p.R * x.current - p.k * x.rotor_speed) / p.L,
        (p.k * x.current - belt - p.friction * x.rotor_speed) / p.J_rotor,
        x.rotor_speed - x.speed,
        (belt - u.load) / p.J_machine,
    ]


plant = dv.Dynamic(
    states={"current": 0.0, "rotor_speed": 0.0, "stretch": 0.0, "speed": 0.0},
    inputs={"voltage": 0.0, "load": 0.0},
    outputs=["current", "rotor_speed", "belt", "speed"],
    parameters={
        "R": 0.3,
        "L": 3e-3,
        "k": 0.1,
        "J_rotor": 40e-6,
        "friction": 1e-3,
        "stiffness": 1.0,
        "damping": 2e-3,
        "J_machine": 5e-4,
    },
    derivatives=plant_derivatives,
    output=lambda t, x, u, p: [
        x.current,
        x.rotor_speed,
        p.stiffness * x.stretch + p.damping * (x.rotor_speed - x.speed),
        x.speed,
    ],
    units=units("voltage", "load", "current", "belt", "speed") | {"rotor_speed": "rad/s"},
    rtol=1e-10,
    atol=1e-12,
)
