"""A relay in one FMU switches a plant in another, a Python part samples: the order survives."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean
from conformance.test_model_exchange import ONLY
from convergence.test_orders_across_events import HIGH, LOW, RAMPS, measured, order, sampler

import dovetail as dv

SIZES = np.array([0.08, 0.04])
TIGHT = {"solver": "rk45", "rtol": 1e-11, "atol": 1e-12}
EXCHANGE = {"strict": True, "model_exchange": True, **ONLY}


def system(relay, linear):
    drawing = dv.System("relay")
    drawing.add("plant", linear, x=0.0, a=-1.0, b=1.0, drive=0.0)
    drawing.add("relay", relay, low=LOW, high=HIGH)
    drawing.add("tank", linear, x=0.0, a=-2.0, b=1.0, drive=0.0)
    sum_of = dv.Algebraic(
        inputs=["s", "c", "w"],
        outputs=["u"],
        function=lambda t, u, p: [0.5 * u.w + 1.5 * u.s + u.c],
    )
    drawing.add("sum", sum_of)
    drawing.add("sampler", sampler())
    drawing.connect("relay.y", "sum.s", gain=-1.0)  # on above the upper limit
    drawing.connect("sampler.c", "sum.c")
    drawing.connect("tank.y", "sum.w")
    drawing.connect("sum.u", "plant.u")
    for target in ("relay.u", "sampler.x", "tank.u"):
        drawing.connect("plant.y", target)
    return drawing


def errors(relay, linear):
    names = ("relay.y", "plant.y", "tank.y")
    return measured(lambda size: system(relay, linear), RAMPS, SIZES, names)


@pytest.mark.parametrize("version", [2, 3])
def test_fmus_keep_second_order_on_both_sides_of_every_event(fmu, version):
    """States and event times are O(h^2) off the solution in closed form."""
    relay = fmu("relay", version, load=TIGHT, strict=True, **ONLY)
    linear = fmu("linear", version, load=TIGHT, **EXCHANGE)
    found = errors(relay, linear)
    assert order(found[:, 0], SIZES) == pytest.approx(2.0, abs=0.25)
    assert order(found[:, 1], SIZES) == pytest.approx(2.0, abs=0.25)
    assert found[-1].max() < 4e-4
    assert is_clean(relay, linear)


def test_an_fmu_that_keeps_its_events_to_itself_has_first_order(fmu):
    """The same relay in FMI 2 for co-simulation: it switches at ends of windows only."""
    hidden = fmu("relay", 2, load={"kind": "co-simulation"}, input_derivatives=1)
    linear = fmu("linear", 3, load=TIGHT, **EXCHANGE)
    seen = errors(fmu("relay", 3, load=TIGHT, strict=True, **ONLY), linear)
    found = errors(hidden, linear)
    assert np.all(found[:, 1] > 0.2 * SIZES)  # late by a share of a window, however small
    assert np.all(found > 10 * seen)
