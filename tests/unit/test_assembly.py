"""The door to the live parts, and starts that fit together."""

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.assembly.assembly import Assembly
from dovetail.assembly.consistent import Consistent
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.estimators.choice import Needs


def assembled(system, **more):
    assembly = Assembly.of(system, **more)
    assembly.initialize(0.0, {n: p.values for n, p in system.parts.items()}, derivatives=False)
    position = Consistent().position(assembly, 0.0, 0.1, derivatives=False)
    assembly.begin()
    return assembly, position


def test_an_attempt_leaves_no_trace_when_it_is_abandoned():
    assembly, position = assembled(problems.prey_predator_system(), needs=Needs(iterates=True))
    window = Window.between(0.0, 0.1)
    attempt = assembly.attempt(window, position.outputs, position.coordination)
    first = attempt.outputs(Waveform.hold(Signals(np.array([1.0, 1.0]))))
    attempt.outputs(Waveform.hold(Signals(np.array([2.0, -1.0]))))
    attempt.abandon()
    again = assembly.attempt(window, position.outputs, position.coordination)
    assert again.outputs(Waveform.hold(Signals(np.array([1.0, 1.0])))).equals(first)


def test_a_mark_brings_everybody_back():
    assembly, position = assembled(problems.control_loop_system(), needs=Needs(iterates=True))
    mark = assembly.mark()
    window = Window.between(0.0, 0.05)

    def forward():
        attempt = assembly.attempt(window, position.outputs, position.coordination)
        inputs = Waveform.hold(attempt.inputs(attempt.before))
        return attempt.commit(inputs)

    first = forward()
    assembly.restore(mark)
    assert forward().equals(first)


def test_who_answered_these_inputs_last_does_not_step_again():
    assembly, position = assembled(problems.prey_predator_system(), needs=Needs(iterates=True))
    attempt = assembly.attempt(Window.between(0.0, 0.1), position.outputs, position.coordination)
    inputs = Waveform.hold(attempt.inputs(attempt.before))
    answered = attempt.outputs(inputs)
    assert attempt.commit(inputs).equals(answered)
    assert [s.evaluations for s in assembly.subsystems] == [1, 1]


def test_sensitivities_are_first_order_changes_at_the_end_of_the_window():
    assembly, position = assembled(problems.prey_predator_system(), needs=Needs(iterates=True))
    attempt = assembly.attempt(Window.between(0.0, 0.1), position.outputs, position.coordination)
    one = Waveform.hold(Signals(np.array([1.0])))
    (change,) = attempt.sensitivity(0, one, [Waveform.hold(Signals(np.array([1e-7])))])
    gain, rate = -4 / 3, 2 / 3
    exact = gain * 0.1 * np.exp((rate + gain) * 0.1)
    assert change.reals[0] / 1e-7 == pytest.approx(exact, rel=1e-6)


def test_saving_states_is_left_away_where_nobody_goes_back():
    assembly, _ = assembled(problems.prey_predator_system())
    assert {type(e) for e in assembly.estimators} == {dv.Direct}
    assembly, _ = assembled(problems.prey_predator_system(), needs=Needs(iterates=True))
    assert {type(e) for e in assembly.estimators} == {dv.Rollback}


def test_an_estimator_that_is_given_is_taken():
    assembly = Assembly.of(problems.prey_predator_system(), {"prey": dv.Rollback()})
    assert [type(e) for e in assembly.estimators] == [dv.Rollback, dv.Direct]


# Starts -------------------------------------------------------------------------------------


def started(system):
    result = dv.Session(
        system, stop=0.0, algorithm=dv.Newton(), controller=dv.FixedStep(0.1)
    ).result
    return result.final


@pytest.mark.parametrize("gain", [-0.5, 0.9, -25.0, 3.0])
def test_a_linear_loop_starts_where_it_agrees(gain):
    system = dv.System("loop")
    system.add("a", problems.Linear(("u",), ("y",), A=0, B=0, C=0, D=[[gain]], d=[1.0]))
    system.add("b", problems.Linear(("u",), ("y",), A=0, B=0, C=0, D=[[1.0]]))
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    assert started(system)["a.y"] == pytest.approx(1 / (1 - gain), rel=1e-9)


def test_a_nonlinear_loop_starts_where_it_agrees():
    final = started(problems.algebraic_loop_system())
    v, i = problems.algebraic_loop.exact(0.0)
    assert final["diode.i"] == pytest.approx(i, rel=1e-9)
    assert final["capacitor.v"] == pytest.approx(v, abs=1e-12)


