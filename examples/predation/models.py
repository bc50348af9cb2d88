"""Prey that are eaten, predators that eat: Lotka and Volterra's equations, one part each."""

import dovetail as dv

prey = dv.Dynamic(
    states={"x": 1.0},
    inputs={"predators": 1.0},
    outputs=["preys"],
    parameters={"alpha": 0.67, "beta": 1.33},
    derivatives=lambda t, x, u, p: [x.x * (p.alpha - p.beta * u.predators)],
    output=lambda t, x, u, p: [x.x],
)

predator = dv.Dynamic(
    states={"y": 1.0},
    inputs={"preys": 1.0},
    outputs=["predators"],
    parameters={"gamma": 1.0, "delta": 1.0},
    derivatives=lambda t, x, u, p: [x.y * (p.delta * u.preys - p.gamma)],
    output=lambda t, x, u, p: [x.y],
)
