"""A calibration finds the values that a system had when it was measured."""

import numpy as np
import pytest
from scipy.stats import binom
from studies import corner, pairs

import dovetail as dv
from dovetail.studies.given_windows import GivenWindows


def measured(system, values, signal, sigma, run, seed=1):
    """What one would measure: the run with these values at the ends of its windows, and noise."""
    truth = dv.simulate(system, values=values, quiet=True, **run)
    noise = sigma * np.random.default_rng(seed).normal(size=truth.time.size)
    return dv.Result.of(truth.time, {"z": truth[signal] + noise})


def within(fit, true, widths=3.0):
    """Whether true values lie within so many standard deviations: 3 are passed once in 370."""
    return {
        name: abs(fit.values[name] - value) <= widths * fit.deviations[name]
        for name, value in true.items()
    }


CORNER = {"stop": 2.0, "step": 0.05, "algorithm": dv.GaussSeidel(extrapolation=1)}
FREE = {"strut.d": (100.0, 5000.0), "strut.k": (5e3, 1e5)}


def test_parameters_of_python_models_are_recovered():
    true = {"strut.d": 1200.0, "strut.k": 17e3}
    data = measured(corner.system(), true, "body.x", 2e-4, CORNER)
    fit = dv.calibrate(corner.system(), data, free=FREE, compare={"body.x": "z"}, jobs=0, **CORNER)
    assert fit.converged and all(within(fit, true).values())
    assert fit.rms() == pytest.approx(2e-4, rel=0.35)  # the noise: 41 values know it to 11 %
    assert fit.deviations["strut.k"] < 0.02 * 17e3


def test_parameters_of_fmus_are_recovered(tmp_path):
    system, run = pairs.predation(tmp_path), {"stop": 20.0, "step": 0.05}
    run["algorithm"] = dv.GaussSeidel(extrapolation=1)
    true = {"prey.rate": 0.13, "predator.gain": 0.018}
    data = measured(system, true, "prey.x", 0.1, run)
    free = {"prey.rate": (0.01, 1.0), "predator.gain": (0.001, 0.1)}
    fit = dv.calibrate(system, data, free=free, compare={"prey.x": "z"}, jobs=0, **run)
    assert all(within(fit, true).values())
    assert dv.simulate(system, quiet=True, **run)["prey.x"][-1] == pytest.approx(
        dv.simulate(pairs.predation(tmp_path), quiet=True, **run)["prey.x"][-1], abs=0
    )  # the system that was given stays as it was
    fit.apply(system)
    assert system.get("prey.rate") == fit.values["prey.rate"]


def test_parameters_of_a_mixed_system_are_recovered_side_by_side(tmp_path):
    system, run = pairs.thermostat(tmp_path), {"stop": 8.0, "step": 0.1}
    true = {"room.a": -0.35, "control.Kp": 1.4}
    data = measured(system, true, "room.y", 5e-3, run)
    free = {"room.a": (-2.0, -0.01), "control.Kp": (0.1, 10.0)}
    fit = dv.calibrate(system, data, free=free, compare={"room.y": "z"}, jobs=2, **run)
    assert all(within(fit, true).values())
    again = dv.calibrate(system, data, free=free, compare={"room.y": "z"}, jobs=0, **run)
    assert again.values == fit.values


def test_a_gain_and_a_start_value_can_be_free():
    drawn = corner.system()
    true = {"body.x": 0.03, "strut.force -> body.force": 0.8}
    probe = corner.system()
    probe.set("body.x", 0.03)
    probe.disconnect("body.force")
    probe.connect("strut.force", "body.force", gain=0.8)
    data = measured(probe, {}, "body.x", 1e-6, CORNER)
    free = {"body.x": (0.0, 0.1), "strut.force -> body.force": (0.1, 2.0)}
    fit = dv.calibrate(drawn, data, free=free, compare={"body.x": "z"}, jobs=0, **CORNER)
    assert all(within(fit, true).values())
    fit.apply(drawn)
    assert drawn.connections[2].gain == fit.values["strut.force -> body.force"]


def test_several_measurements_have_values_of_their_own():
    """One alone cannot tell mass from stiffness; two with known added masses can."""
    true = {"strut.k": 17e3, "strut.d": 1200.0}
    data = [
        dv.studies.Measurement(
            measured(corner.system(), {**true, "body.m": m}, "body.x", 1e-4, CORNER, seed=k),
            values={"body.m": m},
        )
        for k, m in enumerate((250.0, 350.0))
    ]
    fit = dv.calibrate(corner.system(), data, free=FREE, compare={"body.x": "z"}, jobs=0, **CORNER)
    assert all(within(fit, true).values())
    assert {c.measurement for c in fit.curves} == {0, 1}
    assert "measurement 2" in str(fit)


