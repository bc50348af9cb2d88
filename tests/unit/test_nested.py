"""A whole system as one part of another."""

import numpy as np
import problems
import pytest
from catalogue import algorithms, brief, iterated, models, pair

import dovetail as dv

every_algorithm = pytest.mark.parametrize("algorithm", algorithms, ids=brief)


def simulate(system, stop=1.0, algorithm=dv.GaussSeidel(), size=0.1, **more):
    controller = dv.FixedStep(size) if isinstance(size, float) else size
    options = {"rtol": 1e-9, "atol": 1e-10, **more}
    return dv.simulate(system, stop=stop, algorithm=algorithm, controller=controller, **options)


def around(inner, **options):
    outer = dv.System("outer")
    outer.add("in", dv.Nested(inner, **options))
    return outer


# The same as flat ---------------------------------------------------------------------------


@every_algorithm
@pytest.mark.parametrize("problem", [problems.two_mass, problems.algebraic_loop], ids=str)
def test_a_nested_system_runs_as_it_would_alone(problem, algorithm):
    """One inner window per outer one: the same to the last bit."""
    flat = simulate(problem.draw(), 0.5, algorithm)
    options = {"algorithm": algorithm, "rtol": 1e-9, "atol": 1e-10}
    nested = simulate(around(problem.draw(), **options), 0.5, dv.Jacobi())
    for name in problem.watched:
        assert np.array_equal(nested[f"in.{name}"], flat[name]), name


@every_algorithm
def test_inner_windows_are_those_of_a_run_alone(algorithm):
    problem = problems.prey_predator
    flat = simulate(problem.draw(), 0.5, algorithm, 0.025)
    options = {"algorithm": algorithm, "controller": dv.FixedStep(0.025), "rtol": 1e-9}
    nested = simulate(around(problem.draw(), atol=1e-10, **options), 0.5, dv.Jacobi())
    for name in problem.watched:
        assert nested[f"in.{name}"] == pytest.approx(flat[name][::4], rel=1e-12), name


def test_a_group_in_sequence_is_gauss_seidel_of_all():
    """The set point, then the two that follow it as a group: the order is that of the flat one."""
    flat = problems.control_loop.run(dv.GaussSeidel(), 0.05)
    inner = dv.System("loop")
    drawn = problems.control_loop_system()
    for name in ("controller", "plant"):
        inner.add(name, drawn.parts[name].model)
    inner.connect("controller.u", "plant.u")
    inner.connect("plant.y", "controller.y")
    outer = dv.System("outer")
    outer.add("set", drawn.parts["set"].model)
    outer.add("loop", dv.Nested(inner, share_events=True))
    outer.connect("set.r", "loop.controller.r")
    nested = simulate(outer, problems.control_loop.stop, size=0.05)
    assert np.array_equal(nested.time, flat.time)
    for name in problems.control_loop.watched:
        assert np.array_equal(nested[f"loop.{name}"], flat[name]), name


def test_a_system_in_a_system_in_a_system():
    problem = problems.two_mass
    flat = simulate(problem.draw(), 0.5, dv.GaussSeidel())
    twice = simulate(around(around(problem.draw())), 0.5, dv.Jacobi())
    for name in problem.watched:
        assert np.array_equal(twice[f"in.in.{name}"], flat[name]), name


# Several rates ------------------------------------------------------------------------------

# A slow mass that is given a force, and a fast pair around it: z' = -20 (z - x), w' = z - w.


def slow():
    return problems.Linear(("f",), ("x",), A=[[-0.5]], B=[[1]], C=[[1]], D=0, x=[1.0])


def fast():
    system = dv.System("fast")
    system.add("z", problems.Linear(("x",), ("z",), A=[[-20]], B=[[20]], C=[[1]], D=0, x=[0.0]))
    system.add("w", problems.Linear(("z",), ("w",), A=[[-1]], B=[[1]], C=[[1]], D=0, x=[0.0]))
    system.connect("z.z", "w.z")
    return system


