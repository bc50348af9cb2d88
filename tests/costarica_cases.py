"""The cases of the article on COSTARICA, with parts that solve themselves exactly."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import problems
from numpy.polynomial.polynomial import polyval
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.core.description import Capabilities, Description
from dovetail.core.signals import Signals
from dovetail.subsystems.subsystem import Linearization, Reached

FIGURES = json.loads((Path(__file__).parent / "data" / "costarica.json").read_text())
ALPHA, BETA = 0.67, 1.33
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def season(t):
    """How much prey and predators meet, by the time of day."""
    return 0.55 + 0.45 * np.sin(2 * np.pi * t / 2.4)


@dataclass(frozen=True)
class Seasonal:
    """x' = (rate + s(t) gain u) x, y = x: a species whose meetings depend on time."""

    rate: float
    gain: float
    x: float

    @property
    def description(self):
        return replace(problems.Species(0, 0, 0).description, capabilities=problems.EXACT)

    def instantiate(self, name):
        return _Seasonal(self)


class _Seasonal(problems._Species):
    t = 0.0

    def initialize(self, start, values, *, derivatives=False):
        super().initialize(start, values, derivatives=derivatives)
        self.t = start

    @property
    def growth(self):
        return self.model.rate + season(self.t) * self.model.gain * self.u

    def advance(self, window, inputs):
        h = window.size
        tau = h / 2 * (NODES + 1)
        met = season(window.start + tau) * polyval(tau, inputs.coefficients[0])
        self.x *= np.exp(self.model.rate * h + self.model.gain * h / 2 * (WEIGHTS @ met))
        self.t = window.stop
        return Reached(window.stop, self.outputs(inputs.at(h)))

    def linearize(self):
        lin = super().linearize()
        return replace(lin, B=season(self.t) * lin.B)

    def snapshot(self):
        return self.x, self.u, self.t

    def restore(self, snapshot):
        self.x, self.u, self.t = snapshot


def pair(kind=problems.Species, wrap=lambda model: model):
    """Prey and predators, one each at the start."""
    system = dv.System("predation")
    system.add("prey", wrap(kind(ALPHA, -BETA, 1.0)))
    system.add("predator", wrap(kind(-1.0, 1.0, 1.0)))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


@cache
def _solved(seasonal):
    def rates(t, z):
        s = season(t) if seasonal else 1.0
        return [z[0] * (ALPHA - s * BETA * z[1]), z[1] * (s * z[0] - 1)]

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "dense_output": True}
    return solve_ivp(rates, (0, 20), [1.0, 1.0], **options).sol


def populations(t, seasonal=False):
    """Prey and predators, solved together."""
    return np.asarray(_solved(seasonal)(t))


# ---- two bodies ----------------------------------------------------------------------------------

MASS, SPRING, DAMPER, SWITCH, PULL = 1e4, 1000.0, 1000.0, 100.0, -1000.0
LEFT = problems.Linear(
    ("force",),
    ("x", "v"),
    A=[[0, 1], [-SPRING / MASS, -DAMPER / MASS]],
    B=[[0], [-1 / MASS]],
    C=np.eye(2),
    D=0,
    x=(1.0, 0.0),
)
_RIGHT = problems.Linear(
    ("x", "v"),
    ("force", "x2", "v2"),
    A=[[0, 1], [-2 * SPRING / MASS, -DAMPER / MASS]],
    B=[[0, 0], [SPRING / MASS, 0]],
    C=[[-SPRING, 0], [1, 0], [0, 1]],
    D=[[SPRING, 0], [0, 0], [0, 0]],
    x=(0.0, 0.0),
)


@dataclass(frozen=True)
class Right:
    """The right body; from 100 s on the force is constant. With `tells`, that is an event."""

    tells: bool = True

    @property
    def description(self):
        able = replace(problems.EXACT, has_events=self.tells, knows_next_event=self.tells)
        return replace(_RIGHT.description, capabilities=able)

    def instantiate(self, name):
        return _Right(self)


