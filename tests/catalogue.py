"""Everything there is one of many of. Whoever adds one adds a row, and the tests try it.

Contract, order, event and checkpoint tests run over these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.core.signals import Signals
from dovetail.rootfinders import (
    Aitken,
    Anderson,
    Cascade,
    FixedPoint,
    IqnIls,
    Newton,
    NewtonKrylov,
)


def brief(thing: Any) -> str:
    """A short name for test ids: the class and whatever is not as usual."""
    if isinstance(thing, Sample):
        return thing.name
    if not is_dataclass(thing) or isinstance(thing, type):
        return str(thing)
    told = [type(thing).__name__]
    for f in fields(thing):
        usual = f.default if f.default is not MISSING else None
        value = getattr(thing, f.name)
        if f.repr and value != usual:
            values = value if isinstance(value, tuple) else (value,)
            told += [brief(v) for v in values]
    return "-".join(told)


# Algorithms with all shapes of inputs, iterated and not, and with every root finder.
algorithms = [
    dv.Jacobi(),
    dv.Jacobi(max_iterations=100),
    dv.Jacobi(max_iterations=100, inputs="ramp"),
    dv.GaussSeidel(),
    dv.GaussSeidel(inputs="ramp"),
    dv.Jacobi(extrapolation=1),
    dv.GaussSeidel(extrapolation=1),
    dv.GaussSeidel(max_iterations=100),
    dv.GaussSeidel(max_iterations=100, inputs="ramp"),
    dv.GaussSeidel(max_iterations=100, inputs="hermite"),
    dv.Iterative(),
    dv.Iterative(inputs="hold"),
    dv.Iterative(FixedPoint(100)),
    dv.Iterative(Aitken()),
    dv.Iterative(Newton()),
    dv.Iterative(Cascade((FixedPoint(5), Newton()))),
    dv.Newton(),
    dv.Newton(inputs="ramp"),
    dv.Ifosmondi(),
    dv.Ifosmondi(NewtonKrylov()),
    dv.Newton(inputs="hermite"),
    dv.Missiles(),
    dv.Missiles(inputs="ramp"),
    dv.Jacobi(100, solver=FixedPoint(relaxation=0.7)),
    dv.Jacobi(inputs="ramp", solver=IqnIls()),
    dv.GaussSeidel(100, solver=FixedPoint(relaxation=0.7)),
    dv.GaussSeidel(20, solver=Aitken()),
    dv.GaussSeidel(inputs="ramp", solver=Aitken()),
    dv.GaussSeidel(inputs="ramp", solver=Anderson()),
    dv.GaussSeidel(inputs="ramp", solver=IqnIls()),
    dv.GaussSeidel(inputs="ramp", solver=Newton()),
    dv.GaussSeidel(inputs="ramp", solver=NewtonKrylov()),
    dv.GaussSeidel(inputs="ramp", solver=Cascade((FixedPoint(5), IqnIls()))),
    dv.GaussSeidel(inputs="hermite", solver=IqnIls()),
    dv.Ifosmondi(IqnIls()),
]
single_pass = [a for a in algorithms if not a.repeats]
iterated = [a for a in algorithms if a.repeats]

# Controllers with windows that suit the problems of `problems.py`.
controllers = [
    dv.FixedStep(0.05),
    dv.FixedStep(0.05, min_size=0.001),
    dv.StepDoubling(rtol=1e-3, atol=1e-3, first_size=0.05, max_size=0.2),
    dv.Defect(rtol=0.05, atol=0.05, first_size=0.01, max_size=0.2),
    dv.StepDoubling(rtol=1e-3, atol=1e-3, first_size=0.05, max_size=0.2, extrapolate=True),
    dv.Adaptive(first_size=0.01, max_size=0.05),
    dv.ErrorCheck(0.05),
    dv.ErrorCheck(0.05, doubling=True),
    dv.Energy(0.1, 1e-3, first_size=0.01, max_size=0.05, bonds=("left.force * right.v",)),
    dv.InputDefect(0.05, 0.05, first_size=0.01, max_size=0.05),
    dv.Constraints(first_size=0.01, max_size=0.05),
    dv.Constraints(("sampling every=0.1",), first_size=0.01, max_size=0.05, rollback=False),
]


def suited(controller: Any) -> Any:
    """An algorithm that a controller can work with: some go by iterations, some by their lack."""
    return dv.GaussSeidel(20) if isinstance(controller, dv.Adaptive) else dv.GaussSeidel()


# Root finders that settle any loop of moderate gain, and those that need a gain below one.
rootfinders = [
    Aitken(),
    Anderson(),
    Anderson(depth=3),
    Cascade((FixedPoint(10), Anderson())),
    IqnIls(),
    IqnIls(reused_windows=0),
    Newton(),
    Newton(damping=True),
    NewtonKrylov(),
]
contractions = [
    FixedPoint(200),
    FixedPoint(200, relaxation=0.7),
    Anderson(depth=0, max_evaluations=200),
]

estimators = [
    dv.Direct(),
    dv.Rollback(),
    dv.Rollback(predict=True),
    dv.Costarica(),
    dv.Costarica.as_published(),
    dv.Identified(),
]


@dataclass(frozen=True)
class Sample:
    """A model of one kind, and inputs it can be tried with."""

    name: str
    make: Callable[[], Any]
    inputs: Signals = Signals(np.zeros(0))


def _oscillator(**more: Any) -> dv.Dynamic:
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs={"force": 0.5},
        outputs=["x", "a"],
        parameters={"k": 4.0},
        derivatives=lambda t, x, u, p: [x.v, u.force - p.k * x.x],
        output=lambda t, x, u, p: [x.x, u.force - p.k * x.x],
        feedthrough={"a": ["force"]},
        **more,
    )


def _stiff(**more: Any) -> dv.Dynamic:
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.2},
        inputs={"force": 0.5},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [
            x.v - x.x,
            20 * (u.force * np.cos(x.x) - x.v) - 3 * np.tanh(x.v),
        ],
        **more,
    )


def _vector() -> dv.Dynamic:
    A = np.array([[0.0, 1.0], [-2.0, -0.1]])
    return dv.Dynamic(
        states={"z": [1.0, 0.0]},
        inputs=["force"],
        outputs=["z"],
        derivatives=lambda t, x, u, p: A @ x + np.array([0.0, u[0]]),
        vector=True,
    )


def _ball() -> dv.Dynamic:
    return dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        inputs={"wind": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.wind - 9.81],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.7 * x.v},
    )


def _sampler() -> dv.Discrete:
    return dv.Discrete(
        period=0.1,
        states={"sum": 0.0, "count": dv.Variable("count", kind="integer", start=0)},
        inputs={"u": 0.0, "on": True},
        outputs={"y": 0.0, "said": ""},
        output=lambda t, x, u, p: [x.sum + u.u, f"{x.count}{u.on}"],
        update=lambda t, x, u, p: [x.sum + 0.1 * u.u, x.count + 1],
    )


def _table() -> dv.Table:
    return dv.Table(
        time=[0.0, 0.2, 0.25, 0.25, 1.0],
        columns={
            "ramp": [0.0, 1.0, 1.0, 3.0, 4.0],
            "gear": [1.0, 1.0, 2.0, 2.0, 3.0],
            "name": ["a", "a", "b", "b", "c"],
            "on": [True, False, False, True, True],
        },
        hold=["gear"],
    )


def pair() -> dv.System:
    """Two parts that hold each other, with an input and a parameter left open."""
    system = dv.System("pair")
    system.add(
        "left",
        dv.Dynamic(
            states={"x": 1.0},
            inputs=["u", "w"],
            outputs=["x"],
            parameters={"k": 1.0},
            derivatives=lambda t, x, u, p: [u.u - p.k * x.x + u.w],
        ),
    )
    system.add(
        "right",
        dv.Algebraic(inputs=["x"], outputs=["y"], function=lambda t, u, p: [-0.5 * u.x]),
    )
    system.connect("left.x", "right.x")
    system.connect("right.y", "left.u")
    return system


def _thrown() -> dv.System:
    """A ball in a drawing of its own, beside somebody who looks at it."""
    system = dv.System("thrown")
    system.add("ball", _ball())
    looks = dv.Algebraic(inputs=["h"], outputs=["seen"], function=lambda t, u, p: [2 * u.h + t])
    system.add("eye", looks)
    system.connect("ball.h", "eye.h")
    return system


def _reals(*values: float) -> Signals:
    return Signals(np.array(values))


models = [
    Sample("Dynamic", _oscillator, _reals(0.3)),
    Sample("Dynamic-auto", lambda: _stiff(solver="auto"), _reals(0.3)),
    Sample("Dynamic-radau", lambda: _oscillator(solver="radau"), _reals(0.3)),
    Sample("Dynamic-cvode", lambda: _oscillator(solver="cvode"), _reals(0.3)),
    Sample("Dynamic-bdf", lambda: _oscillator(solver="bdf"), _reals(0.3)),
    Sample("Dynamic-rk4", lambda: _oscillator(solver="rk4", step=0.01), _reals(0.3)),
    Sample("Dynamic-mixed", lambda: _stiff(solver="mixed", step=0.1), _reals(0.3)),
    Sample("Dynamic-vector", _vector, _reals(0.3)),
    Sample("Dynamic-events", _ball, _reals(0.1)),
    Sample(
        "Algebraic",
        lambda: dv.Algebraic(
            inputs={"a": 1.0, "b": True, "c": [1.0, 2.0]},
            outputs={"sum": 0.0, "flag": False, "twice": [0.0, 0.0]},
            function=lambda t, u, p: [u.a + u.c.sum() + t, not u.b, 2 * u.c],
        ),
        Signals(np.array([0.3, 0.4, 0.5]), None, (False,)),
    ),
    Sample("Discrete", _sampler, Signals(np.array([0.7]), None, (True,))),
    Sample(
        "Discrete-clock",
        lambda: dv.Discrete(
            clock="tick",
            inputs=["u"],
            states={"n": 0.0},
            outputs=["y"],
            output=lambda t, x, u, p: [x.n + u.u],
            update=lambda t, x, u, p: [x.n + 1],
        ),
        Signals(np.array([0.7]), None, (True,)),
    ),
    Sample("Coordinator", dv.Coordinator),
    Sample("Clock", lambda: dv.Clock(period=0.2, offset=0.1)),
    Sample("Clock-times", lambda: dv.Clock(times=[0.0, 0.15, 0.4])),
    Sample(
        "Source",
        lambda: dv.Source(
            outputs={"y": 0.0, "late": False},
            function=lambda t, p: [np.sin(t) + (t >= 0.33), t >= 0.33],
            jumps=[0.33],
        ),
    ),
    Sample("Table", _table),
    Sample("Merged", lambda: dv.merge(pair()), _reals(0.2)),
    Sample("Merged-mixed", lambda: dv.merge(pair(), solver="mixed", step=0.05), _reals(0.2)),
    Sample("Merged-events", lambda: dv.merge(_thrown()), _reals(0.1)),
    Sample(
        "Share",
        lambda: dv.split(_oscillator(), [["x"], ["v"]]).parts["block2"].model,
        _reals(0.3, 0.8),
    ),
    Sample("Nested", lambda: dv.Nested(pair(), dv.GaussSeidel(20, inputs="ramp")), _reals(0.2)),
    Sample(
        "Nested-multirate",
        lambda: dv.Nested(pair(), controller=dv.FixedStep(0.013)),
        _reals(0.2),
    ),
    Sample(
        "Nested-adaptive",
        lambda: dv.Nested(pair(), controller=dv.StepDoubling(1e-4, 1e-4)),
        _reals(0.2),
    ),
]


def driven(sample: Sample) -> Callable[[], dv.System]:
    """A model of the catalogue with something that moves its inputs."""

    def draw() -> dv.System:
        system = dv.System("driven")
        model = sample.make()
        system.add("it", model)
        for k, v in enumerate(model.description.inputs):
            if v.is_real and not v.shape:
                wave = dv.Source(outputs=["y"], function=lambda t, p: [np.sin(3 * t)])
                system.add(f"wave{k}", wave)
                system.connect(f"wave{k}.y", f"it.{v.name}")
        return system

    return draw
