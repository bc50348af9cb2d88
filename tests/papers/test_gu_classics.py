"""Joined parts against exact solutions: B. Gu, Co-Simulation of Algebraically Coupled Dynamic
Subsystems, MIT 2001, with figures from an independent program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import junction_problems as jp
import numpy as np
import pytest
from junction_exact import (
    capacitors,
    diode,
    error,
    inductors,
    masses,
    oil_and_piston,
    one_set_of_equations,
    pipes,
    states_of_5_4_4,
    three,
)

import dovetail as dv

FIGURES = json.loads(
    (Path(__file__).parents[1] / "data" / "junctions" / "coordinators.json").read_text()
)
ERRORS = FIGURES["automatic_coordinator_rk4_max_relative_error"]


CASES = {
    "two masses": (masses, "two_masses_dt_0.01", 10.0),
    "two capacitors": (capacitors, "two_capacitors_dt_0.005", 1.0),
    "two inductors": (inductors, "two_inductors_dt_0.005", 1.0),
    "three pipes": (pipes, "three_pipes_dt_0.01", 5.0),
    "three capacitors": (three, "three_capacitors_dt_0.005", 1.0),
    "diode": (diode, "diode_dt_1e-4", 0.02),
}


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


def test_the_exact_solutions_of_the_thesis_are_those_of_the_file() -> None:
    y, z = states_of_5_4_4(np.array([0.0, 1.0, 5.0]))
    for column, told in ((1, "t1"), (2, "t5")):
        exact = FIGURES["exact_dae_5_4_4"][told]
        assert y[:3, column] == pytest.approx(exact["xA"], abs=2e-7)
        assert z[column] == pytest.approx(exact["z"], abs=2e-7)
    states, unknowns = oil_and_piston(np.array([0.0, 1.0, 5.0, 10.0]))
    told = FIGURES["thesis_3_5"]["exact"]
    assert states["piston.x"][1:] == pytest.approx([told[f"x_{t}"] for t in (1, 5, 10)], abs=2e-7)
    assert unknowns["piston.P"][1] == pytest.approx(told["z_1"], abs=1e-3)


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
    newton = dv.Newton(inputs="ramp")
    result = jp.simulate(problem.system("rk4", problem.step), problem.step, stop, newton)
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
