"""Junctions between parts that cannot roll back: solved on estimates, as good as with rollback."""

import junction_problems
import numpy as np
import pytest
from catalogue import brief
from costarica_cases import Estimable

import dovetail as dv

EXACT = {"rtol": 1e-11, "atol": 1e-13}
CASES = {
    "two capacitors": (junction_problems.two_capacitors, "first.pin", "second.pin", "first.v", 2),
    "two masses": (junction_problems.two_masses, "spring.flange", "dashpot.flange", "spring.x", 3),
}


def run(case, size, algorithm, wrap=lambda model: model, **options):
    draw, one, other, _, _ = CASES[case]
    system = dv.System(case)
    for name, part in draw(**EXACT).parts.items():
        system.add(name, wrap(part.model))
    system.join(one, other)
    return dv.simulate(
        system,
        stop=1.0,
        algorithm=algorithm,
        controller=dv.FixedStep(size),
        rtol=1e-10,
        atol=1e-12,
        quiet=True,
        **options,
    )


@pytest.mark.parametrize("algorithm", [dv.Newton(), dv.Iterative()], ids=brief)
@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_that_of_rollback(case, algorithm):
    """One genuine step a window instead of several, with the same order and error."""
    *_, watched, order = CASES[case]
    reference, errors = run(case, 0.005, dv.Newton())[watched][-1], []
    for size in (0.04, 0.02):
        back, result = run(case, size, algorithm), run(case, size, algorithm, Estimable)
        found = [abs(r[watched][-1] - reference) for r in (back, result)]
        assert found[1] == pytest.approx(found[0], rel=0.1)
        errors.append(found[1])
        assert "estimated by dv.Costarica()" in result.facts["messages"][0]
        assert "is solved inside each window" in result.facts["messages"][1]
        made = result.statistics.evaluations_by_part.values()
        assert set(made) == {result.statistics.windows}
        assert min(back.statistics.evaluations_by_part.values()) >= 2 * back.statistics.windows
        assert result.statistics.unsolved_junctions == 0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def test_solving_on_estimates_beats_sliding_mode():
    """What such parts got before they were estimated."""
    draw, one, other, watched, _ = CASES["two capacitors"]
    reference = run("two capacitors", 0.005, dv.Newton())[watched][-1]
    system = dv.System("slid")
    for name, part in draw(**EXACT).parts.items():
        system.add(name, Estimable(part.model))
    system.join(one, other, coordinator=dv.SlidingMode())
    slid = dv.simulate(
        system, stop=1.0, algorithm=dv.Newton(), controller=dv.FixedStep(0.02), quiet=True
    )
    solved = run("two capacitors", 0.02, dv.Newton(), Estimable)
    assert abs(solved[watched][-1] - reference) < abs(slid[watched][-1] - reference) / 5


def test_a_model_that_is_still_to_be_learned_cannot_say_what_a_junction_moves():
    """Nobody pushes a part to see what it does, so nothing is known in the first window."""
    draw = CASES["two capacitors"][0]
    estimators = dict.fromkeys(draw(**EXACT).parts, dv.Identified())
    with pytest.raises(dv.JunctionFailed, match=r"use coordinator=dv.SlidingMode\(\)"):
        run("two capacitors", 0.02, dv.Newton(), estimators=estimators)
