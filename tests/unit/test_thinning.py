"""Rows that are left out: along a grid, and within a bound."""

import numpy as np
import problems
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import dovetail as dv
from dovetail.core.description import Kind
from dovetail.results.recorders import Column

REALS = (Column("a.x"), Column("a.y"))


def kept(recorder, times, reals, discrete=None, columns=REALS):
    recording = recorder.open(columns)
    for k, (t, row) in enumerate(zip(times, reals, strict=True)):
        recording.row(float(t), np.asarray(row, dtype=float), discrete[k] if discrete else ())
    return dv.Result(recording.close({"finished": True}))


def wave(n=400):
    t = np.linspace(0, 6, n)
    return t, np.column_stack([np.sin(t), 1e3 * t])


# thinned ------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    values=arrays(np.float64, (60, 2), elements=st.floats(-1e3, 1e3)),
    steps=arrays(np.float64, 60, elements=st.floats(1e-3, 1.0)),
    rtol=st.floats(0, 0.5),
    atol=st.floats(1e-6, 10.0),
)
def test_every_row_left_out_is_told_within_the_bound(values, steps, rtol, atol):
    """Whatever the curve: not only the last of the rows between two that stay."""
    times = np.cumsum(steps)
    result = kept(dv.Thinning(rtol, atol), times, values)
    assert result.time[0] == times[0]
    assert result.time[-1] == times[-1]
    for k, name in enumerate(("a.x", "a.y")):
        told = np.interp(times, result.time, result[name])
        bound = atol + rtol * np.abs(values[:, k])
        assert np.all(np.abs(told - values[:, k]) <= bound * (1 + 1e-9) + 1e-9)


def test_slow_curves_do_not_drift():
    """A rule that looks at the newest but one row only lets a parabola slip away."""
    t = np.linspace(0, 1, 2001)
    result = kept(dv.Thinning(0, 1e-3), t, np.column_stack([t * t, t]))
    assert np.max(np.abs(np.interp(t, result.time, result["a.x"]) - t * t)) <= 1e-3
    assert 10 < len(result) < 30  # 2 sqrt(bound) apart at the best


def test_straight_lines_need_two_rows():
    t = np.linspace(0, 5, 100)
    assert len(kept(dv.Thinning(), t, np.column_stack([2 * t, 1 - t]))) == 2


def test_the_bound_is_written_into_the_result(tmp_path):
    t, values = wave()
    path = tmp_path / "run.parquet"
    kept(dv.Thinning(1e-2, 1e-4, dv.File(path)), t, values)
    told = dv.read(path).facts["thinned"]
    assert told["bound"] == "off by at most 0.0001 + 0.01 |value| between rows"
    assert (told["rtol"], told["atol"], told["rows"]) == (1e-2, 1e-4, 400)
    assert len(dv.read(path)) < 60


def test_changes_of_discrete_values_stay_on_both_sides():
    columns = (*REALS, Column("a.on", Kind.BOOLEAN))
    t = np.linspace(0, 1, 50)
    discrete = [(bool(v > 0.5),) for v in t]
    result = kept(dv.Thinning(), t, np.zeros((50, 2)), discrete, columns)
    first = int(np.argmax(t > 0.5))
    assert result.time.tolist() == [t[0], t[first - 1], t[first], t[-1]]
    assert result["a.on"].tolist() == [False, False, True, True]


