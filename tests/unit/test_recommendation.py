"""`check` ends with one recommendation, and what it recommends runs."""

from dataclasses import replace
from pathlib import Path

import junction_problems
import problems
import pytest

import dovetail as dv
from dovetail.check.recommendation import Recommendation

ITERATED = dv.GaussSeidel(50, inputs="ramp", rtol=1e-5, atol=1e-7)
EXAMPLES = Path(__file__).parents[2] / "examples"


def blind(model):
    """The same model, unable to roll back."""
    return model if isinstance(model, dv.Discrete | dv.Source) else problems.Blind(model)


SYSTEMS = {
    **{p.name: p.draw for p in problems.everything},
    "two_mass, blind": lambda: problems.two_mass_system(blind),
    "stiff_loop, blind": lambda: problems.stiff_loop_system(blind),
    "control_loop, blind": lambda: problems.control_loop_system(blind),
    "two_capacitors": junction_problems.two_capacitors,
    "three_pipes": junction_problems.three_pipes,
    "gu_5_4_4": junction_problems.gu_5_4_4,
}
FILES = {
    "two_mass_oscillator.py": 0.5,
    "predation/predation.yaml": 0.5,
    "thermostat.py": 3600.0,
    "diode.py": 0.001,
    "multirate/electrics.yaml": 1e-4,
    "multirate/motor.yaml": 1e-4,
    "quarter_car/quarter_car.yaml": 0.01,
}


@pytest.mark.parametrize("draw", SYSTEMS.values(), ids=SYSTEMS)
def test_what_is_recommended_runs(draw):
    system = draw()
    found = system.check().recommendation
    result = dv.simulate(system, stop=0.05, algorithm="recommended", quiet=True)
    assert result.finished
    assert type(found.algorithm).__name__ in result.facts["algorithm"]


@pytest.mark.parametrize(("name", "stop"), FILES.items())
def test_what_is_recommended_for_an_example_runs(name, stop):
    result = dv.simulate(EXAMPLES / name, stop=stop, algorithm="recommended", quiet=True)
    assert result.finished


def test_the_report_ends_with_it():
    report = problems.two_mass_system().check()
    assert report.lines()[-1] == (
        "Recommended: GaussSeidel(50, inputs='ramp', rtol=1e-05, atol=1e-07) with "
        "StepDoubling(0.0001), because every part of each cycle can answer a window repeatedly, "
        "and every part can roll back, so that windows follow their error."
    )
    assert str(report).count("Recommended") == 1
    assert str(report).endswith("error.")
    assert report.recommendation.algorithm == ITERATED
    assert report.recommendation.controller == dv.StepDoubling(rtol=1e-4)


def test_a_drawing_with_errors_gets_none():
    report = dv.System("void").check()
    assert report.recommendation is None
    assert "Recommended" not in str(report)


def test_windows_fit_into_the_run():
    system = problems.two_mass_system()
    system.run_settings = replace(system.run_settings, start=10.0, stop=10.5)
    found = system.check().recommendation.controller
    assert (found.first_size, found.min_size, found.max_size) == (5e-4, 5e-7, 0.01)


def test_a_strong_algebraic_loop_gets_newton():
    found = problems.stiff_loop_system().check().recommendation
    assert found.algorithm == dv.Newton(inputs="ramp", rtol=1e-5, atol=1e-7)
    assert "has a gain of 5 in windows of any size" in found.why


def test_an_algebraic_loop_of_parts_that_step_once_gets_newton():
    found = problems.stiff_loop_system(blind).check().recommendation
    assert found.algorithm == dv.Newton()
    assert "form an algebraic loop" in found.why


def test_parts_that_cannot_roll_back_get_windows_of_one_size():
    system = problems.two_mass_system(blind)
    assert system.check().recommendation.controller is None, "no stop time, and no size"
    system.run_settings = replace(system.run_settings, stop=5.0)
    found = system.check().recommendation
    assert found.controller == dv.FixedStep(0.01)
    assert "windows have one size" in found.why
    system.run_settings = replace(system.run_settings, controller=dv.FixedStep(0.02))
    found = system.check().recommendation
    assert found.controller == dv.FixedStep(0.02)
    assert "that of the drawing" in found.why


def test_one_that_asks_for_steps_gets_them(archive):
    path = archive("linear")
    system = dv.System("two")
    for name in ("a", "b"):
        system.add(name, dv.load(path))
    system.connect("a.y", "b.u")
    found = system.check().recommendation
    assert found.controller == dv.FixedStep(0.1)
    assert "windows are those that 'a' asks for" in found.why


def test_a_part_alone_keeps_its_rows():
    system = dv.System("alone")
    system.add("x", problems.Species(-1.0, 0.0, 1.0))
    system.run_settings = replace(system.run_settings, stop=5.0)
    found = system.check().recommendation
    assert found.controller == dv.FixedStep(0.01)
    assert "nothing is exchanged" in found.why


def test_it_is_of_the_drawing_as_it_was_checked():
    system = problems.two_mass_system()
    report = system.check()
    system.remove("left")
    assert isinstance(report.recommendation, Recommendation)
    assert report.recommendation.algorithm == ITERATED


def test_windows_that_are_given_go_before_the_recommended_ones():
    system = problems.two_mass_system()
    result = dv.simulate(system, stop=0.5, algorithm="recommended", step=0.1, quiet=True)
    assert result.statistics.windows == 5
    assert "GaussSeidel" in result.facts["algorithm"]


def test_checking_starts_no_part():
    system, started = dv.System("s"), []

    class Watched(problems.Species):
        def instantiate(self, name):
            started.append(name)
            return super().instantiate(name)

    system.add("a", Watched(-1.0, 0.0, 1.0))
    system.add("b", Watched(-1.0, 0.0, 1.0))
    system.connect("a.x", "b.u")
    system.connect("b.x", "a.u")
    report = system.check()
    assert started == []
    _ = report.recommendation, report.recommendation, str(report)
    assert started == ["a", "b"], "once, when it is asked for"


def test_an_iteration_does_not_keep_windows_short():
    """With tolerances of the iteration like those of the windows, this took twenty times more."""
    run = dv.simulate(problems.stiff_loop_system(), stop=0.05, algorithm="recommended", quiet=True)
    assert run.statistics.windows < 100
