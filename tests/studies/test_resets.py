"""Instances that are reset between runs: the same bits as new ones, or they are made anew."""

import faulthandler
from itertools import product

import numpy as np
import pytest
from fmus import build

import dovetail as dv
from dovetail.drawing.run_settings import RunSettings
from dovetail.run.repeated_run import RepeatedRun
from dovetail.studies import local_pool, resets
from dovetail.studies.outcome import RunOutcome
from dovetail.studies.resets import ResetRuns
from dovetail.studies.trial_run import StudyRun
from dovetail.studies.variation import Variation

WAYS = [dv.Jacobi(), dv.GaussSeidel(), dv.Jacobi(extrapolation=1)]
STEP = dv.FixedStep(0.125)  # which does not divide the span of the runs
SPAN = {"start": 0.25, "stop": 1.3}
VALUES = [-1.0 + 0.01 * k for k in range(60)]


@pytest.fixture(autouse=True)
def crashes_are_quiet():
    """Processes are copies of this one, and would tell of their ends at length."""
    was = faulthandler.is_enabled()
    faulthandler.disable()
    yield
    if was:
        faulthandler.enable()


def ring(folder, version=2, model="linear", gain=1.0, **options):
    """Two instances of one FMU that feed each other."""
    drawn, loaded = dv.System("ring"), dv.load(build.build(model, version, folder, **options))
    for name in ("a", "b"):
        drawn.add(name, loaded)
    drawn.connect("a.y", "b.u")
    drawn.connect("b.y", "a.u", gain=gain)
    return drawn


def single(folder, **options):
    """One FMU that grows, with an input that nothing feeds."""
    drawn = dv.System("single")
    drawn.add("a", dv.load(build.build("linear", 2, folder, **options)))
    return drawn


def sweep(drawn, vary=None, **more):
    given = {"algorithm": dv.Jacobi(), "stop": 1.0, "step": 0.1, "times": 4, "jobs": 1, **more}
    return dv.sweep(drawn, vary or {"a.a": VALUES}, **given)


