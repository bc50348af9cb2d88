"""Coupled problems with known solutions, and parts that solve themselves exactly.

What such a run gets wrong is coupling error and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from math import exp, factorial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import dovetail as dv
from dovetail.core import codec
from dovetail.core.description import Capabilities, Description
from dovetail.core.signals import Signals
from dovetail.rootfinders import Aitken, FixedPoint
from dovetail.subsystems.subsystem import Linearization, Reached

EXACT = Capabilities(
    can_restore=True,
    can_serialize=True,
    can_linearize=True,
    can_evaluate_now=True,
    can_tell_derivatives=True,
    input_order=None,
)


# Parts -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Species:
    """x' = (rate + gain u) x, y = x."""

    rate: float
    gain: float
    x: float

    @property
    def description(self):
        x = dv.Variable("x", start=self.x)
        return Description(
            inputs=(dv.Variable("u"),),
            outputs=(dv.Variable("x"),),
            parameters=(replace(x, name="x0"),),
            feedthrough={"x": frozenset()},
            capabilities=EXACT,
        )

    def instantiate(self, name):
        return _Species(self)


class _Species:
    def __init__(self, model):
        self.model, self.description, self.x = model, model.description, model.x
        self.u, self.derivatives = 0.0, False

    def initialize(self, start, values, *, derivatives=False):
        self.x, self.derivatives = values.get("x0", self.model.x), derivatives

    def outputs(self, inputs, order=0):
        assert order == 0
        self.u = float(inputs.reals[0])
        slope = np.array([self.growth * self.x]) if self.derivatives else None
        return Signals(np.array([self.x]), slope)

    @property
    def growth(self):
        return self.model.rate + self.model.gain * self.u

    def begin(self):
        pass

    def advance(self, window, inputs):
        h, a = window.size, inputs.coefficients[0]
        integral = sum(a_k * h ** (k + 1) / (k + 1) for k, a_k in enumerate(a))
        self.x *= exp(self.model.rate * h + self.model.gain * integral)
        return Reached(window.stop, self.outputs(inputs.at(h)))

    def close(self):
        pass

    def linearize(self):
        x, u, growth = np.array([self.x]), np.array([self.u]), np.array([[self.growth]])
        B = np.array([[self.model.gain * self.x]])
        return Linearization(growth, B, np.eye(1), np.zeros((1, 1)), x, growth @ x, u, x)

    def snapshot(self):
        return self.x, self.u

    def restore(self, snapshot):
        self.x, self.u = snapshot

    def dump(self):
        return codec.encode(self.snapshot())

    def load(self, state):
        self.restore(codec.decode(state))


