"""A tank whose level a sampled controller holds: target, controller, pump, tank."""

import dovetail as dv

PERIOD = 0.5

demand = dv.Source(
    outputs=["target", "drain"],
    parameters={"low": 0.5, "high": 0.8, "opening": 2.0},
    function=lambda t, p: [
        p.high if t >= 10.0 else p.low,
        p.opening if t < 60.0 else 2 * p.opening,
    ],
    jumps=[10.0, 60.0],
    units={"target": "m", "drain": "l/min"},
)
controller = dv.Discrete(
    period=PERIOD,
    states={"integral": 0.0},
    inputs={"target": 0.5, "level": 0.5},
    outputs=["speed"],
    parameters={"gain": 2.0, "reset": 0.1},
    output=lambda t, x, u, p: [
        min(max(p.gain * (u.target - u.level) + x.integral, 0.0), 1.0),
    ],
    update=lambda t, x, u, p: [
        min(max(x.integral + PERIOD * p.reset * (u.target - u.level), 0.0), 1.0),
    ],
    units={"target": "m", "level": "m"},
)
pump = dv.Dynamic(
    states={"flow": 0.0},
    inputs={"speed": 0.0},
    outputs=["flow"],
    parameters={"largest": 1e-3, "delay": 1.0},
    derivatives=lambda t, x, u, p: [(p.largest * u.speed - x.flow) / p.delay],
    units={"flow": "m3/s"},
)
tank = dv.Dynamic(
    states={"level": 0.5},
    inputs={"flow": 0.0, "drain": 0.0},
    outputs=["level"],
    parameters={"area": 0.01},
    derivatives=lambda t, x, u, p: [(u.flow - u.drain) / p.area],
    units={"level": "m", "flow": "m3/s", "drain": "m3/s"},
)
