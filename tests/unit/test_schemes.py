"""Serial and parallel schemes with any root finder: unknowns, solutions, costs."""

from itertools import pairwise

import junction_problems as jp
import numpy as np
import problems
import pytest
from catalogue import brief
from costarica_cases import Estimable

import dovetail as dv
from dovetail.algorithms.base import Schedule
from dovetail.algorithms.scheme import parallel, serial
from dovetail.core.obstacle import Obstacle
from dovetail.core.signals import Tolerance
from dovetail.rootfinders import (
    Aitken,
    Anderson,
    Cascade,
    FixedPoint,
    IqnIls,
    Newton,
    NewtonKrylov,
)
from dovetail.rootfinders.limited_root_finder import LimitedRootFinder
from dovetail.topology.components import Structure

FINDERS = [
    FixedPoint(100, relaxation=0.8),
    Aitken(),
    Anderson(),
    IqnIls(),
    Newton(),
    NewtonKrylov(),
    Cascade((FixedPoint(4), Newton())),
]
every_finder = pytest.mark.parametrize("finder", FINDERS, ids=brief)
every_scheme = pytest.mark.parametrize("scheme", [dv.GaussSeidel, dv.Jacobi])
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def gains(*factors, offset=1.0):
    """A ring of parts, each of which multiplies; the first adds what grows with time."""
    system = dv.System("ring")
    for k, factor in enumerate(factors):
        function = lambda t, u, p, f=factor, c=offset * (k == 0): [f * u.u + c * (1 + t)]  # noqa: E731
        system.add(f"p{k}", dv.Algebraic(inputs=["u"], outputs=["y"], function=function))
    for k in range(len(factors)):
        system.connect(f"p{k}.y", f"p{(k + 1) % len(factors)}.u")
    return system


STRICT = dv.FixedStep(0.1, min_size=0.1)  # a window that does not converge ends the run


def run(system, algorithm, size=0.1, stop=1.0, **more):
    options = {"controller": dv.FixedStep(size), "quiet": True, **more}
    return dv.simulate(system, stop=stop, algorithm=algorithm, **options)


# who is unknown -----------------------------------------------------------------------------------


def test_unknown_in_series_is_what_closes_the_cycle():
    structure = Structure.of(gains(0.5, 0.5, 0.5))
    (component,) = structure.components
    names = structure.layout.inputs.reals
    assert [names[k] for k in parallel(component).unknown.targets] == ["p0.u", "p1.u", "p2.u"]
    assert [names[k] for k in serial(component, (0, 1, 2)).unknown.targets] == ["p0.u"]
    assert [names[k] for k in serial(component, (2, 1, 0)).unknown.targets] == ["p1.u", "p2.u"]
    fed = [t.fresh.targets.tolist() for t in serial(component, (1, 2, 0)).turns]
    assert fed == [[], [2], [0]]


def test_a_part_that_feeds_itself_closes_a_cycle():
    system = gains(0.5)
    (component,) = Structure.of(system).components
    assert serial(component, (0,)).unknown.targets.tolist() == [0]


def test_the_order_of_parts_decides_what_is_unknown():
    """Backwards, two of three inputs are unknown, and one factor cannot turn both."""
    system = gains(-3.0, 1.0, 1.0)
    forwards = run(system, dv.GaussSeidel(solver=Aitken()))
    assert forwards.statistics.iterations <= 3 * forwards.statistics.windows
    algorithm = dv.GaussSeidel(solver=Aitken(), order_of_parts=("p2", "p1", "p0"))
    with pytest.raises(dv.StepFailed, match=r"'p[12].u' is still off"):
        run(system, algorithm, controller=STRICT)


# what it finds ------------------------------------------------------------------------------------


@every_scheme
@every_finder
@pytest.mark.parametrize("inputs", ["hold", "ramp", "hermite"])
def test_all_find_the_same_inputs(scheme, finder, inputs):
    """One solution per shape of inputs, whoever finds it and however parts are asked."""
    best = problems.two_mass.run(dv.Newton(inputs=inputs), 0.05, 0.3, **TIGHT)
    found = problems.two_mass.run(scheme(inputs=inputs, solver=finder), 0.05, 0.3, **TIGHT)
    for name, value in best.final.items():
        assert found.final[name] == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("inputs", ["hold", "ramp", "hermite"])
