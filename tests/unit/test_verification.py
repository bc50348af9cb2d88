"""The estimated error of a run: distances, rates, companions and where they run."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.topology.components import Structure
from dovetail.verification.child import CompanionProcess
from dovetail.verification.companion import Companion, CompanionOutcome, Course
from dovetail.verification.distance import Distance, between, distance, events
from dovetail.verification.estimate import from_rate
from dovetail.verification.treatment import treatments
from dovetail.verification.verified_recorder import KeptRows


def _oscillator() -> dv.System:
    mass = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
        rtol=1e-9,
        atol=1e-11,
    )
    spring = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
    system = dv.System("oscillator")
    system.add("mass", mass)
    system.add("spring", spring)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    return system


def _apart(a: Any, b: Any, **nominal: float) -> Distance:
    (time, values), (other_time, other) = a, b
    arrays = {n: np.asarray(v, float) for n, v in values.items()}
    others = {n: np.asarray(v, float) for n, v in other.items()}
    return distance(np.asarray(time, float), arrays, np.asarray(other_time, float), others, nominal)


def test_only_times_that_both_have_are_compared() -> None:
    """A coarse row says nothing of what lies between: a parabola would be off by a quarter."""
    t = np.linspace(0, 1, 41)
    coarse = t[::2]
    found = _apart((t, {"y": t**2}), (coarse, {"y": coarse**2}))
    assert found.shares["y"] == 0.0


def test_without_common_times_values_are_read_on_a_smooth_curve() -> None:
    t, other = np.linspace(0, 1, 41), np.sort(np.append(np.linspace(0, 1, 38)[1:-1], (0.0, 1.0)))
    found = _apart((t, {"y": np.sin(3 * t)}), (other, {"y": np.sin(3 * other)}))
    straight = np.abs(np.interp(t, other, np.sin(3 * other)) - np.sin(3 * t)).max()
    assert found.shares["y"] < 0.2 * straight


def test_the_smaller_range_counts() -> None:
    """A run that exploded must not look good beside its own huge range."""
    t = np.linspace(0, 1, 21)
    found = _apart((t, {"y": 1e6 * t}), (t, {"y": t}))
    assert found.shares["y"] == pytest.approx(1e6 - 1)
    assert found.times["y"] == 1.0


def test_a_signal_that_hardly_moves_is_compared_with_its_nominal_value() -> None:
    t = np.linspace(0, 1, 21)
    bent = 5.0 + 1e-12 * t
    assert _apart((t, {"y": bent}), (t, {"y": bent + 1e-6})).shares["y"] == pytest.approx(2e-7)
    found = _apart((t, {"y": bent}), (t, {"y": bent + 1e-6}), y=0.1)
    assert found.shares["y"] == pytest.approx(1e-5)


def test_an_event_that_comes_a_little_later_is_no_error_as_high_as_its_jump() -> None:
    t = np.array([0, 0.25, 0.5, 0.5, 0.75, 1.0])
    late = np.array([0, 0.25, 0.501, 0.501, 0.75, 1.0])
    step = [0.0, 0, 0, 1, 1, 1]
    assert _apart((t, {"y": step}), (late, {"y": step})).shares["y"] == 0.0


def test_unequal_numbers_of_events_are_counted() -> None:
    t, other = np.array([0, 0.5, 0.5, 1.0]), np.array([0, 0.5, 1.0])
    assert _apart((t, {"y": [0, 0, 1, 1]}), (other, {"y": [0, 0.5, 1]})).events == (1, 0)


def test_three_rows_at_one_time_are_one_event() -> None:
    assert events(np.array([0.0, 1.0, 1.0, 1.0, 2.0])) == [3]


def test_a_value_that_is_not_finite_is_infinitely_far_off() -> None:
    t = np.linspace(0, 1, 21)
    y = np.where(t > 0.5, np.nan, t)
    assert not _apart((t, {"y": y}), (t, {"y": t})).shares["y"] <= 1


def test_between_rows_of_two_a_straight_line_is_drawn() -> None:
    found = between(np.array([0.0, 1.0]), np.array([0.0, 2.0]), np.array([0.25]))
    assert found[0] == 0.5


@pytest.mark.parametrize(
    ("before", "now", "order", "share"),
    [
        (4.0, 1.0, 2, 1 / 3),  # as it should be: Richardson
        (2.0, 1.0, 2, 1.0),  # slower than its order: by the rate that is seen
        (32.0, 1.0, 2, 1.0),  # far above its order: windows are too long, nothing is divided
        (1.0, 1.0, 2, 1.0),  # nothing converges
        (0.0, 1.0, 2, 1.0),
    ],
)
def test_a_difference_is_divided_only_by_a_rate_that_can_be_believed(
    before: float, now: float, order: int, share: float
) -> None:
    near = Distance({"y": now}, {"y": 0.0}, (0, 0))
    far = Distance({"y": before}, {"y": 0.0}, (0, 0))
    assert from_rate(near, far, order, "").errors["y"] == pytest.approx(share)


def _ways(algorithm: Any, controller: Any) -> list[str]:
    system = _oscillator()
    given = system, Structure.of(system), algorithm, controller, None, (1e-5, 1e-6)
    return [t.words for t in treatments(*given)]


def test_held_inputs_are_accompanied_by_iterated_ramps_then_by_the_same_method() -> None:
    for algorithm in (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(20)):
        assert _ways(algorithm, dv.FixedStep(0.1)) == [
            "linear inputs, iterated, at windows twice as long",
            "the same method at windows twice as long",
        ]


def test_iterated_ramps_are_accompanied_by_cubics() -> None:
    ways = _ways(dv.GaussSeidel(20, inputs="ramp"), dv.FixedStep(0.1))
    assert ways[0] == "cubic inputs, iterated, at windows twice as long"


def test_windows_that_follow_a_tolerance_are_accompanied_by_another_method_only() -> None:
    assert _ways(dv.GaussSeidel(), dv.StepDoubling()) == [
        "linear inputs, iterated, at windows of its own"
    ]


def _companion(algorithm: Any, size: float, **more: Any) -> Companion:
    pace = dv.FixedStep(size)
    return Companion(_oscillator(), 0.0, 2.0, algorithm, pace, None, (1e-5, 1e-6), "*", **more)


@pytest.mark.parametrize(
    "algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(20, inputs="ramp")]
)
def test_the_difference_to_a_companion_is_the_error(algorithm: Any) -> None:
    """The exact answer is cos 2t."""
    from dovetail.verification.verification import estimated

    size = 0.02
    result = dv.simulate(
        _oscillator(), stop=2.0, algorithm=algorithm, controller=dv.FixedStep(size), quiet=True
    )
    found = estimated(_companion(algorithm, size).run(), Course.of(result), {})
    assert not isinstance(found, str)
    exact = np.cos(2 * result.time)
    true = np.abs(result["mass.x"] - exact).max() / np.ptp(exact)
    assert found.errors["mass.x"] == pytest.approx(true, rel=0.1)


def test_a_companion_that_crashes_says_that_there_is_no_answer() -> None:
    process = CompanionProcess(lambda: os.kill(os.getpid(), 9))  # type: ignore[arg-type]
    assert "without an answer" in process.outcome().failure


def test_a_companion_that_is_not_needed_any_more_leaves_nothing_behind() -> None:
    import time

    def forever() -> CompanionOutcome:
        time.sleep(60)
        return CompanionOutcome()

    process = CompanionProcess(forever)
    path, begin = process._path, time.perf_counter()
    process.close()
    assert not path.exists()
    assert time.perf_counter() - begin < 5


def test_what_a_companion_raises_in_its_process_is_no_answer_either() -> None:
    def wrong() -> CompanionOutcome:
        raise RuntimeError("broken")

    assert CompanionProcess(wrong).outcome().course is None


def test_many_rows_are_thinned_but_not_beside_events() -> None:
    rows = KeptRows(2, most_bytes=16 * 64)
    time = np.arange(1000.0)
    time[501:] -= 1  # two rows at 500
    for t in time:
        rows.add(np.array([[t, 2 * t]]))
    kept = rows.lines()
    assert len(kept) <= 200
    assert np.sum(kept[:, 0] == 500.0) == 2
    assert np.all(kept[:, 1] == 2 * kept[:, 0])
    assert kept[0, 0] == 0.0
