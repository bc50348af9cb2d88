"""Step counts of the MasterSim family on a prey-predator pair.

The numbers are those of `lotka_volterra_steps.json`, made with an independent stepper after the
developer notes of MasterSim (Nicolai, TU Dresden): accepted windows of step-doubling error
control, slope check included. Each part solves its own equation exactly over a window with
constant input: prey x' = (0.1 - 0.02 u) x, predator y' = (0.02 u - 0.4) y, both starting at 10,
up to t = 100, first window 0.01, at most 10. The tolerance of the iteration is that of the
controller.
"""

from math import exp

import pytest
from problems import Species

import dovetail as dv

WINDOWS = {
    1e-3: {"jacobi": 257, "gauss_seidel": 277, "gauss_seidel_5": 272, "newton_5": 272},
    1e-4: {"jacobi": 802, "gauss_seidel": 866, "gauss_seidel_5": 881, "newton_5": 881},
    1e-5: {"jacobi": 2523, "gauss_seidel": 2733, "gauss_seidel_5": 2801, "newton_5": 2801},
}
ITERATIONS = {
    1e-3: {"gauss_seidel_5": 1768, "newton_5": 1630},
    1e-4: {"gauss_seidel_5": 5735, "newton_5": 5286},
    1e-5: {"gauss_seidel_5": 18239, "newton_5": 16806},
}
EXACT_AT_100 = {"prey.x": 25.68174629, "predator.x": 15.31262383}
ALGORITHMS = {
    "jacobi": dv.Jacobi(),
    "gauss_seidel": dv.GaussSeidel(),
    "gauss_seidel_5": dv.GaussSeidel(5),
    "newton_5": dv.Newton(5),
}


def system():
    drawing = dv.System("predation")
    drawing.add("prey", Species(0.1, -0.02, 10.0))
    drawing.add("predator", Species(-0.4, 0.02, 10.0))
    drawing.connect("prey.x", "predator.u")
    drawing.connect("predator.x", "prey.u")
    return drawing


def run(algorithm, tolerance, stop=100.0, **more):
    options = {"first_size": 0.01, "max_size": 10, "min_size": 1e-8, **more}
    controller = dv.StepDoubling(tolerance, tolerance, **options)
    return dv.simulate(system(), stop=stop, algorithm=algorithm, controller=controller)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_accepted_windows_and_iterations_are_those_of_the_reference(name, tolerance):
    statistics = run(ALGORITHMS[name], tolerance).statistics
    assert statistics.windows == pytest.approx(WINDOWS[tolerance][name], rel=0.01)
    expected = ITERATIONS[tolerance].get(name, 3 * statistics.windows)
    assert statistics.iterations == pytest.approx(expected, rel=0.01)
    assert statistics.rejected_by_error == statistics.rejected_by_convergence == 0


def test_the_error_falls_as_the_square_root_of_the_tolerance():
    errors = []
    for tolerance in (1e-3, 1e-4):
        found = run(ALGORITHMS["gauss_seidel"], tolerance).final
        errors.append(max(abs(found[n] - v) for n, v in EXACT_AT_100.items()))
    assert errors[0] / errors[1] == pytest.approx(10**0.5, rel=0.25)


# The reference has no rejections; so here is a plain stepper without any architecture, and a
# first window that is far too long.


def norm(change, weight, tolerance):
    terms = [
        (c / (abs(w) * tolerance + tolerance)) ** 2 for c, w in zip(change, weight, strict=True)
    ]
    return (sum(terms) / len(terms)) ** 0.5


def sweeps(x, y, h, tolerance):
    """Gauss-Seidel, five sweeps at most; None if they do not agree."""
    old = x, y
    for _ in range(5):
        new_x = x * exp((0.1 - 0.02 * old[1]) * h)
        new = new_x, y * exp((0.02 * new_x - 0.4) * h)
        if norm((new[0] - old[0], new[1] - old[1]), old, tolerance) <= 1:
            return new
        old = new
    return None


def plain(tolerance, h, stop):
    """Step doubling as the notes have it."""
    t, s, accepted, by_convergence, by_error = 0.0, (10.0, 10.0), 0, 0, 0
    while t < stop - 1e-9:
        h = min(h, stop - t)
        f, m = sweeps(*s, h, tolerance), sweeps(*s, h / 2, tolerance)
        a = sweeps(*m, h / 2, tolerance) if f and m else None
        if a is None:
            by_convergence, h = by_convergence + 1, h / 5
            continue
        error = max(
            norm([i - j for i, j in zip(a, f, strict=True)], a, tolerance),
            norm([k - (j + i) / 2 for k, j, i in zip(m, f, s, strict=True)], a, tolerance),
        )
        if error <= 1:
            t, s, accepted = t + h, a, accepted + 1
        else:
            by_error += 1
        h *= min(max(0.9 / error**0.5, 0.2), 2.0)
    return s, accepted, by_convergence, by_error


@pytest.mark.parametrize(("tolerance", "first"), [(1e-4, 8.0), (1e-3, 20.0), (1e-5, 3.0)])
def test_rejections_of_both_kinds_leave_no_trace(tolerance, first):
    s, accepted, by_convergence, by_error = plain(tolerance, first, 20.0)
    assert by_convergence > 0
    assert by_error > 0
    result = run(ALGORITHMS["gauss_seidel_5"], tolerance, 20.0, first_size=first, max_size=20)
    assert result.statistics.windows == accepted
    assert result.statistics.rejected_by_convergence == by_convergence
    assert result.statistics.rejected_by_error == by_error
    assert [result.final["prey.x"], result.final["predator.x"]] == pytest.approx(s, rel=1e-12)
