"""Slopes of what a merged system shows, and the methods that live on them."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.live import Live

STOP = 4.0
METHODS = [
    dv.Ifosmondi(tolerance=1e-12),
    dv.GaussSeidel(60, "hermite", rtol=1e-12, atol=1e-12),
    dv.Newton(inputs="hermite", rtol=1e-12, atol=1e-12),
]


def driven():
    """x' = -x + u + sin t, behind an algebraic loop: y = 2 x + 0.5 y + u cos t."""
    system = dv.System("driven")
    system.add("wave", dv.Source(outputs=["s", "c"], function=lambda t, p: [sin(t), cos(t)]))
    system.add(
        "lag",
        dv.Dynamic(
            states={"x": 1.0},
            inputs=["u", "s"],
            outputs=["x"],
            derivatives=lambda t, x, u, p: [-x.x + u.u + u.s],
        ),
    )
    system.add(
        "loop",
        dv.Algebraic(
            inputs=["x", "u", "c", "back"],
            outputs=["y"],
            function=lambda t, u, p: [2 * u.x + 0.5 * u.back + u.u * u.c],
        ),
    )
    system.add("entry", dv.Algebraic(inputs=["u"], outputs=["v"], function=lambda t, u, p: [u.u]))
    for source, target in (
        ("wave.s", "lag.s"),
        ("wave.c", "loop.c"),
        ("lag.x", "loop.x"),
        ("loop.y", "loop.back"),
        ("entry.v", "lag.u"),
        ("entry.v", "loop.u"),
    ):
        system.connect(source, target)
    return dv.merge(system, names={"u": "entry.u", "y": "loop.y", "x": "lag.x"}, rtol=1e-11)


def derivatives_of(t, x, u, du):
    """Of y = 4 x + 2 u cos t."""
    dx = -x + u + sin(t)
    return 4 * dx + 2 * du * cos(t) - 2 * u * sin(t)


def place(part, outputs, name):
    names = [v.name for v in part.description.outputs]
    return outputs[names.index(name)]


def test_slopes_are_those_of_the_equations():
    part = Live("part", driven().instantiate("part"))
    part.initialize(0.0, {}, derivatives=True)
    begun = part.outputs(Signals(np.array([0.5]), np.array([2.0])))
    assert place(part, begun.derivatives, "y") == pytest.approx(
        derivatives_of(0, 1.0, 0.5, 2.0), rel=1e-7
    )
    part.begin()
    wave = Waveform(np.array([[0.5, 2.0, -3.0]]))
    reached = part.advance(Window.between(0.0, 0.3), wave)
    u, du = 0.5 + 0.6 - 0.27, 2.0 - 1.8
    x = place(part, reached.outputs.reals, "x")
    told = place(part, reached.outputs.derivatives, "y")
    assert told == pytest.approx(derivatives_of(0.3, x, u, du), rel=1e-7)
    now = part.outputs(Signals(np.array([-1.0]), np.array([4.0])))
    assert place(part, now.derivatives, "y") == pytest.approx(
        derivatives_of(0.3, x, -1.0, 4.0), rel=1e-7
    )
    again = part.advance(Window.between(0.3, 0.6), Waveform.hold(Signals(np.array([-1.0]))))
    x = place(part, again.outputs.reals, "x")
    told = place(part, again.outputs.derivatives, "y")
    assert told == pytest.approx(derivatives_of(0.6, x, -1.0, 0.0), rel=1e-7)


def test_outputs_are_the_same_with_slopes_and_without():
    found = []
    for wanted in (False, True):
        part = Live("part", driven().instantiate("part"))
        part.initialize(0.0, {}, derivatives=wanted)
        part.outputs(Signals(np.array([0.5]), np.array([0.0])))
        part.begin()
        for k in range(3):
            window = Window.between(0.1 * k, 0.1 * (k + 1))
            last = part.advance(window, Waveform(np.array([[0.5, 1.0 + k]])))
        found.append(last.outputs.reals)
    assert found[1].tolist() == found[0].tolist()


def test_a_jump_of_time_is_in_no_slope():
    """A table that rises by 1 each second, and jumps by 10 at 0.5 s, seen from both sides."""
    system = dv.System("jump")
    table = dv.Table(time=[0, 0.5, 0.5, 1.0], columns={"v": [0.0, 0.5, 10.5, 11.0]})
    system.add("table", table)
    system.add(
        "same", dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [3 * u.a])
    )
    system.connect("table.v", "same.a")
    part = Live("part", dv.merge(system, names={"b": "same.b"}).instantiate("part"))
    part.initialize(0.0, {}, derivatives=True)
    nothing = Signals(np.zeros(0), np.zeros(0))
    assert place(part, part.outputs(nothing).derivatives, "b") == pytest.approx(3.0, rel=1e-8)
    part.begin()
    reached = part.advance(Window.between(0.0, 0.8), Waveform.hold(nothing))
    assert reached.event and reached.time == pytest.approx(0.5)
    assert place(part, reached.outputs.reals, "b") == pytest.approx(1.5)
    assert place(part, reached.outputs.derivatives, "b") == pytest.approx(3.0, rel=1e-8)
    right = part.event(nothing)
    assert place(part, right.reals, "b") == pytest.approx(31.5)
    assert place(part, right.derivatives, "b") == pytest.approx(3.0, rel=1e-8)


def half(name, start, rates, gain):
    """A part of Lotka and Volterra, and a gain behind it, under one integrator."""
    system = dv.System(name)
    system.add(
        "part",
        dv.Dynamic(states={"x": start}, inputs={"u": 10.0}, outputs=["x"], derivatives=rates),
    )
    scale = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [gain * u.a])
    system.add("scale", scale)
    system.connect("part.x", "scale.a")
    return dv.merge(
        system, names={"u": "part.u", "y": "scale.b", "x": "part.x"}, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("algorithm", METHODS, ids=lambda a: type(a).__name__)
def test_cubic_inputs_between_merged_systems_have_order_four(algorithm):
    prey = half("prey", 10.0, lambda t, x, u, p: [(0.1 - 0.02 * u.u) * x.x], 2.0)
    predator = half("predator", 10.0, lambda t, x, u, p: [(-0.4 + 0.02 * u.u) * x.x], 4.0)
    system = dv.System("both")
    system.add("prey", prey)
    system.add("predator", predator)
    system.connect("prey.y", "predator.u", gain=0.5)
    system.connect("predator.y", "prey.u", gain=0.25)

    def rates(t, x):
        return [(0.1 - 0.02 * x[1]) * x[0], (-0.4 + 0.02 * x[0]) * x[1]]

    exact = solve_ivp(rates, (0, STOP), [10.0, 10.0], rtol=1e-12, atol=1e-12).y[:, -1]
    errors = []
    for size in (1.0, 0.5):
        found = dv.simulate(
            system, stop=STOP, algorithm=algorithm, controller=dv.FixedStep(size), quiet=True
        )
        final = np.array([found.final["prey.x"], found.final["predator.x"]])
        errors.append(np.abs(final - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.25)
