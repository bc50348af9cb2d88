"""Systems whose junctions have unknowns, merged into one set of equations.

The unknowns are solved inside the right-hand side. Verified against exact solutions and against
the iterated junction at fine windows. The integrator has rtol 1e-9 there.
"""

from __future__ import annotations

from typing import Any

import junction_exact as je
import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv

SHORT = {"3.5": 1.0, "two arms": 0.1, "slider-crank": 0.04, "5.4.4": 0.5, "three pipes": 0.5}


def merged(system: dv.System, stop: float, step: float, **options: Any) -> dv.Result:
    whole = dv.System("whole")
    whole.add("all", dv.merge(system, **({"rtol": 1e-9, "atol": 1e-11} | options)))
    return dv.simulate(whole, stop=stop, controller=dv.FixedStep(step), quiet=True)


@pytest.mark.parametrize("name", [n for n in jp.problems if n != "free masses"])
def test_it_is_the_exact_solution(name: str) -> None:
    """To a thousand times the integrator's tolerance; index 1 to 3, one to three unknowns."""
    problem = jp.problems[name]
    stop = SHORT.get(name, 20 * problem.step)
    result = merged(problem.system("rk4", problem.step), stop, 4 * problem.step, atol=1e-13)
    states, _ = je.solutions[name](result.time)
    for variable, exact in states.items():
        assert jp.spread(result[f"all.{variable}"] - exact) < 1e-6 * jp.spread(exact), variable


@pytest.mark.parametrize("name", ["two masses", "three capacitors", "diode"])
def test_the_iterated_junction_converges_to_it(name: str) -> None:
    """With second order: ramps, windows halved."""
    problem, errors = jp.problems[name], []
    stop = 20 * problem.step
    for step in (problem.step, problem.step / 2):
        one = merged(problem.system("rk4", step), stop, step)
        newton = dv.Newton(inputs="ramp", rtol=1e-10, atol=1e-10)
        many = jp.simulate(problem.system("rk4", step), step, stop, newton)
        errors.append(max(jp.spread(many[v] - one[f"all.{v}"]) for v in je_states(name)))
    assert 3.4 < errors[0] / errors[1] < 5


def je_states(name: str) -> list[str]:
    return list(je.solutions[name](np.array([0.0, 1e-3]))[0])


def test_windows_do_not_matter() -> None:
    found = [merged(jp.two_masses(), 2.0, step)["all.spring.x"][-1] for step in (0.1, 0.5, 2.0)]
    assert np.ptp(found) < 1e-7  # drift is corrected over two of the first windows


def test_positions_do_not_drift() -> None:
    result = merged(jp.two_masses(), 10.0, 0.5)
    assert jp.spread(result["all.spring.x"] - result["all.dashpot.x"]) < 1e-7


def test_ports_that_start_apart_need_a_time_scale() -> None:
    with pytest.raises(dv.JunctionFailed, match=r"are 0\.1 apart, and merged equations have no"):
        merged(jp.free_masses(), 1.0, 0.1)
    system = jp.free_masses()
    apart = dv.System("apart")
    for name, part in system.parts.items():
        apart.add(name, part.model)
    apart.join("light.flange", "heavy.flange", coordinator=dv.SlidingMode(time_scale=0.1))
    result = merged(apart, 3.0, 0.1)
    gap = result["all.light.x"] - result["all.heavy.x"]
    left = np.exp(-result.time / 0.1)  # two poles at -1/mu, from 0.1 m and 3 m/s
    assert gap == pytest.approx((0.1 + (3 + 1.0) * result.time) * left, abs=1e-7)
    assert result["all.light.v"][-1] == pytest.approx(1.0, abs=1e-8)


def test_a_run_is_verified_by_it() -> None:
    system = jp.two_masses(solver="rk4", step=0.01)
    result = dv.simulate(
        system,
        stop=1.0,
        algorithm=dv.Newton(inputs="ramp"),
        controller=dv.FixedStep(0.01),
        verify="merged",
        quiet=True,
    )
    verdict = result.verdict
    assert verdict is not None and verdict.error is not None
    exact, _ = je.masses(result.time)
    true = max(jp.spread(result[n] - v) / np.ptp(v) for n, v in exact.items())
    assert verdict.error == pytest.approx(true, rel=0.05)


def test_an_event_changes_the_unknown_at_once() -> None:
    """A force of 3 N sets in at 0.5 s; two thirds of it pass the junction from there on."""
    port = {"flange": dv.Port("translational", effort="F", flow="v", displacement="x")}

    def mass(kilograms: float) -> Any:
        return dv.Dynamic(
            states={"x": 0.0, "v": 0.0},
            inputs={"F": 0.0, "pull": 0.0},
            outputs={"x": 0.0, "v": 0.0, "a": 0.0},
            derivatives=lambda t, x, u, p: [x.v, (u.F + u.pull) / kilograms],
            output=lambda t, x, u, p: [x.x, x.v, (u.F + u.pull) / kilograms],
            ports=port,
        )

    system = dv.System("pulled")
    system.add("a", mass(1.0))
    system.add("b", mass(2.0))
    system.add(
        "pull", dv.Source(outputs=["F"], function=lambda t, p: [3.0 * (t >= 0.5)], jumps=[0.5])
    )
    system.connect("pull.F", "a.pull")
    system.join("a.flange", "b.flange")
    result = merged(system, 1.0, 0.05)
    late = np.maximum(result.time - 0.5, 0.0)
    assert result["all.b.v"] == pytest.approx(late, abs=1e-8)
    after = result.time > 0.5
    assert result["all.b.a"][after] == pytest.approx(1.0, abs=1e-8)


def test_what_follows_a_junction_follows_inputs_from_outside() -> None:
    """An outer force reaches the accelerations of both through the unknown, at once."""
    port = {"flange": dv.Port("translational", effort="F", flow="v", displacement="x")}
    body = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0, "pull": 0.0},
        outputs=["x", "v", "a"],
        derivatives=lambda t, x, u, p: [x.v, u.F + u.pull],
        output=lambda t, x, u, p: [x.x, x.v, u.F + u.pull],
        feedthrough={"a": ["F", "pull"], "x": [], "v": []},
        ports=port,
    )
    system = dv.System("pair")
    system.add("a", body)
    system.add("b", body)
    system.join("a.flange", "b.flange")
    description = dv.merge(system).description
    assert description.depends("b.a") == frozenset({"a.pull", "b.pull"})
    assert description.depends("b.x") == frozenset()


def test_a_checkpoint_goes_on_to_the_last_bit(tmp_path: Any) -> None:
    whole = dv.System("whole")
    whole.add("all", dv.merge(jp.two_masses()))
    options: dict[str, Any] = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(whole, **options) as session:
        for _ in range(5):
            session.advance()
        session.checkpoint(tmp_path / "half")
        expected = session.run()
    with dv.Session(whole, resume=tmp_path / "half", **options) as session:
        assert session.run()["all.spring.x"][-1] == expected["all.spring.x"][-1]


def test_an_unknown_that_is_not_there_is_told() -> None:
    """5.4.4: behind 5 s the arc tangent would have to be above pi/2."""
    system = jp.joined(jp.gu_5_4_4(), "A.port", "B.port")
    with np.errstate(all="ignore"), pytest.raises(dv.JunctionFailed, match=r"A\.port = B\.port"):
        merged(system, 20.0, 1.0, rtol=1e-3, atol=1e-5)
