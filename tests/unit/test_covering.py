"""What a long window found is where the search in its halves begins."""

import problems
import pytest

import dovetail as dv
from dovetail.rootfinders import IqnIls

DOUBLING = dv.StepDoubling(1e-4, 1e-9, first_size=1e-3, scale="range")


@pytest.mark.parametrize(
    "algorithm",
    [
        dv.GaussSeidel(50, inputs="hermite", solver=IqnIls(), rtol=1e-6, atol=1e-9),
        dv.Newton(inputs="ramp", rtol=1e-6, atol=1e-9),
        dv.Missiles(rtol=1e-6, atol=1e-9),
    ],
    ids=lambda a: type(a).__name__,
)
def test_searches_in_halves_begin_with_what_the_long_window_found(algorithm, monkeypatch):
    options = {"algorithm": algorithm, "controller": DOUBLING, "quiet": True, "stop": 5.0}
    near = dv.simulate(problems.prey_predator_system(), **options)
    monkeypatch.setattr("dovetail.run.stepping._covering", lambda branches: None)
    far = dv.simulate(problems.prey_predator_system(), **options)
    assert near.statistics.evaluations < far.statistics.evaluations
    for name in near.names:
        apart = abs(near.final[name] - far.final[name])
        assert apart < 1e-4 * abs(far.final[name]), "the root is the same, within tolerances"


def test_parts_that_are_linear_are_asked_once():
    """Their forecasts are exact, and better than what the long window found."""
    run = dv.simulate(
        problems.two_mass_system(),
        stop=2.0,
        algorithm=dv.Missiles(rtol=1e-6, atol=1e-9),
        controller=DOUBLING,
        quiet=True,
    )
    tried = run.statistics.windows + run.statistics.rejected_by_error
    assert run.statistics.evaluations == 3 * 2 * tried, "three solves, two parts"


def test_the_middle_of_a_window_is_a_row():
    """Parts stood there: it is no interpolation. With Richardson's outputs it is left out."""
    options = {"algorithm": dv.GaussSeidel(), "stop": 1.0, "quiet": True}
    controller = dv.StepDoubling(1e-3, scale="range")
    run = dv.simulate(problems.two_mass_system(), controller=controller, **options)
    assert len(run) == 1 + 2 * run.statistics.windows
    improved = dv.StepDoubling(1e-3, scale="range", extrapolate=True)
    run = dv.simulate(problems.two_mass_system(), controller=improved, **options)
    assert len(run) == 1 + run.statistics.windows
