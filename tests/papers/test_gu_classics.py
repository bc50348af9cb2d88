"""Joined parts against exact solutions: B. Gu, Co-Simulation of Algebraically Coupled Dynamic
Subsystems, MIT 2001, with figures from an independent program."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import junction_problems as jp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dovetail as dv

FIGURES = json.loads(
    (Path(__file__).parents[1] / "data" / "junctions" / "coordinators.json").read_text()
)
ERRORS = FIGURES["automatic_coordinator_rk4_max_relative_error"]


def solved(f: Any, start: Any, stop: float) -> Any:
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14, "dense_output": True}
    return solve_ivp(f, (0, stop), start, **options).sol


# Each exact solution: the variables that are compared, and the unknown, at given times.


def masses(t: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    def rate(t: float, x: Any) -> Any:
        return [x[1], (5 * np.sin(3 * t) - 10 * x[0] - 0.5 * x[1]) / 3]

    x, v = solved(rate, [0, 0], 10.0)(t)
    force = 2 * rate(t, (x, v))[1] + 0.5 * v
    return {"spring.x": x, "dashpot.x": x, "spring.v": v, "dashpot.v": v}, {"dashpot.F": force}


def capacitors(t: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    v = 20 / 3 * (1 - np.exp(-t / 0.2))
    return {"first.v": v, "second.v": v}, {"second.i": 2 / 30 * np.exp(-t / 0.2) + v / 200}


def inductors(t: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    i = solved(lambda t, x: [(10 * np.sin(5 * t) - 3 * x[0]) / 2], [0], 1.0)(t)[0]
    z = 1.5 * (10 * np.sin(5 * t) - 3 * i) / 2 + 2 * i
    return {"loaded.i": i, "fed.i": -i}, {"loaded.v": z}


def pipes(t: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    inertance, resistance = np.array([1e6, 2e6, 4e6]), np.array([2e9, 3e9, 1e9])

    def pressure(t: float, q: Any) -> tuple[float, Any]:
        ends = np.array([2e5, 5e4 * math.sin(2 * t), 0.0]) + resistance * q * np.abs(q)
        z = np.sum(ends / inertance) / np.sum(1 / inertance)
        return z, (z - ends) / inertance

    q = solved(lambda t, q: pressure(t, q)[1], [0, 0, 0], 5.0)(t)
    z = np.array([pressure(s, q[:, k])[0] for k, s in enumerate(t)])
    return {"a.Q": q[0], "b.Q": q[1], "c.Q": q[2]}, {"a.P": z}


def three(t: Any) -> tuple[dict[str, Any], dict[str, Any]]:
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


def diode(t: Any) -> tuple[dict[str, Any], dict[str, Any]]:
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


CASES = {
    "two masses": (masses, "two_masses_dt_0.01", 10.0),
    "two capacitors": (capacitors, "two_capacitors_dt_0.005", 1.0),
    "two inductors": (inductors, "two_inductors_dt_0.005", 1.0),
    "three pipes": (pipes, "three_pipes_dt_0.01", 5.0),
    "three capacitors": (three, "three_capacitors_dt_0.005", 1.0),
    "diode": (diode, "diode_dt_1e-4", 0.02),
}


def error(result: dv.Result, exact: dict[str, Any]) -> float:
    """The largest error over the run, of the largest value of a variable of that name."""
    kinds = {name.partition(".")[2] for name in exact}
    found = []
    for kind in kinds:
        same = {n: v for n, v in exact.items() if n.endswith(f".{kind}")}
        largest = max(jp.spread(v) for v in same.values())
        found += [jp.spread(result[n] - v) / largest for n, v in same.items()]
    return max(found)


def test_the_exact_solutions_are_those_of_the_file() -> None:
    (m, f), (c, i), (n, z) = (
        (case(np.array([0.0, at])))
        for case, at in ((masses, 10.0), (capacitors, 0.5), (inductors, 1.0))
    )
    told = FIGURES["two_masses"]
    assert m["spring.x"][-1] == pytest.approx(told["x_10"], abs=1e-7)
    assert m["spring.v"][-1] == pytest.approx(told["v_10"], abs=1e-7)
    assert f["dashpot.F"][-1] == pytest.approx(told["z_10"], abs=1e-6)
    assert c["first.v"][-1] == pytest.approx(FIGURES["two_capacitors"]["v_0.5"], abs=1e-7)
    assert i["second.i"][-1] == pytest.approx(FIGURES["two_capacitors"]["z_0.5"], abs=1e-7)
    assert n["loaded.i"][-1] == pytest.approx(FIGURES["two_inductors"]["i_1"], abs=1e-7)
    assert z["loaded.v"][-1] == pytest.approx(FIGURES["two_inductors"]["z_1"], abs=1e-6)
    (q, p), (v, w), (_, d) = (
        pipes(np.array([0.0, 5.0])),
        three(np.array([0.0, 1.0])),
        diode(np.array([0.0, 0.0025, 0.01])),
    )
    flows = [-q[f"{k}.Q"][-1] for k in "abc"]  # the file counts them out of the pipes
    assert flows == pytest.approx(FIGURES["three_pipes"]["Q_5"], abs=1e-6)
    assert p["a.P"][-1] == pytest.approx(FIGURES["three_pipes"]["z_5"], abs=0.1)
    assert v["a.v"][-1] == pytest.approx(FIGURES["three_capacitors"]["v_1"], abs=1e-6)
    currents = [w[f"{k}.i"][-1] for k in "abc"]
    assert currents == pytest.approx(FIGURES["three_capacitors"]["z_1"], abs=1e-6)
    assert d["diode.v"][1] == pytest.approx(FIGURES["diode"]["z_0.0025"], abs=1e-6)
    assert d["diode.v"][2] == pytest.approx(FIGURES["diode"]["z_0.01"], abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_coordinator_errs_as_much_as_the_independent_program(name: str) -> None:
    exact, figure, stop = CASES[name]
    problem = jp.problems[name]
    result = jp.simulate(problem.system("rk4", problem.step), problem.step, stop)
    states, _ = exact(result.time)
    assert error(result, states) == pytest.approx(ERRORS[figure], rel=0.05)
    assert result.statistics.unsolved_junctions == 0
    assert result.verdict is not None and result.verdict.converged


@pytest.mark.parametrize("name", CASES)
def test_iterating_is_more_accurate(name: str) -> None:
    exact, figure, stop = CASES[name]
    problem = jp.problems[name]
    short = stop / 2
    newton = dv.Newton(inputs="ramp")
    result = jp.simulate(problem.system("rk4", problem.step), problem.step, short, newton)
    states, unknowns = exact(result.time)
    assert error(result, states) < ERRORS[figure] / 2.9
    assert error(result, unknowns) < 2e-3
    steps = (
        result.statistics.evaluations
        / result.statistics.windows
        / len(problem.system("rk4", 1).parts)
    )
    assert steps < 9  # per part and window


def test_with_euler_parts_it_is_euler_of_the_reduced_system() -> None:
    size, count = 0.005, 200
    result = jp.simulate(jp.two_capacitors(solver="euler", step=size), size, count * size)
    # v1' = v2' + (v2 - v1) / mu, with z eliminated from both
    v, mu = np.zeros(2), 2 * size
    for k in range(count):
        free = np.array([(10 - v[0]) / 100 / 1e-3, -v[1] / 200 / 2e-3])
        z = (free[0] - free[1] + (v[0] - v[1]) / mu) / (1 / 1e-3 + 1 / 2e-3)
        assert result["second.i"][k] == pytest.approx(z, abs=1e-13)
        v = v + size * (free + np.array([-z / 1e-3, z / 2e-3]))
        assert [result["first.v"][k + 1], result["second.v"][k + 1]] == pytest.approx(v, abs=2e-13)


def test_free_masses_merge_and_keep_their_momentum() -> None:
    result = jp.simulate(jp.free_masses(solver="rk4", step=0.01), 0.01, 3.0)
    assert result["light.v"][-1] == pytest.approx(1.0, abs=1e-9)
    assert result["heavy.v"][-1] == pytest.approx(1.0, abs=1e-9)
    momentum = result["light.v"] + 2 * result["heavy.v"]
    assert np.ptp(momentum) < 1e-14 * 3
    assert abs(result["light.x"][-1] - result["heavy.x"][-1]) < 1e-9


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


@pytest.mark.parametrize(
    ("name", "pair", "algorithm", "place", "force"),
    [
        ("two arms", jp.arms, dv.Jacobi(), 2e-4, 0.06),
        ("two arms", jp.arms, dv.Newton(), 2e-5, 5e-4),
        ("slider-crank", jp.slider_crank, dv.Jacobi(), 5e-6, 0.02),
        ("slider-crank", jp.slider_crank, dv.Newton(), 5e-7, 1e-4),
    ],
)
def test_mechanisms_move_as_one(
    name: str, pair: Any, algorithm: Any, place: float, force: float
) -> None:
    problem, stop = jp.problems[name], 0.5
    point, multiplier = one_set_of_equations(pair(), stop)
    result = jp.simulate(problem.system("rk4", problem.step), problem.step, stop, algorithm)
    found = np.column_stack([result["a.p[1]"], result["a.p[2]"]])
    pushed = np.column_stack([result["a.F[1]"], result["a.F[2]"]])
    exact = np.array([point(t) for t in result.time])
    forces = np.array([multiplier(t) for t in result.time])
    assert jp.spread(found - exact) < place
    assert jp.spread(pushed - forces) < force * jp.spread(forces)
    assert result.verdict is not None
    assert result.verdict.junctions[0]["index"] == [3, 3]