def rates(outer, inner, size, ratio):
    system = dv.System("rates")
    system.add("slow", slow())
    controller = dv.FixedStep(size / ratio)
    system.add("fast", dv.Nested(fast(), inner, controller, rtol=1e-9, atol=1e-10))
    system.connect("slow.x", "fast.z.x")
    system.connect("fast.w.w", "slow.f", gain=-0.8)
    return simulate(system, 0.5, outer, size)


def rates_error(outer, inner, size, ratio=10):
    A = np.array([[-0.5, 0, -0.8], [20, -20, 0], [0, 1, -1.0]])
    result = rates(outer, inner, size, ratio)
    exact = problems._modal(A, [1.0, 0.0, 0.0], result.time)
    found = np.array([result["slow.x"], result["fast.z.z"], result["fast.w.w"]])
    return np.max(np.abs(found - exact))


@pytest.mark.parametrize(
    ("outer", "inner", "order"),
    [
        (dv.GaussSeidel(), dv.GaussSeidel(), 1),
        (dv.Jacobi(), dv.Jacobi(), 1),
        (dv.GaussSeidel(50, inputs="ramp"), dv.GaussSeidel(50, inputs="ramp"), 2),
        (dv.Iterative(), dv.GaussSeidel(inputs="ramp"), 2),
        (dv.Newton(inputs="ramp"), dv.Newton(inputs="ramp"), 2),
    ],
    ids=brief,
)
def test_several_rates_converge_at_the_order_of_the_coupling(outer, inner, order):
    """Slow first, the fast pair sees the slow signal as it moves."""
    errors = [rates_error(outer, inner, h, 5) for h in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_small_inner_windows_help_where_the_fast_part_is_what_errs():
    ramp = dv.GaussSeidel(50, inputs="ramp")
    coarse, fine = (rates_error(ramp, dv.GaussSeidel(), 0.05, ratio) for ratio in (1, 10))
    assert fine < coarse / 3


def test_inner_windows_keep_their_size_after_a_short_outer_one():
    """An event cuts one outer window to almost nothing; the inner grid must not stay so fine."""
    outer = dv.System("outer")
    at = 0.1000001
    jump = dv.Source(outputs=["y"], function=lambda t, p: [float(t >= at)], jumps=[at])
    outer.add("jump", jump)
    outer.add("in", dv.Nested(pair(), controller=dv.FixedStep(0.01)))
    outer.connect("jump.y", "in.left.w")
    options = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.1)}
    with dv.Session(outer, stop=0.5, **options) as run:
        inner = run.assembly.subsystems[1].subsystem.stepper
        for _ in run:
            assert inner.statistics.windows < 80
    assert 50 <= inner.statistics.windows <= 60


def test_step_doubling_inside_finds_its_own_windows():
    result = simulate(
        around(problems.prey_predator_system(), controller=dv.StepDoubling(1e-6, 1e-6)),
        2.0,
        dv.Jacobi(),
        0.5,
    )
    exact = problems.prey_predator.exact(result.time)
    found = np.array([result["in.prey.x"], result["in.predator.x"]])
    assert np.max(np.abs(found - exact)) < 5e-3


# Going back ---------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", iterated, ids=brief)
def test_iterating_around_a_nested_system_finds_what_iterating_flat_finds(algorithm):
    """The nested half rolls back with everything in it."""
    drawn = problems.two_mass_system()
    inner = dv.System("right")
    inner.add("mass", drawn.parts["right"].model)
    outer = dv.System("outer")
    outer.add("left", drawn.parts["left"].model)
    passes = 2 if algorithm.inputs == "hermite" else 1  # nothing to iterate, but it says it would
    same = dv.GaussSeidel(passes, inputs=algorithm.inputs)
    outer.add("right", dv.Nested(inner, same))
    outer.connect("left.x", "right.mass.x")
    outer.connect("left.v", "right.mass.v")
    outer.connect("right.mass.force", "left.force")
    flat = simulate(drawn, 0.5, algorithm)
    nested = simulate(outer, 0.5, algorithm)
    assert nested["left.x"] == pytest.approx(flat["left.x"], abs=1e-9)
    assert nested["right.mass.x2"] == pytest.approx(flat["right.x2"], abs=1e-9)


