"""Model-exchange FMUs under one integrator, and the same coupled window by window."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, pair
from unit.test_merge import exact_thermostat

import dovetail as dv

ONLY = {"co_simulation": False, "model_exchange": True, "strict": True}
versions = pytest.mark.parametrize("version", [2, 3])


def thermostat(relay, plant):
    """A relay in one FMU, a plant in another, and a Python controller that samples both."""
    system = dv.System("thermostat")
    system.add("relay", relay)
    system.add("plant", plant, x=0.0, a=-0.2, b=1.0, c=1.0, drive=0.0)
    sampler = dv.Discrete(
        period=0.25,
        inputs={"x": 0.0, "y": 0.0},
        outputs=["v"],
        output=lambda t, x, u, p: [0.3 * u.x - 0.1 * u.y],
    )
    system.add("sampler", sampler)
    system.add(
        "sum",
        dv.Algebraic(
            inputs={"y": 0.0, "v": 0.0},
            outputs=["u"],
            function=lambda t, u, p: [-3.0 * u.y + 0.5 * u.v],
        ),
    )
    for source, target in (
        ("plant.y", "relay.u"),
        ("relay.y", "sum.y"),
        ("plant.y", "sampler.x"),
        ("relay.y", "sampler.y"),
        ("sampler.v", "sum.v"),
        ("sum.u", "plant.u"),
    ):
        system.connect(source, target)
    return system


def switches(result, name):
    return result.time[1:][np.diff(result[name]) != 0]


@versions
def test_merged_fmus_are_the_monolithic_solution(fmu, version):
    relay, plant = fmu("relay", version, **ONLY), fmu("linear", version, **ONLY)
    merged = dv.merge(thermostat(relay, plant), rtol=1e-10, atol=1e-12)
    system = dv.System("top")
    system.add("all", merged)
    result = dv.simulate(system, stop=5.0, controller=dv.FixedStep(0.1), quiet=True)
    x, times = exact_thermostat(5.0)
    assert switches(result, "all.relay.y") == pytest.approx(times, abs=1e-8)
    assert result["all.plant.y"][-1] == pytest.approx(x, abs=1e-8)
    assert is_clean(relay, plant)


@versions
def test_coupled_fmus_meet_its_events_to_tolerance(fmu, version):
    relay, plant = fmu("relay", version, **ONLY), fmu("linear", version, **ONLY)
    result = dv.simulate(
        thermostat(relay, plant),
        stop=5.0,
        algorithm=dv.GaussSeidel(40, inputs="ramp", rtol=1e-11, atol=1e-12),
        controller=dv.FixedStep(0.05),
        quiet=True,
    )
    x, times = exact_thermostat(5.0)
    assert switches(result, "relay.y") == pytest.approx(times, abs=2e-6)
    assert result["plant.y"][-1] == pytest.approx(x, abs=5e-6)
    assert is_clean(relay, plant)


@versions
def test_a_co_simulation_fmu_beside_it_sees_events_at_the_end_of_windows(fmu, version):
    relay, plant = fmu("relay", version, **ONLY), fmu("linear", version)
    _, times = exact_thermostat(2.0)
    late = []
    for size in (0.02, 0.002):
        result = dv.simulate(
            thermostat(relay, plant),
            stop=2.0,
            algorithm=dv.GaussSeidel(),
            controller=dv.FixedStep(size),
            quiet=True,
        )
        found = switches(result, "relay.y")
        assert len(found) == len(times)
        late.append(np.max(np.abs(found - times)))
    assert late[0] < 2 * 0.02 * len(times)
    assert late[1] < 0.3 * late[0]
    assert is_clean(relay, plant)


@versions
def test_a_pair_is_solved_as_one_system_and_approached_at_the_order_of_the_method(fmu, version):
    prey, predator = fmu("prey", version, **ONLY), fmu("predator", version, **ONLY)
    top = dv.System("top")
    top.add("all", dv.merge(pair(prey, predator), rtol=1e-11, atol=1e-13))
    exact = dv.simulate(top, stop=8.0, controller=dv.FixedStep(8.0), quiet=True)
    fine = {"load": {"rtol": 1e-11}, **ONLY}
    system = pair(fmu("prey", version, **fine), fmu("predator", version, **fine))
    for algorithm, order in ((dv.Jacobi(), 1), (dv.GaussSeidel(60, inputs="ramp"), 2)):
        errors = []
        for size in (0.2, 0.1):
            found = dv.simulate(
                system,
                stop=8.0,
                algorithm=algorithm,
                controller=dv.FixedStep(size),
                rtol=1e-11,
                atol=1e-12,
                quiet=True,
            )
            errors.append(abs(found["prey.x"][-1] - exact["all.prey.x"][-1]))
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)
    assert is_clean(prey, predator)


@versions
def test_cubic_inputs_of_merged_fmus_have_order_four(fmu, version):
    """Each FMU merged with nothing but itself; slopes cross the border."""
    prey, predator = fmu("prey", version, **ONLY), fmu("predator", version, **ONLY)
    top = dv.System("top")
    top.add("all", dv.merge(pair(prey, predator), rtol=1e-12, atol=1e-12))
    exact = dv.simulate(top, stop=4.0, controller=dv.FixedStep(4.0), quiet=True)
    system = dv.System("merged")
    for name, model in (("prey", prey), ("predator", predator)):
        alone = dv.System(name)
        alone.add("it", model)
        names = {"x": "it.x", "u": "it.u"}
        system.add(name, dv.merge(alone, names=names, rtol=1e-12, atol=1e-12))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    errors = []
    for size in (1.0, 0.5):
        found = dv.simulate(
            system,
            stop=4.0,
            algorithm=dv.Ifosmondi(tolerance=1e-12),
            controller=dv.FixedStep(size),
            quiet=True,
        )
        errors.append(abs(found["prey.x"][-1] - exact["all.prey.x"][-1]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.25)
    assert is_clean(prey, predator)
