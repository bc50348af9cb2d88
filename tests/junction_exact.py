"""Exact solutions of joined parts: what is known of them as one set of equations.

Each is a function of times, and gives the variables that are compared, and the unknowns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import junction_problems as jp
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dovetail as dv

Exact = tuple[dict[str, Any], dict[str, Any]]


def solved(f: Any, start: Any, stop: float) -> Any:
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14, "dense_output": True}
    return solve_ivp(f, (0, stop), start, **options).sol


def masses(t: Any) -> Exact:
    def rate(t: float, x: Any) -> Any:
        return [x[1], (5 * np.sin(3 * t) - 10 * x[0] - 0.5 * x[1]) / 3]

    x, v = solved(rate, [0, 0], 10.0)(t)
    force = 2 * rate(t, (x, v))[1] + 0.5 * v
    return {"spring.x": x, "dashpot.x": x, "spring.v": v, "dashpot.v": v}, {"dashpot.F": force}


def capacitors(t: Any) -> Exact:
    v = 20 / 3 * (1 - np.exp(-t / 0.2))
    return {"first.v": v, "second.v": v}, {"second.i": 2 / 30 * np.exp(-t / 0.2) + v / 200}


def inductors(t: Any) -> Exact:
    i = solved(lambda t, x: [(10 * np.sin(5 * t) - 3 * x[0]) / 2], [0], 1.0)(t)[0]
    z = 1.5 * (10 * np.sin(5 * t) - 3 * i) / 2 + 2 * i
    return {"loaded.i": i, "fed.i": -i}, {"loaded.v": z}


def pipes(t: Any) -> Exact:
    inertance, resistance = np.array([1e6, 2e6, 4e6]), np.array([2e9, 3e9, 1e9])

    def pressure(t: float, q: Any) -> tuple[float, Any]:
        ends = np.array([2e5, 5e4 * math.sin(2 * t), 0.0]) + resistance * q * np.abs(q)
        z = np.sum(ends / inertance) / np.sum(1 / inertance)
        return z, (z - ends) / inertance

    q = solved(lambda t, q: pressure(t, q)[1], [0, 0, 0], 5.0)(t)
    z = np.array([pressure(s, q[:, k])[0] for k, s in enumerate(t)])
    return {"a.Q": q[0], "b.Q": q[1], "c.Q": q[2]}, {"a.P": z}


def three(t: Any) -> Exact:
    capacity, resistance = np.array([1e-3, 2e-3, 0.5e-3]), np.array([100.0, 150.0, 300.0])

    def feeding(t: Any, v: Any) -> Any:
        sources = (10.0 + 0 * t, 5 * np.sin(10 * t), 0 * t)
        return [(e - v) / r for e, r in zip(sources, resistance, strict=True)]

    def rate(t: Any, v: Any) -> Any:
        return (sum(feeding(t, v)) - v / 50) / capacity.sum()

    v = solved(lambda t, x: [rate(t, x[0])], [0], 1.0)(t)[0]
    flows = [c * rate(t, v) - i for c, i in zip(capacity, feeding(t, v), strict=True)]
    return (
        {"a.v": v, "b.v": v, "c.v": v},
        {"a.i": flows[0], "b.i": flows[1], "c.i": flows[2]},
    )


def diode(t: Any) -> Exact:
    def node(v: Any) -> float:
        def sum_of_currents(z: float) -> float:
            through = 1e-9 * math.expm1(z / 0.026) + z / 1e5
            return (z - v[0]) / 1000 + (z - v[1]) / 500 + through

        return float(brentq(sum_of_currents, -20, 1.2, xtol=1e-14))

    def rate(t: float, v: Any) -> list[float]:
        z = node(v)
        return [
            (5e-3 * math.sin(200 * math.pi * t) - (v[0] - z) / 1000) / 1e-6,
            (2e-3 - (v[1] - z) / 500) / 2e-6,
        ]

    v = solved(rate, [0, 0], 0.02)(t)
    z = np.array([node(v[:, k]) for k in range(t.size)])
    return {"a.v": v[0], "b.v": v[1]}, {"diode.v": z}


def error(result: dv.Result, exact: dict[str, Any]) -> float:
    """The largest error over the run, of the largest value of a variable of that name."""
    kinds = {name.partition(".")[2] for name in exact}
    found = []
    for kind in kinds:
        same = {n: v for n, v in exact.items() if n.endswith(f".{kind}")}
        largest = max(jp.spread(v) for v in same.values())
        found += [jp.spread(result[n] - v) / largest for n, v in same.items()]
    return max(found)


def one_set_of_equations(pair: Any, stop: float) -> tuple[Any, Any]:
    """Both mechanisms with their force as a multiplier, differentiated twice."""
    a, b = pair
    n, m = a.size, b.size

    def f(t: float, x: Any) -> tuple[Any, Any]:
        q, w = x[: n + m], x[n + m :]
        M = np.zeros((n + m + 2, n + m + 2))
        M[:n, :n], M[n : n + m, n : n + m] = a.mass(q[:n]), b.mass(q[n:])
        J = np.column_stack([a.jacobian(q[:n]), -b.jacobian(q[n:])])
        M[: n + m, n + m :], M[n + m :, : n + m] = -J.T, J
        bend = a.bend(q[:n], w[:n]) - b.bend(q[n:], w[n:])
        right = np.concatenate([a.forces(t, q[:n], w[:n]), b.forces(t, q[n:], w[n:]), -bend])
        found = np.linalg.solve(M, right)
        return np.concatenate([w, found[: n + m]]), found[n + m :]

    start = np.concatenate([a.start[0], b.start[0], a.start[1], b.start[1]])
    state = solved(lambda t, x: f(t, x)[0], start, stop)
    return lambda t: a.point(state(t)[:n]), lambda t: f(t, state(t))[1]


def oil_and_piston(t: Any) -> Exact:
    """Thesis, section 3.5: one coordinate, with the inertia of both."""
    area, inertance, resistance, mass, spring = jp.AREA, 2e5, 4e5, 20.0, 2.0

    def rate(t: Any, y: Any) -> Any:
        push = -resistance * area * y[1] + 1.08e5 * np.sin(np.pi * t) - spring * y[0] ** 3 / area
        return [y[1], push / (inertance * area + mass / area)]

    x, v = solved(rate, [0, 0], 10.0)(t)
    pressure = (mass * rate(t, (x, v))[1] + spring * x**3) / area
    return {"piston.x": x}, {"piston.P": pressure}


def states_of_5_4_4(t: Any) -> tuple[Any, Any]:
    """All six states, those of A first, and the unknown."""

    def unknown(y: Any) -> Any:
        return np.tan(y[0] + y[1] + y[2] + y[3] + 2 * y[4] + y[5])

    def rate(t: Any, y: Any) -> Any:
        z = unknown(y)
        first = [y[1], -y[0] - y[1] - y[2] + np.arctan(z), y[0] - y[1]]
        return [*first, y[4], -y[3] - 2 * y[4] - y[5], y[3] - y[4] - z]

    y = solved(rate, [-1, -1, -1, 1, 1, 1], 5.0)(t)
    return y, unknown(y)


def arc_tangent(t: Any) -> Exact:
    """Thesis, section 5.4.4: differentiated twice, the constraint gives z."""
    y, z = states_of_5_4_4(t)
    return {"A.y": y[0], "B.y": y[3]}, {"A.z": z}


def free(t: Any) -> Exact:
    """What two free masses do once they have come together: they go on at one speed."""
    x, v = (0.1 + 3 * t) / 3, np.ones(t.size)
    return {"light.x": x, "heavy.x": x, "light.v": v, "heavy.v": v}, {"heavy.F": np.zeros(t.size)}


def mechanisms(pair: Callable[[], Any]) -> Callable[[Any], Exact]:
    """Two mechanisms that hold each other."""

    def exact(t: Any) -> Exact:
        point, multiplier = one_set_of_equations(pair(), float(t[-1]))
        p, f = (np.array([of(s) for s in t]) for of in (point, multiplier))
        places = {f"{part}.p[{k + 1}]": p[:, k] for part in "ab" for k in (0, 1)}
        return places, {f"a.F[{k + 1}]": f[:, k] for k in (0, 1)}

    return exact


solutions: dict[str, Callable[[Any], Exact]] = {
    "5.4.4": arc_tangent,
    "3.5": oil_and_piston,
    "two masses": masses,
    "two capacitors": capacitors,
    "two inductors": inductors,
    "three pipes": pipes,
    "three capacitors": three,
    "diode": diode,
    "two arms": mechanisms(jp.arms),
    "slider-crank": mechanisms(jp.slider_crank),
    "free masses": free,
}
