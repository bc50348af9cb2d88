"""What runs of a study take over from each other: decisions that rest on no value, and no bit."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from fmus import build
from studies.corner import RUN, system

import dovetail as dv
from dovetail.drawing.part import Part
from dovetail.run.common import Common
from dovetail.run.terms import Terms
from dovetail.run.warm_session import WarmSession

TIMED = ("wall_seconds", "seconds_by_part")
LIMITED = dv.Algebraic(
    inputs=[],
    outputs=["y"],
    parameters={"k": dv.Variable("k", start=1.0, maximum=10.0)},
    function=lambda t, u, p: [p.k],
)
RUN_OF_SESSION = {"stop": 0.4, "controller": dv.FixedStep(0.1), "quiet": True}
VALUES = {"strut.d": [500.0, 1500.0, 3000.0], "body.m": [250.0, 300.0]}


@pytest.fixture
def decided(monkeypatch):
    """The algorithms of runs that were decided from the drawing."""
    found, of = [], Terms.of

    def counted(drawn, asked, say):
        found.append(asked.algorithm)
        return of(drawn, asked, say)

    monkeypatch.setattr(Terms, "of", staticmethod(counted))
    return found


def ring(folder):
    """Two FMUs that feed each other: native windows."""
    model, drawn = dv.load(build.build("linear", 2, folder)), dv.System("ring")
    for name in ("a", "b"):
        drawn.add(name, model)
    drawn.connect("a.y", "b.u")
    drawn.connect("b.y", "a.u")
    return drawn


def same(one, other):
    """Every bit of every row, what was said, and what is known of how it was made."""
    assert one.names == other.names and np.array_equal(one.time, other.time)
    assert all(np.array_equal(one[n], other[n]) for n in one.names)
    facts, others = dict(one.facts), dict(other.facts)
    for known in (facts, others):
        known["statistics"] = {n: v for n, v in known["statistics"].items() if n not in TIMED}
    assert facts == others


@pytest.mark.parametrize("make", ["python", "fmus"])
def test_runs_one_after_another_are_those_alone_to_the_bit(make, tmp_path):
    drawn = system() if make == "python" else ring(tmp_path)
    vary = VALUES if make == "python" else {"a.a": [-1.0, -0.5, -2.0], "b.u": [0.0, 0.25]}
    ways = [dv.Jacobi(), dv.GaussSeidel(20), dv.Jacobi()]
    study = dv.sweep(drawn, {"algorithm": ways, **vary}, jobs=0, stop=0.4, step=0.1)
    assert not study.failed
    names = list(vary)
    for number, (way, *point) in enumerate(product(ways, *vary.values())):
        values = dict(zip(names, point, strict=True))
        run = {"stop": 0.4, "step": 0.1, "algorithm": way, "verify": False, "quiet": True}
        alone = dv.simulate(drawn, values=values, **run)
        same(study.rerun(number), alone)
        for name in alone.names:
            assert np.array_equal(study.final[name][number], alone[name][-1])


def test_windows_that_follow_their_error_take_over_nothing_else():
    pace, drawn = dv.StepDoubling(rtol=1e-3, first_size=0.01), system()
    ways, values = [dv.GaussSeidel(20, inputs="ramp"), dv.Newton()], [500.0, 1500.0]
    vary = {"algorithm": ways, "strut.d": values}
    study = dv.sweep(drawn, vary, jobs=0, stop=0.2, controller=pace)
    for number, (way, d) in enumerate(product(ways, values)):
        run = {"stop": 0.2, "algorithm": way, "controller": pace, "verify": False, "quiet": True}
        same(study.rerun(number), dv.simulate(drawn, values={"strut.d": d}, **run))


def test_a_drawing_is_decided_once_for_all_values(decided):
    dv.sweep(system(), VALUES, jobs=0, **RUN)
    assert len(decided) == 1


def test_another_way_connection_or_part_is_decided_anew(decided):
    once, ways = system(), [dv.Jacobi(), dv.GaussSeidel()]
    dv.sweep(once, {"algorithm": ways, "strut.d": [500.0, 700.0]}, jobs=0, **RUN)
    assert decided == ways
    dv.sweep(once, {"strut.force -> body.force": [0.5, 1.0]}, jobs=0, **RUN)
    assert len(decided) == 4
    other = dv.Algebraic(inputs=["x", "v"], outputs=["force"], function=lambda t, u, p: [-u.x])
    models = [once.parts["strut"].model, other]
    dv.sweep(once, {"strut": models}, jobs=0, **RUN)
    assert len(decided) == 6
    dv.sweep(once, {"step": [0.1, 0.05]}, jobs=0, stop=0.4)
    assert len(decided) == 8


def test_values_are_checked_in_each_run_and_those_by_force_are_decided_anew(decided):
    known = Common()
    drawn = dv.System("limited")
    drawn.add("part", LIMITED)
    for value in (5.0, 9.0, 12.0, 5.0):
        drawn.set("part.k", value, force=True)
        with WarmSession(known, drawn, **RUN_OF_SESSION) as session:
            assert session.run()["part.y"][-1] == value
    assert len(decided) == 3  # of 5, of 12 beyond the limit, and of 5 after it
    drawn.put(Part("part", LIMITED, {"k": 11.0}))  # as a file may have it
    with pytest.raises(dv.DrawingError) as warm:
        WarmSession(known, drawn, **RUN_OF_SESSION)
    with pytest.raises(dv.DrawingError) as cold:
        dv.Session(drawn, **RUN_OF_SESSION)
    assert str(warm.value) == str(cold.value) and "at most 10" in str(warm.value)


def test_nothing_is_taken_over_from_a_run_that_failed(decided):
    study = dv.sweep(system(), {"body.m": [300.0, 250.0, 0.0, 200.0, 220.0]}, jobs=0, **RUN)
    assert [row.number for row in study.failed] == [2]
    assert len(decided) == 2


def test_another_process_and_another_thread_decide_for_themselves(decided):
    known, drawn = Common(), system()

    def run(common):
        with WarmSession(common, drawn, **RUN_OF_SESSION) as session:
            session.run()

    run(known)
    run(pickle.loads(pickle.dumps(known)))
    assert len(decided) == 2
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run, known).result()
    assert len(decided) == 3
    run(known)
    assert len(decided) == 3