def test_events_stay_with_both_rows():
    times = [0.0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    values = [[v, 0.0] for v in (0, 1, 2, 3, 0, 1, 2)]
    result = kept(dv.Thinning(), times, values)
    assert result.time.tolist() == [0.0, 0.3, 0.3, 0.5]
    assert result["a.x"].tolist() == [0, 3, 0, 2]


def test_a_run_is_thinned_and_ends_where_it_ends():
    options = {"stop": 2.5, "algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.005)}
    whole = dv.simulate(problems.prey_predator_system(), **options)
    thin = dv.simulate(problems.prey_predator_system(), **options, recorder=dv.Thinning(1e-3, 1e-4))
    assert len(thin) < 0.2 * len(whole)
    assert thin.final == whole.final
    for name in whole:
        told = np.interp(whole.time, thin.time, thin[name])
        assert np.all(np.abs(told - whole[name]) <= 1e-4 + 1e-3 * np.abs(whole[name]))


# sampled ------------------------------------------------------------------------------------------


def test_no_row_is_lost_to_rounding():
    """Times that were added up miss the lines by an ulp, on either side."""
    t, size = [0.0], 0.1
    while len(t) < 1001:
        t.append(t[-1] + size)
    result = kept(dv.Sampling(0.1), t, np.zeros((1001, 2)))
    assert len(result) == 1001
    assert len(kept(dv.Sampling(0.5), t, np.zeros((1001, 2)))) == 201


def test_rows_are_the_first_on_or_behind_each_line_and_the_last():
    t = [0.0, 0.4, 0.9, 1.3, 1.7, 2.0, 2.1, 4.5, 4.6, 4.7]
    result = kept(dv.Sampling(1.0), t, [[v, v] for v in t])
    assert result.time.tolist() == [0.0, 1.3, 2.0, 4.5, 4.7]


def test_rows_on_the_lines_by_interpolation():
    t = [0.0, 0.4, 0.9, 1.3, 2.0 + 1e-12, 4.5]
    result = kept(dv.Sampling(1.0, interpolate=True), t, [[3 * v, v] for v in t])
    assert result.time == pytest.approx([0.0, 1.0, 2.0, 3.0, 4.0, 4.5])
    assert result["a.x"] == pytest.approx(3 * result.time)


def test_lines_count_from_the_start_of_the_run():
    t = 0.25 + np.arange(9) * 0.25
    assert kept(dv.Sampling(0.5), t, np.zeros((9, 2))).time.tolist() == [
        0.25,
        0.75,
        1.25,
        1.75,
        2.25,
    ]


def test_events_on_a_line_keep_both_rows():
    t = [0.0, 0.5, 1.0, 1.0, 1.5, 2.0]
    for interpolate in (False, True):
        recorder = dv.Sampling(1.0, interpolate=interpolate)
        result = kept(recorder, t, [[v, v] for v in (0, 1, 2, 7, 8, 9)])
        assert result.time.tolist() == [0.0, 1.0, 1.0, 2.0]
        assert result["a.x"].tolist() == [0, 2, 7, 9]


@pytest.mark.parametrize(
    "recorder",
    [
        dv.Sampling(0.3),
        dv.Sampling(0.3, interpolate=True),
        dv.Thinning(1e-2, 1e-3),
        dv.Sampling(0.1, dv.Thinning(1e-2, 1e-3)),
    ],
    ids=repr,
)
def test_checkpoints_keep_what_waits(tmp_path, recorder):
    options = {
        "stop": 2.0,
        "algorithm": dv.GaussSeidel(),
        "controller": dv.FixedStep(0.05),
        "recorder": recorder,
        "quiet": True,
    }
    system = problems.prey_predator_system()
    with dv.Session(system, **options) as session:
        for step in session:
            if step.time >= 0.72:
                session.checkpoint(tmp_path / "run.checkpoint")
                break
    rest = dv.simulate(system, **options, resume=tmp_path / "run.checkpoint")
    whole = dv.simulate(system, **options)
    assert np.array_equal(rest.time, whole.time)
    assert np.array_equal(rest["prey.x"], whole["prey.x"])
    for other in (dv.Sampling(0.3), dv.Thinning()):
        if type(other) is not type(recorder):
            with pytest.raises(dv.OptionError, match="resume with the recorder that the run had"):
                dv.Session(
                    system, **{**options, "recorder": other}, resume=tmp_path / "run.checkpoint"
                )


def test_blocks_are_thinned_like_rows():
    t, values = wave()
    for recorder in (dv.Thinning(), dv.Sampling(0.1)):
        recording = recorder.open(REALS)
        recording.block(t[:150], values[:150])
        recording.block(t[150:], values[150:])
        result = dv.Result(recording.close({}))
        assert np.array_equal(result.time, kept(recorder, t, values).time)


def test_options_that_make_no_sense_are_refused():
    for wrong in (0.0, -1.0, np.inf):
        with pytest.raises(dv.OptionError, match=r"every must be (above zero|finite)"):
            dv.Sampling(wrong)
    with pytest.raises(dv.OptionError, match="rtol must be at least zero, not -1"):
        dv.Thinning(-1, 0)
    with pytest.raises(dv.OptionError, match="rtol and atol must not both be zero"):
        dv.Thinning(0, 0)


# clocks -------------------------------------------------------------------------------------------


def test_clocks_tell_units_and_dates():
    assert dv.Calendar().at(1.5) == "t = 1.5 s"
    assert dv.Calendar("h").at(5400) == "t = 1.5 h"
    dated = dv.Calendar("d", "2025-12-31T12:00:00")
    assert dated.at(86400.25) == "t = 1 d (2026-01-01 12:00:00.250)"
    assert dated.lasting(43200) == "0.5 d"
    assert dated.at(1e18) == f"t = {1e18 / 86400:g} d"  # beyond the calendar
    with pytest.raises(dv.OptionError, match="'weeks' is no unit of time"):
        dv.Calendar("weeks")
    with pytest.raises(dv.OptionError, match="a reference date is written as"):
        dv.Calendar("s", "tomorrow")


def test_a_run_that_fails_tells_when_by_its_clock():
    def fails(t, x, u, p):
        if t > 5400:
            raise RuntimeError("worn out")
        return [1.0]

    system = dv.System("machine")
    system.add("part", dv.Dynamic(states={"x": 0.0}, outputs=["x"], derivatives=fails))
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(1800.0)}
    with pytest.raises(dv.PartFailed, match=r"at t = 1.6 h \(2026-01-01 01:36:00\): .*worn out"):
        dv.simulate(system, stop=7200, **options, calendar=dv.Calendar("h", "2026-01-01"))
    with pytest.raises(dv.PartFailed, match="at t = 5760 s: "):
        dv.simulate(system, stop=7200, **options)
