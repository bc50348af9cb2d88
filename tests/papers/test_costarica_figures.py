"""COSTARICA, figures 10, 11, 18, 23 and 24: what the article says of them."""

import numpy as np
import problems
import pytest
from costarica_cases import ALPHA, BETA, Seasonal, bodies, motion, pair, populations

import dovetail as dv
from dovetail.core.signals import Waveform
from dovetail.core.window import Window
from dovetail.subsystems.live import Live

PUBLISHED = dv.Costarica.as_published()
ARTICLE = dv.Ifosmondi(tolerance=1e-12, restart=False)


def missed(kind, coefficients, size):
    """Estimate with the published numerics minus genuine step, over one window of the prey."""
    inputs = Waveform(np.array([coefficients]))
    live = Live("prey", kind(ALPHA, -BETA, 0.8).instantiate("prey"))
    live.initialize(0.0, {}, derivatives=True)
    live.outputs(inputs.at(0.0))
    live.begin()
    rehearsal = PUBLISHED.bind(live)
    rehearsal.open(Window(0.0, size, size))
    estimate = rehearsal.outputs(inputs).outputs.reals[0]
    return abs(estimate - rehearsal.commit(inputs).outputs.reals[0])


def test_figure_10_third_order_down_to_a_floor_of_the_numerics():
    """The inversion of 14 terms is good to 1e-8: below h = 0.01 its error is all that is left."""
    inputs = [0.8, -0.16, -0.11008]
    errors = [missed(problems.Species, inputs, h) for h in (0.3, 0.1, 0.03)]
    assert np.diff(np.log(errors)) / np.diff(np.log([0.3, 0.1, 0.03])) == pytest.approx(3, abs=0.05)
    floor = [missed(problems.Species, inputs, h) for h in (0.003, 0.001, 3e-4, 1e-4)]
    assert max(floor) < 2e-8  # and exactly it would be 6e-10 to 2e-14
    assert max(floor[2:]) > 1e-10


def test_figure_11_second_order_where_f_depends_on_time():
    """Larger errors, so that the floor is not reached before h = 0.0003."""
    sizes = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
    errors = [missed(Seasonal, [0.8, -0.448, 0.5173559185], h) for h in sizes]
    slopes = np.diff(np.log(errors)) / np.diff(np.log(sizes))
    assert slopes[1:] == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("estimator", [dv.Rollback(), PUBLISHED], ids=["rollback", "costarica"])
def test_figure_18_the_left_body_is_close_to_the_monolithic_solution_both_ways(estimator):
    """Of 1 m at the start; measured 6.2e-5 and 4.8e-5 m at windows of 1 s."""
    result = run(bodies(), 100.0, 1.0, estimator)
    assert np.max(np.abs(result["left.x"] - motion(result.time)[0])) < 1e-4


def test_figures_23_and_24_estimates_are_satisfactory_and_differ_only_in_a_zoom():
    """Up to 20 s and between 11.5 and 15.5 s, windows of 0.1 s; populations are of size 1."""
    errors = {}
    plain = dv.Costarica(carry_over=False, time_slope=False)
    for name, estimator in (("rollback", dv.Rollback()), ("costarica", plain)):
        result = run(pair(), 20.0, 0.1, estimator)
        error = np.abs([result["prey.x"], result["predator.x"]] - populations(result.time))
        zoom = (result.time >= 11.5) & (result.time <= 15.5)
        errors[name] = np.max(error), np.max(error[:, zoom])
    assert errors["costarica"] == pytest.approx((2.0475e-4, 1.5737e-4), rel=1e-3)
    assert errors["rollback"] == pytest.approx((1.2995e-6, 1.0417e-6), rel=1e-3)


def run(system, stop, size, estimator):
    return dv.simulate(
        system,
        stop=stop,
        algorithm=ARTICLE,
        controller=dv.FixedStep(size),
        estimators=dict.fromkeys(system.parts, estimator),
        quiet=True,
    )
