"""Sensitivities: derivatives against exact ones, Sobol' indices against known ones."""

from math import pi, sin

import numpy as np
import pytest
from studies import corner

import dovetail as dv


def decay(**options):
    return dv.Dynamic(
        states={"x": 1.0},
        outputs=["x"],
        parameters={"a": 1.3, "c": 0.0},
        derivatives=lambda t, x, u, p: [-p.a * x.x + p.c],
        **options,
    )


@pytest.mark.parametrize("jobs", [0, 2])
def test_local_sensitivities_are_derivatives(jobs):
    """x = e^(-a t): dx/da = -t e^(-a t), to the square of the difference of 0.4 %."""
    run = {"stop": 2.0, "step": 0.05, "times": 41, "jobs": jobs}
    found = dv.sensitivity(decay(rtol=1e-9, atol=1e-12), of="model.x", to=["model.a"], **run)
    right = -found.time * np.exp(-1.3 * found.time)
    assert found.derivatives["model.x"]["model.a"] == pytest.approx(right, abs=1e-5)
    span = 1.0 - np.exp(-2.6)
    largest = -1.3 * np.exp(-1.0) / 1.3 / span
    assert found.relative["model.x"]["model.a"] == pytest.approx(largest, rel=2e-3)


def test_common_windows_take_the_noise_out_of_derivatives():
    """Windows by their error, to 1 %: differences of runs of their own are off by more than the
    derivative itself in places; over common windows they follow that of small windows."""
    loose = {"stop": 1.0, "algorithm": dv.GaussSeidel(100, inputs="ramp"), "jobs": 0, "times": 41}
    pace = dv.StepDoubling(1e-2, 1e-9, first_size=1e-4, scale="range")
    given = {"of": "body.x", "to": ["strut.d"]}
    seen = dv.sensitivity(corner.system(), controller=pace, **given, **loose)
    right = dv.sensitivity(corner.system(), step=0.005, **given, **loose)
    rows = [found.derivatives["body.x"]["strut.d"] for found in (seen, right)]
    assert abs(rows[0] - rows[1]).max() < 0.1 * np.ptp(rows[1])


def ishigami():
    """sin a + 7 sin^2 b + 0.1 c^4 sin a, of which all indices are known."""
    names = ("a", "b", "c")
    system = dv.System("ishigami")
    source = dv.Source(
        outputs=["y"],
        function=lambda t, p: [sin(p.a) + 7.0 * sin(p.b) ** 2 + 0.1 * p.c**4 * sin(p.a)],
        parameters=dict.fromkeys(names, 0.0),
    )
    system.add("f", source)
    return system, {f"f.{name}": (-pi, pi) for name in names}


def test_sobol_indices_of_the_ishigami_function_are_found(tmp_path):
    """Ishigami and Homma, 1990; one and a half times the half width of 95 % is passed once in
    300. 128 points are 640 runs."""
    system, ranges = ishigami()
    given = {"of": "f.y", "to": ranges, "method": "sobol", "samples": 128}
    run = {"stop": 1.0, "step": 1.0, "times": 2, "jobs": 2, "store": tmp_path / "study"}
    found = dv.sensitivity(system, **given, **run)
    first = {"f.a": 0.3139, "f.b": 0.4424, "f.c": 0.0}
    total = {"f.a": 0.5576, "f.b": 0.4424, "f.c": 0.2437}
    for right, seen, error in (
        (first, found.first, found.first_error),
        (total, found.total, found.total_error),
    ):
        for name, value in right.items():
            assert abs(seen["f.y"][name] - value) < 1.5 * error["f.y"][name] + 0.01
    assert str(found).splitlines()[1].strip().startswith("f.y by f.a")
    found.plot(tmp_path / "tornado.png")
    again = dv.sensitivity(system, **given, **run)  # from the folder: the same, to the bit
    assert again.total == found.total


def test_runs_that_fail_leave_no_indices():
    def breaks(d):
        if d > 3000.0:
            raise ValueError("the strut broke")

    with pytest.raises(dv.studies.SensitivityFailed, match=r"of 6 runs failed.*the strut broke"):
        dv.sensitivity(
            corner.system(breaks),
            of="body.x",
            to={"strut.d": (500.0, 5000.0)},
            method="sobol",
            samples=2,
            jobs=0,
            **corner.RUN,
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"of": "body.y"}, r"'body\.y', which is no signal\. Did you mean"),
        ({"of": []}, "of= names no signal"),
        ({"to": []}, "to= names no value"),
        ({"method": "morris"}, "method is 'local' or 'sobol'"),
        ({"at": "median"}, "at is 'final'"),
        ({"to": ["step"]}, "no real number"),
        ({"method": "sobol"}, "a range or a distribution for 'strut.d'"),
        ({"method": "sobol", "to": {"strut.d": (1.0, 2.0)}, "samples": 100}, "a power of two"),
        ({"outputs": ["x"]}, "it is of="),
    ],
)
def test_what_cannot_be_meant_is_refused(given, message):
    usual = {"of": "body.x", "to": ["strut.d"], "stop": 1.0, "step": 0.1, "jobs": 0}
    with pytest.raises(dv.OptionError, match=message):
        dv.sensitivity(corner.system(), **usual | given)


def test_what_a_signal_does_not_vary_by_is_said():
    system = ishigami()[0]
    flat = dv.Source(outputs=["y"], function=lambda t, p: [0.0 * p.a], parameters={"a": 0.0})
    system.add("flat", flat)
    given = {"to": {"flat.a": (0.0, 1.0)}, "method": "sobol", "samples": 2, "jobs": 0}
    with pytest.raises(dv.OptionError, match="has no variance"):
        dv.sensitivity(system, of="flat.y", stop=1.0, step=1.0, times=2, **given)


def test_the_picture_of_local_sensitivities_has_a_bar_for_each_value(tmp_path):
    found = dv.sensitivity(
        corner.system(), of="body.x", to=["strut.d", "strut.k"], stop=0.5, step=0.05, jobs=0
    )
    figure = found.plot(tmp_path / "tornado.svg")
    assert len(figure.axes[0].patches) == 2
    assert "strut.k" in str(found)
