"""What every root finder promises."""

import numpy as np
import pytest
from catalogue import brief, contractions, rootfinders

from dovetail.core.signals import Signals, Tolerance
from dovetail.rootfinders import (
    Aitken,
    Anderson,
    Cascade,
    ConvergenceTest,
    FixedPoint,
    IqnIls,
    Newton,
)
from dovetail.rootfinders.base import recalled

TIGHT = Tolerance(1e-10, 1e-12)

every_finder = pytest.mark.parametrize("finder", [*rootfinders, *contractions], ids=brief)


class Counted:
    """A residual that remembers where it was asked."""

    def __init__(self, residual):
        self.residual, self.asked = residual, []

    def __call__(self, z):
        self.asked.append(np.array(z))
        return self.residual(z)


def linear(gain, size=1):
    """z = gain z + 1, in as many unknowns that do not know each other."""
    return lambda z: gain * z + np.arange(1, size + 1) - z


def honest(root, residual, tolerance=TIGHT):
    """Whatever it found, it says so truly."""
    r = residual.residual(root.value)
    assert root.error == pytest.approx(tolerance.measure(r, root.value), rel=1e-9)
    assert root.converged == (root.error <= 1)
    assert np.array_equal(residual.asked[-1], root.value), "value is the last point evaluated"


@every_finder
@pytest.mark.parametrize("gain", [-0.5, 0.0, 0.5])
def test_a_mild_linear_loop_is_solved(finder, gain):
    residual = Counted(linear(gain))
    root = finder.solve(residual, np.zeros(1), TIGHT)
    assert root.converged
    assert root.value == pytest.approx([1 / (1 - gain)], rel=1e-9)
    assert root.evaluations == len(residual.asked)
    honest(root, residual)


@pytest.mark.parametrize("finder", rootfinders, ids=brief)
@pytest.mark.parametrize("gain", [-25.0, -1.0, 3.0])
def test_a_strong_linear_loop_is_solved_by_those_who_can(finder, gain):
    residual = Counted(linear(gain))
    root = finder.solve(residual, np.zeros(1), TIGHT)
    assert root.converged
    assert root.value == pytest.approx([1 / (1 - gain)], rel=1e-9)
    honest(root, residual)


@pytest.mark.parametrize("finder", contractions, ids=brief)
def test_a_strong_loop_is_given_up_honestly(finder):
    residual = Counted(linear(-2.0))
    root = finder.solve(residual, np.zeros(1), TIGHT)
    assert not root.converged
    assert root.error > 1
    assert root.evaluations == len(residual.asked)


@every_finder
def test_a_nonlinear_loop_is_solved(finder):
    """z = cos z and a neighbour that leans on it."""
    residual = Counted(lambda z: np.array([np.cos(z[0]), 0.3 * z[0] * z[1] + 1]) - z)
    root = finder.solve(residual, np.array([0.5, 0.5]), TIGHT)
    assert root.converged
    assert root.value == pytest.approx([0.739085133215, 1 / (1 - 0.3 * 0.739085133215)], rel=1e-9)
    honest(root, residual)


@every_finder
def test_many_unknowns_at_once(finder):
    rng = np.random.default_rng(1)
    M = rng.normal(size=(8, 8)) * 0.15
    residual = Counted(lambda z: M @ z + 1 - z)
    root = finder.solve(residual, np.zeros(8), TIGHT)
    assert root.converged
    assert root.value == pytest.approx(np.linalg.solve(np.eye(8) - M, np.ones(8)), rel=1e-7)
    honest(root, residual)


@every_finder
def test_a_start_at_the_root_costs_one_evaluation(finder):
    residual = Counted(linear(0.5))
    root = finder.solve(residual, np.array([2.0]), TIGHT)
    assert root.converged
    assert root.evaluations == len(residual.asked) == 1


@every_finder
def test_no_unknowns_are_no_trouble(finder):
    residual = Counted(lambda z: z)
    root = finder.solve(residual, np.zeros(0), TIGHT)
    assert root.converged
    assert root.evaluations == 1


@every_finder
def test_no_root_is_no_success(finder):
    """z = z + 1 + z^2 has none."""
    residual = Counted(lambda z: 1 + z * z)
    with np.errstate(all="ignore"):
        root = finder.solve(residual, np.zeros(1), TIGHT)
    assert not root.converged