def test_start_values_of_inputs_choose_between_solutions():
    """y = y^3 has three; the nearest is found."""

    def system(start):
        drawing = dv.System("cubic")
        cube = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u**3])
        one = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u])
        drawing.add("cube", cube, u=start)
        drawing.add("one", one, u=start)
        drawing.connect("cube.y", "one.u")
        drawing.connect("one.y", "cube.u")
        return drawing

    assert started(system(0.4))["one.y"] == pytest.approx(0.0, abs=1e-9)
    assert started(system(1.001))["one.y"] == pytest.approx(1.0, abs=1e-6)


def test_a_loop_with_a_switch_in_it_starts_where_both_agree():
    """y = 1 + (on ? 0.5 u : 0), on = y > 0.5: the boolean and the real are found together."""
    system = dv.System("switched")
    amplifier = dv.Algebraic(
        inputs={"u": 0.0, "on": False},
        outputs={"y": 0.0},
        function=lambda t, u, p: [1 + (0.5 * u.u if u.on else 0.0)],
    )
    judge = dv.Algebraic(
        inputs={"y": 0.0},
        outputs={"on": False, "u": 0.0},
        function=lambda t, u, p: [u.y > 0.5, u.y],
    )
    system.add("amplifier", amplifier)
    system.add("judge", judge)
    system.connect("amplifier.y", "judge.y")
    system.connect("judge.on", "amplifier.on")
    system.connect("judge.u", "amplifier.u")
    final = started(system)
    assert final["judge.on"] is True
    assert final["amplifier.y"] == pytest.approx(2.0, rel=1e-9)


def test_a_chain_starts_in_the_order_of_its_feedthrough():
    system = dv.System("chain")
    for name in "cba":
        system.add(
            name, dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [2 * u.u])
        )
    system.add("source", dv.Source(outputs=["y"], function=lambda t, p: [1.5]))
    for one, other in (("source", "a"), ("a", "b"), ("b", "c")):
        system.connect(f"{one}.y", f"{other}.u")
    assert started(system)["c.y"] == 12.0


def test_many_loops_at_once():
    """Each is solved by itself, in order."""
    system, last = dv.System("loops"), None
    for k in range(20):
        loop = problems.Linear(("u", "w"), ("y",), A=0, B=0, C=0, D=[[-3.0, 1.0]], d=[1.0])
        back = problems.Linear(("u",), ("y",), A=0, B=0, C=0, D=[[1.0]])
        system.add(f"a{k}", loop)
        system.add(f"b{k}", back)
        system.connect(f"a{k}.y", f"b{k}.u")
        system.connect(f"b{k}.y", f"a{k}.u")
        if last:
            system.connect(last, f"a{k}.w")
        last = f"b{k}.y"
    expected = 0.0
    for _ in range(20):
        expected = (1 + expected) / 4
    assert started(system)[last] == pytest.approx(expected, rel=1e-9)


def test_slopes_at_the_start_agree_too():
    """x' = w - x, w' = -x, and an algebraic loop u = x - 0.5 y, y = u + w around them."""
    part = dv.Dynamic(
        states={"x": 1.0, "w": 2.0},
        inputs=["y"],
        outputs=["u", "w"],
        derivatives=lambda t, x, u, p: [x.w - x.x, -x.x],
        output=lambda t, x, u, p: [x.x - 0.5 * u.y, x.w],
        feedthrough={"u": ["y"]},
    )
    total = dv.Algebraic(inputs=["u", "w"], outputs=["y"], function=lambda t, u, p: [u.u + u.w])
    system = dv.System("derivatives")
    system.add("part", part)
    system.add("sum", total)
    system.connect("part.u", "sum.u")
    system.connect("part.w", "sum.w")
    system.connect("sum.y", "part.y")
    assembly = Assembly.of(system)
    assembly.initialize(0.0, {}, derivatives=True)
    outputs = Consistent().position(assembly, 0.0, 0.1, derivatives=True).outputs
    x, w, dx, dw = 1.0, 2.0, 1.0, -1.0
    u, du = (x - 0.5 * w) / 1.5, (dx - 0.5 * dw) / 1.5
    assert outputs.reals == pytest.approx([u, w, u + w], abs=1e-9)
    assert outputs.derivatives == pytest.approx([du, dw, du + dw], abs=1e-6)