@every_finder
def test_iterative_is_jacobi_with_a_solver(finder, inputs):
    one, other = (
        problems.two_mass.run(a, 0.05, 0.3)
        for a in (dv.Iterative(finder, inputs), dv.Jacobi(inputs=inputs, solver=finder))
    )
    for name in one:
        assert np.array_equal(one[name], other[name]), name
    assert one.statistics.iterations == other.statistics.iterations


@pytest.mark.parametrize("inputs", ["hold", "ramp"])
def test_plain_repetition_is_the_fixed_point(inputs):
    """The same iterates; the test looks at inputs, not at outputs: counts may differ by one."""
    plain = problems.two_mass.run(dv.GaussSeidel(100, inputs), 0.05, 0.3, **TIGHT)
    fixed = dv.GaussSeidel(inputs=inputs, solver=FixedPoint(100))
    solved = problems.two_mass.run(fixed, 0.05, 0.3, **TIGHT)
    assert abs(plain.statistics.iterations - solved.statistics.iterations) <= 6
    for name, value in plain.final.items():
        assert solved.final[name] == pytest.approx(value, abs=1e-10), name


# against a partitioned loop in plain NumPy --------------------------------------------------------


def partitioned(kind, accelerate, windows, h, tolerance):
    """x' = -x + 3 w and w' = -2 w - 4 x, each solved exactly for an input that is held.

    Serial: the first part runs with the accelerated w, the second with the x just found.
    Parallel: both run with accelerated values. Gives x and the number of passes.
    """
    a, b = np.exp(-h), np.exp(-2 * h)
    x, w, found, passes = 1.0, 0.0, [1.0], 0
    for _ in range(windows):

        def first(v, x=x):
            return a * x + 3 * (1 - a) * v

        def second(v, w=w):
            return b * w - 2 * (1 - b) * v

        def answer(z, first=first, second=second):
            if kind == "serial":
                return np.array([second(first(z[0]))])
            return np.array([second(z[1]), first(z[0])])

        z, history = np.array([w] if kind == "serial" else [w, x]), []
        while True:
            r = answer(z) - z
            history.append((z, r))
            if np.sqrt(np.mean((r / ((np.abs(z) + 1) * tolerance)) ** 2)) <= 1:
                break
            z = accelerate(history)
        passes += len(history)
        x, w = first(z[0]), second(first(z[0]) if kind == "serial" else z[1])
        found.append(x)
    return np.array(found), passes


def relaxed(history):
    z, r = history[-1]
    return z + 0.6 * r


def aitken(history):
    """Irons and Tuck, with the factors found anew from the start of the window."""
    factor = 0.5
    for (_, old), (_, new) in pairwise(history):
        factor *= -(old @ (new - old)) / ((new - old) @ (new - old))
    return history[-1][0] + factor * history[-1][1]


def iqn_ils(history):
    z, r = history[-1]
    if len(history) == 1:
        return z + 0.5 * r
    V = np.column_stack([p[1] - r for p in reversed(history[:-1])])
    W = np.column_stack([p[0] + p[1] - z - r for p in reversed(history[:-1])])
    return z + W @ np.linalg.lstsq(V, -r, rcond=None)[0] + r


@pytest.mark.parametrize("kind", ["serial", "parallel"])
@pytest.mark.parametrize(
    ("finder", "accelerate"),
    [
        (FixedPoint(200, relaxation=0.6), relaxed),
        (Aitken(largest=1e9), aitken),
        (IqnIls(reused_windows=0, filter_limit=0.0), iqn_ils),
    ],
    ids=["constant", "aitken", "iqn-ils"],
)
def test_runs_are_those_of_a_partitioned_loop_written_by_hand(kind, finder, accelerate):
    """The same values and the same number of passes over the cycle, window by window."""
    tolerance, h = 1e-8, 0.2
    found, passes = partitioned(kind, accelerate, 20, h, tolerance)
    system = dv.System("pair")
    system.add("first", problems.Linear(("w",), ("x",), [[-1]], [[3]], [[1]], 0, x=[1.0]))
    system.add("second", problems.Linear(("x",), ("w",), [[-2]], [[-4]], [[1]], 0, x=[0.0]))
    system.connect("second.w", "first.w")
    system.connect("first.x", "second.x")
    algorithm = (dv.GaussSeidel if kind == "serial" else dv.Jacobi)(solver=finder)
    result = run(system, algorithm, h, 20 * h, rtol=tolerance, atol=tolerance)
    assert result["first.x"] == pytest.approx(found, abs=1e-12)
    assert result.statistics.iterations == passes