def test_windows_that_follow_their_error_are_made_common(monkeypatch):
    """Neighbours take the windows of the run beside them: every one, and no other."""
    seen = []
    judge = GivenWindows.judge

    def spy(self, window, branches, state):
        seen.append((self.ends, window.stop))
        return judge(self, window, branches, state)

    monkeypatch.setattr(GivenWindows, "judge", spy)
    run = {"stop": 1.0, "algorithm": dv.GaussSeidel(100, inputs="ramp")}
    run["controller"] = dv.StepDoubling(rtol=1e-2, atol=1e-6, first_size=0.01, scale="range")
    data = measured(corner.system(), {"strut.d": 1200.0}, "body.x", 1e-6, run)
    free = {"strut.d": (100.0, 5000.0)}
    fit = dv.calibrate(corner.system(), data, free=free, compare={"body.x": "z"}, jobs=0, **run)
    assert fit.values["strut.d"] == pytest.approx(1200.0, rel=0.01)  # the tolerance of windows
    first = seen[0][0]
    stops = [stop for ends, stop in seen if ends == first]
    runs = np.array(stops).reshape(2, -1)  # the run itself, and its neighbour
    assert np.allclose(runs, first[1:], rtol=1e-12)


def test_measured_times_between_windows_do_not_bend_the_fit():
    """x' = -a x in windows of 0.1 s, measured in between: on straight lines a comes out
    as 1.7042."""
    decay = dv.Dynamic(
        states={"x": 1.0},
        outputs=["x"],
        parameters={"a": 1.0},
        derivatives=lambda t, x, u, p: [-p.a * x.x],
        rtol=1e-10,
        atol=1e-12,
    )
    time = np.linspace(0.0, 2.0, 155)
    data = dv.Result.of(time, {"x": np.exp(-1.7 * time)})
    given = {"free": {"model.a": (0.1, 10.0)}, "compare": {"model.x": "x"}, "step": 0.1}
    fit = dv.calibrate(decay, data, jobs=0, **given)
    assert fit.values["model.a"] == pytest.approx(1.7, rel=3e-5)


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say(tmp_path):
    """200 measurements with noise of their own: between the 0.1 and 99.9 % points of a binomial
    law, and the two values together once more with half of the confidence."""
    system, run = pairs.predation(tmp_path), {"stop": 20.0, "step": 0.4}
    run["algorithm"] = dv.GaussSeidel()
    true = {"prey.rate": 0.13, "predator.gain": 0.018}
    free = {"prey.rate": (0.01, 1.0), "predator.gain": (0.001, 0.1)}
    truth = measured(system, true, "prey.x", 0.0, run)
    random, hits = np.random.default_rng(0), {0.95: 0, 0.5: 0}
    for _ in range(200):
        data = dv.Result.of(truth.time, {"z": truth["z"] + 0.1 * random.normal(size=len(truth))})
        fit = dv.calibrate(
            system, data, free=free, compare={"prey.x": "z"}, first=true, jobs=0, **run
        )
        low, high = fit.intervals["prey.rate"]
        hits[0.95] += low <= true["prey.rate"] <= high
        middle = within(fit, true, widths=0.680)["predator.gain"]  # of Student's law, 49 degrees
        hits[0.5] += middle
    for rate, count in hits.items():
        least, most = binom.ppf([0.001, 0.999], 200, rate)
        assert least <= count <= most, hits


def test_signals_with_different_noise_have_variances_of_their_own():
    """A signal ten times as noisy, with the same weight, does not widen what the other knows."""
    truth = dv.simulate(corner.system(), quiet=True, **CORNER)
    time, random = truth.time, np.random.default_rng(3)
    columns = {
        name: truth.at(time, name) + sigma * random.normal(size=time.size)
        for name, sigma in (("body.x", 1e-4), ("body.v", 1e-3))
    }
    free = {"strut.d": (100.0, 5000.0)}
    weights = {"body.x": 1e4, "body.v": 1e3}
    data = dv.Result.of(time, columns)
    fit = dv.calibrate(corner.system(), data, free=free, weights=weights, jobs=0, **CORNER)
    assert within(fit, {"strut.d": 1500.0})["strut.d"]
    assert {c.signal for c in fit.curves} == {"body.x", "body.v"}  # by their names
    assert fit.rms("body.v") == pytest.approx(1e-3, rel=0.35)