@dataclass(frozen=True, eq=False)
class Linear:
    """x' = A x + B u + c, y = C x + D u + d; no states at all make it algebraic."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Any
    B: Any
    C: Any
    D: Any
    c: Any = 0.0
    d: Any = 0.0
    x: Any = ()

    @property
    def description(self):
        D = self.matrices[3]
        used = {
            y: frozenset(u for k, u in enumerate(self.inputs) if D[j, k])
            for j, y in enumerate(self.outputs)
        }
        return Description(
            inputs=tuple(dv.Variable(n) for n in self.inputs),
            outputs=tuple(dv.Variable(n) for n in self.outputs),
            feedthrough=used,
            capabilities=EXACT,
        )

    @property
    def matrices(self):
        n, m, k = len(self.x), len(self.inputs), len(self.outputs)
        shapes = ((n, n), (n, m), (k, n), (k, m), (n,), (k,))
        given = (self.A, self.B, self.C, self.D, self.c, self.d)
        pairs = zip(given, shapes, strict=True)
        return tuple(np.broadcast_to(np.asarray(v, dtype=float), s) for v, s in pairs)

    def instantiate(self, name):
        return _Linear(self)


class _Linear:
    def __init__(self, model):
        self.model, self.description = model, model.description
        self.matrices, self.x = model.matrices, np.array(model.x, dtype=float)
        self.u, self.derivatives = np.zeros(len(model.inputs)), False

    def initialize(self, start, values, *, derivatives=False):
        self.x, self.derivatives = np.array(self.model.x, dtype=float), derivatives

    def outputs(self, inputs, order=0):
        assert order == 0
        A, B, C, D, c, d = self.matrices
        self.u = inputs.reals
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging run is not our warning
            slope, y = None, C @ self.x + D @ self.u + d
            if self.derivatives:
                rates = np.zeros(self.u.size) if inputs.derivatives is None else inputs.derivatives
                slope = C @ (A @ self.x + B @ self.u + c) + D @ rates
            return Signals(y, slope)

    def begin(self):
        pass

    def advance(self, window, inputs):
        a = np.vstack([inputs.coefficients, np.eye(1, inputs.coefficients.shape[1])])
        m, h, n = a.shape[0], window.size, self.x.size
        if n:
            A, B, _, _, c, _ = self.matrices
            E = _transition(A.tobytes(), np.column_stack([B, c]).tobytes(), n, a.shape, h)
            parts = [E[:, :n]] + [
                factorial(k) * h**k * E[:, n + k * m : n + (k + 1) * m] for k in range(a.shape[1])
            ]
            with np.errstate(over="ignore", invalid="ignore"):
                self.x = sum((e @ v for e, v in zip(parts, [self.x, *a.T], strict=True)), 0.0)
        return Reached(window.stop, self.outputs(inputs.at(h)))

    def close(self):
        pass

    def linearize(self):
        A, B, C, D, c, d = self.matrices
        dx, y = A @ self.x + B @ self.u + c, C @ self.x + D @ self.u + d
        return Linearization(A, B, C, D, self.x, dx, self.u, y)

    def snapshot(self):
        return self.x, self.u

    def restore(self, snapshot):
        self.x, self.u = snapshot

    def dump(self):
        return codec.encode(self.snapshot())

    def load(self, state):
        self.restore(codec.decode(state))


@cache
def _transition(A, B, n, shape, h):
    """exp of the states and of the polynomial inputs behind them, over a time h."""
    m, powers = shape
    A, B = np.frombuffer(A).reshape(n, n), np.frombuffer(B).reshape(n, m)
    block = np.zeros((n + powers * m,) * 2)
    block[:n, :n], block[:n, n : n + m] = h * A, h * B
    block[n : n + (powers - 1) * m, n + m :] = np.eye((powers - 1) * m)
    return expm(block)[:n]


@dataclass(frozen=True, eq=False)
class Blind:
    """A part that only steps forward: no way back, nothing told while time stands still."""

    model: Any
    input_order: int | None = None

    @property
    def description(self):
        able = self.model.description.capabilities
        able = Capabilities(
            can_return_early=able.can_return_early,
            has_events=able.has_events,
            can_tell_derivatives=able.can_tell_derivatives,
            input_order=self.input_order,
        )
        return replace(self.model.description, capabilities=able)

    def instantiate(self, name):
        return _Seen(self.model.instantiate(name), self.description, None)


@dataclass(frozen=True, eq=False)
class Spied:
    """A part that writes down every advance: its window, and the inputs over it."""

    model: Any
    log: list = field(default_factory=list)

    @property
    def description(self):
        return self.model.description

    def instantiate(self, name):
        return _Seen(self.model.instantiate(name), self.description, self.log)


class _Seen:
    _HIDDEN = ("snapshot", "restore", "dump", "load", "linearize")

    def __init__(self, part, description, log):
        self._part, self.description, self._log = part, description, log

    def advance(self, window, inputs):
        if self._log is not None:
            self._log.append((window, inputs))
        return self._part.advance(window, inputs)

    def __getattr__(self, name):
        if name in self._HIDDEN and not self.description.capabilities.can_restore:
            raise AttributeError(name)
        return getattr(self._part, name)


@dataclass(frozen=True)
class Switch:
    """Tells 1 before `instant` and -1 after; its step ends there, and nobody else knows when."""

    instant: float

    @property
    def description(self):
        able = Capabilities(can_return_early=True, has_events=True)
        return Description(
            outputs=(dv.Variable("y"),), feedthrough={"y": frozenset()}, capabilities=able
        )

    def instantiate(self, name):
        return _Switch(self.instant)


class _Switch:
    def __init__(self, instant):
        self.description, self.instant = Switch(instant).description, instant
        self.now, self.value, self.advances = 0.0, 1.0, 0

    def initialize(self, start, values, *, derivatives=False):
        self.now = start

    def outputs(self, inputs, order=0):
        return Signals(np.array([self.value]))

    def begin(self):
        pass

    def advance(self, window, inputs):
        self.advances += 1
        due = self.value > 0 and window.stop >= self.instant
        self.now = self.instant if due else window.stop
        return Reached(self.now, self.outputs(None), event=due)

    def event(self, inputs):
        if self.now == self.instant:
            self.value = -1.0
        return self.outputs(inputs)

    def close(self):
        pass


# Problems ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Problem:
    """A drawing, its exact solution, and what of it is compared.

    `exact(t)` gives one row per variable of `watched`. `loop_gain` is that of its algebraic
    loop, where there is one.
    """

    name: str
    draw: Callable[[], dv.System]
    stop: float
    watched: tuple[str, ...]
    exact: Callable[[Any], Any]
    loop_gain: float = 0.0

    def run(self, algorithm, size, stop=None, **more):
        options = {"rtol": 1e-9, "atol": 1e-10, "quiet": True, **more}
        controller = dv.FixedStep(size) if isinstance(size, float) else size
        return dv.simulate(
            self.draw(),
            stop=stop or self.stop,
            algorithm=algorithm,
            controller=controller,
            **options,
        )

    def error(self, result):
        """The largest error of any watched variable in any row."""
        found = np.array([result[name] for name in self.watched])
        return float(np.max(np.abs(found - self.exact(result.time))))

    def order(self, algorithm, size):
        """The order observed between windows of this size and of half of it."""
        errors = [self.error(self.run(algorithm, h)) for h in (size, size / 2)]
        return float(np.log2(errors[0] / errors[1]))

    def __str__(self):
        return self.name


# A hare is x' = (2/3 - 4/3 y) x, a lynx y' = (x - 1) y.
_LYNX = ((2 / 3, -4 / 3, 1.0), (-1.0, 1.0, 1.0))


def prey_predator_system(wrap=lambda model: model):
    system = dv.System("predation")
    for name, numbers in zip(("prey", "predator"), _LYNX, strict=True):
        system.add(name, wrap(Species(*numbers)))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


@cache
def _prey_predator():
    (a, b, x), (c, d, y) = _LYNX

    def rates(t, z):
        return [(a + b * z[1]) * z[0], (c + d * z[0]) * z[1]]

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "dense_output": True}
    return solve_ivp(rates, (0, 10), [x, y], **options).sol


prey_predator = Problem(
    "prey_predator",
    prey_predator_system,
    2.5,
    ("prey.x", "predator.x"),
    lambda t: np.asarray(_prey_predator()(t)),
)

# Two masses on springs, with a spring and a damper between them: the left one is given a
# force, the right one a position.
_MASSES = {"m1": 1.0, "m2": 0.8, "k1": 4.0, "k2": 2.0, "kc": 1.5, "dc": 0.2, "d1": 0.1}
_AT_START = [1.0, 0.0, -0.5, 0.0]


def two_mass_system(wrap=lambda model: model):
    m = _MASSES
    left = Linear(
        ("force",),
        ("x", "v"),
        A=[[0, 1], [-m["k1"] / m["m1"], -m["d1"] / m["m1"]]],
        B=[[0], [1 / m["m1"]]],
        C=np.eye(2),
        D=0,
        x=_AT_START[:2],
    )
    right = Linear(
        ("x", "v"),
        ("force", "x2"),
        A=[[0, 1], [-(m["k2"] + m["kc"]) / m["m2"], -m["dc"] / m["m2"]]],
        B=[[0, 0], [m["kc"] / m["m2"], m["dc"] / m["m2"]]],
        C=[[m["kc"], m["dc"]], [1, 0]],
        D=[[-m["kc"], -m["dc"]], [0, 0]],
        x=_AT_START[2:],
    )
    system = dv.System("two masses")
    system.add("left", wrap(left))
    system.add("right", wrap(right))
    system.connect("left.x", "right.x")
    system.connect("left.v", "right.v")
    system.connect("right.force", "left.force")
    return system


def _two_mass_matrix():
    m = _MASSES
    return np.array(
        [
            [0, 1, 0, 0],
            [
                -(m["k1"] + m["kc"]) / m["m1"],
                -(m["d1"] + m["dc"]) / m["m1"],
                m["kc"] / m["m1"],
                m["dc"] / m["m1"],
            ],
            [0, 0, 0, 1],
            [
                m["kc"] / m["m2"],
                m["dc"] / m["m2"],
                -(m["k2"] + m["kc"]) / m["m2"],
                -m["dc"] / m["m2"],
            ],
        ]
    )


def _modal(A, x, t):
    """exp(A t) x at many times."""
    values, vectors = np.linalg.eig(A)
    weights = np.linalg.solve(vectors, np.asarray(x, dtype=complex))
    return np.real(vectors @ (weights[:, None] * np.exp(values[:, None] * np.atleast_1d(t))))


two_mass = Problem(
    "two_mass",
    two_mass_system,
    2.5,
    ("left.x", "left.v", "right.x2"),
    lambda t: _modal(_two_mass_matrix(), _AT_START, t)[:3],
)

# A capacitor charged through a resistor and something like a diode: v' = i, i = tanh(w),
# w = 2 - v - i/2. With v gone, i' = -i / (1/2 + 1/(1 - i^2)).


def algebraic_loop_system(wrap=lambda model: model):
    system = dv.System("diode")
    capacitor = Linear(("i",), ("v",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[0.0])
    diode = dv.Algebraic(inputs=["w"], outputs=["i"], function=lambda t, u, p: [np.tanh(u.w)])
    resistor = dv.Algebraic(
        inputs=["v", "i"], outputs=["w"], function=lambda t, u, p: [2 - u.v - 0.5 * u.i]
    )
    for name, model in (("capacitor", capacitor), ("resistor", resistor), ("diode", diode)):
        system.add(name, wrap(model))
    system.connect("diode.i", "capacitor.i")
    system.connect("diode.i", "resistor.i")
    system.connect("capacitor.v", "resistor.v")
    system.connect("resistor.w", "diode.w")
    return system


@cache
def _algebraic_loop():
    low, high = 0.0, 1.0
    for _ in range(200):  # i = tanh(2 - i/2), by halving
        middle = (low + high) / 2
        low, high = (middle, high) if np.tanh(2 - middle / 2) > middle else (low, middle)
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15, "dense_output": True}
    return solve_ivp(lambda t, i: -i / (0.5 + 1 / (1 - i * i)), (0, 10), [low], **options).sol


def _diode(t):
    i = _algebraic_loop()(t)[0]
    return np.array([2 - 0.5 * i - np.arctanh(i), i])


algebraic_loop = Problem(
    "algebraic_loop",
    algebraic_loop_system,
    1.0,
    ("capacitor.v", "diode.i"),
    _diode,
    loop_gain=-0.5,
)

# x' = -x + u, y = x + 5 u, closed by u = 3 - 5 y: a loop gain of -25.


def stiff_loop_system(wrap=lambda model: model):
    system = dv.System("stiff loop")
    plant = Linear(("u",), ("y", "x"), A=[[-1]], B=[[1]], C=[[1], [1]], D=[[5], [0]], x=[1.0])
    feedback = Linear(("y",), ("u",), A=0, B=0, C=0, D=[[-5]], d=[3])
    system.add("plant", wrap(plant))
    system.add("feedback", wrap(feedback))
    system.connect("plant.y", "feedback.y")
    system.connect("feedback.u", "plant.u")
    return system


stiff_loop = Problem(
    "stiff_loop",
    stiff_loop_system,
    1.0,
    ("plant.x",),
    lambda t: np.array([3 / 31 + (1 - 3 / 31) * np.exp(-31 / 26 * t)]),
    loop_gain=-25.0,
)


def unannounced_system(at=0.2):
    """A lag behind a source that jumps, and says nothing of it."""
    system = dv.System("unannounced")
    jump = dv.Source(outputs=["y"], function=lambda t, p: [float(t > at)])
    lag = dv.Dynamic(
        states={"x": 0.0},
        inputs=["u"],
        outputs=["x"],
        derivatives=lambda t, s, u, p: [u.u - s.x],
        rtol=1e-9,
        atol=1e-9,
    )
    system.add("jump", jump)
    system.add("lag", lag)
    system.connect("jump.y", "lag.u")
    return system


# A set point that jumps at 0.37, a controller that samples every 0.1 s, and a plant.
PERIOD, JUMP, GAIN, INTEGRAL = 0.1, 0.37, 1.2, 0.6
_PLANT = {"A": [[0, 1], [-2, -0.5]], "B": [[0], [1]], "C": np.eye(2), "D": 0, "x": [0.0, 0.0]}


def set_point():
    return dv.Source(outputs=["r"], function=lambda t, p: [1.0 if t < JUMP else 2.0], jumps=[JUMP])


def sampled_controller():
    return dv.Discrete(
        period=PERIOD,
        states={"sum": 0.0},
        inputs=["r", "y"],
        outputs=["u"],
        output=lambda t, x, u, p: [GAIN * (u.r - u.y) + x.sum],
        update=lambda t, x, u, p: [x.sum + INTEGRAL * PERIOD * (u.r - u.y)],
    )


def control_loop_system(wrap=lambda model: model):
    system = dv.System("control loop")
    system.add("set", set_point())
    system.add("controller", sampled_controller())
    system.add("plant", wrap(Linear(("u",), ("y", "v"), **_PLANT)))
    system.connect("set.r", "controller.r")
    system.connect("controller.u", "plant.u")
    system.connect("plant.y", "controller.y")
    return system


def _sampled(t, A, B, measured):
    """The loop from rest, in closed form from sample to sample: x(h) = E x + e u."""
    t = np.atleast_1d(t)
    flat, n = np.column_stack([A, B]).ravel(), len(A)
    last = int(np.floor(t.max() / PERIOD + 1e-9))
    x, total, samples = np.zeros(n), 0.0, []
    for k in range(last + 1):
        error = (1.0 if k * PERIOD < JUMP else 2.0) - x[measured]
        samples.append(np.append(x, GAIN * error + total))
        total += INTEGRAL * PERIOD * error
        x = _held(tuple(flat), n, PERIOD) @ samples[-1]
    rows = []
    for time in t:
        k = min(int(np.floor(time / PERIOD + 1e-9)), last)
        rows.append(_held(tuple(flat), n, round(time - k * PERIOD, 14)) @ samples[k])
    return np.array(rows).T


@cache
def _held(flat, n, h):
    """[E, e] of x' = A x + B u over a time h, with u held."""
    block = np.zeros((n + 1, n + 1))
    block[:n] = h * np.array(flat).reshape(n, n + 1)
    return expm(block)[:n]


