"""An iteration cannot ask for more than its parts can deliver."""

from math import sin

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.signals import Tolerance
from dovetail.rootfinders import Anderson, FixedPoint, Newton
from dovetail.rootfinders.noise_floor import NoiseFloor

TIGHT = Tolerance(1e-10, 1e-10, "max")


def rounded(z):
    """cos z - z from a part that gives seven digits, and others each time."""
    return np.cos(z) - z + 1e-7 * np.sin(1e13 * z)


def slope(z):
    return np.array([[-np.sin(z[0]) - 1.0]])


@pytest.mark.parametrize("finder", [Anderson(), Newton()], ids=repr)
def test_a_search_ends_at_the_noise_and_says_where(finder):
    start = np.array([0.5])
    assert not finder.solve(rounded, start, TIGHT, slope).converged
    found = NoiseFloor(finder).solve(rounded, start, TIGHT, slope)
    assert found.converged
    assert abs(found.value[0] - 0.7390851332151607) < 2e-7
    assert 1 < found.floor < 1e4  # never above what a run asks for by default, 1e-6
    assert abs(rounded(found.value)[0]) <= found.floor * (1e-10 * abs(found.value[0]) + 1e-10)


@pytest.mark.parametrize("finder", [Anderson(), Newton()], ids=repr)
def test_the_next_search_begins_with_that_floor(finder):
    found = NoiseFloor(finder).solve(rounded, np.array([0.5]), TIGHT, slope)
    again = NoiseFloor(finder, 10 * found.floor).solve(rounded, np.array([0.7]), TIGHT, slope)
    assert again.converged
    assert again.evaluations < found.evaluations / 2


def slow(z):
    """A fixed point comes closer by a thousandth each time."""
    return -1e-3 * z


def switch(z):
    """It jumps by 2."""
    return -z + np.where(z > 0, -1.0, 1.0)


@pytest.mark.parametrize(("residual", "start"), [(slow, 5e-4), (switch, 0.5)])
def test_what_falls_slowly_or_jumps_far_is_no_noise(residual, start):
    found = NoiseFloor(FixedPoint(30)).solve(residual, np.array([start]), TIGHT)
    assert not found.converged
    assert found.floor == 1.0


def test_a_short_search_has_not_stopped_for_noise():
    found = NoiseFloor(Anderson(max_evaluations=7)).solve(rounded, np.array([0.5]), TIGHT)
    assert not found.converged


def cylinder():
    """A hydraulic cylinder, with solvers in its parts that are set to 1e-6."""
    system = dv.System("cylinder")
    chamber = dv.Dynamic(
        states={"p": 1e6},
        inputs=["v", "x"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [
            1.2e9 / (2e-4 + 1e-3 * u.x) * (1e-4 * (1 + sin(40 * t)) - 1e-3 * u.v - 2e-11 * s.p)
        ],
        output=lambda t, s, u, p: [1e-3 * (s.p - 1e6)],
    )
    piston = dv.Dynamic(
        states={"x": 0.1, "v": 0.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, (u.f - 200.0 * s.v) / 20.0],
    )
    system.add("piston", piston)
    system.add("chamber", chamber)
    for wire in (("piston.v", "chamber.v"), ("piston.x", "chamber.x"), ("chamber.f", "piston.f")):
        system.connect(*wire)
    return system


@pytest.mark.parametrize(
    "algorithm", [dv.Ifosmondi(tolerance=1e-13), dv.Missiles(tolerance=1e-12)], ids=repr
)
def test_a_run_goes_on_at_the_floor_counts_it_and_tells_it_once(algorithm):
    """Where it is stuck depends on the last bits, in which derivatives of cubics are summed too.

    What is left is 1e-11 to 1.3e-10 of what derivatives move an input by, for tolerances from 1e-11
    to 1e-14; at 1e-12 Ifosmondi comes through by chance, in 642 iterations.
    """
    strict = dv.FixedStep(0.002, min_size=0.002)
    run = dv.simulate(cylinder(), stop=0.1, algorithm=algorithm, controller=strict, quiet=True)
    assert run.finished
    statistics = run.statistics
    assert 0 < statistics.noise_floor_reached <= statistics.windows
    assert 1e-12 < statistics.noise_floor <= 3e-10
    told = [note for note in run.verdict.notes if "noise of its parts" in note]
    assert len(told) == 1 and "smaller windows do not" in told[0]
    assert not run.verdict.doubtful


@pytest.mark.parametrize("algorithm", [dv.Ifosmondi(), dv.Missiles()], ids=repr)
def test_a_derivative_counts_by_what_it_moves_an_input_in_a_window(algorithm):
    """Held against their own size, derivatives kept either search from 1e-10 in 26 of 50 windows.

    What is left of them is noise of differences, which moves no input by as much.
    """
    strict = dv.FixedStep(0.002, min_size=0.002)
    run = dv.simulate(cylinder(), stop=0.1, algorithm=algorithm, controller=strict, quiet=True)
    assert run.statistics.noise_floor_reached == 0
