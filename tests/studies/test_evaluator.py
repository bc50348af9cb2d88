"""Runs for optimizers and samplers of others."""

import os
import signal

import numpy as np
import pytest
from studies import corner

import dovetail as dv

FREE = {"strut.d": (500.0, 3000.0), "body.m": (200.0, 400.0)}
POINTS = [[500.0, 250.0], [1500.0, 300.0], [3000.0, 350.0]]


def lowest(run):
    return run["body.x"].min()


def evaluator(value=lowest, model=None, **more):
    made = corner.system() if model is None else corner.system(model)
    return dv.studies.Evaluator(made, FREE, value, **{"jobs": 0, **corner.RUN, **more})


def expected():
    study = dv.sweep(corner.system(), {tuple(FREE): POINTS}, jobs=0, **corner.RUN)
    return study["body.x"].min(axis=-1)


@pytest.mark.parametrize("jobs", [0, 2])
def test_points_get_what_a_sweep_of_them_finds(jobs):
    with evaluator(jobs=jobs) as ask:
        found = ask(POINTS)
        assert np.array_equal(found, expected())
        assert np.array_equal(ask(POINTS[1:]), found[1:])  # and its processes still answer
        assert ask([]).shape == (0,)


def test_what_was_asked_for_before_is_not_run_again():
    with evaluator() as ask:
        ask([POINTS[0], POINTS[0]])
        ask(POINTS)
        again = [row.seconds for row in ask.study.rows]
        ask(POINTS)
        assert [row.seconds for row in ask.study.rows] == again
        assert len(ask.study) == 3


def test_a_store_keeps_all_that_was_asked_for(tmp_path):
    with evaluator(store=tmp_path / "kept") as ask:
        ask(POINTS[:2])
        ask(POINTS[2:])
    study = dv.studies.open(tmp_path / "kept")
    assert len(study) == 3
    assert np.array_equal(study["body.x"].min(axis=-1), expected())


def test_several_numbers_of_a_run():
    both = lambda run: (run["body.x"].min(), run["body.x"].max())  # noqa: E731
    with evaluator(both, outputs=2) as ask:
        found = ask(POINTS)
        assert found.shape == (3, 2)
        assert np.array_equal(found[:, 0], expected())
        with pytest.raises(dv.OptionError, match="gave 2 numbers, and outputs= says 3"):
            evaluator(both, outputs=3)(POINTS)


def deadly(d):
    if d == 1500.0:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_that_takes_its_process_along_is_not_a_number():
    with evaluator(model=deadly, jobs=1) as ask:
        found = ask(POINTS)
        assert np.isnan(found).tolist() == [False, True, False]
        assert [row.status for row in ask.study.rows] == ["done", "crashed", "done"]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([1.0, 2.0], "rows of 2 numbers, for strut.d, body.m; the shape of these is"),
        ([[1.0, 2.0, 3.0]], "the shape of these is"),
        ([["a", "b"]], "rows of 2 numbers"),
        ([[1.0, float("nan")]], "NaN or infinite"),
    ],
)
def test_points_that_are_none_are_refused(points, message):
    with evaluator() as ask, pytest.raises(dv.OptionError, match=message):
        ask(points)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"value": 3}, "value= is a function of a result"),
        ({"outputs": 0}, "outputs"),
        ({"jobs": -1}, "jobs"),
        ({"engine": "cloud"}, "engine is 'local' or"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, message):
    with pytest.raises(dv.OptionError, match=message):
        evaluator(**given)


def test_searches_need_limits_on_both_sides():
    half = {"strut.d": (500.0, None)}
    ask = dv.studies.Evaluator(corner.system(), half, lowest, jobs=0, **corner.RUN)
    with ask, pytest.raises(dv.OptionError, match=r"'strut\.d' needs two limits"):
        ask.salib()


def least(run):
    return float(np.mean(run["body.x"] ** 2))


def test_optuna_is_told_what_came_out():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    search = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    with evaluator(least) as ask:
        ask.optuna(search, 6, together=4)
    assert len(search.trials) == 6
    for trial in search.trials:
        point = [trial.params[name] for name in FREE]
        with evaluator(least) as alone:
            assert trial.value == alone([point])[0]


def test_trials_of_runs_that_fail_are_failed_trials():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    search = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    with evaluator(lambda run: float("nan")) as ask:
        ask.optuna(search, 2)
    assert [trial.state.name for trial in search.trials] == ["FAIL", "FAIL"]


def test_pymoo_makes_values_small():
    pytest.importorskip("pymoo")
    with evaluator(least) as ask:
        problem = ask.pymoo()
        found = problem.evaluate(np.array(POINTS))
        assert np.array_equal(found[:, 0], ask(POINTS))
        assert problem.xl.tolist() == [500.0, 200.0]


def test_openturns_asks_for_samples_and_points():
    openturns = pytest.importorskip("openturns")
    with evaluator() as ask:
        function = ask.openturns()
        assert np.array_equal(np.array(function(openturns.Sample(POINTS)))[:, 0], expected())
        assert function(POINTS[0])[0] == expected()[0]
        assert list(function.getInputDescription()) == list(FREE)


def test_salib_is_told_what_is_free():
    with evaluator() as ask:
        assert ask.salib() == {
            "num_vars": 2,
            "names": ["strut.d", "body.m"],
            "bounds": [[500.0, 3000.0], [200.0, 400.0]],
        }
