"""The examples of B. Gu's thesis with the parameters it gives, and what its figures show."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv
from dovetail.check.examination import invariant_zeros

FIGURES = json.loads(
    (Path(__file__).parents[1] / "data" / "junctions" / "coordinators.json").read_text()
)


def five(stop: float, limit: float, moves: int) -> tuple[dv.Result, Any]:
    """5.4.4 as it is there: the given start value acts, moves are limited; and s, by hand."""
    law = dv.SlidingMode(time_scale=0.5, limit=limit, moves=moves, presolve=False)
    system = jp.joined(jp.gu_5_4_4(solver="euler", step=0.1), "A.port", "B.port", coordinator=law)
    return (result := jp.simulate(system, 0.1, stop)), sliding(result)


def sliding(result: dv.Result) -> Any:
    """s = g + 2 mu g' + mu^2 g'' from the equations, the states integrated beside the run."""
    mu, found = 0.5, []
    a, b = -np.ones(3), np.ones(3)
    for z in result["A.z"]:
        push = math.atan(z)
        rate_a = np.array([a[1], -a.sum() + push, a[0] - a[1]])
        rate_b = np.array([b[1], -b[0] - 2 * b[1] - b[2], b[0] - b[1] - z])
        found.append(a[0] + b[0] + 2 * mu * (a[1] + b[1]) + mu**2 * (rate_a[1] + rate_b[1]))
        a, b = a + 0.1 * rate_a, b + 0.1 * rate_b
    return np.array(found)


def at(result: dv.Result, time: float) -> int:
    return int(np.argmin(np.abs(result.time - time)))


def test_5_4_4_converges_with_small_moves() -> None:
    told = FIGURES["thesis_5_4_4"]["v0_1_n_10"]
    result, s = five(8.0, 1.0, 10)
    late = result.time > 0.19
    assert np.max(np.abs(s[late])) < told["max_abs_s_0.2_to_8"]
    assert result["A.z"][at(result, 1)] == pytest.approx(told["z_1"], abs=told["z_tol"])
    assert result["A.z"][at(result, 5)] == pytest.approx(told["z_5"], abs=told["z_tol"])
    assert result["A.y"][at(result, 5)] == pytest.approx(told["xA1_5"], abs=told["xA1_tol"])


def test_5_4_4_is_lost_where_moves_are_too_few() -> None:
    told = FIGURES["thesis_5_4_4"]["n_times_v0_3"]
    result, s = five(5.0, 1.0, 3)
    assert s[-1] == pytest.approx(told["s_5"], abs=told["tol"])
    assert result["A.z"][-1] == pytest.approx(told["z_5"], abs=told["tol"])
    assert result.statistics.unsolved_junctions > 10
    verdict = result.verdict
    assert verdict is not None
    assert not verdict.converged
    assert "windows ended with a junction that had no solution" in str(verdict)


def test_5_4_4_is_lost_where_moves_are_too_large() -> None:
    told = FIGURES["thesis_5_4_4"]["v0_20_n_10"]
    result, s = five(5.0, 20.0, 10)
    late = result.time >= 4.0
    assert np.max(np.abs(s[late])) > told["max_abs_s_4_to_5_above"]
    assert s[-1] == pytest.approx(told["s_5"], abs=0.5)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()], ids=["sliding", "iterated"])
def test_5_4_4_goes_to_the_exact_solution(algorithm: Any) -> None:
    exact, errors = FIGURES["exact_dae_5_4_4"]["t1"], []
    for step in (0.02, 0.01):
        system = jp.joined(jp.gu_5_4_4(solver="rk4", step=step), "A.port", "B.port")
        result = jp.simulate(system, step, 1.0, algorithm)
        errors.append(abs(result["A.y"][-1] - exact["xA"][0]))
        assert result["A.z"][-1] == pytest.approx(exact["z"], abs=2 * step)
    assert errors[1] < 1e-3
    assert errors[1] < 0.55 * errors[0]


