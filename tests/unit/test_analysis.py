"""What can be asked of an analysis, at one operating point and at several."""

from math import inf, sqrt
from time import thread_time

import exchanger
import numpy as np
import pytest
from scipy.sparse import csc_array

import dovetail as dv
from dovetail.cycles import CycleProbe

TURNING = dv.Dynamic(  # x turns stiff as it grows
    states={"x": 0.1, "y": 1.0},
    inputs={"u": 0.0},
    outputs=["x", "y"],
    parameters={"k": 1.0},
    derivatives=lambda t, x, u, p: [1 - p.k * x.x**3 + u.u, x.x - x.y],
)


def test_the_worst_of_several_points_counts():
    alone = [dv.analyze(TURNING, at=[{"x": x}]).bounds["x"] for x in (0.5, 2.0, 1.0)]
    together = dv.analyze(TURNING, at=[{"x": x} for x in (0.5, 2.0, 1.0)])
    assert together.bounds["x"] == min(alone) == pytest.approx(1.5 / 12, rel=1e-6)
    assert len(together.jacobians) == 3


def test_a_cut_along_a_run_is_one_that_survives_all_of_it():
    growing = dv.analyze(TURNING, values={"u": 7.0}, stop=20.0)
    assert len(growing.jacobians) == 11
    assert growing.points.points[-1].state[0] == pytest.approx(2.0, rel=1e-3)
    assert growing.bounds["x"] == pytest.approx(1.5 / 12, rel=1e-2)
    assert growing.partition(0.5).fast == ("x",)
    assert dv.analyze(TURNING).partition(0.5).fast == ()


def test_parameters_and_inputs_can_be_given():
    assert dv.analyze(TURNING, values={"k": 4.0, "x": 1.0}).bounds["x"] == pytest.approx(
        1.5 / 12, rel=1e-6
    )


def test_events_on_the_way_are_taken():
    ball = dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        outputs=["h"],
        derivatives=lambda t, x, u, p: [x.v, -9.81 - 0.1 * x.v],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.7 * x.v},
    )
    heights = [p.state[0] for p in dv.analyze(ball, stop=1.0, samples=20).points.points]
    assert min(heights) >= -1e-9


def test_a_state_in_no_cycle_takes_any_step():
    found = dv.analyze(np.array([[0.0, 1.0], [0.0, -2.0]]), names=["x", "v"])
    assert found.bounds == {"x": inf, "v": 0.75}
    assert found.limiting("x") is None
    assert "any step" in str(found)
    assert found.stiffness == 1.0


@pytest.mark.parametrize(
    ("J", "told", "absent"),
    [
        ([[0.0, 1.0], [0.0, 0.0]], "No state is in a cycle", "stiffness"),
        ([[0.0]], "1 state at the start", "hint"),
        ([[-2.0]], "Only one state has a bound: there is nothing to cut.", "separability"),
        ([[0.0, 1.0], [-4.0, 0.0]], "none decays or grows, swinging with up to 2 rad/s", "ratio"),
        ([[0.0, 1.0], [0.0, -4.0]], "real parts from -4 to 0 1/s", "ratio"),
        ([[-1.0, 0.0], [0.0, -9.0]], "real parts from -9 to -1 1/s, ratio 9", "swinging"),
        ([[-1.0, 0.0], [0.0, -9.0]], "1 state below, 1 above", "1 states"),
    ],
)
def test_a_report_leaves_out_what_makes_no_sense(J, told, absent):
    analysis = dv.analyze(np.array(J))
    report = str(analysis)
    assert told in report
    assert absent not in report
    assert "inf" not in report and "nan" not in report
    analysis.plot()


def test_a_state_that_grows_by_itself_has_a_bound_too():
    assert dv.analyze(np.array([[2.0]])).bounds == {"x1": 0.25}


def test_the_limiting_cycle_is_told_by_name():
    found = dv.analyze(np.array([[-1.0, 100.0], [4.0, -1.0]]), names=["a", "b"])
    cycle = found.limiting("a")
    assert set(cycle.states) == {"a", "b"}
    assert cycle.bound == pytest.approx(sqrt(0.5 / 400))
    assert str(cycle) == "a - b - a"
    assert found.list_cycles()[0].states == cycle.states


