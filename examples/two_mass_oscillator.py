"""Two masses between walls, joined by a spring: one part gives force, the other displacement.

    |--www--[ left ]--www--[ right ]--www--|

The left part knows its own mass and the spring to the wall; the right part also owns the spring in
the middle, so it needs the left part's motion and returns the force. Run this file to see what
loose coupling does to the energy, and that iterating keeps it.
"""

import numpy as np

import dovetail as dv

left = dv.Dynamic(
    states={"x": 1.0, "v": 0.0},
    inputs={"F": 0.0},
    outputs=["x", "v"],
    parameters={"m": 1.0, "c": 10.0},
    derivatives=lambda t, x, u, p: [x.v, (u.F - p.c * x.x) / p.m],
    units={"x": "m", "v": "m/s", "F": "N"},
)
right = dv.Dynamic(
    states={"x": 0.0, "v": 0.0},
    inputs={"x_left": 0.0},
    outputs=["x", "F"],
    parameters={"m": 1.0, "c": 10.0, "c_middle": 5.0},
    derivatives=lambda t, x, u, p: [
        x.v,
        (p.c_middle * (u.x_left - x.x) - p.c * x.x) / p.m,
    ],
    output=lambda t, x, u, p: [x.x, p.c_middle * (x.x - u.x_left)],
    units={"x": "m", "v": "m/s", "x_left": "m", "F": "N"},
)

system = dv.System("two-mass oscillator")
system.add("left", left)
system.add("right", right)
system.connect("left.x", "right.x_left")
system.connect("right.F", "left.F")

run = {
    "stop": 10.0,
    "algorithm": dv.GaussSeidel(max_iterations=20, inputs="ramp"),
    "controller": dv.FixedStep(0.02),
}


def exact(t: np.ndarray) -> np.ndarray:
    """Displacement of the left mass: two modes, with and without the spring in the middle."""
    return (np.cos(np.sqrt(10.0) * t) + np.cos(np.sqrt(20.0) * t)) / 2


if __name__ == "__main__":
    for title, algorithm in (("loose", dv.GaussSeidel()), ("iterated", run["algorithm"])):
        result = dv.simulate(system, **{**run, "algorithm": algorithm})
        error = np.max(np.abs(result["left.x"] - exact(result.time)))
        print(f"{title:9} off by {error:.4f} m after {result.statistics.evaluations} evaluations")