def blocks_of(drawn, vary, **settings):
    """What a process of a study makes several runs at once with."""
    given = RunSettings(None, 1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    variation = Variation.of(drawn, given, vary)
    return ResetRuns.of(StudyRun(variation, np.linspace(0, 1, 4), False))


def assert_same(rows, alone):
    """Every row to the bit, and what is counted."""
    assert [column.name for column in rows.columns] == list(alone.names)
    assert rows.rows[:, 0].tobytes() == alone.time.tobytes()
    for k, name in enumerate(alone.names):
        assert rows.rows[:, 1 + k].tobytes() == np.ascontiguousarray(alone[name]).tobytes()
    found = alone.statistics
    assert (rows.windows, rows.evaluations) == (found.windows, found.evaluations)
    assert rows.doubtful == alone.verdict.doubtful


@pytest.mark.parametrize(("version", "way"), list(product([1, 2, 3], WAYS)))
def test_a_run_after_a_reset_is_that_of_new_instances_to_the_bit(version, way, tmp_path):
    drawn = ring(tmp_path, version, input_derivatives=1 if version < 3 else 0)
    given = RunSettings(**SPAN, algorithm=way, controller=STEP)
    lane = RepeatedRun.of(drawn, given, {"a": ("a", "x"), "b": ("u",)})
    assert lane is not None
    for a, x, u in [(-1.0, 0.0, 0.0), (-0.3, 2.0, 0.7), (-1.0, 0.0, 0.0), (-2.0, -1.0, 3.0)]:
        rows = lane.run({"a": {"a": a, "x": x}, "b": {"u": u}})
        values = {"a.a": a, "a.x": x, "b.u": u}
        assert_same(rows, run_alone(drawn, values, algorithm=way, controller=STEP, **SPAN))
    lane.close()


def run_alone(drawn, values, **ways):
    return dv.simulate(drawn, values=values, verify=False, quiet=True, **ways)


def test_an_input_that_nothing_feeds_and_a_loop_at_the_start_are_as_in_other_runs(tmp_path):
    given = RunSettings(None, 1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    for drawn in (single(tmp_path), ring(tmp_path, gain=-0.5, feedthrough=True)):
        lane = RepeatedRun.of(drawn, given, {"a": ("u", "c")})
        for u, c in [(0.0, 0.5), (2.0, 0.25), (0.0, 0.5)]:
            rows = lane.run({"a": {"u": u, "c": c}})
            ways = {"stop": 1.0, "algorithm": dv.Jacobi(), "step": 0.1}
            assert_same(rows, run_alone(drawn, {"a.u": u, "a.c": c}, **ways))
        lane.close()


def test_instances_are_made_anew_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr("dovetail.run.repeated_run._LIFE", 3)
    given = RunSettings(None, 1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    lane = RepeatedRun.of(ring(tmp_path), given, {"a": ("a",)})
    kinds = []
    for k in range(7):
        lane.run({"a": {"a": -1.0 - k}})
        kinds.append(lane._alive.assembly)
    assert len({id(kind) for kind in kinds}) == 3
    lane.close()


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_a_study_of_fmus_is_the_same_however_it_is_made(jobs, tmp_path):
    study = sweep(ring(tmp_path), jobs=jobs)
    assert not study.failed and not study.remarks
    for k in (0, 1, 17, 59):
        alone = run_alone(
            ring(tmp_path), {"a.a": VALUES[k]}, algorithm=dv.Jacobi(), stop=1.0, step=0.1
        )
        row = study.rows[k]
        assert row.verdict == alone.verdict.status
        assert row.evaluations == alone.statistics.evaluations
        for name in study.names:
            assert np.array_equal(study[name][k], alone.at(study.time, name))


def test_blocks_are_made_by_resets(tmp_path):
    made = blocks_of(ring(tmp_path), ["a.a", "b.u"])
    block = made.block([{"a.a": -1.0 - 0.1 * k, "b.u": 0.5} for k in range(12)])
    assert len(block.outcomes) == 12 and not block.doubt
    assert (made._state, made._unusual) == ("believed", 0)


@pytest.mark.parametrize(
    "vary",
    [["a.y -> b.u"], ["algorithm"], ["step"], ["a"], ["a.a", "rtol"]],
)
def test_what_changes_more_than_values_is_made_anew(vary, tmp_path):
    assert blocks_of(ring(tmp_path), vary) is None


@pytest.mark.parametrize(
    ("model", "options"),
    [("linear", {"logging": True}), ("ball", {}), ("linear", {"events": True})],
)
def test_fmus_that_do_more_than_step_are_made_anew(model, options, tmp_path):
    version = 3 if model == "ball" else 2
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build(model, version, tmp_path), **options))
    first = drawn.parts["a"].description.parameters[0].name
    assert blocks_of(drawn, [f"a.{first}"]) is None


def test_values_that_need_a_closer_look_get_one(tmp_path):
    drawn = ring(tmp_path)
    wanted = [-1.0, -2, "-0.5", float("nan"), -3.0, np.float64(-1.5), -1.25, -1.75, -0.75, True]
    study = sweep(drawn, {"a.a": wanted})
    status = ["done", "done", "refused", "refused", *["done"] * 5, "refused"]
    assert [row.status for row in study.rows] == status
    alone = run_alone(drawn, {"a.a": -1.5}, algorithm=dv.Jacobi(), stop=1.0, step=0.1)
    assert np.array_equal(study["a.y"][5], alone.at(study.time, "a.y"))


# ---- resets that lie -----------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("flaw", ["reset", "reset_refused"])
def test_a_reset_that_lies_is_found_out_and_not_asked_for_again(flaw, version, tmp_path):
    drawn = ring(tmp_path, version, flaw=flaw)
    study = sweep(drawn)
    assert same_as_honest(study, tmp_path, version)
    lied = flaw == "reset"
    assert bool(study.remarks) == lied
    if lied:
        assert "every run was made by new instances of its FMUs: after a reset" in str(study)
        model = drawn.parts["a"].adapted
        again = dv.load(model.path)
        assert "not those of a new instance" in again.against_restart
        assert blocks_of(ring(tmp_path, version, flaw=flaw), ["a.a"]) is None


def same_as_honest(study, folder, version=2):
    """Whether a study has the values that one of new instances has."""
    honest = sweep(ring(folder, version), jobs=0)
    return not study.failed and np.array_equal(study["a.y"], honest["a.y"])


def test_a_reset_that_lies_late_costs_all_that_it_has_made(tmp_path):
    drawn = ring(tmp_path, flaw="reset_later")
    study = sweep(drawn, store=tmp_path / "study")
    assert "after a reset" in study.remarks[0]
    assert same_as_honest(study, tmp_path)
    assert dv.studies.open(tmp_path / "study").remarks == study.remarks


def test_a_reset_that_ends_the_process_costs_time_only(tmp_path):
    study = sweep(ring(tmp_path, flaw="reset_crash"), jobs=2)
    assert same_as_honest(study, tmp_path)


def test_a_reset_that_never_returns_costs_time_only(tmp_path, monkeypatch):
    monkeypatch.setattr(local_pool, "_HANGS", 2.0)
    study = sweep(ring(tmp_path, flaw="reset_hangs"), jobs=2)
    assert same_as_honest(study, tmp_path)


@pytest.mark.parametrize("name", ["crash", "killed", "error", "quits"])
def test_a_run_that_ends_badly_costs_itself_only(name, tmp_path):
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build(name, 2, tmp_path)))
    values = [5.0 + k for k in range(40)]
    values[23] = 0.45
    study = sweep(drawn, {"a.at": values})
    status = [row.status for row in study.rows]
    bad = "failed" if name == "error" else "crashed"
    assert status == ["done"] * 23 + [bad] + ["done"] * 16
    alone = run_alone(drawn, {"a.at": 7.0}, algorithm=dv.Jacobi(), stop=1.0, step=0.1)
    assert np.array_equal(study["a.y"][2], alone.at(study.time, "a.y"))


