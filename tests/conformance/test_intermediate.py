"""FMI 3: inputs that an FMU asks for inside a step, along the curves they follow."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, run, same, walked

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.live import Live

SWEPT = dv.GaussSeidel(inputs="ramp")
REPEATED = [dv.GaussSeidel(9, "ramp"), dv.Jacobi(20, "ramp"), dv.Newton(inputs="ramp")]


def driven(model):
    """x' = u with u = 3 t."""
    system = dv.System("driven")
    system.add("slope", dv.Table(time=[0.0, 5.0], columns={"u": [0.0, 15.0]}))
    system.add("part", model)
    system.connect("slope.u", "part.u")
    return system


def loop(model):
    """x' = -y, y' = x."""
    system = dv.System("loop")
    system.add("first", model, x=1.0)
    system.add("second", model)
    system.connect("first.y", "second.u")
    system.connect("second.y", "first.u", gain=-1.0)
    return system


@pytest.mark.parametrize("event_mode", [False, True])
def test_a_straight_line_is_followed_inside_a_step(fmu, both, event_mode):
    model = fmu("derivatives", 3, strict=True, event_mode=event_mode)
    native, plain = both(lambda: run(driven(model), algorithm=SWEPT))
    assert same(native, plain)
    assert native["part.y"] == pytest.approx(1.5 * native.time**2, abs=1e-12)
    held = run(driven(model), algorithm=dv.GaussSeidel())
    assert held.final["part.y"] == pytest.approx(6.0 + 0.3, abs=1e-9)  # at the window's end
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", REPEATED, ids=repr)
def test_in_a_loop_it_is_as_good_as_derivatives_of_inputs(fmu, both, algorithm):
    model = fmu("derivatives", 3, strict=True)
    native, plain = both(lambda: run(loop(model), algorithm=algorithm))
    assert same(native, plain)
    assert same(native, walked(loop(model), algorithm=algorithm))
    older = run(loop(fmu("derivatives", 2)), algorithm=algorithm)
    for name in native.names:
        assert native[name] == pytest.approx(older[name], abs=1e-10)  # Newton stops at 1e-5
    assert native["first.y"] == pytest.approx(np.cos(native.time), abs=2e-3)
    assert is_clean(model)


def test_a_cubic_is_followed_exactly(fmu, way):
    model = fmu("derivatives", 3, strict=True)
    part = Live("part", model.instantiate("part"))
    part.initialize(0.0, {}, derivatives=False)
    part.outputs(Signals(np.array([1.0])))
    part.begin()
    part.advance(Window(0.0, 0.5, 0.5), Waveform(np.array([[1.0, -2.0, 3.0, 4.0]])))
    mark = part.snapshot()
    wave = Waveform(np.array([[2.0, 1.0, -1.0, 5.0]]))
    found = [part.advance(Window(0.5, 0.5, 1.0), wave).outputs.reals]
    part.restore(mark)
    found.append(part.advance(Window(0.5, 0.5, 1.0), wave).outputs.reals)
    first = 0.5 - 2 * 0.5**2 / 2 + 3 * 0.5**3 / 3 + 4 * 0.5**4 / 4
    second = 2 * 0.5 + 0.5**2 / 2 - 0.5**3 / 3 + 5 * 0.5**4 / 4
    end = 2 + 0.5 - 0.5**2 + 5 * 0.5**3
    for outputs in found:
        assert outputs == pytest.approx([first + second, 2 * end], abs=1e-14)
    part.subsystem.close()
    assert is_clean(model)


def test_the_capability_is_honest(fmu):
    def order(**options):
        return fmu("derivatives", 3, **options).description.capabilities.input_order

    assert order() == 3
    assert order(intermediate_update=False) == 0
    only_some = {"edit": lambda xml: xml.replace(' intermediateUpdate="true"', "")}
    assert order(**only_some) == 0
    with pytest.raises(dv.CapabilityError, match="cannot follow inputs that ramp"):
        run(driven(fmu("derivatives", 3, intermediate_update=False)), algorithm=SWEPT)
