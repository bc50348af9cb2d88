"""The identified estimator: parts that expose nothing, against explicit coupling.

The figures are those of docs/papers/costarica.md.
"""

import held_out
import numpy as np
import problems
import pytest
from costarica_cases import Seasonal, bodies, motion, pair, populations
from scipy.linalg import expm

import dovetail as dv

ITERATED = dv.GaussSeidel(100, inputs="ramp")


def lags(gain):
    """Two lags in a circle, one turning the other back: x' = -x + k y + 1, y' = -y - k x + 1."""
    system = dv.System("lags")
    for name, k in (("one", gain), ("two", -gain)):
        part = problems.Linear(("u",), ("x",), A=[[-1]], B=[[k]], C=[[1]], D=0, c=[1.0], x=(1.0,))
        system.add(name, part)
    system.connect("one.x", "two.u")
    system.connect("two.x", "one.u")
    return system


def turning(gain, times):
    M = np.array([[-1, gain, 1.0], [-gain, -1, 1], [0, 0, 0]])
    return np.array([expm(M * t) @ [1, 1, 1] for t in times]).T[:2]


SPECIES = ("prey.x", "predator.x")
PROBLEMS = {
    "strong lags": problems.Problem(
        "", lambda: lags(5.0), 10.0, ("one.x", "two.x"), lambda t: turning(5.0, t)
    ),
    "weak lags": problems.Problem(
        "", lambda: lags(1.0), 10.0, ("one.x", "two.x"), lambda t: turning(1.0, t)
    ),
    "prey and predators": problems.Problem("", pair, 20.0, SPECIES, populations),
    "with seasons": problems.Problem(
        "", lambda: pair(Seasonal), 20.0, SPECIES, lambda t: populations(t, True)
    ),
    "two masses": problems.two_mass,
    "diode": problems.algebraic_loop,
    "sampled masses": problems.sampled_masses,
    "two bodies": problems.Problem(
        "", bodies, 100.0, ("left.x", "right.x2"), lambda t: motion(t)[[0, 2]]
    ),
}


def errors(problem, size):
    """Explicit, and with every part identified."""
    explicit = held_out.error(problem, dv.GaussSeidel(inputs="ramp"), None, size)
    assert np.isfinite(explicit)
    return explicit, held_out.error(problem, ITERATED, dv.Identified(), size)


@pytest.mark.parametrize("size", [0.1, 0.05])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_learned_model_is_never_worse_than_explicit_coupling(name, size):
    """By no more than 5 %; mostly it is several times better."""
    scale = 20 if name == "two bodies" else 1
    explicit, identified = errors(PROBLEMS[name], scale * size)
    assert identified < 1.05 * explicit


# Settings were found on other problems; variants were compared on these as well.
# benchmarks/identified.py has 68 of them.
HELD_OUT = {
    (held_out.lags, (3,), 0.1): 1.0,
    (held_out.warmth, (4,), 0.1): 1.0,
    (held_out.ring, (1.8,), 0.1): 0.25,
    (held_out.masses, (2, 3, 0.1, 0.5, 10, 0.1, 1), 0.1): 0.4,
    (held_out.masses, (0.3, 8, 0.2, 1, 2, 0, 4), 0.05): 0.15,
    (held_out.species, (0.5, 0.8, 0.6, 0.7, 0.5, 0.6), 0.2): 0.15,
    **{(held_out.drawn_by_lot, (seed,), 0.1): 1.0 for seed in (100, 109)},
}


def _named(value):
    return f"{value[0].__name__} {value[1:]}" if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(("case", "share"), HELD_OUT.items(), ids=_named)
def test_nor_is_it_on_problems_that_it_was_not_tuned_on(case, share):
    """At most this share of the error of explicit coupling, and never more than that and 5 %."""
    draw, options, size = case
    explicit, identified = errors(draw(*options), size)
    assert identified < 1.05 * share * explicit


@pytest.mark.parametrize(("name", "times"), [("prey and predators", 50), ("two masses", 5)])
def test_what_a_learned_model_gains(name, times):
    explicit, identified = errors(PROBLEMS[name], 0.05)
    assert identified < explicit / times


def test_a_linear_part_of_two_states_is_learned_exactly():
    """Once it has seen enough, what it predicts is right to many digits."""
    system = problems.two_mass_system()
    with dv.Session(
        system,
        stop=5.0,
        algorithm=dv.Missiles(inputs="ramp"),
        controller=dv.FixedStep(0.1),
        estimators=dict.fromkeys(system.parts, dv.Identified()),
        quiet=True,
    ) as session:
        late = [segment for _ in range(50) for segment in session.advance()][30:]
    worst = max(np.max(np.abs(a.defect)) for segment in late for a in segment.assessments.values())
    assert worst < 1e-6
    assert all(a.trusted for segment in late for a in segment.assessments.values())
