"""Slopes of the outputs of model-exchange FMUs, and the methods that live on them."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, pair, run
from conformance.test_model_exchange import ONLY, derivatives
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.live import Live

STOP = 4.0
EXCHANGE = {"model_exchange": True, "strict": True, **ONLY}
TIGHT = {"solver": "rk45", "rtol": 1e-12, "atol": 1e-12}
METHODS = [
    dv.Ifosmondi(tolerance=1e-12),
    dv.GaussSeidel(60, "hermite", rtol=1e-12, atol=1e-12),
    dv.Newton(inputs="hermite", rtol=1e-12, atol=1e-12),
]


@pytest.fixture(scope="module")
def reference():
    """Both in one set of equations."""

    def rates(t, x):
        return [(0.1 - 0.02 * x[1]) * x[0], (-0.4 + 0.02 * x[0]) * x[1]]

    return solve_ivp(rates, (0, STOP), [10.0, 10.0], rtol=1e-12, atol=1e-12).y[:, -1]


def coupled(fmu, version, options=EXCHANGE, **load):
    prey, predator = (
        fmu(name, version, load={**TIGHT, **load}, **options) for name in ("prey", "predator")
    )
    return pair(prey, predator), (prey, predator)


@pytest.mark.parametrize("version", [2, 3])
def test_slopes_are_those_of_the_equations(fmu, way, version):
    part = Live("part", fmu("prey", version, load=TIGHT, **EXCHANGE).instantiate("part"))
    part.initialize(0.0, {"x": 20.0}, derivatives=True)
    begun = part.outputs(Signals(np.array([4.0]), np.array([0.5])))
    assert np.isnan(begun.derivatives).all()  # nothing moves yet
    part.begin()
    part.event(Signals(np.array([4.0]), np.array([0.5])))
    while part.update():
        pass
    now = part.event(Signals(np.array([4.0]), np.array([0.5])))
    assert now.derivatives == pytest.approx([(0.1 - 0.02 * 4) * 20], rel=1e-8)
    wave = Waveform(np.array([[4.0, 3.0, -2.0]]))
    reached = part.advance(Window(0.0, 0.5, 0.5), wave)
    u, x = 4.0 + 1.5 - 0.5, reached.outputs.reals[0]
    assert reached.outputs.derivatives == pytest.approx([(0.1 - 0.02 * u) * x], rel=1e-8)
    part.subsystem.close()


@pytest.mark.parametrize("version", [2, 3])
def test_feed_through_counts(fmu, version):
    """y1 = 2 u1 moves with its input alone, y2' = u2."""
    part = Live("part", fmu("feedthrough", version, load=TIGHT, **EXCHANGE).instantiate("part"))
    part.initialize(0.0, {}, derivatives=True)
    part.outputs(Signals(np.zeros(2), np.zeros(2)))
    part.begin()
    while part.update():
        pass
    reached = part.advance(Window(0.0, 0.5, 0.5), Waveform(np.array([[1.0, 3.0], [2.0, 1.0]])))
    assert reached.outputs.derivatives == pytest.approx([6.0, 2.5], rel=1e-8)
    part.subsystem.close()


@pytest.mark.parametrize(
    "kind",
    [{}, {"directional_derivatives": False}, derivatives(given=False)],
    ids=["directional", "adjoint", "differences"],
)
def test_all_kinds_of_derivatives_give_the_same(fmu, kind, reference):
    system, _ = coupled(fmu, 3, {**EXCHANGE, **kind})
    method = dv.Ifosmondi(tolerance=1e-10)
    result = run(system, stop=STOP, algorithm=method, controller=dv.FixedStep(0.1))
    final = np.array([result.final["prey.x"], result.final["predator.x"]])
    assert final == pytest.approx(reference, rel=1e-7)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("algorithm", METHODS, ids=lambda a: type(a).__name__)
def test_cubic_inputs_have_order_four(fmu, version, algorithm, reference):
    errors = []
    for size in (1.0, 0.5):
        system, models = coupled(fmu, version)
        result = run(system, stop=STOP, algorithm=algorithm, controller=dv.FixedStep(size))
        final = np.array([result.final["prey.x"], result.final["predator.x"]])
        errors.append(np.abs(final - reference).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.25)
    assert is_clean(*models)


@pytest.mark.parametrize("solver", ["cvode", "radau"])
def test_other_solvers_give_the_same(fmu, solver, reference):
    load = {"solver": solver, "rtol": 1e-9, "atol": 1e-10}
    system, _ = coupled(fmu, 3, **load)
    result = run(system, stop=STOP, algorithm=METHODS[0], controller=dv.FixedStep(0.1))
    final = np.array([result.final["prey.x"], result.final["predator.x"]])
    assert final == pytest.approx(reference, rel=1e-6)


@pytest.mark.parametrize("version", [2, 3])
def test_slopes_are_known_right_behind_an_event(fmu, version):
    model = fmu("ball", version, strict=True, load={"solver": "rk45", "rtol": 1e-10}, **ONLY)
    system = dv.System("ball")
    system.add("ball", model)
    system.add("mirror", dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [-u.a]))
    system.connect("ball.h", "mirror.a")
    options = {"algorithm": dv.Ifosmondi(), "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(system, stop=3.0, **options) as session:
        assert np.isfinite(session._stepper.position.outputs.derivatives).all()
        while session.counts.events < 3:
            session.advance()
        position = session._stepper.position
        assert np.isfinite(position.outputs.derivatives).all()
        values = session.assembly.outputs_of[0]
        h, v = position.outputs[values].reals[:2]
        assert h == pytest.approx(0, abs=1e-6)
        assert position.outputs[values].derivatives[0] == pytest.approx(v, rel=1e-6)
    assert is_clean(model)
