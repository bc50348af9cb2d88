"""Hints: what makes a result doubtful where no error was estimated."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import exp, pi, sin

import pytest
from junction_problems import two_inductors
from truth.problems import PROBLEMS

import dovetail as dv
from dovetail.observe.hints import created
from dovetail.results.hint import Hint
from dovetail.results.meaning import verdict_in
from dovetail.results.verdict import Verdict

RAMPS = dv.GaussSeidel(50, inputs="ramp")
HINT = Hint("estimate", "tank", 0.5, 0.1)


def _reactor(estimator: object, windows: int, **more: object) -> dv.Result:
    problem = PROBLEMS["reactor"]
    every = {name: estimator for name in ("tank", "jacket", "controller")}
    return dv.simulate(
        problem.draw(),
        stop=problem.stop,
        step=problem.stop / windows,
        algorithm=RAMPS,
        estimators=every,
        quiet=True,
        **more,
    )


def test_the_mismatch_is_that_of_the_inputs_a_part_was_given():
    """Before, a part that had stepped when first asked was compared with the last iterate."""
    found = _reactor(dv.Identified(), 60).verdict
    assert found.mismatch > 0.5  # 0.79 measured; the result is off by 55 % of a range
    assert found.status == "doubtful"


@pytest.mark.parametrize(
    ("estimator", "windows"), [(dv.Identified(), 120), (dv.Costarica(), 60)], ids=["own", "linear"]
)
def test_estimates_that_miss_by_more_than_a_tenth_are_doubtful(estimator, windows):
    verdict = _reactor(estimator, windows).verdict
    hint = next(h for h in verdict.hints if h.kind == "estimate")
    assert hint.share > hint.limit == 0.1
    assert hint.share == max(e.worst for e in verdict.estimates.values())
    assert verdict.doubtful
    assert f"Estimates of '{hint.signal}' missed" in str(verdict)


def test_estimates_that_hit_raise_no_doubt():
    verdict = _reactor(dv.Costarica(), 240).verdict
    assert verdict.hints == () and not verdict.doubtful


def test_a_hint_names_connection_time_and_remedy():
    problem = PROBLEMS["predation"]
    result = dv.simulate(
        problem.draw(), stop=problem.stop, step=2.0, algorithm=dv.Jacobi(), quiet=True
    )
    kinds = {h.kind for h in result.verdict.hints}
    assert kinds == {"mismatch", "jump", "drift", "activity"}
    for hint in result.verdict.hints:
        assert (" -> " in hint.signal) == (
            hint.kind != "activity"
        ) and 0 < hint.time <= problem.stop
        assert hint.sentence() in str(result.verdict) and hint.remedy in hint.sentence()


def test_an_estimated_error_decides_and_hints_stay_as_notes():
    verdict = Verdict(True, True, 0.0, None, None, doubtful=True, hints=(HINT,))
    assert ": doubtful" in str(verdict)
    known = replace(verdict, error=1e-4, worst="tank.T", verified_by="cubic inputs", doubtful=False)
    assert known.status == "trusted"
    assert HINT.sentence(False) in known.lines() and "doubtful" not in str(known)


def test_hints_come_back_from_facts():
    verdict = Verdict(True, True, 0.0, None, None, hints=(HINT,))
    assert verdict_in({"verdict": asdict(verdict)}) == verdict


def _wave(rate: float, fading: float = 0.0) -> dv.System:
    """A sine that a lag follows: nothing feeds back."""
    system = dv.System("wave")
    source = dv.Source(outputs=["u"], function=lambda t, p: [exp(-fading * t) * sin(rate * t)])
    system.add("wave", source)
    lag = dv.Dynamic(
        states={"y": 0.0},
        inputs=["u"],
        outputs=["y"],
        derivatives=lambda t, s, u, p: [u.u - s.y],
    )
    system.add("lag", lag)
    system.connect("wave.u", "lag.u")
    return system


def _kinds(system: dv.System, algorithm: object, step: float, stop: float = 10.0) -> dict:
    result = dv.simulate(
        system, stop=stop, step=step, algorithm=algorithm, verify=False, quiet=True
    )
    return {hint.kind: hint for hint in result.verdict.hints}


def _loop(step: float, algorithm: object, stop: float = 10.0) -> dict:
    return _kinds(PROBLEMS["two_masses"].draw(), algorithm, step, stop)


def test_linear_inputs_that_bend_are_warned_of_and_straight_ones_are_not():
    """A second difference of a sine of range 2 is at most (rate h)^2 / 2 of it."""
    found = _kinds(_wave(1.0), RAMPS, 0.7)["curvature"]
    assert found.share == pytest.approx(0.49 / 2, rel=0.1)
    assert found.signal == "wave.u -> lag.u" and found.limit == 0.15 and not found.decides
    assert "bends more than its interpolation can follow" in found.sentence()
    assert "curvature" not in _kinds(_wave(1.0), RAMPS, 0.1)


def test_held_inputs_that_iterate_are_warned_of_by_how_far_they_move():
    """A first difference of a sine of range 2 is at most rate h / 2 of it: 0.25, and 0.02."""
    held = dv.GaussSeidel(50)
    found = _kinds(_wave(1.0), held, 0.5)["curvature"]
    assert found.share == pytest.approx(0.25, rel=0.05) and found.limit == 0.06
    assert "curvature" not in _kinds(_wave(1.0), held, 0.04)


def test_small_mismatches_add_up_to_a_warning():
    """Two masses, Jacobi: no mismatch is large, and the result is off by 37 % of a range."""
    found = _loop(0.05, dv.Jacobi())
    assert "mismatch" not in found and "jump" not in found
    assert found["drift"].share > found["drift"].limit == 0.03 and not found["drift"].decides
    assert "adds up over the run" in found["drift"].sentence()
    assert "drift" not in _loop(0.0005, dv.Jacobi(), 2.0)


def test_what_goes_to_and_fro_from_window_to_window_is_too_fast():
    """At half a period a window the sign changes every time: changes differ by twice their size."""
    found = _kinds(_wave(2 * pi), dv.GaussSeidel(), 0.49)["activity"]
    assert found.signal == "wave.u" and 1.9 < found.share <= 2.0
    assert not found.decides and "doubtful" not in found.sentence()
    assert "activity" not in _kinds(_wave(2 * pi), dv.GaussSeidel(), 0.01)


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), RAMPS], ids=["held", "linear"])
def test_no_warning_goes_away_because_a_run_goes_on_at_rest(algorithm):
    """After 20 s the wave is 2e-9 of what it was: sums stay as they were, and so do ranges."""
    short, long = (_kinds(_wave(5.0, fading=1.0), algorithm, 0.2, stop) for stop in (20.0, 40.0))
    assert short and set(short) == set(long)
    for kind, hint in short.items():
        assert long[kind].share == pytest.approx(hint.share, rel=1e-6)


def test_energy_that_coupling_makes_is_warned_of():
    bonds = [{"name": "a.pin = b.pin", "created": 0.2, "passed": 2.0}]
    (hint,) = created(bonds, 0.05)
    assert hint.kind == "energy" and hint.share == pytest.approx(0.1) and not hint.decides
    assert hint.signal == "a.pin = b.pin" and "10 % of what passed" in hint.sentence()
    assert created([{**bonds[0], "created": 0.02}], 0.05) == []
    assert created([{**bonds[0], "created": 0.0, "passed": 0.0}], 0.05) == []
    assert created([{**bonds[0], "created": -0.2}], 0.05) == []  # as where parts come together


def test_forces_of_a_sliding_mode_that_jump_are_warned_of():
    """Two inductors: at 0.1 s the voltage is off by 35 % of its range, at 2 ms by 0.3 %."""
    hint = _kinds(two_inductors(), dv.Jacobi(), 0.1, 1.0)["junction"]
    assert "fed.pin = loaded.pin -> " in hint.signal and hint.share > hint.limit == 0.1
    assert "found only after it" in hint.sentence() and not hint.decides
    assert not _kinds(two_inductors(), dv.Jacobi(), 0.002, 1.0)


def test_a_checkpoint_without_sums_is_taken_up_without_them():
    """Those of Dovetail 0.2 have none."""
    problem = PROBLEMS["two_masses"]
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(problem.draw(), stop=1.0, **options) as session:
        session.advance()
        seen = session._journal.witness.dump()
        session._journal.witness.load(seen[:-1])
        assert session.run().verdict is not None
