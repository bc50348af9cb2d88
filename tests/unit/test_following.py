"""A companion whose windows end where those of the run do."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest
from truth.problems import PROBLEMS

import dovetail as dv
from dovetail.topology.components import Structure
from dovetail.verification.following import Following
from dovetail.verification.treatment import RunWays, treatments
from dovetail.verification.window_ends import WindowEnds


def _oscillator(**more: Any) -> dv.System:
    """Its exact motion is cos 2t."""
    mass = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
        rtol=1e-9,
        atol=1e-11,
        **more,
    )
    spring = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
    system = dv.System("oscillator")
    system.add("mass", mass)
    system.add("spring", spring)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    return system


def _told(*times: float) -> WindowEnds:
    ends = WindowEnds(times)
    ends.end()
    return ends


def test_ends_around_a_time_are_those_of_two_windows() -> None:
    ends = _told(0.0, 1.0, 1.0, 3.0, 4.0)
    assert ends.around(0.0) == ends.around(1.0) == ends.around(2.5) == (0.0, 1.0, 3.0)
    assert ends.around(3.0) == ends.around(3.0 - 1e-12) == (3.0, 4.0)  # as near as that is there
    assert ends.around(4.0) == ()
    ends.close()


def test_rows_and_blocks_are_told_and_the_same_time_only_once() -> None:
    ends, no = WindowEnds(), np.zeros(0)
    ends.row(0.0, no, ())
    ends.block(np.array([0.0, 0.5, 0.5, 1.0]), no, ())
    ends.block(np.array([1.0]), no, ())
    ends.row(2.0, no, ())
    ends.end()
    assert [ends.around(t) for t in (0.0, 1.0)] == [(0.0, 0.5, 1.0), (1.0, 2.0)]
    ends.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes made by fork")
def test_another_process_waits_until_an_end_is_told() -> None:
    ends = WindowEnds()
    ends.row(0.0, np.zeros(0), ())
    if (child := os.fork()) == 0:
        found = ends.around(0.0) == (0.0, 0.25) and ends.around(0.25) == ()
        os._exit(0 if found else 1)
    time.sleep(0.02)
    ends.row(0.25, np.zeros(0), ())
    ends.end()
    assert os.waitpid(child, 0)[1] == 0
    ends.close()


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (1, [2.0, 3.0, 6.0, 7.0]),
        (2, [1.0, 2.0, 3.0, 6.0, 7.0]),
        (3, [2 / 3, 4 / 3, 2.0, 2.5, 3.0, 4.5, 6.0, 6.5, 7.0]),
    ],
)
def test_windows_lead_over_two_of_the_run(steps: Any, wanted: list[float]) -> None:
    """Two that are equal, two that are not, and a last one."""
    ends = _told(0.0, 1.0, 2.0, 3.0, 6.0, 7.0)
    pace, now, found = Following(ends, 0.0, steps), 0.0, []
    while (size := pace._next(now)) is not None:
        now += size
        found.append(now)
    assert found == pytest.approx(wanted)
    assert pace._next(1.5) == pytest.approx(0.5)  # from an event on, back to an end
    ends.close()


def _ways(algorithm: Any, controller: Any, system: dv.System | None = None) -> list[str]:
    system, ends = system or _oscillator(), _told(0.0, 1.0)
    given = RunWays(algorithm, controller, None, (1e-5, 1e-6))
    found = [t.words for t in treatments(system, Structure.of(system), given, ends)]
    ends.close()
    return found


def test_a_run_with_windows_of_many_sizes_is_followed() -> None:
    same = "the same method at windows two thirds as long"
    rest = [same, "the same method at a quarter of the tolerances"]
    linear = dv.GaussSeidel(20, inputs="ramp")
    cubic = "cubic inputs, iterated, at the windows of the run"
    assert _ways(linear, dv.StepDoubling()) == [cubic, *rest]
    assert _ways(dv.GaussSeidel(20, inputs="hermite"), dv.StepDoubling()) == rest
    single = _ways(dv.GaussSeidel(extrapolation=1), dv.InputDefect())
    assert single[0] == "cubic inputs, iterated, at each two windows of the run as one"
    assert _ways(linear, dv.Adaptive()) == [cubic, same]  # it has no tolerances


def test_a_part_of_which_nothing_is_known_is_not_guessed_in_a_companion() -> None:
    found = _ways(dv.GaussSeidel(extrapolation=1), dv.InputDefect(), PROBLEMS["closed_lag"].draw())
    assert found[0] == "the same method at windows two thirds as long"


@pytest.mark.parametrize(
    ("algorithm", "controller"),
    [
        (dv.GaussSeidel(50, inputs="ramp"), dv.StepDoubling(1e-3, 1e-6, scale="range")),
        (dv.GaussSeidel(50, inputs="hermite"), dv.StepDoubling(1e-3, 1e-9, scale="range")),
        (dv.Missiles(), dv.StepDoubling(1e-3, 1e-9, scale="range")),
        (dv.GaussSeidel(extrapolation=1), dv.InputDefect(1e-3, 1e-6, scale="range")),
        (dv.GaussSeidel(50, inputs="ramp"), dv.Adaptive(max_size=0.1)),
        (dv.GaussSeidel(50, inputs="ramp"), dv.ErrorCheck(0.05)),
        (None, None),
    ],
)
def test_the_estimate_is_the_error_where_windows_follow_something(
    algorithm: Any, controller: Any
) -> None:
    """Rows of both runs are at the same times, so that nothing is read between them.

    Of the same method at two thirds of the windows the difference is 0.8 of the error, of a
    kink a third: it is taken for 0.52 of it.
    """
    result = dv.simulate(
        _oscillator(),
        stop=5.0,
        algorithm=algorithm,
        controller=controller,
        verify=True,
        quiet=True,
    )
    true = np.abs(result["mass.x"] - np.cos(2 * result.time)).max() / 2
    verdict = result.verdict
    assert verdict is not None and verdict.error is not None
    assert verdict.errors["mass.x"] == pytest.approx(true, rel=0.6)
    again = dv.verify(result)
    assert again.errors["mass.x"] == pytest.approx(verdict.errors["mass.x"], rel=1e-6)


def test_a_window_that_does_not_converge_is_halved_and_the_next_one_leads_back() -> None:
    """The gain of the loop is 2 h squared: so few sweeps are enough in short windows only."""
    ends = _told(*np.arange(0.0, 2.1, 0.5))
    way = dv.GaussSeidel(8, rtol=1e-7, atol=1e-9)
    pace: Any = Following(ends, 0.0, 2)
    found = dv.simulate(_oscillator(), stop=2.0, algorithm=way, controller=pace, quiet=True)
    ends.close()
    assert found.statistics.rejected_by_convergence > 0
    assert {0.5, 1.0, 1.5, 2.0} <= set(found.time.tolist())


def test_a_result_of_which_rows_were_left_out_is_not_followed() -> None:
    how: Any = {"stop": 5.0, "quiet": True, "verify": False}
    result = dv.simulate(_oscillator(), recorder=dv.Sampling(every=0.5), **how)
    verdict = dv.verify(result)
    assert verdict.verified_by == "a second run with the same method at a quarter of the tolerances"
