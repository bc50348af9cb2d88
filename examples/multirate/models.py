"""A motor behind a filter, and the flywheel it turns: two sides that differ in speed."""

import dovetail as dv

# fast: a filter of choke and capacitor, and the winding of the motor

filter = dv.Dynamic(
    states={"i_choke": 0.0, "v": 0.0},
    inputs={"i": 0.0},
    outputs=["v"],
    parameters={"supply": 24.0, "L": 1e-3, "C": 1e-3, "R": 0.2},
    derivatives=lambda t, x, u, p: [
        (p.supply - x.v - p.R * x.i_choke) / p.L,
        (x.i_choke - u.i) / p.C,
    ],
    output=lambda t, x, u, p: [x.v],
    units={"v": "V", "i": "A", "i_choke": "A", "supply": "V"},
)
winding = dv.Dynamic(
    states={"i": 0.0},
    inputs={"v": 0.0, "speed": 0.0},
    outputs=["i", "torque"],
    parameters={"R": 0.5, "L": 5e-3, "k": 0.1},
    derivatives=lambda t, x, u, p: [(u.v - p.R * x.i - p.k * u.speed) / p.L],
    output=lambda t, x, u, p: [x.i, p.k * x.i],
    units={"v": "V", "i": "A", "speed": "rad/s", "torque": "N.m"},
)

# slow: the flywheel

flywheel = dv.Dynamic(
    states={"speed": 0.0},
    inputs={"torque": 0.0},
    outputs=["speed"],
    parameters={"J": 5e-3, "friction": 1e-3},
    derivatives=lambda t, x, u, p: [(u.torque - p.friction * x.speed) / p.J],
    units={"speed": "rad/s", "torque": "N.m"},
)