def test_step_doubling_around_a_nested_system():
    controller = dv.StepDoubling(1e-4, 1e-4, first_size=0.01)
    flat = simulate(problems.prey_predator_system(), 2.0, dv.GaussSeidel(), controller)
    nested = simulate(around(problems.prey_predator_system()), 2.0, dv.Jacobi(), controller)
    assert np.array_equal(flat.time, nested.time)
    assert np.array_equal(flat["prey.x"], nested["in.prey.x"])


# Events -------------------------------------------------------------------------------------


def ticking():
    """A counter that ticks, and something that integrates it."""
    system = dv.System("ticking")
    counter = dv.Discrete(
        period=0.25,
        states={"n": 0.0},
        inputs=["step"],
        outputs=["n"],
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [x.n + u.step],
        feedthrough=False,
    )
    system.add("counter", counter)
    system.add("sum", problems.Linear(("n",), ("x",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[0.0]))
    system.connect("counter.n", "sum.n")
    return system


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("size", [0.1, 0.3, 1.0])
def test_events_inside_happen_when_they_are_due(share, size):
    """n = 0, 1, 2, 3 in each quarter: the integral over one second is 6/4."""
    outer = dv.System("outer")
    outer.add("in", dv.Nested(ticking(), share_events=share), values={"counter.step": 1.0})
    result = simulate(outer, 1.0, dv.Jacobi(), size)
    assert result["in.sum.x"][-1] == pytest.approx(1.5, abs=1e-12)
    assert (result.statistics.events > 0) == share


def test_shared_events_are_felt_outside_at_once():
    outer = dv.System("outer")
    outer.add("in", dv.Nested(ticking(), share_events=True), values={"counter.step": 1.0})
    echo = dv.Algebraic(inputs=["n"], outputs=["y"], function=lambda t, u, p: [10 * u.n])
    outer.add("echo", echo)
    outer.connect("in.counter.n", "echo.n")
    result = simulate(outer, 1.0, size=0.1)
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result.time[right] == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert result["echo.y"][right].tolist() == [10.0, 20.0, 30.0, 40.0]


def test_a_zero_crossing_inside_is_found():
    inner = dv.System("ball")
    inner.add("ball", next(s for s in models if s.name == "Dynamic-events").make())
    result = simulate(around(inner, share_events=True), 1.0, dv.Jacobi(), 0.1)
    first = np.sqrt(2 / 9.81)
    twice = result.time[1:][np.diff(result.time) == 0]
    assert twice == pytest.approx([first], abs=1e-6)


# Names and values ---------------------------------------------------------------------------


def test_inputs_are_what_nothing_feeds_and_outputs_everything():
    d = dv.Nested(pair()).description
    assert [v.name for v in d.inputs] == ["left.w"]
    assert [v.name for v in d.outputs] == ["left.x", "right.y"]
    assert {v.name for v in d.parameters} == {"left.k", "left.x"}


def test_names_rename_and_restrict():
    nested = dv.Nested(pair(), names={"push": "left.w", "where": "left.x"})
    d = nested.description
    assert [v.name for v in d.inputs] == ["push"]
    assert [v.name for v in d.outputs] == ["where"]
    outer = dv.System("outer")
    outer.add("in", nested, push=0.3)
    result = simulate(outer)
    assert result.names == ["in.where"]


def test_parameters_of_inner_parts_are_set_from_outside():
    def run(values):
        outer = dv.System("outer")
        outer.add("in", dv.Nested(pair()), values=values)
        return simulate(outer)["in.left.x"]

    flat = pair()
    slower = dv.System("flat")
    for name, part in flat.parts.items():
        slower.add(name, part.model, **({"k": 0.2, "x": 3.0} if name == "left" else {}))
    for c in flat.connections:
        slower.connect(str(c.source), str(c.target))
    assert np.array_equal(run({"left.k": 0.2, "left.x": 3.0}), simulate(slower)["left.x"])
    assert not np.array_equal(run({"left.k": 0.2}), run({}))


def test_inner_values_given_inside_are_what_the_outside_starts_from():
    inner = dv.System("inner")
    inner.add("left", pair().parts["left"].model, k=0.7, w=0.4)
    d = dv.Nested(inner).description
    assert {v.name: v.start for v in d.parameters} == {"left.k": 0.7, "left.x": 1.0}
    assert {v.name: v.start for v in d.inputs} == {"left.u": None, "left.w": 0.4}


def test_units_and_gains_hold_inside():
    inner = dv.System("inner")
    source = dv.Source(outputs=["v"], function=lambda t, p: [36.0], units={"v": "km/h"})
    road = dv.Dynamic(
        states={"x": 0.0},
        inputs=["v"],
        outputs=["x"],
        derivatives=lambda t, x, u, p: [u.v],
        units={"v": "m/s"},
    )
    inner.add("source", source)
    inner.add("road", road)
    inner.connect("source.v", "road.v", gain=0.5)
    assert simulate(around(inner))["in.road.x"][-1] == pytest.approx(5.0)


def test_feedthrough_is_followed_through_inner_paths():
    inner = dv.System("inner")
    gain = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [2 * u.a])
    lag = problems.Linear(("a",), ("b",), A=[[-1]], B=[[1]], C=[[1]], D=0, x=[0.0])
    inner.add("one", gain)
    inner.add("two", gain)
    inner.add("lag", lag)
    inner.connect("one.b", "two.a")
    inner.connect("two.b", "lag.a")
    d = dv.Nested(inner).description
    assert d.feedthrough == {
        "one.b": frozenset({"one.a"}),
        "two.b": frozenset({"one.a"}),
        "lag.b": frozenset(),
    }