def test_separability_terms_are_gaps_over_the_largest():
    found = dv.analyze(np.diag([-1.0, -2.0, -8.0]), names=["a", "b", "c"])
    gaps = {"a": 1.5, "b": 0.75, "c": 0.1875}
    assert found.bounds == pytest.approx(gaps)
    assert found.separability_term("a", "b") == pytest.approx(1.0)
    assert found.separability_term("b", "c") == pytest.approx(0.75)
    assert found.separability == pytest.approx(1 - (0.75 + 0.5625) / 2 / 0.75)


def test_an_exchanger_of_3000_states_takes_seconds_and_its_limits_are_close():
    A, _ = exchanger.matrix(1000)
    begin = thread_time()
    found = dv.analyze(A, 1.0)
    lower, upper = found.limits
    assert thread_time() - begin < 20  # two, on a quiet machine
    assert (upper >= lower).all()
    assert (upper / lower).max() < 1.01
    assert found.bounds["x1"] == pytest.approx(2 / (10000 + 19.047619), rel=1e-6)
    # the hot stream is limited by itself, the rest by rings as long as it has volumes
    assert len(found.limiting("x2001").states) > 1000


@pytest.mark.parametrize("kind", ["exchanger", "random"])
def test_a_hundred_thousand_sparse_states_take_less_than_a_minute(kind):
    """Limits of all, where to cut, and the worst of them: three seconds on a quiet machine."""
    n = 99_999
    if kind == "exchanger":
        J, _ = exchanger.matrix(n // 3)
    else:
        rng = np.random.default_rng(0)
        rows, columns = rng.integers(0, n, (2, 3 * n))
        J = csc_array((10 ** rng.uniform(-2, 2, 3 * n), (rows, columns)), shape=(n, n))
    begin = thread_time()
    found = dv.analyze(J)
    lower, upper = found.limits
    cut = found.partition(float(np.median(lower[np.isfinite(lower)])))
    assert thread_time() - begin < 60
    assert (lower <= upper * (1 + 1e-12)).all()
    assert len(cut.fast) + len(cut.slow) == n
    assert 0 < len(cut.fast) < n
    if kind == "exchanger":
        assert (upper / lower).max() < 1.15
        assert lower.min() == pytest.approx(1.5 / (10 * n / 3 + 19.047619), rel=1e-6)


def test_many_sparse_states_are_certified_within_a_budget():
    rng = np.random.default_rng(0)
    n = 2000
    rows, columns = rng.integers(0, n, (2, 3 * n))
    J = csc_array((10 ** rng.uniform(-2, 2, 3 * n), (rows, columns)), shape=(n, n))
    cheap = dv.analyze(J, budget=10_000)
    better = dv.analyze(J, budget=1_000_000)
    for found in (cheap, better):
        lower, upper = found.limits
        assert (lower <= upper * (1 + 1e-12)).all()
    assert (better.limits[0] >= cheap.limits[0] * (1 - 1e-9)).all()
    assert (better.limits[1] <= cheap.limits[1] * (1 + 1e-9)).all()
    assert len(better.undecided) <= len(cheap.undecided)


def test_too_many_cycles_are_not_counted():
    dense = dv.analyze(np.ones((12, 12)) - 2 * np.eye(12))
    assert dense.cycles is None
    assert not dense.undecided
    with pytest.raises(dv.OptionError, match="more than 10000 cycles"):
        dense.list_cycles()


def test_a_tableau_can_be_the_probe():
    ralston = CycleProbe.of("ralston", [[0, 0], [2 / 3, 0]], [1 / 4, 3 / 4])
    J = np.array([[-1, 0.5, 0], [0.5, -1.5, 0.5], [0, 0.5, -1]])
    mine, heun = dv.analyze(J, 0.8, probe=ralston), dv.analyze(J, 0.8, probe="heun")
    assert mine.bounds == pytest.approx(heun.bounds)
    with pytest.raises(ValueError, match="an explicit method"):
        CycleProbe.of("implicit", [[1.0]], [1.0])


def test_the_picture_is_a_figure_and_a_file(tmp_path):
    analysis = dv.analyze(exchanger.exchanger(4))
    figure = analysis.plot(tmp_path / "cut.svg")
    assert (tmp_path / "cut.svg").read_text().startswith("<?xml")
    upper, lower = figure.axes[:2]
    assert upper.get_ylabel() == "alpha"
    assert len(lower.get_xticks()) == 12
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_one_state_is_analyzed_and_drawn_too():
    found = dv.analyze(np.array([[-2.0]]))
    assert found.separability == 0.0
    assert "nothing to cut" in str(found)
    found.plot()


@pytest.mark.parametrize(
    ("give", "told"),
    [
        (lambda: dv.analyze(np.ones((2, 3))), "square matrix"),
        (lambda: dv.analyze("hello"), "a model or a Jacobian is needed"),
        (lambda: dv.analyze(np.eye(2), names=["a"]), "2 states, but 1 names"),
        (lambda: dv.analyze(np.eye(2), 2.0), "alpha must be above zero"),
        (lambda: dv.analyze(TURNING, at=[{"z": 1.0}]), "'z' is no state"),
        (lambda: dv.analyze(TURNING, values={"q": 1.0}), "'q' is no parameter"),
        (lambda: dv.analyze(TURNING, values={"k": "a"}), "'k' must be a real value"),
        (lambda: dv.analyze(TURNING, at={"z": 1.0}), "at must be a list of operating points"),
        (lambda: dv.analyze(TURNING, probe=3), "probe must be one of euler, heun"),
        (lambda: dv.analyze(np.array([[np.nan]])), "elements that are not finite"),
        (lambda: dv.analyze(dv.System("s")), "dv.merge(system) makes one model of it"),
        (lambda: dv.analyze(TURNING, stop=1.0, samples=0), "samples must be at least 1"),
        (lambda: dv.analyze(TURNING).study([0.0]), "every alpha"),
        (lambda: dv.analyze(TURNING).limiting("z"), "'z' is no state"),
        (lambda: dv.analyze(TURNING).partition(-1.0), "step must be above zero"),
    ],
)
def test_what_is_given_wrongly_is_told(give, told):
    with pytest.raises(dv.InputError) as caught:
        give()
    assert told in str(caught.value)


def test_a_jacobian_that_is_not_finite_names_the_state():
    bad = dv.Dynamic(
        states={"a": 1.0, "b": 0.0},
        outputs=["a"],
        derivatives=lambda t, x, u, p: [-x.a, 1.0],
        jacobian=lambda t, x, u, p: [[-1.0, 0.0], [0.0, np.nan]],
    )
    with pytest.raises(dv.ModelError, match="not finite in the row of 'b'"):
        dv.analyze(bad)


@pytest.mark.parametrize(
    ("returned", "told"),
    [([[1.0]], "a 1 by 1 matrix for 2 states"), ("text", "not a 2 by 2 matrix")],
)
def test_a_jacobian_of_the_wrong_shape_is_told(returned, told):
    wrong = dv.Dynamic(
        states={"a": 1.0, "b": 0.0},
        outputs=["a"],
        derivatives=lambda t, x, u, p: [-x.a, 1.0],
        jacobian=lambda t, x, u, p: returned,
    )
    with pytest.raises(dv.PartFailed, match=told):
        dv.analyze(wrong)


@pytest.mark.parametrize("method", ["differences", "complex"])
def test_coloured_jacobians_are_those_column_by_column(method):
    def rates(t, x, u, p):
        return np.append(np.diff(x**2), -x[-1])

    pattern = np.eye(30) + np.eye(30, k=1)
    calls = []

    def counted(t, x, u, p):
        calls.append(t)
        return rates(t, x, u, p)

    options = {
        "states": {"x": np.linspace(1, 2, 30)},
        "outputs": ["x"],
        "jacobian": method,
        "vector": True,
    }
    plain = dv.analyze(dv.Dynamic(derivatives=rates, **options)).jacobians[0]
    few = dv.analyze(dv.Dynamic(derivatives=counted, pattern=pattern, **options)).jacobians[0]
    assert few.toarray() == pytest.approx(plain.toarray(), abs=1e-6)
    assert len(calls) <= 5


def test_a_pattern_of_the_wrong_shape_is_told():
    with pytest.raises(dv.ModelError, match="pattern must be a 2 by 2 matrix"):
        dv.Dynamic(
            states={"a": 0.0, "b": 0.0},
            derivatives=lambda t, x, u, p: [0.0, 0.0],
            pattern=np.eye(3),
        )
