"""A system merged into one set of equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.core.signals import Signals
from dovetail.subsystems.subsystem import Equations

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def run(model, stop, size, **options):
    system = dv.System("top")
    system.add("all", model)
    return dv.simulate(system, stop=stop, controller=dv.FixedStep(size), quiet=True, **options)


def predation():
    prey = dv.Dynamic(
        states={"x": 10.0},
        inputs={"u": 0.0},
        outputs=["x"],
        parameters={"rate": 0.1},
        derivatives=lambda t, x, u, p: [(p.rate - 0.02 * u.u) * x.x],
    )
    predator = dv.Dynamic(
        states={"x": 10.0},
        inputs={"u": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [(-0.4 + 0.02 * u.u) * x.x],
    )
    system = dv.System("predation")
    system.add("prey", prey)
    system.add("predator", predator)
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


def reference(rates, start, times, **options):
    options = {"rtol": 1e-12, "atol": 1e-13, "t_eval": times, **options}
    return solve_ivp(rates, (times[0], times[-1]), start, **options).y


def lotka_volterra(t, x):
    return [(0.1 - 0.02 * x[1]) * x[0], (-0.4 + 0.02 * x[0]) * x[1]]


@pytest.mark.parametrize("solver", ["cvode", "rk45", "radau"])
def test_it_is_the_monolithic_solution(solver):
    result = run(dv.merge(predation(), solver=solver, **TIGHT), 20.0, 0.5)
    wanted = reference(lotka_volterra, [10.0, 10.0], result.time)
    assert result["all.prey.x"] == pytest.approx(wanted[0], rel=1e-6)
    assert result["all.predator.x"] == pytest.approx(wanted[1], rel=1e-6)


def test_the_size_of_the_windows_does_not_matter():
    model = dv.merge(predation(), **TIGHT)
    ends = [run(model, 20.0, size)["all.prey.x"][-1] for size in (20.0, 1.0, 0.1)]
    assert ends == pytest.approx([ends[0]] * 3, rel=1e-7)


@pytest.mark.parametrize(
    ("algorithm", "order"),
    [(dv.Jacobi(), 1), (dv.GaussSeidel(), 1), (dv.GaussSeidel(60, inputs="ramp"), 2)],
    ids=repr,
)
def test_co_simulation_converges_to_it_at_its_order(algorithm, order):
    exact = run(dv.merge(predation(), **TIGHT), 8.0, 8.0)["all.prey.x"][-1]
    errors = []
    for size in (0.1, 0.05):
        found = dv.simulate(
            predation(),
            stop=8.0,
            algorithm=algorithm,
            controller=dv.FixedStep(size),
            rtol=1e-11,
            atol=1e-12,
            quiet=True,
        )
        errors.append(abs(found["prey.x"][-1] - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_parameters_and_start_values_are_those_of_the_parts():
    system = dv.System("top")
    system.add("all", dv.merge(predation()), {"prey.rate": 0.3, "predator.x": 4.0})
    result = dv.simulate(system, stop=1.0, controller=dv.FixedStep(0.5), quiet=True)

    def rates(t, x):
        return [(0.3 - 0.02 * x[1]) * x[0], (-0.4 + 0.02 * x[0]) * x[1]]

    wanted = reference(rates, [10.0, 4.0], result.time)
    assert result["all.prey.x"] == pytest.approx(wanted[0], rel=1e-6)


def test_gains_offsets_and_units_are_followed():
    heater = dv.Dynamic(
        states={"T": 20.0},
        inputs={"power": 0.0},
        outputs=["T"],
        derivatives=lambda t, x, u, p: [u.power / 1000.0 - 0.1 * (x.T - 20.0)],
        units={"T": "degC", "power": "W"},
    )
    law = dv.Algebraic(
        inputs={"T": 293.15},
        outputs=["power"],
        function=lambda t, u, p: [0.05 * (300.0 - u.T)],
        units={"T": "K", "power": "kW"},
    )
    system = dv.System("room")
    system.add("heater", heater)
    system.add("law", law)
    system.connect("heater.T", "law.T")
    system.connect("law.power", "heater.power", gain=2.0, offset=5.0)
    result = run(dv.merge(system, **TIGHT), 10.0, 1.0)

    def rates(t, x):
        kilowatts = 0.05 * (300.0 - (x[0] + 273.15))
        return [(2.0 * 1000.0 * kilowatts + 5.0) / 1000.0 - 0.1 * (x[0] - 20.0)]

    wanted = reference(rates, [20.0], result.time)
    assert result["all.heater.T"] == pytest.approx(wanted[0], rel=1e-7)


def loop(gain):
    system = dv.System("loop")
    a = dv.Algebraic(
        inputs={"e": 0.0, "s": 0.0},
        outputs=["y"],
        function=lambda t, u, p: [u.s + gain * np.tanh(u.e)],
    )
    b = dv.Algebraic(inputs={"y": 0.0}, outputs=["e"], function=lambda t, u, p: [1.0 - u.y])
    plant = dv.Dynamic(
        states={"x": 0.5},
        inputs={"e": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [u.e - x.x],
    )
    for name, model in (("a", a), ("b", b), ("plant", plant)):
        system.add(name, model)
    for source, target in (("a.y", "b.y"), ("b.e", "a.e"), ("b.e", "plant.e"), ("plant.x", "a.s")):
        system.connect(source, target)
    return system


@pytest.mark.parametrize("gain", [0.5, 5.0])
def test_algebraic_loops_are_solved_at_every_evaluation(gain):
    from scipy.optimize import brentq

    def rates(t, x):
        error = brentq(lambda e: e - (1.0 - x[0] - gain * np.tanh(e)), -50, 50, xtol=1e-14)
        return [error - x[0]]

    result = run(dv.merge(loop(gain), **TIGHT), 3.0, 0.5)
    wanted = reference(rates, [0.5], result.time)
    assert result["all.plant.x"] == pytest.approx(wanted[0], rel=1e-7)
    assert result["all.a.y"] == pytest.approx(
        result["all.plant.x"] + gain * np.tanh(result["all.b.e"]), abs=1e-9
    )


def thermostat():
    """A relay that is a Dynamic with events, a plant, and a controller that samples both."""
    relay = dv.Dynamic(
        states={"on": 0.0},
        inputs={"u": 0.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: [1.0 if x.on > 0.5 else -1.0],
        zero_crossings=lambda t, x, u, p: [u.u + 1.0 if x.on > 0.5 else 1.0 - u.u],
        on_event=lambda which, t, x, u, p: {"on": 1.0 - x.on},
        feedthrough={"y": []},
    )
    plant = dv.Dynamic(
        states={"x": 0.0},
        inputs={"y": -1.0, "v": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [-3.0 * u.y + 0.5 * u.v - 0.2 * x.x],
    )
    sampler = dv.Discrete(
        period=0.25,
        inputs={"x": 0.0, "y": 0.0},
        outputs=["v"],
        output=lambda t, x, u, p: [0.3 * u.x - 0.1 * u.y],
    )
    system = dv.System("thermostat")
    system.add("relay", relay)
    system.add("plant", plant)
    system.add("sampler", sampler)
    for source, target in (
        ("plant.x", "relay.u"),
        ("relay.y", "plant.y"),
        ("plant.x", "sampler.x"),
        ("relay.y", "sampler.y"),
        ("sampler.v", "plant.v"),
    ):
        system.connect(source, target)
    return system


def exact_thermostat(stop):
    """The same by hand: x' = c - 0.2 x between switches and samples, with c constant."""
    t, x, y, v, switches, k = 0.0, 0.0, -1.0, 0.1, [], 1
    while t < stop:
        rest = (-3.0 * y + 0.5 * v) / 0.2
        threshold = -1.0 if y > 0 else 1.0
        share = (threshold - rest) / (x - rest)
        switch = t - np.log(share) / 0.2 if 0 < share < 1 else np.inf
        following = min(0.25 * k, switch, stop)
        x = rest + (x - rest) * np.exp(-0.2 * (following - t))
        t = following
        if t == switch:
            y = -y
            switches.append(t)
        elif t < stop:
            v, k = 0.3 * x - 0.1 * y, k + 1
    return x, np.array(switches)