control_loop = Problem(
    "control_loop",
    control_loop_system,
    0.8,
    ("plant.y", "plant.v"),
    lambda t: _sampled(t, _PLANT["A"], _PLANT["B"], 0),
)

# The same controller in front of the two masses, at rest first: here the plant itself is
# coupled, so that there is an error to see between the samples.


def sampled_masses_system(wrap=lambda model: model):
    m = _MASSES
    system = dv.System("sampled masses")
    system.add("set", set_point())
    system.add("controller", sampled_controller())
    left = Linear(
        ("force", "drive"),
        ("x", "v"),
        A=[[0, 1], [-m["k1"] / m["m1"], -m["d1"] / m["m1"]]],
        B=[[0, 0], [1 / m["m1"], 1 / m["m1"]]],
        C=np.eye(2),
        D=0,
        x=[0.0, 0.0],
    )
    right = two_mass_system().parts["right"].model
    system.add("left", wrap(left))
    system.add("right", wrap(replace(right, x=[0.0, 0.0])))
    system.connect("set.r", "controller.r")
    system.connect("left.x", "controller.y")
    system.connect("controller.u", "left.drive")
    system.connect("left.x", "right.x")
    system.connect("left.v", "right.v")
    system.connect("right.force", "left.force")
    return system


sampled_masses = Problem(
    "sampled_masses",
    sampled_masses_system,
    0.45,
    ("left.x", "left.v", "right.x2"),
    lambda t: _sampled(t, _two_mass_matrix(), [[0], [1.0], [0], [0]], 0)[:3],
)

smooth = [prey_predator, two_mass]
everything = [*smooth, algebraic_loop, stiff_loop, control_loop, sampled_masses]


def solvable(problem: Problem, algorithm: Any) -> bool:
    """Whether the algorithm converges on this problem at all.

    A sweep or a plain fixed point multiplies the error of an algebraic loop by its gain. Aitken's
    one factor cannot turn the two unknowns of such a loop at once; asked in series, it has one.
    """
    if abs(problem.loop_gain) < 1:
        return True
    finder, serial = getattr(algorithm, "solver", None), isinstance(algorithm, dv.GaussSeidel)
    if finder is None and (serial or isinstance(algorithm, dv.Jacobi)):
        return False
    if isinstance(finder, Aitken):
        return serial and algorithm.inputs != "hermite"
    return not isinstance(finder, FixedPoint)