class _Right(problems._Linear):
    def __init__(self, model):
        super().__init__(_RIGHT)
        self.tells, self.description = model.tells, model.description
        self.t, self.pulls = 0.0, False

    def initialize(self, start, values, *, derivatives=False):
        super().initialize(start, values, derivatives=derivatives)
        self.t, self.pulls = start, False

    def outputs(self, inputs, order=0):
        found = super().outputs(inputs, order)
        if self.pulls:
            found.reals[0] = PULL
            if found.derivatives is not None:
                found.derivatives[0] = 0.0
        return found

    def advance(self, window, inputs):
        self.pulls = self.pulls or window.start >= SWITCH
        reached = super().advance(window, inputs)
        self.t = window.stop
        return replace(reached, event=self.tells and not self.pulls and self.t == SWITCH)

    def next_event(self):
        return np.inf if self.pulls else SWITCH

    def event(self, inputs):
        self.pulls = self.pulls or self.t >= SWITCH
        return self.outputs(inputs)

    def linearize(self):
        lin = super().linearize()
        if not self.pulls:
            return lin
        C, D, y = lin.C.copy(), lin.D.copy(), lin.y.copy()
        C[0], D[0], y[0] = 0.0, 0.0, PULL
        return replace(lin, C=C, D=D, y=y)

    def snapshot(self):
        return self.x, self.u, self.t, self.pulls

    def restore(self, snapshot):
        self.x, self.u, self.t, self.pulls = snapshot


def bodies(*, tells=True, wrap=lambda model: model):
    """Two bodies between walls; the spring between them belongs to the right one."""
    system = dv.System("bodies")
    system.add("left", wrap(LEFT))
    system.add("right", wrap(Right(tells)))
    system.connect("left.x", "right.x")
    system.connect("left.v", "right.v")
    system.connect("right.force", "left.force")
    return system


def _matrix(pulled):
    k, d, m = SPRING, DAMPER, MASS
    A = np.zeros((5, 5))  # x_L v_L x_R v_R 1
    A[0, 1] = A[2, 3] = 1.0
    A[1, :4] = [-k / m, -d / m, 0, 0] if pulled else [-2 * k / m, -d / m, k / m, 0]
    A[1, 4] = -PULL / m if pulled else 0.0
    A[3, :4] = [k / m, 0, -2 * k / m, -d / m]
    return A


@cache
def _exponential(pulled, t):
    from scipy.linalg import expm

    return expm(_matrix(pulled) * t)


def motion(times):
    """x_L, v_L, x_R, v_R, from one matrix exponential each."""
    start = np.array([1.0, 0, 0, 0, 1])
    rows = []
    for t in times:
        state = _exponential(False, float(min(t, SWITCH))) @ start
        rows.append(_exponential(True, float(t - SWITCH)) @ state if t > SWITCH else state)
    return np.array(rows)[:, :4].T


# ---- capabilities --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Estimable:
    """A part that cannot roll back but shows its derivatives."""

    model: object

    @property
    def description(self):
        able = replace(self.model.description.capabilities, can_restore=False, can_serialize=False)
        return replace(self.model.description, capabilities=able)

    def instantiate(self, name):
        return self.model.instantiate(name)


class Tough:
    """x' = a(t), y = x + b(t), where neither is seen in any derivative."""

    description = Description(
        inputs=(dv.Variable("u"),),
        outputs=(dv.Variable("y"),),
        feedthrough={"y": frozenset()},
        capabilities=Capabilities(can_linearize=True, can_tell_derivatives=True, input_order=None),
    )

    @staticmethod
    def a(t):
        return np.cos(3 * t) + 0.2

    @staticmethod
    def b(t):
        return np.exp(-t) - 0.3 * t**2

    def initialize(self, start, values, *, derivatives=False):
        self.t = start

    @property
    def x(self):
        return np.sin(3 * self.t) / 3 + 0.2 * self.t + 1

    def outputs(self, inputs, order=0):
        slope = self.a(self.t) - np.exp(-self.t) - 0.6 * self.t
        return Signals(np.array([self.x + self.b(self.t)]), np.array([slope]))

    def begin(self):
        pass

    def advance(self, window, inputs):
        self.t = window.stop
        return Reached(window.stop, self.outputs(None))

    def linearize(self):
        one, zero = np.ones((1, 1)), np.zeros((1, 1))
        x, f, y = (np.array([v]) for v in (self.x, self.a(self.t), self.x + self.b(self.t)))
        return Linearization(zero, zero, one, zero, x, f, np.zeros(1), y)