def test_5_4_4_hides_an_unstable_motion_and_check_says_so() -> None:
    system = jp.joined(jp.gu_5_4_4(solver="rk4", step=0.1), "A.port", "B.port")
    report = system.check()
    assert report.junctions[0].index == (3,)
    assert "grows as exp(" in report.junctions[0].warnings[0]


def three_five(stop: float, law: dv.SlidingMode, **start: float) -> dv.Result:
    system = jp.gu_3_5(coordinator=law, solver="euler", step=0.1, **start)
    return jp.simulate(system, 0.1, stop)


def multi(moves: int, **more: Any) -> dv.SlidingMode:
    options = {"time_scale": 0.1, "limit": 1000.0, "presolve": False} | more
    return dv.SlidingMode(rate="multi", moves=moves, **options)


def gap(result: dv.Result) -> Any:
    """V/A - x; the ports count volumes into the parts."""
    return (result["pipe.V"] + result["piston.V"]) / jp.AREA


@pytest.mark.parametrize(
    "law", [multi(1), dv.SlidingMode(0.1, 1000.0, rate="single", presolve=False)]
)
def test_3_5_from_an_inconsistent_start(law: dv.SlidingMode) -> None:
    result = three_five(1.0, law, pump=0.0, volume=1e-4)
    state, s = np.array([1e-4, 0.0, 0.0, 0.0]), []  # V, Q, x, v beside the run, to form s
    for z in result["pipe.P"]:
        volume, flow, x, v = state
        rate = np.array([flow, (-4e5 * flow - z) / 2e5, v, (-2 * x**3 + jp.AREA * z) / 20])
        g = [volume / jp.AREA - x, flow / jp.AREA - v, rate[1] / jp.AREA - rate[3]]
        s.append(g[0] + 2 * 0.1 * g[1] + 0.1**2 * g[2])
        state = state + 0.1 * rate
    told = FIGURES["thesis_3_5"]["no_pump_V0_1e-4_mu_0.1_n_1_s_over_s0"]
    assert np.array(s[:6]) / s[0] == pytest.approx(told, abs=1e-4)


def test_3_5_blows_up_where_moves_are_too_few() -> None:
    told = FIGURES["thesis_3_5"]["pumped_T20"]
    for moves in told["blow_up_n"][:2]:  # with 15 it takes until 10.5 s
        with np.errstate(all="ignore"), pytest.raises((dv.JunctionFailed, dv.PartFailed)):
            three_five(20.0, multi(moves))
    result = three_five(10.0, multi(told["stable_n"]))
    assert jp.spread(result["piston.x"]) < 10


@pytest.mark.slow
def test_3_5_over_all_of_its_twenty_seconds() -> None:
    told = FIGURES["thesis_3_5"]["pumped_T20"]
    with np.errstate(all="ignore"), pytest.raises((dv.JunctionFailed, dv.PartFailed)):
        three_five(20.0, multi(told["blow_up_n"][2]))
    assert jp.spread(three_five(20.0, multi(told["stable_n"]))["piston.x"]) < 10
    whole = gap(three_five(20.0, multi(20)))
    assert jp.spread(whole) == pytest.approx(told["multi_rate_max_abs_g"]["20"], rel=told["rtol"])
    assert jp.spread(whole) == jp.spread(whole[:26])  # it is reached at 1.9 s


def test_3_5_gets_better_with_the_square_of_the_moves() -> None:
    told = FIGURES["thesis_3_5"]["pumped_T20"]
    for moves, expected in told["multi_rate_max_abs_g"].items():
        largest = jp.spread(gap(three_five(2.5, multi(int(moves)))))  # that is when it is largest
        assert largest == pytest.approx(expected, rel=told["rtol"])


def test_3_5_needs_a_time_scale_above_half_a_step() -> None:
    told = FIGURES["thesis_3_5"]["mu_n_20"]
    for mu in told["stable"]:
        assert jp.spread(three_five(3.0, multi(20, time_scale=mu))["piston.x"]) < 10
    for mu in told["unstable"]:
        with np.errstate(all="ignore"), pytest.raises((dv.JunctionFailed, dv.PartFailed)):
            three_five(20.0, multi(20, time_scale=mu))
    system = jp.gu_3_5(coordinator=multi(20, time_scale=0.04), solver="euler", step=0.1)
    report = system.check(dv.Jacobi(), dv.FixedStep(0.1))
    assert "windows of 0.1 s are too long for time_scale=0.04 s" in str(report)