@every_finder
def test_a_residual_that_is_no_number_ends_the_search(finder):
    residual = Counted(lambda z: np.array([np.nan]))
    root = finder.solve(residual, np.zeros(1), TIGHT)
    assert not root.converged
    assert root.error == np.inf
    assert root.evaluations <= 2


@every_finder
def test_the_start_is_left_alone(finder):
    start = np.array([0.3, 0.4])
    kept = start.copy()
    finder.solve(linear(0.5, 2), start, TIGHT)
    assert np.array_equal(start, kept)


@pytest.mark.parametrize("finder", [Newton(), Newton(damping=True)], ids=brief)
def test_newton_uses_the_jacobian_it_is_given(finder):
    residual = Counted(linear(-25.0))
    root = finder.solve(residual, np.zeros(1), TIGHT, lambda z: np.array([[-26.0]]))
    assert root.converged
    assert root.evaluations == len(residual.asked) == 2


def test_newton_gives_up_where_the_jacobian_is_singular():
    root = Newton().solve(Counted(lambda z: np.ones(2)), np.zeros(2), TIGHT)
    assert not root.converged


def test_newton_ends_at_its_value_where_the_jacobian_is_singular():
    residual = Counted(lambda z: np.ones(2))
    root = Newton().solve(residual, np.zeros(2), TIGHT)
    assert np.array_equal(residual.asked[-1], root.value)


def test_damping_halves_a_step_that_overshoots():
    """A step from 3 to -7.5 is too far; the residual there is no smaller."""
    steep = Counted(lambda z: -np.tanh(z) - 0.01 * z)
    assert not Newton(6).solve(steep, np.array([3.0]), TIGHT).converged
    root = Newton(20, damping=True).solve(steep, np.array([3.0]), TIGHT)
    assert root.converged
    assert root.value == pytest.approx([0.0], abs=1e-9)


def test_a_point_that_ran_away_is_no_root():
    """atan: the full step swings farther out each time from 1.4 on."""
    flat = Counted(lambda z: -np.arctan(z))
    root = Newton(20, damping=True).solve(flat, np.array([2.0]), TIGHT)
    assert root.converged
    assert root.value == pytest.approx([0.0], abs=1e-9)


def test_aitken_is_exact_for_one_unknown_after_three_evaluations():
    root = Aitken().solve(linear(-4.0), np.zeros(1), TIGHT)
    assert root.evaluations == 3


def test_anderson_is_done_after_as_many_evaluations_as_unknowns_and_two():
    """One to begin with, n to learn n directions, one to see that it is right."""
    M = np.diag([-25.0, 3.0, 0.4])
    root = Anderson().solve(lambda z: M @ z + 1 - z, np.zeros(3), TIGHT)
    assert root.converged
    assert root.evaluations <= 5


def test_a_fixed_point_stops_early_where_it_is_hopeless():
    root = FixedPoint(1000).solve(linear(-25.0), np.zeros(1), TIGHT)
    assert not root.converged
    assert root.evaluations < 10


def test_a_cascade_adds_up_what_its_members_cost():
    residual = Counted(linear(-25.0))
    root = Cascade((FixedPoint(4), Anderson())).solve(residual, np.zeros(1), TIGHT)
    assert root.converged
    assert root.evaluations == len(residual.asked)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 10])
@pytest.mark.parametrize("gain", [0.2, 1.0, 5.0])
def test_iqn_ils_is_done_after_as_many_evaluations_as_unknowns_and_two(size, gain):
    """One to begin with, n to learn n directions, one to see that it is right."""
    rng = np.random.default_rng(size)
    M, b = gain * rng.normal(size=(size, size)), rng.normal(size=size)
    root = IqnIls().solve(lambda z: M @ z + b - z, np.zeros(size), TIGHT)
    assert root.converged
    assert root.evaluations <= size + 2