def test_events_and_samples_are_felt_by_all():
    result = run(dv.merge(thermostat(), **TIGHT), 5.0, 0.1)
    x, switches = exact_thermostat(5.0)
    found = result.time[1:][np.diff(result["all.relay.y"]) != 0]
    assert found == pytest.approx(switches, abs=1e-8)
    assert result["all.plant.x"][-1] == pytest.approx(x, abs=1e-8)
    twice = np.diff(result.time) == 0
    assert np.all(np.diff(result["all.relay.y"])[~twice] == 0)  # it jumps at events only


def test_sources_tables_and_jumps():
    step = dv.Source(outputs=["s"], function=lambda t, p: [float(t >= 0.33)], jumps=[0.33])
    table = dv.Table(time=[0.0, 1.0], columns={"r": [0.0, 2.0]})
    plant = dv.Dynamic(
        states={"x": 0.0},
        inputs={"s": 0.0, "r": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [u.s + u.r],
    )
    system = dv.System("driven")
    for name, model in (("step", step), ("table", table), ("plant", plant)):
        system.add(name, model)
    system.connect("step.s", "plant.s")
    system.connect("table.r", "plant.r")
    result = run(dv.merge(system), 1.0, 0.25)
    assert result["all.plant.x"][-1] == pytest.approx(0.67 + 1.0, abs=1e-7)
    assert 0.33 in result.time


def test_its_inputs_come_from_the_larger_system():
    mass = dv.Dynamic(
        states={"v": 0.0},
        inputs={"F": 0.0, "w": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u.F - u.w],
    )
    drag = dv.Algebraic(inputs={"v": 0.0}, outputs=["w"], function=lambda t, u, p: [0.5 * u.v])
    inner = dv.System("vehicle")
    inner.add("mass", mass)
    inner.add("drag", drag)
    inner.connect("mass.v", "drag.v")
    inner.connect("drag.w", "mass.w")
    model = dv.merge(inner, names={"push": "mass.F", "speed": "mass.v"}, **TIGHT)
    assert [v.name for v in model.description.inputs] == ["push"]
    outer = dv.System("outer")
    outer.add("vehicle", model)
    outer.add("pedal", dv.Source(outputs=["F"], function=lambda t, p: [t]))
    outer.connect("pedal.F", "vehicle.push")
    result = dv.simulate(outer, stop=2.0, controller=dv.FixedStep(0.5), quiet=True)
    wanted = 2.0 * result.time - 4.0 * (1.0 - np.exp(-0.5 * result.time))
    assert result["vehicle.speed"] == pytest.approx(wanted, abs=1e-8)


def test_it_offers_its_own_equations_and_can_be_merged_again():
    part = dv.merge(predation()).instantiate("all")
    part.initialize(0.0, {})
    part.begin()
    assert isinstance(part, Equations)
    assert [v.name for v in part.states] == ["prey.x", "predator.x"]
    none = Signals(np.zeros(0))
    assert part.rates(0.0, np.array([5.0, 7.0]), none) == pytest.approx(
        lotka_volterra(0.0, [5.0, 7.0])
    )
    jacobian = part.jacobian(0.0, np.array([5.0, 7.0]), none).toarray()
    assert jacobian == pytest.approx(np.array([[0.1 - 0.14, -0.1], [0.14, -0.4 + 0.1]]), abs=1e-8)
    assert (
        pytest.approx(np.array([[0.1 - 0.2, -0.2], [0.2, -0.4 + 0.2]]), abs=1e-8)
        == part.linearize().A
    )
    part.close()
    system = dv.System("outer")
    system.add("inner", dv.merge(predation()))
    result = run(dv.merge(system, **TIGHT), 5.0, 1.0)
    wanted = reference(lotka_volterra, [10.0, 10.0], result.time)
    assert result["all.inner.prey.x"] == pytest.approx(wanted[0], rel=1e-6)


def test_a_chain_has_a_sparse_jacobian():
    system = dv.System("chain")
    n = 20
    for k in range(n):
        cell = dv.Dynamic(
            states={"T": float(k == 0)},
            inputs={"left": 0.0, "right": 0.0},
            outputs=["T"],
            derivatives=lambda t, x, u, p: [u.left - 2.0 * x.T + u.right],
        )
        system.add(f"c{k}", cell)
    for k in range(n - 1):
        system.connect(f"c{k}.T", f"c{k + 1}.left")
        system.connect(f"c{k + 1}.T", f"c{k}.right")
    part = dv.merge(system).instantiate("all")
    part.initialize(0.0, {})
    part.begin()
    assert part.pattern.nnz == 3 * n - 2
    part.close()
    result = run(dv.merge(system, **TIGHT), 2.0, 0.5)
    matrix = -2.0 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    start = np.eye(n)[0]
    wanted = reference(lambda t, x: matrix @ x, start, result.time)
    assert result["all.c3.T"] == pytest.approx(wanted[3], abs=1e-8)


def test_a_checkpoint_goes_on_to_the_last_bit(tmp_path):
    system = dv.System("top")
    system.add("all", dv.merge(thermostat()))
    options = {"stop": 3.0, "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(system, **options) as session:
        for _ in range(12):
            session.advance()
        session.checkpoint(tmp_path / "half")
        whole = session.run()
    with dv.Session(system, resume=tmp_path / "half", **options) as session:
        rest = session.run()
    assert rest["all.plant.x"][-1] == whole["all.plant.x"][-1]


def test_controllers_that_reject_take_it_back():
    result = dv.simulate(
        _alone(dv.merge(thermostat(), **TIGHT)),
        stop=2.0,
        controller=dv.StepDoubling(rtol=1e-4, atol=1e-4, first_size=0.05, max_size=0.2),
        quiet=True,
    )
    x, switches = exact_thermostat(2.0)
    assert result["all.plant.x"][-1] == pytest.approx(x, abs=1e-7)
    assert result.statistics.events >= len(switches)


def _alone(model):
    system = dv.System("top")
    system.add("all", model)
    return system


def test_parts_without_equations_are_named():
    system = dv.System("outer")
    system.add("inner", dv.Nested(predation()))
    with pytest.raises(dv.CapabilityError, match="'inner' does not offer its equations"):
        dv.merge(system)
    with pytest.raises(dv.ModelError, match="is not a solver"):
        dv.merge(predation(), solver="newton")


def test_a_loop_without_a_solution_is_told():
    a = dv.Algebraic(inputs={"e": 0.0}, outputs=["y"], function=lambda t, u, p: [u.e**2 + t])
    system = dv.System("loop")
    system.add("a", a)
    system.connect("a.y", "a.e")  # e = e^2 + t has a real solution up to t = 1/4
    with pytest.raises(dv.RunError, match=r"a\.e"):
        run(dv.merge(system), 1.0, 0.1)