def test_3_5_goes_to_the_exact_solution() -> None:
    told = FIGURES["thesis_3_5"]["exact"]
    result = jp.simulate(jp.gu_3_5(solver="rk4", step=0.02), 0.02, 5.0, dv.Newton())
    for time in (1, 5):
        x = result["piston.x"][at(result, time)]
        assert x == pytest.approx(told[f"x_{time}"], abs=0.01)
    assert result["piston.P"][at(result, 1)] == pytest.approx(told["z_1"], rel=1e-3)


def test_following_states_needs_parts_that_show_them() -> None:
    class Shy:
        def __init__(self, model: Any) -> None:
            self.model, self.description = model, model.description

        def instantiate(self, name: str) -> Any:
            part = self.model.instantiate(name)
            shown = ("description", "initialize", "outputs", "begin", "advance", "close")
            more = ("snapshot", "restore", "linearize", "switches")
            return type("Part", (), {n: getattr(part, n) for n in (*shown, *more)})()

    open_ = jp.gu_3_5(solver="euler", step=0.1)
    system = dv.System("shy")
    for name, part in open_.parts.items():
        system.add(name, Shy(part.model))  # type: ignore[arg-type]
    system.join("pipe.end", "piston.end", coordinator=multi(5))
    with pytest.raises(dv.JunctionFailed, match="follows states, and 'pipe' shows none"):
        jp.simulate(system, 0.1, 1.0)


def linear_part(start: Any) -> dv.System:
    """4.1.2: a linear part whose output is to vanish, against a closed end."""
    told = FIGURES["thesis_4_1_2"]
    A, B, C = (np.array(told[name], dtype=float) for name in "ABC")
    part = dv.Dynamic(
        states={"x": list(start)},
        inputs={"z": 0.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: A @ x + B * u[0],
        output=lambda t, x, u, p: [-C @ x],  # so that pushing moves it the way it is pushed
        output_derivatives=[
            lambda t, x, u, p: [-C @ (A @ x + B * u[0])],
            lambda t, x, u, p: [-C @ A @ (A @ x + B * u[0])],
        ],
        ports={"end": dv.Port("electrical", effort="z", flow="y")},
        vector=True,
    )
    closed = dv.Algebraic(
        inputs={"z": 0.0},
        outputs=["y"],
        function=lambda t, u, p: [0.0],
        ports={"end": dv.Port("electrical", effort="z", flow="y")},
    )
    system = dv.System("4.1.2")
    system.add("part", part)
    system.add("end", closed)
    system.join("part.end", "end.end", coordinator=dv.SlidingMode(time_scale=0.05))
    return system


def test_4_1_2_has_two_poles_of_its_own_and_two_that_stay() -> None:
    told, mu = FIGURES["thesis_4_1_2"], 0.05
    A, B, C = (np.array(told[name], dtype=float) for name in "ABC")
    feedback = []
    for unit in np.eye(4):  # z is a linear feedback of the states: read it off
        with dv.Session(
            linear_part(unit),
            stop=1e-3,
            controller=dv.FixedStep(1e-3),
            algorithm=dv.Jacobi(),
            quiet=True,
        ) as session:
            feedback.append(session.run()["part.z"][0])
    poles = np.linalg.eigvals(A + np.outer(B, feedback))
    own = poles[np.argsort(np.abs(poles + 1 / mu))[:2]]
    staying = sorted(np.delete(poles, np.argsort(np.abs(poles + 1 / mu))[:2]).real, reverse=True)
    assert own == pytest.approx([-1 / mu, -1 / mu], rel=1e-4)
    assert staying == pytest.approx(told["invariant_poles"], abs=told["tol"])
    zeros = invariant_zeros(A, B[:, None], C[None, :], np.zeros((1, 1)), 2)
    found = sorted((z.real for z in zeros), reverse=True)
    assert found == pytest.approx(told["invariant_poles"], abs=1e-5)
