"""The estimated error of a run: distances, rates, companions and where they run."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.cli.main import main
from dovetail.drawing.run_settings import RunSettings
from dovetail.results.verdict import Verdict
from dovetail.run.run_request import RunRequest
from dovetail.topology.components import Structure
from dovetail.verification.begin import begin
from dovetail.verification.budget import Budget
from dovetail.verification.child import CompanionProcess
from dovetail.verification.companion import Companion, CompanionOutcome, Trajectory
from dovetail.verification.distance import Distance, between, distance, events
from dovetail.verification.estimate import from_difference
from dovetail.verification.treatment import RunWays, Treatment, treatments
from dovetail.verification.verification import estimated
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


def _apart(a: Any, b: Any, *, spikes: bool = False, **nominal: float) -> Distance:
    (time, values), (other_time, other) = a, b
    arrays = {n: np.asarray(v, float) for n, v in values.items()}
    others = {n: np.asarray(v, float) for n, v in other.items()}
    times = np.asarray(time, float), np.asarray(other_time, float)
    return distance(times[0], arrays, times[1], others, nominal, spikes=spikes)


def test_rows_that_the_second_lacks_say_nothing_of_smooth_curves() -> None:
    """A parabola between coarse rows would be off by a quarter on a straight line."""
    t = np.linspace(0, 1, 41)
    coarse = t[::2]
    for spikes in (False, True):
        found = _apart((t, {"y": t**2}), (coarse, {"y": coarse**2}), spikes=spikes)
        assert found.shares["y"] == 0.0


def test_times_that_both_have_at_the_start_alone_are_not_all_that_is_compared() -> None:
    """Windows that grow from the same first one share their first rows, and none after."""
    first = np.geomspace(1e-6, 1e-2, 12)
    mine = np.concatenate([first, np.linspace(0.1, 1.0, 31)])
    theirs = np.concatenate([first, np.linspace(0.05, 1.0, 97)])
    found = _apart((mine, {"y": mine**2 + 0.1 * (mine > 0.5)}), (theirs, {"y": theirs**2}))
    assert found.shares["y"] == pytest.approx(0.1, rel=1e-2)


def test_an_error_that_stands_out_between_rows_is_seen_where_there_may_be_some() -> None:
    t = np.linspace(0, 1, 41)
    coarse, spike = t[::2], np.where(np.arange(41) == 1, 0.1, 0.0)
    both = (t, {"y": t + spike}), (coarse, {"y": coarse})
    assert _apart(*both).shares["y"] == 0.0
    found = _apart(*both, spikes=True)
    assert found.shares["y"] == pytest.approx(0.1) and found.times["y"] == t[1]


def test_values_that_are_held_between_rows_say_nothing() -> None:
    """A sampled value between two rows of the second is not on the line between them."""
    t = np.linspace(0, 1, 41)
    held = np.floor(np.arange(41) / 2 + 1e-9)
    found = _apart((t, {"y": held}), (t[::2], {"y": held[::2]}), spikes=True)
    assert found.shares["y"] == 0.0


def test_a_last_row_that_the_second_lacks_is_looked_at_too() -> None:
    """Left of an event that comes a little earlier in the run, there is no row behind it."""
    t = np.append(np.linspace(0, 1, 41), 1.0)
    late = np.append(np.linspace(0, 1.01, 41)[[0]], t[2:-1:2])
    t[-2:] = 0.99, 0.99
    late[-1:] = 1.01
    late = np.append(late, 1.01)
    found = _apart((t, {"y": 2 * t}), (late, {"y": 2 * late}), spikes=True)
    assert found.shares["y"] < 1e-9


def test_without_common_times_values_are_read_on_a_smooth_curve() -> None:
    t, other = np.linspace(0, 1, 41), np.sort(np.append(np.linspace(0, 1, 38)[1:-1], (0.0, 1.0)))
    found = _apart((t, {"y": np.sin(3 * t)}), (other, {"y": np.sin(3 * other)}))
    straight = np.abs(np.interp(t, other, np.sin(3 * other)) - np.sin(3 * t)).max()
    assert found.shares["y"] < 0.2 * straight


def test_the_range_of_the_second_counts() -> None:
    """A run that exploded must not look good beside its own huge range."""
    t = np.linspace(0, 1, 21)
    found = _apart((t, {"y": 1e6 * t}), (t, {"y": t}))
    assert found.shares["y"] == pytest.approx(1e6 - 1)
    assert found.times["y"] == 1.0
    found = _apart((t, {"y": 0.5 * t}), (t, {"y": t}))  # damped away: off by half, not by all
    assert found.shares["y"] == pytest.approx(0.5)


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


def test_a_value_that_was_not_finite_is_not_forgotten_behind_an_event() -> None:
    t = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    y = np.array([0.0, np.nan, 1.0, 1.0, 1.5, 2.0])
    assert _apart((t, {"y": y}), (t, {"y": t})).shares["y"] == np.inf


def test_between_rows_of_two_a_straight_line_is_drawn() -> None:
    found = between(np.array([0.0, 1.0]), np.array([0.0, 2.0]), np.array([0.25]))
    assert found[0] == 0.5


def _treatments(algorithm: Any, controller: Any) -> list[Treatment]:
    system = _oscillator()
    given = RunWays(algorithm, controller, None, (1e-5, 1e-6))
    return treatments(system, Structure.of(system), given)


def _ways(algorithm: Any, controller: Any) -> list[str]:
    return [t.words for t in _treatments(algorithm, controller)]


def test_a_difference_of_windows_only_is_a_part_of_the_error() -> None:
    """Of order 4, at 0.75 times the windows: 0.68 errors; of order 1 a quarter; 0.41 between."""
    cubic = dv.GaussSeidel(50, inputs="hermite")
    *_, shorter, longer = _treatments(cubic, dv.FixedStep(0.1))
    assert longer.longer and longer.share == pytest.approx(1.42, abs=0.01)
    assert not shorter.longer and shorter.share == pytest.approx(0.41, abs=0.01)
    found = from_difference(Distance({"y": 0.2}, {"y": 1.0}, (0, 0)), "w", 2.0)
    assert found.errors == {"y": 0.1}


def test_held_inputs_are_accompanied_by_iterated_ramps_then_by_the_same_method() -> None:
    for algorithm in (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(20)):
        assert _ways(algorithm, dv.FixedStep(0.1)) == [
            "linear inputs, iterated, at windows twice as long",
            "the same method at windows 0.75 times as long",
            "the same method at windows 1.5 times as long",
        ]


def test_iterated_ramps_are_accompanied_by_cubics() -> None:
    ways = _ways(dv.GaussSeidel(20, inputs="ramp"), dv.FixedStep(0.1))
    assert ways[0] == "cubic inputs, iterated, at windows twice as long"


def test_a_run_in_one_pass_is_compared_at_the_end_of_its_first_window_too() -> None:
    """Nothing is known there to extrapolate from; an iterated run is not worse there."""
    system = _oscillator()
    first, *_ = _treatments(dv.GaussSeidel(extrapolation=1), dv.FixedStep(0.1))
    result = dv.simulate(
        system, stop=0.9, algorithm=first.algorithm, controller=first.controller, quiet=True
    )
    assert result.time == pytest.approx([0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
    usual, *_ = _treatments(dv.GaussSeidel(20, inputs="ramp"), dv.FixedStep(0.1))
    assert usual.controller == dv.FixedStep(0.2, 0.2 / 64)


def test_the_same_method_has_a_row_at_the_end_of_the_first_window_and_is_better_there() -> None:
    """Where windows differ only: four quarters up to 0.1, then those of 0.075, cut for a while."""
    cubic = dv.GaussSeidel(20, inputs="hermite")
    first, *_ = _treatments(cubic, dv.FixedStep(0.1))
    result = dv.simulate(
        _oscillator(), stop=0.45, algorithm=cubic, controller=first.controller, quiet=True
    )
    begin = [0.0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.1875, 0.225, 0.2625, 0.3]
    assert result.time == pytest.approx([*begin, 0.375, 0.45])


def test_windows_that_follow_a_tolerance_are_accompanied_by_another_method_only() -> None:
    assert _ways(dv.GaussSeidel(), dv.StepDoubling()) == [
        "linear inputs, iterated, at windows of its own",
        "the same method at a quarter of the tolerances",
    ]
    cubic = dv.GaussSeidel(20, inputs="hermite")
    assert _ways(cubic, dv.StepDoubling()) == ["the same method at a quarter of the tolerances"]


def test_windows_that_follow_inputs_are_accompanied_by_ones_that_follow_their_error() -> None:
    """An iterated method has no defect of inputs."""
    first, *_ = _treatments(dv.GaussSeidel(extrapolation=1), dv.InputDefect(1e-3, 1e-6))
    assert first.words == "cubic inputs, iterated, at windows of its own"
    assert first.controller == dv.StepDoubling(1e-3, 1e-6, scale="range")


def test_parts_that_can_roll_back_are_not_estimated_in_a_companion() -> None:
    system = _oscillator()
    learned = {"mass": dv.Identified()}
    given = RunWays(dv.GaussSeidel(50), dv.FixedStep(0.1), learned, (1e-5, 1e-6))
    first, *rest = treatments(system, Structure.of(system), given)
    assert first.estimators is None and all(t.estimators == learned for t in rest)


def _companion(algorithm: Any, size: float) -> Companion:
    system, settings = _oscillator(), RunSettings(stop=2.0)
    settings = replace(settings, algorithm=algorithm, controller=dv.FixedStep(size))
    return Companion(system, RunRequest.of(system, settings, dv.Consistent()))


@pytest.mark.parametrize(
    "algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(20, inputs="ramp")]
)
def test_the_difference_to_a_companion_is_the_error(algorithm: Any) -> None:
    """The exact answer is cos 2t."""
    size = 0.02
    result = dv.simulate(
        _oscillator(), stop=2.0, algorithm=algorithm, controller=dv.FixedStep(size), quiet=True
    )
    found = estimated(_companion(algorithm, size).run(), Trajectory.of(result), {})
    assert not isinstance(found, str)
    exact = np.cos(2 * result.time)
    true = np.abs(result["mass.x"] - exact).max() / np.ptp(exact)
    assert found.errors["mass.x"] == pytest.approx(true, rel=0.1)


def test_a_companion_that_costs_too_much_gives_way_to_a_cheaper_one() -> None:
    """20 windows in one pass are 40 evaluations; iterated ramps at 10 windows take more."""
    companion = _companion(dv.GaussSeidel(), 0.1)
    budget = Budget()
    assert budget.most == np.inf
    budget.tell(40)
    assert budget.most == 1000  # below, a companion is never too dear
    plenty = replace(companion, budget=budget).run()
    assert plenty.way.startswith("linear inputs") and 40 < plenty.evaluations < 1000
    budget._put(30)
    found = replace(companion, budget=budget).run()
    assert found.way == "the same method at windows 1.5 times as long" and found.evaluations <= 30
    budget._put(5)
    failure = replace(companion, budget=budget).run().failure
    assert "took more than 4 times the evaluations of the run; verify='companion' lets" in failure


def test_a_run_is_told_to_its_companion_and_any_number_allowed_if_it_was_asked_for() -> None:
    system, asked = _oscillator(), RunSettings(stop=2.0, controller=dv.FixedStep(0.1))
    request = RunRequest.of(system, asked, dv.Consistent())
    for verify, told in ((True, True), ("companion", False)):
        verification = begin(system, request, verify, None)  # type: ignore[arg-type]
        assert (verification._budget is not None) == told
        verification.close()


def test_events_that_cut_longer_windows_call_for_shorter_ones() -> None:
    """Samples at every window: with cubics there is nothing better, and longer ones are cut."""
    system = _oscillator()
    hold = dv.Discrete(period=0.1, inputs=["x"], outputs=["y"], output=lambda t, x, u, p: [u.x])
    system.add("hold", hold)
    system.connect("mass.x", "hold.x")
    settings = RunSettings(
        stop=2.0,
        algorithm=dv.GaussSeidel(50, inputs="hermite"),
        controller=dv.FixedStep(0.1),
    )
    found = Companion(system, RunRequest.of(system, settings, dv.Consistent())).run()
    assert found.way == "the same method at windows 0.75 times as long"


@pytest.mark.parametrize(("rtol", "told"), [(1e-9, False), (1e-3, True)])
def test_tolerances_of_parts_that_are_not_far_below_the_error_are_told(
    rtol: float, told: bool
) -> None:
    """The error of coupling is some 0.1 %: ten times below that is 1e-4."""
    system = _oscillator()
    system.replace("mass", replace(system.parts["mass"].model, rtol=rtol))
    how: Any = {"algorithm": dv.GaussSeidel(50, inputs="ramp"), "step": 0.05, "quiet": True}
    verdict = dv.simulate(system, stop=5.0, verify=True, **how).verdict
    assert verdict is not None
    assert ("'mass' is solved to 0.001 only" in str(verdict)) == told


def test_tolerances_that_make_no_other_windows_prove_nothing() -> None:
    """Inputs of a chain in one pass are never off, whatever the windows: both runs are equal."""
    t = np.linspace(0, 1, 21)
    same = Trajectory(t, {"y": t})
    for tighter in (True, False):
        outcome = CompanionOutcome("the same", same, 0.6, tighter=tighter)
        assert isinstance(estimated(outcome, same, {}), str) == tighter
    finer = Trajectory(np.linspace(0, 1, 41), {"y": np.linspace(0, 1, 41)})
    assert not isinstance(estimated(CompanionOutcome("x", finer, tighter=True), same, {}), str)


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


def _true_error(result: dv.Result) -> float:
    exact = np.cos(2 * result.time)
    return float(np.abs(result["mass.x"] - exact).max() / np.ptp(exact))


@pytest.mark.parametrize("way", [True, "companion", "merged"])
@pytest.mark.parametrize(
    "options",
    [
        {"step": 0.02},
        {"step": 0.02, "algorithm": "gauss_seidel"},
        {"controller": "step_doubling(rtol=1e-4)"},
    ],
    ids=str,
)
def test_a_verified_run_knows_its_error(way: Any, options: dict[str, Any]) -> None:
    result = dv.simulate(_oscillator(), stop=10.0, verify=way, quiet=True, **options)
    verdict = result.verdict
    assert verdict is not None and verdict.error is not None
    assert verdict.errors["mass.x"] == pytest.approx(_true_error(result), rel=0.1)
    assert verdict.error == max(verdict.errors.values())
    assert verdict.status == ("doubtful" if verdict.error > 0.0375 else "trusted")
    assert f"{verdict.worst} is right to about" in str(verdict)


def test_a_run_without_any_choice_is_verified_and_within_its_aim() -> None:
    result = dv.simulate(_oscillator(), stop=10.0, quiet=True)
    assert result.verdict is not None and result.verdict.error is not None
    assert _true_error(result) <= result.verdict.errors["mass.x"] <= 1e-3
    assert result.verdict.status == "trusted"


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"step": 0.02}, True),
        ({"step": 0.02, "verify": False}, False),
        ({"verify": False}, False),
        ({"algorithm": "gauss_seidel"}, False),
        ({"controller": "step_doubling(rtol=1e-4)"}, False),
    ],
    ids=str,
)
def test_runs_are_verified_where_nothing_but_a_step_was_chosen(
    options: dict[str, Any], wanted: bool
) -> None:
    verdict = dv.simulate(_oscillator(), stop=1.0, quiet=True, **options).verdict
    assert verdict is not None and (verdict.error is not None) == wanted
    assert wanted or verdict.status == "not verified"


def test_a_part_alone_is_not_verified() -> None:
    """Nothing is coupled, so there is no error of coupling."""
    system = dv.System("alone")
    system.add("decay", dv.Dynamic(states={"x": 1.0}, derivatives=lambda t, s, u, p: [-s.x]))
    verdict = dv.simulate(system, stop=1.0, quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"


def test_verifying_changes_nothing_of_the_run() -> None:
    plain = dv.simulate(_oscillator(), stop=1.0, quiet=True)
    checked = dv.simulate(_oscillator(), stop=1.0, verify=True, quiet=True)
    assert plain.time.tobytes() == checked.time.tobytes()
    assert all(plain[n].tobytes() == checked[n].tobytes() for n in plain.names)


def test_a_result_is_verified_afterwards_by_the_drawing_it_was_made_from() -> None:
    system = _oscillator()
    result = dv.simulate(system, stop=5.0, step=0.02, algorithm="gauss_seidel", quiet=True)
    system.remove("spring")
    found = dv.verify(result)
    assert found.errors["mass.x"] == pytest.approx(_true_error(result), rel=0.1)
    assert found.status == "doubtful"
    assert result.verdict is not None and result.verdict.error is None


def test_a_result_that_does_not_know_its_system_says_so() -> None:
    with pytest.raises(dv.OptionError, match=r"does not know the system .* verify=True"):
        dv.verify(dv.Result.of([0.0, 1.0], {"x": [0.0, 1.0]}))


def test_what_is_recorded_to_a_file_is_verified_too(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    recorder, record = dv.File(place), iter(["mass.x"])
    dv.simulate(_oscillator(), stop=2.0, recorder=recorder, record=record, verify=True, quiet=True)
    found = dv.read(place).verdict
    assert found is not None and found.status == "trusted" and list(found.errors) == ["mass.x"]


def test_wrong_ways_are_refused(tmp_path: Path) -> None:
    with pytest.raises(dv.OptionError, match="'companion', 'merged' or 'carried', not"):
        dv.simulate(_oscillator(), stop=1.0, verify="twice")  # type: ignore[arg-type]
    with dv.Session(_oscillator(), stop=1.0, quiet=True) as session:
        session.checkpoint(tmp_path / "x.checkpoint")
    with pytest.raises(dv.OptionError, match="goes on from a checkpoint cannot be verified"):
        dv.simulate(_oscillator(), stop=1.0, verify=True, resume=tmp_path / "x.checkpoint")


class _Hardware(dv.Algebraic):
    """A part that may not live twice."""

    against_repeating = "is a machine on a bench"


def test_a_part_that_may_not_live_twice_leaves_a_run_unverified() -> None:
    system = _oscillator()
    bench = _Hardware(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
    system.replace("spring", bench)
    verdict = dv.simulate(system, stop=1.0, verify="companion", quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"
    assert "'spring' is a machine on a bench" in str(verdict)


@pytest.mark.parametrize(
    "model",
    [
        dv.Algebraic(inputs=[], outputs=["y"], function=lambda t, u, p: [t], only_once="writes"),
        dv.Source(outputs=["y"], function=lambda t, p: [t], only_once="writes"),
        dv.Dynamic(states={"y": 1.0}, derivatives=lambda t, x, u, p: [0], only_once="writes"),
        dv.Discrete(period=1.0, outputs=["y"], output=lambda t, x, u, p: [t], only_once="writes"),
    ],
)
def test_a_python_model_says_that_it_may_not_live_twice(model: Any) -> None:
    system = _oscillator()
    system.add("log", model)
    verdict = dv.simulate(system, stop=0.2, verify="companion", quiet=True).verdict
    assert verdict is not None and "second time: 'log' writes" in verdict.unverified
    verdict = dv.simulate(system, stop=0.2, verify=True, quiet=True).verdict
    assert verdict is not None and verdict.companion_evaluations == 0  # errors are carried along


def test_a_part_inside_a_nested_system_may_not_live_twice_either() -> None:
    system = _oscillator()
    inner = dv.System("inner")
    bench = _Hardware(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
    inner.add("bench", bench)
    system.replace("spring", dv.Nested(inner, names={"x": "bench.x", "force": "bench.force"}))
    verdict = dv.simulate(system, stop=1.0, verify=True, quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"
    assert "'spring' contains a part that may not live twice: 'bench' is a machine" in str(verdict)


def test_a_model_from_a_file_may_not_live_twice_either(tmp_path: Path) -> None:
    (tmp_path / "bench.py").write_text(
        "import dovetail as dv\n"
        "class Bench(dv.Algebraic):\n    against_repeating = 'is a machine on a bench'\n"
        "bench = Bench(inputs=[], outputs=['y'], function=lambda t, u, p: [t])\n"
    )
    text = f"dovetail: 1\nparts: {{b: '{tmp_path / 'bench.py'}:bench'}}\nrun: {{stop: 1}}\n"
    (tmp_path / "one.yaml").write_text(text)
    verdict = dv.simulate(tmp_path / "one.yaml", verify="companion", quiet=True).verdict
    assert verdict is not None and "'b' is a machine on a bench" in verdict.unverified


def test_equations_that_cannot_be_merged_leave_a_run_unverified() -> None:
    system = _oscillator()
    inner = dv.System("inner")
    inner.add("spring", system.parts["spring"].model)
    names = {"x": "spring.x", "force": "spring.force"}
    system.replace("spring", dv.Nested(inner, names=names))
    verdict = dv.simulate(system, stop=1.0, verify="merged", quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"
    assert "cannot be merged" in str(verdict)


def test_the_command_verifies(tmp_path: Path, capfd: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.py").write_text(
        "import dovetail as dv\n"
        "mass = dv.Dynamic(states={'x': 1.0, 'v': 0.0}, inputs=['force'], outputs=['x'],\n"
        "    derivatives=lambda t, x, u, p: [x.v, u.force / 2.0])\n"
        "spring = dv.Algebraic(inputs=['x'], outputs=['force'],\n"
        "    function=lambda t, u, p: [-8.0 * u.x])\n"
    )
    Path("drawn.yaml").write_text(
        "dovetail: 1\nparts: {mass: models.py:mass, spring: models.py:spring}\n"
        "connections: [mass.x -> spring.x, spring.force -> mass.force]\n"
        "run: {stop: 5, step: 0.02}\n"
    )
    assert main(["run", "drawn.yaml", "--verify", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["verdict"]
    assert found["status"] == "trusted" and 0 < found["error"] < 1e-3
    words = ["run", "drawn.yaml", "--verify", "--json", "--algorithm", "gauss_seidel"]
    assert main([*words, "--step", "0.1"]) == 3
    found = json.loads(capfd.readouterr().out)["verdict"]
    assert found["status"] == "doubtful" and found["error"] > 0.0375


def test_events_are_compared_span_by_span() -> None:
    """A ball that bounces: rows on both sides of each event, in both runs."""
    ball = dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        inputs=["a"],
        outputs=["h"],
        derivatives=lambda t, x, u, p: [x.v, -9.81 + u.a],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.7 * x.v},
    )
    drag = dv.Algebraic(inputs=["h"], outputs=["a"], function=lambda t, u, p: [0.5 * u.h])
    system = dv.System("ball")
    system.add("ball", ball)
    system.add("drag", drag)
    system.connect("ball.h", "drag.h")
    system.connect("drag.a", "ball.a")
    verdict = dv.simulate(system, stop=1.5, step=0.01, verify=True, quiet=True).verdict
    assert verdict is not None and verdict.events[0] == verdict.events[1] > 1
    assert verdict.status == "trusted" and verdict.error is not None and verdict.error < 1e-2


def _verdict(**more: Any) -> Verdict:
    known = {"error": 0.01, "worst": "body.x", "verified_by": "a second run", **more}
    return Verdict(True, True, 0.0, None, None, **known)


def test_a_doubtful_verdict_says_which_reason_it_has() -> None:
    """An error above the limit, or other events: what is fine is not called doubtful."""
    large = _verdict(error=0.03, doubtful=True).lines()
    assert "3 % of its range: doubtful, above 2 %; use shorter windows" in large[0]
    other = _verdict(events=(3, 4), doubtful=True).lines()
    assert "doubtful" not in other[0] and "met 3 events, the second run 4: doubtful" in other[2]


def test_what_is_off_by_more_than_its_range_is_told_in_ranges() -> None:
    assert "to about 15 times its range" in str(_verdict(error=15.0))


def test_a_sentence_does_not_doubt_what_the_estimate_trusts() -> None:
    """Ten windows at the limit of iterations, and an error of 3.5e-5."""
    how = {"algorithm": "gauss_seidel(2, inputs=ramp, on_limit=accept)", "step": 0.01}
    verdict = dv.simulate(_oscillator(), stop=2.0, verify=True, quiet=True, **how).verdict
    assert verdict is not None and verdict.status == "trusted" and not verdict.converged
    assert "accepted without convergence." in str(verdict) and "doubtful" not in str(verdict)
    plain = dv.simulate(_oscillator(), stop=2.0, quiet=True, **how).verdict
    assert plain is not None and plain.status == "doubtful"
    assert "accepted without convergence: doubtful." in str(plain)


def test_a_run_that_records_nothing_is_not_verified_and_says_why() -> None:
    verdict = dv.simulate(_oscillator(), stop=1.0, record=[], quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"
    assert "no real signal was recorded" in verdict.unverified


def test_nothing_estimated_is_the_first_thing_that_a_verdict_says() -> None:
    verdict = dv.simulate(_oscillator(), stop=1.0, step=0.01, verify=False, quiet=True).verdict
    assert verdict is not None and verdict.lines()[0] == "Not verified: no error was estimated."


def test_where_nothing_was_said_more_than_the_aim_is_doubtful() -> None:
    """The aim is 1e-3 of a range, and an error of that is usually taken for 1.5e-3."""
    given = {"verify": "companion", "quiet": True, "stop": 1.0}
    limits = [
        dv.simulate(_oscillator(), **given, **more).verdict.error_limit  # type: ignore[union-attr]
        for more in ({}, {"step": 0.01}, {"algorithm": "gauss_seidel(50, inputs=ramp)"})
    ]
    assert limits == [1.5e-3, 0.02, 0.02]


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        ("canBeInstantiatedOnlyOncePerProcess", "'b' can be instantiated only once in a process"),
        ("needsExecutionTool", "'b' needs the tool that made it"),
    ],
)
def test_an_fmu_that_may_not_live_twice_leaves_a_run_unverified(
    flag: str, reason: str, archive: Any, monkeypatch: Any
) -> None:
    def flagged(xml: str) -> str:
        plain = re.sub(rf' {flag}="\w+"', "", xml)
        return re.sub("<CoSimulation ", f'<CoSimulation {flag}="true" ', plain)

    monkeypatch.setattr("dovetail.fmi.foreign_code.may_live_twice", lambda model: False)
    system = dv.System("s")
    system.add("a", dv.load(archive("linear", 2)))
    system.add("b", dv.load(archive("linear", 2, edit=flagged)))
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    verdict = dv.simulate(system, stop=0.1, step=0.01, verify="companion", quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"
    assert f"it cannot be run a second time: {reason}" in str(verdict)


def test_a_signal_that_hardly_moves_is_told_as_the_cause() -> None:
    """In metres and newtons of 1e-9 the absolute tolerance is the range itself."""
    oscillator = _oscillator()
    moved = dv.Dynamic(
        states={"x": 1e-9, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
    )
    told = {}
    for size, part in (("usual", None), ("tiny", moved)):
        if part is not None:
            oscillator.replace("mass", part)
        run = dv.simulate(oscillator, stop=5.0, quiet=True)
        told[size] = run.verdict
    assert told["usual"].status == "trusted"
    assert told["tiny"].status == "doubtful" and "smaller atol" in str(told["tiny"])
    assert "smaller atol" not in str(told["usual"])
