"""One decision says whether a run is native, and all that stands against it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conformance.conftest import called_by
from conformance.fleet import ring
from problems import Linear

import dovetail as dv
from dovetail.assembly.assembly import Assembly
from dovetail.assembly.native_decision import NativeDecision
from dovetail.core.obstacle import Obstacle
from dovetail.run.missed_speed import LONG, missed

PACE = dv.FixedStep(0.1)
NATIVE = [
    dv.Jacobi(),
    dv.Jacobi(20),
    dv.Jacobi(extrapolation=1),
    dv.GaussSeidel(),
    dv.GaussSeidel(20),
    dv.GaussSeidel(inputs="ramp"),
    dv.Newton(),
]


def decided(system, algorithm=None, controller=PACE, **more):
    """What a check says before the run, and what the session goes by: the same."""
    algorithm = algorithm or dv.Jacobi()
    with dv.Session(
        system, stop=1.0, algorithm=algorithm, controller=controller, quiet=True, **more
    ) as session:
        found = session.native
        batch = session.assembly.batch
        assert found.members == (() if batch is None else tuple(sorted(batch.members)))
        session.run()
    expected = session.result.statistics.windows if found.level == "windows" else 0
    assert session.result.statistics.native_windows == expected
    if not more:
        checked = system.check(algorithm, controller).native
        assert (checked.level, checked.obstacles) == (found.level, found.obstacles)
    assert bool(found.obstacles) == (found.level != "windows")
    return found


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
def test_plain_fmus_run_natively(fmu, algorithm):
    model = fmu("linear", 2, input_derivatives=1)
    found = decided(ring(model), algorithm)
    assert (found.level, str(found)) == ("windows", "runs natively")
    report = ring(model).check(algorithm, PACE)
    assert "with FixedStep runs natively" in str(report)


BY_KRYLOV = dv.Jacobi(solver=dv.rootfinders.NewtonKrylov())
AGAINST = [
    (BY_KRYLOV, PACE, "Jacobi solves with NewtonKrylov", "dv.Newton(inputs="),
    (dv.Newton(inputs="hermite"), PACE, "Newton solves for derivatives", "dv.GaussSeidel(50"),
    (dv.Missiles(inputs="hold"), PACE, "Missiles solves forecasts", ""),
    (dv.Jacobi(), dv.StepDoubling(extrapolate=True), "Richardson's outputs", "leave extrapolate"),
    (dv.Jacobi(), dv.ErrorCheck(0.1, doubling=True), "two half steps are made beside", ""),
    (dv.Jacobi(), dv.Defect(), "the controller Defect judges each window", ""),
]


@pytest.mark.parametrize(("algorithm", "controller", "what", "change"), AGAINST, ids=repr)
def test_what_is_chosen_stands_against_it(fmu, algorithm, controller, what, change):
    found = decided(ring(fmu("linear", 3)), algorithm, controller)
    alone = algorithm.inputs == "hermite" or isinstance(algorithm, dv.Missiles)
    assert found.level == ("python" if alone else "steps")
    reasons = [o for o in found.obstacles if what in o.what]
    assert len(reasons) == 1
    assert change in reasons[0].change and bool(change) == bool(reasons[0].change)
    assert f"because {found.reasons}" in str(found)


@pytest.mark.parametrize(
    ("algorithm", "controller", "change"),
    [
        (BY_KRYLOV, PACE, lambda a, c: (dv.Newton(inputs="hold"), c)),
        (dv.Newton(inputs="hermite"), PACE, lambda a, c: (replace(a, inputs="hold"), c)),
        (dv.Jacobi(), dv.StepDoubling(extrapolate=True), lambda a, c: (a, dv.StepDoubling())),
    ],
    ids=["krylov", "hermite", "extrapolate"],
)
def test_the_change_that_is_named_makes_it_native(fmu, algorithm, controller, change):
    system = ring(fmu("linear", 3))
    assert system.check(algorithm, controller).native.change
    assert system.check(*change(algorithm, controller)).native.level == "windows"


def test_parts_stand_against_it_and_are_named(fmu):
    model = fmu("linear", 2)
    system = ring(model, 2)
    system.add("python", Linear(("u",), ("y",), -1.0, 0.5, 1.0, 0.0, 1.0, 0.0, (1.0,)))
    system.connect("p0.y", "python.u")
    found = decided(system)
    assert found.level == "steps" and found.members == (0, 1)
    assert found.obstacles == (Obstacle("is no FMU", "python"),)
    assert str(found) == (
        "runs from Python, 2 parts stepped natively, because part 'python' is no FMU"
    )


def test_an_fmu_with_events_must_save_its_state(fmu):
    system = dv.System("bouncing")
    system.add("ball", fmu("ball", 3))
    report = system.check(dv.Jacobi(), PACE)
    assert report.native.level == "windows"  # but for those with events
    system = dv.System("bouncing")
    system.add("ball", fmu("ball", 3, state_saving=False))
    report = system.check(dv.Jacobi(), PACE)
    assert report.native.level == "python"
    why = "runs from Python because part 'ball' has events, and cannot save its state"
    assert str(report.native) == why
    assert "  speed: Jacobi() with FixedStep runs from Python because part" in str(report)


def test_estimators_stand_against_it(fmu):
    system = ring(fmu("linear", 2))
    one = {"p1": dv.Identified()}
    found = decided(system, dv.GaussSeidel(9), estimators=one)
    assert found.members == (0, 2)
    assert found.obstacles == (
        Obstacle("is estimated by Identified", "p1", "leave its estimator out"),
    )
    found = decided(system, dv.Jacobi(), estimators={"p0": dv.Rollback()})
    assert found.members == (0, 1, 2)
    assert [o.part for o in found.obstacles] == ["p0"]
    found = decided(system, dv.Jacobi(), estimators={"p0": dv.Direct(substeps=3)})
    assert found.obstacles == (Obstacle("is stepped in substeps", "p0", "leave its estimator out"),)


def test_a_kernel_that_is_switched_off_is_said(fmu):
    with called_by("python"):
        found = decided(ring(fmu("linear", 2)))
        assert found.level == "python"
        assert "part 'p0' (and 2 more) is not stepped by the kernel" in str(found)


def test_an_assembly_without_a_run_decides_the_same(fmu):
    system = ring(fmu("linear", 2))
    assembly = Assembly.of(system)
    assembly.initialize(0.0, {}, derivatives=False)
    assembly.begin()
    assert sorted(assembly.batch.members) == [0, 1, 2]
    assembly.close()


@dataclass(frozen=True)
class Own:
    """An algorithm of a user, that says nothing about native windows."""

    repeats = False
    inputs = "hold"
    order = 1

    def step(self, attempt, state):
        return dv.Jacobi().step(attempt, state)

    def schedule(self, structure):
        return None


class Louder(dv.Jacobi):
    """One with a step of its own, and the schedule of another."""

    def step(self, attempt, state):
        return super().step(attempt, state)


class Halving(dv.FixedStep):
    """A controller that is nearly the usual one."""


def test_what_users_write_is_called_from_python(fmu):
    system = ring(fmu("linear", 2))
    found = decided(system, Own())
    assert found.obstacles == (Obstacle("the algorithm Own has no native twin"),)
    found = decided(system, Louder())
    assert found.obstacles == (Obstacle("the algorithm Louder has a step of its own"),)
    found = decided(system, dv.Jacobi(), Halving(0.1))
    assert found.obstacles == (Obstacle("the controller Halving judges each window"),)


# The notice before a long run ---------------------------------------------------------------


def test_a_long_run_that_one_small_change_would_make_native_says_so(fmu):
    system, size = ring(fmu("linear", 2)), 0.1
    span = size * LONG / len(system.parts)
    options = {"controller": dv.FixedStep(size), "quiet": True}
    for stop, algorithm, said in (
        (span, BY_KRYLOV, True),
        (span / 2, BY_KRYLOV, False),
        (span, dv.Newton(), False),
        (span, dv.Missiles(inputs="hold"), False),
    ):
        with dv.Session(system, stop=stop, algorithm=algorithm, **options) as session:
            told = [m for m in session.messages if "would run natively" in m]
        assert bool(told) is said
    with dv.Session(system, stop=span, algorithm=BY_KRYLOV, **options) as session:
        assert session.messages == [
            "33334 windows go from Python, because Jacobi solves with NewtonKrylov, from Python; "
            "they would run natively, much faster, with this change: dv.Newton(inputs='hold')"
        ]


def test_two_things_in_the_way_are_no_small_change():
    one, other = Obstacle("a", change="b"), Obstacle("c", change="d")
    pace = dv.FixedStep(1.0)
    assert missed(NativeDecision((), (one,)), pace, 1e6, 1)
    assert not missed(NativeDecision((), (one, other)), pace, 1e6, 1)
    assert not missed(NativeDecision((), (one, Obstacle("e"))), pace, 1e6, 1)
    assert not missed(NativeDecision((), (one,)), dv.StepDoubling(), 1e6, 1)


# The command line ---------------------------------------------------------------------------


def test_the_commands_tell_it(fmu, tmp_path):
    model = fmu("linear", 2)
    drawing = {
        "dovetail": 1,
        "parts": {"a": str(Path(model.path).resolve()), "b": str(Path(model.path).resolve())},
        "connections": ["a.y -> b.u", "b.y -> a.u"],
        "run": {"stop": 1, "step": 0.1, "algorithm": "jacobi(solver=newton_krylov)"},
    }
    (tmp_path / "two.yaml").write_text(json.dumps(drawing))

    def called(*words):
        command = [sys.executable, "-m", "dovetail", *words]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ
        )
        assert done.returncode in (0, 3), done.stderr  # 3: it ended, and is doubtful
        return done.stdout

    found = json.loads(called("check", "two.yaml", "--json"))
    assert found["ok"] is True
    assert found["native"]["level"] == "steps"
    (obstacle,) = found["native"]["obstacles"]
    assert obstacle["what"].startswith("Jacobi solves") and obstacle["change"]
    assert "2 parts stepped natively, because Jacobi" in called("check", "two.yaml")
    words = "run", "two.yaml", "--algorithm", "jacobi"
    assert json.loads(called(*words, "--json"))["native_windows"] == 10
    assert "10 windows (all natively)," in called(*words)
