"""A quarter of a car: body and wheel, each its own part, joined by the suspension.

Displacements are counted from where the car stands at rest.
"""

import dovetail as dv

wheel = dv.Dynamic(
    states={"z": 0.0, "v": 0.0},
    inputs={"road": 0.0, "suspension": 0.0},
    outputs=["z", "v"],
    parameters={"m": 40.0, "c_tyre": 180e3},
    derivatives=lambda t, x, u, p: [
        x.v,
        (p.c_tyre * (u.road - x.z) - u.suspension) / p.m,
    ],
    units={"z": "m", "v": "m/s", "road": "m", "suspension": "N"},
)
body = dv.Dynamic(
    states={"z": 0.0, "v": 0.0},
    inputs={"z_wheel": 0.0, "v_wheel": 0.0},
    outputs=["z", "force", "a"],
    parameters={"m": 320.0, "c": 18e3, "d": 1200.0},
    derivatives=lambda t, x, u, p: [
        x.v,
        (p.c * (u.z_wheel - x.z) + p.d * (u.v_wheel - x.v)) / p.m,
    ],
    output=lambda t, x, u, p: [
        x.z,
        p.c * (u.z_wheel - x.z) + p.d * (u.v_wheel - x.v),
        (p.c * (u.z_wheel - x.z) + p.d * (u.v_wheel - x.v)) / p.m,
    ],
    units={"z": "m", "v": "m/s", "z_wheel": "m", "v_wheel": "m/s", "force": "N", "a": "m/s2"},
)