def test_values_that_go_together_are_said_to(tmp_path):
    """Mass, damping and stiffness may all be scaled: their common factor is not in the motion."""
    data = measured(corner.system(), {}, "body.x", 1e-5, CORNER)
    free = {**FREE, "body.m": (100.0, 1000.0)}
    fit = dv.calibrate(corner.system(), data, free=free, compare={"body.x": "z"}, jobs=0, **CORNER)
    assert "cannot be told apart by what is compared" in str(fit)
    assert fit.intervals["body.m"] == (-np.inf, np.inf)


def test_a_value_without_influence_is_named():
    drawn = corner.system()
    drawn.add(
        "clock", dv.Source(outputs=["y"], function=lambda t, p: [p.a * t], parameters={"a": 1.0})
    )
    data = measured(drawn, {}, "body.x", 1e-5, CORNER)
    free = {"strut.d": (100.0, 5000.0), "clock.a": (0.0, 2.0)}
    with pytest.raises(dv.OptionError, match=r"'clock\.a' has no influence on what is compared"):
        dv.calibrate(drawn, data, free=free, compare={"body.x": "z"}, jobs=0, **CORNER)


def test_runs_that_fail_on_the_way_are_stepped_back_from():
    """Where the search steps to first the strut breaks, in a range of a tenth of that."""
    seen, broken = [], []
    data = measured(corner.system(), {"strut.d": 1000.0}, "body.x", 1e-6, CORNER)
    given = {"compare": {"body.x": "z"}, "jobs": 0, **CORNER}
    given |= {"free": {"strut.d": (100.0, 9000.0)}, "first": {"strut.d": 3000.0}}
    dv.calibrate(corner.system(seen.append), data, **given)
    step = next(d for d in seen if abs(d - 3000.0) > 10.0)

    def breaks(d):
        if abs(d - step) < 0.05 * step:
            broken.append(d)
            raise ValueError("the strut broke")

    fit = dv.calibrate(corner.system(breaks), data, **given)
    assert broken and within(fit, {"strut.d": 1000.0})["strut.d"]
    with pytest.raises(dv.studies.CalibrationFailed, match=r"first values.*the strut broke"):
        dv.calibrate(corner.system(breaks), data, **given | {"first": {"strut.d": step}})


def test_values_at_their_limits_and_misfits_are_said(tmp_path):
    data = measured(corner.system(), {"strut.d": 900.0}, "body.x", 1e-5, CORNER)
    free = {"strut.d": (1000.0, 5000.0)}
    fit = dv.calibrate(corner.system(), data, free=free, compare={"body.x": "z"}, jobs=0, **CORNER)
    assert fit.at_limits == ("strut.d",)
    assert "strut.d lies on its limit" in str(fit) and "what is left is no noise" in str(fit)
    fit.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(dv.FileError, match=r"\.png, \.svg or \.pdf"):
        fit.plot(tmp_path / "fit.html")


DATA = dv.Result.of([0.0, 1.0, 2.0], {"z": [0.0, 1.0, 2.0]})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"compare": None}, "there is nothing to compare: measured columns are 'z'"),
        ({"compare": {"body.y": "z"}}, r"'body\.y', which is no signal of the system\. Did you"),
        ({"compare": {"body.x": "q"}}, "'q', which was not measured. There are z"),
        ({"stop": 1.0}, "measured from 0 to 2 s, and runs go from 0 to 1 s"),
        ({"free": {}}, "free= says what may change"),
        ({"free": {"strut.d": 3.0}}, r"the limits of 'strut\.d' are two numbers"),
        ({"free": {"strut.d": (5.0, 1.0)}}, "must rise"),
        ({"free": {"strut.q": (0.0, 1.0)}}, r"'strut\.q' is not a parameter"),
        ({"free": {"strut.d": (0.0, 1.0)}}, "is 1500 in the drawing, outside of its limits 0 to 1"),
        ({"free": {"step": (0.0, 1.0)}}, "no real number of a part"),
        ({"first": {"body.m": 1.0}}, r"'body\.m', which is not free"),
        ({"weights": {"body.v": 1.0}}, r"a weight for 'body\.v', which is not compared"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"bounds": {}}, r"it is free="),
    ],
)
def test_what_cannot_be_fitted_is_refused(given, message):
    usual = {"free": {"strut.d": (100.0, 5000.0)}, "compare": {"body.x": "z"}, "stop": 2.0}
    with pytest.raises(
        dv.OptionError if "strut.q" not in str(given) else dv.DrawingError, match=message
    ):
        dv.calibrate(corner.system(), DATA, jobs=0, **usual | given)


@pytest.mark.parametrize("wrong", [3, [], {"z": [1.0]}, [3]])
def test_what_is_no_measurement_is_refused(wrong):
    with pytest.raises(dv.OptionError, match="result"):
        dv.calibrate(corner.system(), wrong, free={"strut.d": (100.0, 5000.0)}, stop=1.0)