def test_iqn_ils_follows_its_article_step_by_step():
    """Degroote, Bathe, Vierendeels 2009, in plain NumPy: x <- x + W c + r, c = argmin |V c + r|.

    V and W hold the differences of residuals and answers to those of the last iteration. With
    as many columns as unknowns at the most: more of them have no unique c.
    """
    M = np.array([[0.2, -0.7, 0.1], [0.4, 0.3, -0.5], [-0.2, 0.6, 0.4]])

    def answer(x):
        return np.tanh(M @ x) + np.array([1.0, -0.5, 0.3])

    x, past, wanted = np.zeros(3), [], []
    for _ in range(5):
        r = answer(x) - x
        wanted.append(x)
        if past:
            V = np.column_stack([p - r for p, _ in past])
            W = np.column_stack([p - answer(x) for _, p in past])
            c = np.linalg.lstsq(V, -r, rcond=None)[0]
            step = W @ c + r
        else:
            step = 0.5 * r
        past, x = [(r, answer(x)), *past], x + step
    residual = Counted(lambda z: answer(z) - z)
    flat = Tolerance(0.0, 1e-12)
    IqnIls(reused_windows=0, filter_limit=0.0).solve(residual, np.zeros(3), flat)
    for ours, theirs in zip(residual.asked, wanted, strict=False):
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_iqn_ils_learns_from_window_to_window():
    """A linear loop that stays as it is: whatever is asked next, two evaluations are enough."""
    M = np.array([[0.3, -2.0], [1.5, 0.4]])
    memory, counts = None, []
    for b in ([1.0, 0.0], [0.0, 2.0], [3.0, -1.0]):
        finder = recalled(IqnIls(), memory)
        root = finder.solve(lambda z, b=b: M @ z + b - z, np.zeros(2), TIGHT)
        assert root.value == pytest.approx(np.linalg.solve(np.eye(2) - M, b), rel=1e-9)
        counts.append(root.evaluations)
        memory = root.memory
    assert counts == [4, 2, 2]


def test_iqn_ils_without_reuse_learns_nothing():
    assert IqnIls(reused_windows=0).solve(linear(0.5), np.zeros(1), TIGHT).memory is None


def test_what_led_nowhere_is_forgotten():
    finder = IqnIls(max_evaluations=6)
    taught = finder.solve(linear(0.5), np.zeros(1), TIGHT).memory
    assert taught
    root = finder.recalling(taught).solve(lambda z: 1 + z * z, np.zeros(1), TIGHT)
    assert not root.converged
    assert not root.memory


def test_no_more_windows_are_remembered_than_asked_for():
    memory = None
    for k in range(5):
        finder = recalled(IqnIls(reused_windows=2), memory)
        memory = finder.solve(lambda z, k=k: np.cos(z + k) - z, np.zeros(1), TIGHT).memory
    assert len(memory) == 2


def test_a_cascade_hands_on_what_its_members_learned():
    cascade = Cascade((FixedPoint(3), IqnIls()))
    first = cascade.solve(linear(-25.0), np.zeros(1), TIGHT)
    second = recalled(cascade, first.memory).solve(linear(-25.0), np.array([7.0]), TIGHT)
    assert first.evaluations == 3 + 3
    assert second.evaluations == 3 + 2


@pytest.mark.parametrize("norm", ["rms", "max"])
def test_one_test_measures_residuals_and_iterates_alike(norm):
    test = ConvergenceTest(Tolerance(1e-3, 1e-3, norm))
    old, new = np.array([1.0, 2.0, 0.0]), np.array([1.001, 2.0, 0.0005])
    agreement = test.compare(Signals(old), Signals(new))
    assert agreement.error == test.gauge().measure(new - old, old) == test.measure(new - old, old)
    assert agreement.converged
    assert test.worst(new - old, old) == (0 if abs(0.001 / 0.002) > 0.0005 / 0.001 else 2)


def test_iterates_agree_when_discrete_values_do():
    test = ConvergenceTest()
    old, new = (Signals(np.ones(1), None, ("a", d)) for d in (1, 2))
    agreement = test.compare(old, new)
    assert not agreement.converged
    assert agreement.complaint(["x"], ["mode", "gear"]) == "'gear' still flips"


def test_what_changes_most_is_named():
    test = ConvergenceTest(Tolerance(1e-3, 1e-3))
    old, new = Signals(np.array([1.0, 100.0])), Signals(np.array([1.01, 100.02]))
    agreement = test.compare(old, new)
    assert not agreement.converged
    assert agreement.complaint(["near", "far"], []).startswith("'near' still changes by 3.5 times")


def test_slopes_that_change_are_named_as_such():
    test = ConvergenceTest(Tolerance(1e-3, 1e-3))
    old = Signals(np.ones(2), np.array([1.0, 2.0]))
    new = Signals(np.ones(2), np.array([1.0, 3.0]))
    assert (
        test.compare(old, new).complaint(["a", "b"], []).startswith("the derivative of 'b' still")
    )


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_has_not_converged(value):
    test = ConvergenceTest()
    agreement = test.compare(Signals(np.ones(1)), Signals(np.array([value])))
    assert agreement.error == np.inf
    assert not agreement.converged
