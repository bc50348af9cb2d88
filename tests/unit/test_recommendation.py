"""`check` ends with one recommendation, and what it recommends runs."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import junction_problems
import problems
import pytest

import dovetail as dv
from dovetail.check.planner import Planner
from dovetail.check.recommendation import Recommendation

SOLVED = dv.GaussSeidel(50, inputs="hermite", rtol=1e-6, atol=1e-9, solver=dv.rootfinders.IqnIls())
FOLLOWING = dv.StepDoubling(2e-4, 1e-9, first_size=1e-6, scale="range")
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
        "Recommended: GaussSeidel(50, inputs='hermite', rtol=1e-06, atol=1e-09, "
        "solver=IqnIls()) with StepDoubling(0.0002, atol=1e-09, first_size=1e-06, scale='range'), "
        "because cycles are solved in each window, and every part can roll back, so that windows "
        "follow their error."
    )
    assert str(report).count("Recommended") == 1
    assert str(report).endswith("error.")
    assert report.recommendation.algorithm == SOLVED
    assert report.recommendation.controller == FOLLOWING


def test_a_drawing_with_errors_gets_none():
    report = dv.System("void").check()
    assert report.recommendation is None
    assert "Recommended" not in str(report)


def test_windows_do_not_depend_on_how_long_a_run_is():
    system = problems.two_mass_system()
    system.run_settings = replace(system.run_settings, start=10.0, stop=10.5)
    assert system.check().recommendation.controller == FOLLOWING


def test_a_run_without_any_choice_takes_it():
    system = problems.two_mass_system()
    chosen = dv.simulate(system, stop=0.5, quiet=True)
    named = dv.simulate(system, stop=0.5, algorithm="recommended", quiet=True)
    for fact in ("algorithm", "controller"):
        assert chosen.facts[fact] == named.facts[fact]
    assert chosen.final == named.final


def test_a_strong_algebraic_loop_gets_newton():
    found = problems.stiff_loop_system().check().recommendation
    assert found.algorithm == dv.Newton(inputs="ramp", rtol=1e-7, atol=1e-9)
    assert "feedback.y and feedback.u form an algebraic loop" in found.why


def test_an_algebraic_loop_of_parts_that_step_once_gets_newton():
    found = problems.stiff_loop_system(blind).check().recommendation
    assert found.algorithm == dv.Newton()
    assert "form an algebraic loop" in found.why


def test_parts_that_cannot_roll_back_get_windows_that_are_never_repeated():
    found = problems.two_mass_system(blind).check().recommendation
    assert found.algorithm == dv.GaussSeidel(extrapolation=1)
    assert found.controller == dv.InputDefect(5e-4, 1e-9, first_size=1e-6, scale="range")
    assert "windows follow what inputs were off by" in found.why


@pytest.mark.parametrize("restores", [True, False])
def test_one_that_asks_for_steps_begins_with_them_or_gets_them(archive, restores):
    state = 'canGetAndSetFMUstate="true"'
    path = archive("linear", edit=lambda t: t if restores else t.replace(state, ""))
    system = dv.System("two")
    for name in ("a", "b"):
        system.add(name, dv.load(path))
    system.connect("a.y", "b.u")
    found = system.check().recommendation
    if restores:
        assert found.controller == dv.StepDoubling(1e-4, 1e-9, first_size=0.1, scale="range")
    else:
        assert found.controller == dv.FixedStep(0.1)
        assert "windows are those that 'a' asks for" in found.why


def fixed_size(archive) -> dv.System:
    """Two FMUs that take steps of one size, which they leave to others, and cannot roll back."""
    able = ('canGetAndSetFMUstate="true"', 'canHandleVariableCommunicationStepSize="true"')

    def less(text: str) -> str:
        for ability in able:
            text = text.replace(ability, "")
        return re.sub(' stepSize="[^"]*"', "", text)

    system = dv.System("two")
    for name in ("a", "b"):
        system.add(name, dv.load(archive("linear", edit=less)))
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    return system


def test_windows_of_one_size_come_from_the_default_experiment_and_not_from_stop(archive):
    system = fixed_size(archive)
    usual = dv.load(archive("linear")).usual_span
    assert usual is not None
    found = Planner(system).plan(usual)
    assert (
        found.controller == dv.FixedStep(usual / 500) == Planner(system).plan(2 * usual).controller
    )
    assert "as the default experiment of 'a' has it" in found.why
    short = Planner(system).plan(usual / 1000)
    assert short.controller == dv.FixedStep(usual / 500_000), "or nothing of it would be seen"
    assert "the length of the run decides it, unless step is given" in short.why


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
    assert report.recommendation.algorithm == SOLVED


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


def lags(states: int) -> dv.System:
    """Two chains of lags that feed each other."""

    def rates(t, x, u, p):
        return [u[0] - x[0], *(a - b for a, b in pairwise(x))]

    names = [f"x{k}" for k in range(states)]
    system = dv.System("lags")
    for name in ("a", "b"):
        chain = dv.Dynamic(
            states=dict.fromkeys(names, 1.0),
            inputs=["u"],
            outputs=[names[-1]],
            derivatives=rates,
            vector=True,
        )
        system.add(name, chain)
    system.connect(f"a.{names[-1]}", "b.u")
    system.connect(f"b.{names[-1]}", "a.u")
    return system


def test_cycles_of_parts_with_few_states_are_solved_with_linearizations():
    """A step of fifty states and more costs less than the exponential of their matrix."""
    few, many = (lags(n).check().recommendation for n in (2, 51))
    assert few.algorithm == dv.Missiles(rtol=1e-6, atol=1e-9)
    assert "with the linearizations of the parts" in few.why
    assert many.algorithm == SOLVED