# what it costs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [-25.0, -0.9, 0.5, 4.0])
def test_aitken_in_series_needs_three_sweeps_of_a_linear_loop(gain):
    """Two parts and one unknown: whatever the gain, two sweeps tell the factor."""
    result = run(gains(gain, 1.0), dv.GaussSeidel(solver=Aitken(largest=100.0)), **TIGHT)
    assert result["p0.y"][-1] == pytest.approx(2 / (1 - gain), rel=1e-9)
    assert result.statistics.iterations <= 3 * result.statistics.windows


@pytest.mark.parametrize("parts", [2, 4, 6])
def test_series_need_fewer_passes_than_parallel_around_a_ring(parts):
    """In parallel a value takes as many passes as there are parts to come around.

    With one unknown three passes are enough; differences are a little off and need a correction.
    """
    system = gains(*[-1.1] * (parts - 1), 1.1)
    for finder in (Anderson(), IqnIls(0), Newton(), NewtonKrylov()):
        one, all_at_once = (
            run(system, scheme(solver=finder), stop=0.1, **TIGHT).statistics.iterations
            for scheme in (dv.GaussSeidel, dv.Jacobi)
        )
        assert one <= (3 if isinstance(finder, Anderson | IqnIls) else 5)
        assert all_at_once > one, finder
        assert all_at_once >= parts + 1 or isinstance(finder, NewtonKrylov)


@every_scheme
def test_iqn_ils_needs_as_many_passes_as_unknowns_and_two(scheme):
    """A linear interface, hold: two unknowns in parallel, one in series."""
    result = problems.two_mass.run(scheme(solver=IqnIls(0)), 0.05, 0.5, **TIGHT)
    (component,) = Structure.of(problems.two_mass_system()).components
    known = serial(component, component.parts) if scheme is dv.GaussSeidel else parallel(component)
    limit = known.unknown.targets.size + 2
    assert result.statistics.iterations <= limit * result.statistics.windows


@every_scheme
def test_what_past_windows_taught_saves_passes(scheme):
    passes = [
        problems.two_mass.run(scheme(solver=IqnIls(n)), 0.05, 1.0, **TIGHT).statistics.iterations
        for n in (0, 4)
    ]
    assert passes[1] <= 0.8 * passes[0]


def test_parts_are_asked_once_per_pass():
    result = run(gains(-3.0, 1.0), dv.GaussSeidel(solver=Aitken()), **TIGHT)
    by_part = result.statistics.evaluations_by_part
    assert set(by_part.values()) <= {result.statistics.iterations}


# limits -------------------------------------------------------------------------------------------


@every_scheme
@every_finder
def test_max_iterations_limits_the_passes_of_any_root_finder(scheme, finder):
    system = gains(-0.97, 0.99, 0.98, offset=100.0)
    algorithm = scheme(2, solver=finder, on_limit="accept")
    result = run(system, algorithm, stop=0.1, **TIGHT)
    assert result.statistics.iterations == 2
    assert result.statistics.iteration_limit_reached == 1
    with pytest.raises(dv.StepFailed, match=r"after 2 evaluations 'p\d.u' is still off by"):
        run(system, scheme(2, solver=finder), controller=STRICT, **TIGHT)


def test_without_a_limit_the_solver_has_its_own():
    with pytest.raises(dv.StepFailed, match="after 7 evaluations"):
        run(gains(-0.999, 1.0), dv.GaussSeidel(solver=FixedPoint(7)), **TIGHT)