def test_a_run_that_hangs_is_ended_at_the_time_limit(tmp_path):
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build("hang", 2, tmp_path)))
    values = [5.0 + k for k in range(30)]
    values[11] = 0.45
    study = sweep(drawn, {"a.at": values}, time_limit=3.0, jobs=2)
    assert [row.status for row in study.rows].count("done") == 29
    assert study.rows[11].status == "too long" and "longer than 3 s" in study.rows[11].reason


def test_one_run_of_each_block_is_made_by_new_instances(tmp_path, monkeypatch):
    fresh, differs = [], ResetRuns._differs

    def noted(self, point, rows, outcome):
        fresh.append(point)
        return differs(self, point, rows, outcome)

    monkeypatch.setattr(ResetRuns, "_differs", noted)
    made = blocks_of(ring(tmp_path), ["a.a"])
    points = [{"a.a": value} for value in VALUES]
    for _ in range(3):
        assert made.block(points) is not None
    assert fresh[:3] == [points[0], points[1], points[0]]  # before any is believed
    assert len(fresh) == 6 and len({str(point) for point in fresh[3:]}) == 3


def test_blocks_grow_as_soon_as_runs_are_quick():
    pool = local_pool.LocalPool[int](lambda n: RunOutcome("done"), 1, many=lambda tasks: None)
    shares = []
    for seconds in (2.0, *[0.003] * 3, *[1e-4] * 12):
        pool._note_pace([RunOutcome("done", seconds=seconds)])
        shares.append(pool._share())
    assert shares[0] == 1 and shares[-1] == 100


def test_resets_are_given_up_where_most_runs_are_unusual(tmp_path, monkeypatch):
    made = blocks_of(ring(tmp_path), ["a.a"])
    points = [{"a.a": value} for value in VALUES]
    assert made.block(points) is not None
    assert len(made.block([{"a.a": str(value)} for value in VALUES]).outcomes) == 60
    assert made.block(points) is None
    assert resets._UNUSUAL < 1