def test_an_algebraic_loop_through_a_nested_system_is_found_and_solved():
    outer = dv.System("outer")
    inner = dv.System("inner")
    half = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [-0.5 * u.a + 3])
    inner.add("half", half)
    outer.add("in", dv.Nested(inner))
    one = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a])
    outer.add("one", one)
    outer.connect("in.half.b", "one.a")
    outer.connect("one.b", "in.half.a")
    assert len(outer.check().loops) == 1
    result = simulate(outer, 1.0, dv.Newton())
    assert result["one.b"] == pytest.approx(np.full(11, 2.0))


def test_a_nested_part_that_fails_is_named():
    inner = dv.System("inner")

    def broken(t, u, p):
        raise ValueError("no good")

    inner.add("part", dv.Algebraic(inputs=["a"], outputs=["b"], function=broken))
    with pytest.raises(dv.PartFailed, match=r"'part' failed .* no good"):
        simulate(around(inner))


def test_what_cannot_be_nested_is_refused():
    with pytest.raises(dv.DrawingError, match="'inner' is a System; wrap it"):
        dv.System("outer").add("inner", pair())
    named = dv.System("inner")
    named.add("outside", problems.Species(1.0, 0.0, 1.0))
    with pytest.raises(dv.ModelError, match="must not have a part named 'outside'"):
        dv.Nested(named)
    with pytest.raises(dv.DrawingError, match="has no parts"):
        dv.Nested(dv.System("empty"))
    with pytest.raises(dv.ModelError, match=r"which is not there\. Did you mean 'left\.x'"):
        dv.Nested(pair(), names={"x": "left.xx"})
    blind = problems.prey_predator_system(problems.Blind)
    with pytest.raises(dv.CapabilityError, match="'prey' cannot roll back"):
        dv.Nested(blind, controller=dv.StepDoubling())


def test_a_nested_system_is_as_able_as_its_parts():
    blind = dv.Nested(problems.prey_predator_system(problems.Blind)).description.capabilities
    able = dv.Nested(problems.prey_predator_system()).description.capabilities
    assert not blind.can_restore and not blind.can_serialize and not blind.can_evaluate_now
    assert able.can_restore and able.can_serialize and able.can_evaluate_now


@pytest.mark.parametrize("size", [1e-300, 1e-17])
def test_inner_windows_that_cannot_be_counted_are_refused_before_a_run(size):
    """They would never end, as in a run of their own; a system in a system is looked into, too."""
    inner = around(problems.prey_predator_system(), controller=dv.FixedStep(size))
    for system in (inner, around(inner, controller=dv.FixedStep(0.1))):
        with pytest.raises(dv.DrawingError, match="more than a run can count; take longer ones"):
            simulate(system)