def test_a_limit_leaves_a_root_finder_as_it_is_below():
    def residual(z):
        return np.cos(z) - z

    start, tolerance = np.zeros(1), Tolerance(1e-10, 1e-12)
    free = Anderson().solve(residual, start, tolerance)
    bound = LimitedRootFinder(Anderson(), 50).solve(residual, start, tolerance)
    assert bound.value == free.value
    assert bound.evaluations == free.evaluations
    short = LimitedRootFinder(Anderson(), 3).solve(residual, start, tolerance)
    assert (short.evaluations, short.converged) == (3, False)
    assert short.error == tolerance.measure(residual(short.value), short.value)


@every_scheme
def test_below_the_fall_back_size_one_pass_is_accepted_and_counted(scheme):
    algorithm = scheme(20, solver=FixedPoint(), fall_back_size=0.2)
    result = run(gains(-3.0, 1.0), algorithm)
    assert result.statistics.iterations == result.statistics.windows
    assert result.statistics.iteration_limit_reached == result.statistics.windows


# parts of every kind ------------------------------------------------------------------------------


@every_scheme
@every_finder
def test_estimated_parts_step_once_per_window(scheme, finder):
    wrapped = problems.two_mass.draw(Estimable)
    result = run(wrapped, scheme(inputs="ramp", solver=finder), 0.05, 0.5, **TIGHT)
    assert set(result.statistics.evaluations_by_part.values()) == {result.statistics.windows}
    best = problems.two_mass.run(dv.Newton(inputs="ramp"), 0.05, 0.5, **TIGHT)
    for name, value in best.final.items():
        assert result.final[name] == pytest.approx(value, abs=1e-7), name


@pytest.mark.parametrize("solver", ["euler", "rk4"])
@every_scheme
@pytest.mark.parametrize("finder", [Anderson(), IqnIls(), Newton()], ids=brief)
def test_junctions_are_solved_inside_windows(scheme, finder, solver):
    """Two inductors in series: what Newton's method finds, whoever looks for it."""
    system = jp.two_inductors(solver=solver, step=0.01)
    best = jp.simulate(system, 0.01, 0.16, dv.Newton(**TIGHT))
    found = jp.simulate(system, 0.01, 0.16, scheme(solver=finder, **TIGHT))
    for name in ("loaded.i", "loaded.v"):
        assert found[name] == pytest.approx(best[name], abs=1e-8), name


def test_without_a_solver_junctions_are_left_to_sliding_mode():
    system = jp.two_inductors(solver="rk4", step=0.01)
    plain, solved = (
        jp.simulate(system, 0.01, 0.16, a)
        for a in (dv.GaussSeidel(20), dv.GaussSeidel(solver=Anderson()))
    )
    assert not np.allclose(plain["loaded.v"], solved["loaded.v"], rtol=1e-6)


@every_scheme
def test_windows_that_are_rejected_take_what_was_learned_with_them(scheme):
    """A run with rejections passes as often as one that never saw them, from the same window on."""
    controller = dv.StepDoubling(1e-6, 1e-6, first_size=0.2)
    algorithm = scheme(inputs="ramp", solver=IqnIls())
    first, second = (
        dv.simulate(
            problems.prey_predator.draw(), stop=2.0, algorithm=algorithm, controller=controller
        )
        for _ in range(2)
    )
    assert first.statistics.rejected_by_error > 0
    assert first.statistics.iterations == second.statistics.iterations
    assert np.array_equal(first["prey.x"], second["prey.x"])


@every_scheme
def test_a_loop_that_does_not_converge_is_cured_by_smaller_windows(scheme):
    """Relaxed, the loop converges for windows below a tenth of a second only."""
    controller = dv.FixedStep(0.4, min_size=0.001)
    algorithm = scheme(8, inputs="ramp", solver=FixedPoint(50))
    result = problems.two_mass.run(algorithm, controller, 1.2, rtol=1e-9, atol=1e-9)
    assert result.statistics.rejected_by_convergence > 0
    assert result.verdict.converged


@every_scheme
def test_no_native_twin_is_pretended(scheme):
    structure = Structure.of(problems.two_mass_system())
    assert isinstance(scheme(20, solver=NewtonKrylov()).schedule(structure), Obstacle)
    assert isinstance(scheme(20, solver=Aitken()).schedule(structure), Schedule)
    assert isinstance(scheme(20).schedule(structure), Schedule)
