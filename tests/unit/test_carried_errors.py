"""Errors that are carried along with a run, against exact ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.brief import brief

LOOSE, TIGHT = dv.GaussSeidel(), {"rtol": 1e-10, "atol": 1e-12}


def mass(**more: Any) -> dv.Dynamic:
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
        rtol=1e-10,
        atol=1e-12,
        **more,
    )


SPRING = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])


def oscillator(body: Any = None) -> dv.System:
    system = dv.System("oscillator")
    system.add("mass", body or mass())
    system.add("spring", SPRING)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    return system


def carried(system: dv.System, algorithm: Any = LOOSE, **more: Any) -> dv.Result:
    given = {"stop": 5.0, "step": 0.02, "verify": "carried", "quiet": True, **more}
    return dv.simulate(system, algorithm=algorithm, **given)


@pytest.mark.parametrize(
    "algorithm",
    [
        dv.Jacobi(),
        dv.GaussSeidel(),
        dv.GaussSeidel(extrapolation=1),
        dv.GaussSeidel(50, **TIGHT),
        dv.GaussSeidel(50, inputs="ramp", **TIGHT),
        dv.GaussSeidel(50, inputs="hermite", **TIGHT),
        dv.Newton(inputs="ramp", **TIGHT),
    ],
    ids=brief,
)
def test_the_error_of_a_linear_system_is_found(algorithm: Any) -> None:
    """The equation of the error is exact for it; what is left is how curves are laid through ends.

    The largest error is at a row of the velocity or the position, which are compared here.
    """
    result = carried(oscillator(), algorithm)
    verdict = result.verdict
    assert verdict is not None and verdict.errors
    exact = {"mass.x": np.cos(2 * result.time), "mass.v": -2 * np.sin(2 * result.time)}
    for name, values in exact.items():
        true = np.abs(result[name] - values).max() / np.ptp(values)
        assert verdict.errors[name] == pytest.approx(true, rel=0.05)


def test_the_error_of_a_nonlinear_system_is_found_to_first_order() -> None:
    pendulum = dv.Dynamic(
        states={"x": 2.0, "v": 0.0},
        inputs=["torque"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.torque],
    )
    gravity = dv.Algebraic(
        inputs=["x"], outputs=["torque"], function=lambda t, u, p: [-4.0 * np.sin(u.x)]
    )
    system = dv.System("pendulum")
    system.add("rod", pendulum)
    system.add("gravity", gravity)
    system.connect("rod.x", "gravity.x")
    system.connect("gravity.torque", "rod.torque")
    result = carried(system, dv.GaussSeidel(50), step=0.01)
    tight = dv.GaussSeidel(50, inputs="hermite", **TIGHT)
    truth = dv.simulate(system, stop=5.0, step=0.01, algorithm=tight, verify=False, quiet=True)
    true = np.abs(result["rod.x"] - truth["rod.x"]).max() / np.ptp(truth["rod.x"])
    assert result.verdict is not None
    assert result.verdict.errors["rod.x"] == pytest.approx(true, rel=0.05)


def test_the_run_itself_stays_as_it_is() -> None:
    plain = carried(oscillator(), verify=False)
    assert np.array_equal(carried(oscillator())["mass.x"], plain["mass.x"])


def test_curves_begin_anew_where_a_source_jumps() -> None:
    system = oscillator(mass())
    load = dv.Source(outputs=["y"], function=lambda t, p: [float(t >= 2.5)], jumps=[2.5])
    sum_ = dv.Algebraic(inputs=["a", "b"], outputs=["y"], function=lambda t, u, p: [u.a + u.b])
    system.add("load", load)
    system.add("sum", sum_)
    system.disconnect("mass.force")
    system.connect("spring.force", "sum.a")
    system.connect("load.y", "sum.b")
    system.connect("sum.y", "mass.force")
    result = carried(system, dv.GaussSeidel(50, inputs="ramp", **TIGHT))
    late = np.clip(result.time - 2.5, 0.0, None)
    exact = np.cos(2 * result.time) + (1 - np.cos(2 * late)) / 8  # a step of 1 N on 2 kg, 8 N/m
    true = np.abs(result["mass.x"] - exact).max() / np.ptp(exact)
    assert result.verdict is not None
    assert result.verdict.errors["mass.x"] == pytest.approx(true, rel=0.1)


def test_a_part_that_may_not_be_repeated_is_verified_without_a_second_run() -> None:
    class Rig:
        """A model that says that it may live only once."""

        against_repeating = "drives a test rig"

        def __init__(self, model: Any) -> None:
            self.description, self.instantiate = model.description, model.instantiate

    result = carried(oscillator(Rig(mass())), verify=True)
    assert result.verdict is not None
    assert result.verdict.verified_by.startswith("carrying along")
    assert result.verdict.error == pytest.approx(0.1 / 2, rel=1)


def test_what_cannot_be_carried_is_told() -> None:
    bouncing = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
        zero_crossings=lambda t, x, u, p: [x.x + 0.5],
        on_event=lambda which, t, x, u, p: {"v": -x.v},
    )
    verdict = carried(oscillator(bouncing)).verdict
    assert verdict is not None
    assert verdict.error is None
    assert "'mass' had an event, whose time depends on the error" in verdict.unverified


def test_kinks_are_told() -> None:
    kinked = dv.Algebraic(
        inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * max(u.x, 0.0)]
    )
    system = oscillator()
    system.replace("spring", kinked)
    verdict = carried(system).verdict
    assert verdict is not None
    assert "derivatives of the parts jump at t = 0.8 s" in verdict.unverified


def test_it_is_not_for_results_that_are_finished() -> None:
    result = carried(oscillator(), verify=False)
    with pytest.raises(dv.OptionError, match="only while a run goes on"):
        dv.verify(result, "carried")


def test_discrete_values_and_many_signals_cannot_be_carried() -> None:
    from dovetail.verification.carried_errors import cannot_carry

    switch = dv.Algebraic(
        inputs=["x"],
        outputs=["on"],
        function=lambda t, u, p: [u.x > 0],
        types={"on": "boolean"},
    )
    system = oscillator()
    system.add("switch", switch)
    assert cannot_carry(system) == "'switch' exchanges discrete values"
    wide = replace(SPRING, outputs={"y": [0.0] * 201}, function=lambda t, u, p: [[0.0] * 201])
    system = oscillator()
    system.add("wide", wide)
    assert "more than 200" in cannot_carry(system)
