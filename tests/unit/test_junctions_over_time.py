"""Parts that start apart or are torn apart, what is kept of it, and a spring instead."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import junction_exact as je
import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv
from dovetail.junctions.ledger import _HEAD, _POINTS, _Curve
from dovetail.models.compliance import compliance
from dovetail.subsystems.derivatives import along


def capacitors(**options: Any) -> dv.System:
    """Two that hold 3 V and 0 V when they are joined."""
    first, second = (
        dv.Dynamic(
            states={"v": volts},
            inputs={"i": 0.0},
            outputs=["v"],
            derivatives=lambda t, x, u, p: [u.i / 1e-3],
            ports={"pin": dv.Port("electrical", "v", "i")},
            solver="rk4",
            step=0.01,
        )
        for volts in (3.0, 0.0)
    )
    system = dv.System("capacitors")
    system.add("a", first)
    system.add("b", second)
    system.join("a.pin", "b.pin", **options)
    return system


# coming together ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [None, 0.05])
def test_iterated_parts_come_together_as_in_sliding_mode(scale: float | None) -> None:
    """g falls as exp(-t/mu), window by window, whatever the window."""
    system = capacitors(coordinator=dv.IteratedJunction(time_scale=scale))
    result = jp.simulate(system, 0.01, 0.2, dv.Newton(rtol=1e-10, atol=1e-12))
    exact = 3.0 * np.exp(-result.time / (scale or 0.02))
    assert np.max(np.abs(result["a.v"] - result["b.v"] - exact)) < 1e-9
    current = result["a.i"]
    assert current == pytest.approx(-1e-3 * exact / (2 * (scale or 0.02)), abs=1e-8)


def test_a_time_scale_is_above_zero() -> None:
    with pytest.raises(dv.OptionError, match="time_scale must be above zero"):
        dv.IteratedJunction(time_scale=-1.0)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()])
def test_parts_that_an_event_tears_apart_come_together(algorithm: Any) -> None:
    """A blow makes one of two masses faster: they share it, and overshoot little."""

    def mass(**more: Any) -> dv.Dynamic:
        return dv.Dynamic(
            states={"x": 0.0, "v": 1.0},
            inputs={"F": 0.0},
            outputs=["x", "v"],
            derivatives=lambda t, x, u, p: [x.v, u.F],
            ports={"flange": dv.Port("translational", "F", "v", "x")},
            **more,
        )

    struck = mass(
        zero_crossings=lambda t, x, u, p: [t - 0.105],
        on_event=lambda which, t, x, u, p: {"v": x.v + 3.0},
    )
    system = dv.System("blow")
    system.add("a", struck)
    system.add("b", mass())
    system.join("a.flange", "b.flange")
    result = jp.simulate(system, 0.01, 1.0, algorithm)
    assert result.statistics.events == 1
    apart = result["a.v"] - result["b.v"]
    assert np.max(apart) == pytest.approx(3.0, abs=1e-6)
    assert np.min(apart) > -1.0
    assert result["a.v"][-1] == pytest.approx(2.5, abs=1e-6)
    assert abs(result["a.x"][-1] - result["b.x"][-1]) < 1e-6


# what is kept -------------------------------------------------------------------------------------


def test_gaps_and_sliding_functions_are_kept_over_time(tmp_path: Path) -> None:
    law = dv.SlidingMode(time_scale=0.05, limit=0.002, presolve=False)
    result = jp.simulate(capacitors(coordinator=law), 0.01, 0.3)
    kept = result.junctions
    assert kept.names == ["g: a.pin = b.pin", "s: a.pin = b.pin"]
    assert set(kept.units.values()) == {"V"}
    assert kept.time == pytest.approx(result.time)
    gap = result["a.v"] - result["b.v"]
    assert kept["g: a.pin = b.pin"] == pytest.approx(gap)
    rate = (result["a.i"] - result["b.i"]) / 1e-3
    assert kept["s: a.pin = b.pin"] == pytest.approx(gap + 0.05 * rate, abs=1e-9)
    kept.plot("s:*", path=tmp_path / "s.png")
    assert (tmp_path / "s.png").stat().st_size > 1000


def test_each_row_has_a_name_and_a_unit() -> None:
    kept = jp.simulate(jp.three_capacitors(solver="rk4", step=0.005), 0.005, 0.02).junctions
    whole = "a.pin = b.pin = c.pin = load.pin"
    assert kept.names[:3] == ["g: a.pin = b.pin", "g: a.pin = c.pin", f"g: sum at {whole}"]
    assert [kept.units[n] for n in kept.names[:3]] == ["V", "V", "A"]


def test_a_system_without_unknowns_has_no_such_curves() -> None:
    system = dv.System("wired")
    system.add("give", compliance("electrical", 0.0, 1.0))
    for name in "ab":
        system.add(name, capacitors().parts[name].model)
        system.join(f"{name}.pin", f"give.{name}")
    result = jp.simulate(system, 0.0001, 0.01)
    assert len(result.ledger.names) == 4
    with pytest.raises(dv.OptionError, match="no junction of this system has unknowns"):
        _ = result.junctions


def test_long_runs_keep_their_start_and_every_so_many_windows() -> None:
    curve = _Curve()
    for k in range(10_000):
        curve.add([float(k)])
    kept = [row[0] for row in curve.ending([9_999.0])]
    assert len(kept) <= _HEAD + _POINTS + 1
    assert kept[:_HEAD] == list(range(_HEAD))
    assert kept[-1] == 9_999.0
    assert set(np.diff(kept[_HEAD:-1])) == {curve.stride}


def test_a_resumed_run_keeps_the_same_curves(tmp_path: Path) -> None:
    options = {"controller": dv.FixedStep(0.01), "algorithm": dv.Jacobi(), "quiet": True}
    whole = dv.simulate(capacitors(), stop=0.1, **options)
    path = tmp_path / "run.checkpoint"
    with dv.Session(capacitors(), stop=0.1, **options) as session:
        for _ in range(4):
            session.advance()
        session.checkpoint(path)
    rest = dv.simulate(capacitors(), stop=0.1, resume=path, **options)
    assert rest.facts["ledger"] == whole.facts["ledger"]


# derivatives --------------------------------------------------------------------------------------


def test_derivatives_are_taken_closer_by_where_far_away_there_is_no_answer() -> None:
    """Nothing moves, so that a second derivative is taken over .7 s; the function begins at 0."""

    def rate(t: float, x: Any, u: Any) -> Any:
        return np.array([1e-9 * math.sqrt(t - 1.0)])

    found = along(lambda t, x, u: x, rate, 1.01, np.zeros(1), np.zeros(0), np.zeros(0), 2)
    assert found == pytest.approx(1e-9 / (2 * math.sqrt(0.01)), rel=1e-3)


# a spring instead ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ports", "domain", "takes", "soft"),
    [
        ("two masses", ("spring.flange", "dashpot.flange"), "translational", None, (200.0, 20.0)),
        ("two capacitors", ("first.pin", "second.pin"), "electrical", None, (0.0, 0.02)),
        ("two inductors", ("fed.pin", "loaded.pin"), "electrical", "flow", (500.0, 20.0)),
    ],
)
def test_a_stiffer_element_errs_less_and_much_more_than_a_junction(
    name: str, ports: Any, domain: str, takes: str | None, soft: tuple[float, float]
) -> None:
    problem, errors = jp.problems[name], []
    for factor in (1.0, 4.0):
        system = dv.System("give")
        for part in problem.system("rk4", problem.step).parts.values():
            system.add(part.name, part.model)
        stiffness, damping = (factor * s for s in soft)
        system.add("give", compliance(domain, stiffness, damping, takes=takes))
        for port, end in zip(ports, "ab", strict=True):
            system.join(port, f"give.{end}")
        result = jp.simulate(system, problem.step, 0.5, dv.GaussSeidel())
        states, _ = je.solutions[name](result.time)
        errors.append(je.error(result, states))
    joined = jp.simulate(problem.system("rk4", problem.step), problem.step, 0.5)
    states, _ = je.solutions[name](joined.time)
    assert errors[1] < 0.5 * errors[0]
    assert je.error(joined, states) < 0.2 * errors[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": "electric", "stiffness": 1.0}, "Did you mean 'electrical'"),
        ({"domain": "electrical", "stiffness": 0.0}, "needs a stiffness or a damping"),
        ({"domain": "electrical", "stiffness": -1.0}, "stiffness must be"),
        ({"domain": "electrical", "stiffness": 1.0, "takes": "heat"}, "'effort' or 'flow'"),
        ({"domain": "electrical", "stiffness": 1.0, "ports": 3}, "compares two ports"),
        ({"domain": "electrical", "stiffness": 1.0, "ports": 9, "takes": "flow"}, "2 to 8"),
    ],
)
def test_an_element_that_makes_no_sense_is_refused(options: Any, message: str) -> None:
    with pytest.raises(dv.OptionError, match=message):
        compliance(**options)
