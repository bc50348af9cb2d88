"""The estimated error of a run: distances, rates, companions and where they run."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.cli.main import main
from dovetail.drawing.run_settings import RunSettings
from dovetail.run.run_request import RunRequest
from dovetail.topology.components import Structure
from dovetail.verification.child import CompanionProcess
from dovetail.verification.companion import Companion, CompanionOutcome, Trajectory
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


def test_a_value_that_was_not_finite_is_not_forgotten_behind_an_event() -> None:
    t = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    y = np.array([0.0, np.nan, 1.0, 1.0, 1.5, 2.0])
    assert _apart((t, {"y": y}), (t, {"y": t})).shares["y"] == np.inf


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


def _companion(algorithm: Any, size: float) -> Companion:
    system, settings = _oscillator(), RunSettings(stop=2.0)
    settings = replace(settings, algorithm=algorithm, controller=dv.FixedStep(size))
    return Companion(system, RunRequest.of(system, settings, dv.Consistent()))


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
    found = estimated(_companion(algorithm, size).run(), Trajectory.of(result), {})
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


def _true_error(result: dv.Result) -> float:
    exact = np.cos(2 * result.time)
    return float(np.abs(result["mass.x"] - exact).max() / np.ptp(exact))


@pytest.mark.parametrize("way", [True, "companion", "merged"])
@pytest.mark.parametrize(
    "options",
    [
        {},
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


def test_without_a_word_a_run_is_not_verified() -> None:
    result = dv.simulate(_oscillator(), stop=1.0, quiet=True)
    assert result.verdict is not None
    assert result.verdict.error is None and result.verdict.status == "not verified"


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
    with pytest.raises(dv.OptionError, match="verify must be True, False, 'companion' or 'merged'"):
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
    verdict = dv.simulate(system, stop=1.0, verify=True, quiet=True).verdict
    assert verdict is not None and verdict.status == "not verified"
    assert "'spring' is a machine on a bench" in str(verdict)


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
    verdict = dv.simulate(tmp_path / "one.yaml", verify=True, quiet=True).verdict
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
