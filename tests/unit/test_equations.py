"""Parts whose equations can be evaluated anywhere, whatever they do in between."""

import numpy as np
import pytest
from scipy.sparse import csc_array

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.subsystem import Equations

NONE = Signals(np.zeros(0))


def live(model, **values):
    part = model.instantiate("part")
    part.initialize(0.0, values)
    part.begin()
    return part


def oscillator(**more):
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs={"force": 0.0},
        outputs=["x", "sum"],
        parameters={"k": 4.0},
        derivatives=lambda t, x, u, p: [x.v, -p.k * x.x + u.force + t],
        output=lambda t, x, u, p: [x.x, x.x + u.force],
        units={"x": "m"},
        **more,
    )


PARTS = {
    "dynamic": oscillator(),
    "algebraic": dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [2 * u.a + t]),
    "source": dv.Source(outputs=["s"], function=lambda t, p: [t * t]),
    "table": dv.Table(time=[0.0, 1.0], columns={"s": [0.0, 2.0]}),
}


@pytest.mark.parametrize("name", PARTS)
def test_python_parts_offer_their_equations(name):
    part = live(PARTS[name])
    assert isinstance(part, Equations)
    n = len(part.states)
    u = Signals(np.zeros(sum(v.size for v in part.description.inputs)))
    assert part.state().shape == (n,)
    assert part.rates(0.5, part.state(), u).shape == (n,)
    assert part.jacobian(0.5, part.state(), u).shape == (n, n)
    assert part.crossings(0.5, part.state(), u).size == 0
    assert part.values(0.5, part.state(), u).reals.size == sum(
        v.size for v in part.description.outputs
    )
    assert part.completed(0.5, part.state(), u) is False


def test_a_dynamic_tells_rates_values_and_jacobian_anywhere():
    part = live(oscillator(), k=9.0)
    x, u = np.array([2.0, 3.0]), Signals(np.array([5.0]))
    assert [v.name for v in part.states] == ["x", "v"]
    assert part.states[0].unit == "m"
    assert part.rates(0.5, x, u) == pytest.approx([3.0, -9 * 2 + 5 + 0.5])
    assert part.values(0.5, x, u).reals == pytest.approx([2.0, 7.0])
    jacobian = part.jacobian(0.5, x, u)
    assert isinstance(jacobian, csc_array)
    assert jacobian.toarray() == pytest.approx(np.array([[0, 1], [-9, 0]]), abs=1e-8)


def test_array_states_are_told_scalar_by_scalar():
    model = dv.Dynamic(states={"T": [1.0, 2.0]}, derivatives=lambda t, x, u, p: [-x.T])
    assert [v.name for v in live(model).states] == ["T[1]", "T[2]"]


@pytest.mark.parametrize("kind", ["given", "complex", "differences"])
def test_a_jacobian_comes_the_way_that_is_asked_for(kind):
    options = {"jacobian": lambda t, x, u, p: [[0, 1], [-p.k, 0]]} if kind == "given" else {}
    if kind == "complex":
        options = {"jacobian": "complex"}
    part = live(oscillator(**options))
    found = part.jacobian(0.0, np.array([1.0, 0.0]), Signals(np.zeros(1))).toarray()
    assert found == pytest.approx(np.array([[0, 1], [-4, 0]]), abs=1e-8)


def test_evaluating_moves_nothing():
    asked, plain = live(oscillator()), live(oscillator())
    window, inputs = Window.between(0.0, 1.0), Waveform.hold(Signals(np.zeros(1)))
    u = Signals(np.ones(1))
    for method in (asked.rates, asked.values, asked.jacobian, asked.crossings):
        method(7.0, np.array([3.0, 4.0]), u)
    a, b = asked.advance(window, inputs), plain.advance(window, inputs)
    assert np.array_equal(a.outputs.reals, b.outputs.reals)


def test_placing_moves_the_part_there():
    part = live(oscillator())
    part.place(2.0, np.array([5.0, 6.0]))
    assert part.state().tolist() == [5.0, 6.0]
    assert part.outputs(Signals(np.zeros(1))).reals.tolist() == [5.0, 5.0]
    assert part.t == 2.0


def test_a_crossing_that_was_found_elsewhere_is_taken_by_its_event():
    ball = live(
        dv.Dynamic(
            states={"h": 1.0, "v": 0.0},
            outputs=["h", "v"],
            derivatives=lambda t, x, u, p: [x.v, -9.81],
            zero_crossings=lambda t, x, u, p: [x.h],
            on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.5 * x.v},
        )
    )
    ball.place(0.45, np.array([-1e-17, -4.4]), (0,), (0,))
    assert ball.event(NONE).reals.tolist() == [0.0, 2.2]
    assert ball.event(NONE).reals.tolist() == [0.0, 2.2]  # asked again, it answers the same
    assert ball.state().tolist() == [0.0, 2.2]


def test_a_source_stays_on_its_side_of_a_jump_until_the_event():
    step = live(dv.Source(outputs=["s"], function=lambda t, p: [float(t >= 1)], jumps=[1.0]))
    assert step.values(1.5, np.zeros(0), NONE).reals.tolist() == [0.0]
    step.place(1.0, np.zeros(0))
    assert step.outputs(NONE).reals.tolist() == [0.0]
    assert step.event(NONE).reals.tolist() == [1.0]
    assert step.values(0.5, np.zeros(0), NONE).reals.tolist() == [1.0]
