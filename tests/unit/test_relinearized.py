"""Linearizations that are kept while they are good, of parts that move away from them."""

import numpy as np
import pytest
from costarica_cases import populations

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.models.dynamic_part import DynamicPart
from dovetail.subsystems.live import Live
from dovetail.subsystems.subsystem import Relinearizable


def species(rate, gain):
    return dv.Dynamic(
        states={"x": 1.0},
        inputs={"u": 1.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [x.x * (rate + gain * u.u)],
        rtol=1e-11,
        atol=1e-12,
    )


def predation():
    system = dv.System("predation")
    system.add("prey", species(0.67, -1.33))
    system.add("predator", species(-1.0, 1.0))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


MODELS = {
    "dynamic": lambda: species(0.67, -1.33),
    "merged": lambda: dv.merge(predation()),
}


@pytest.mark.parametrize("kind", MODELS)
def test_only_the_matrices_are_of_another_place(kind):
    part = Live("part", MODELS[kind]().instantiate("part"))
    part.initialize(0.0, {}, derivatives=False)
    u = Signals(np.full(len(part.description.inputs), 0.5))
    part.outputs(u)
    part.begin()
    known = part.linearize()
    part.advance(Window.between(0.0, 0.4), Waveform.hold(u))
    assert isinstance(part.subsystem, Relinearizable)
    found, whole = part.relinearize(known), part.linearize()
    for name in "ABCD":
        assert getattr(found, name) is getattr(known, name)
    for name in ("x", "dx", "u", "y"):
        assert np.array_equal(getattr(found, name), getattr(whole, name))
    assert not np.array_equal(found.x, known.x)


@pytest.mark.parametrize(
    ("estimator", "least", "most", "limit"),
    [
        # with a Jacobian in every window: 6.4e-6, and 6.1e-7 with the improvements
        (dv.Costarica(carry_over=False, time_slope=False, reuse=1e-5), 0.1, 0.45, 1.3e-5),
        (dv.Costarica(reuse=1e-5), 0.0, 0.02, 4.1e-6),
    ],
    ids=["plain", "default"],
)
def test_jacobians_are_made_anew_when_defects_grow(estimator, least, most, limit, monkeypatch):
    """A share of all windows; the operating point moves around a whole orbit."""
    made, whole = [], DynamicPart.linearize
    monkeypatch.setattr(DynamicPart, "linearize", lambda part: made.append(1) or whole(part))
    result = dv.simulate(
        predation(),
        stop=20.0,
        algorithm=dv.Missiles(),
        controller=dv.FixedStep(0.05),
        estimators={"prey": estimator, "predator": estimator},
        quiet=True,
    )
    assert least < len(made) / (2 * result.statistics.windows) <= most
    values = np.array([result["prey.x"], result["predator.x"]])
    assert np.max(np.abs(values - populations(result.time))) < limit
