"""Power ports that want the same variable: the problems of the coordinators' literature.

Each is a function of the parts' solver and its step, and returns a system. States of mechanical
parts are positions first, velocities behind, as the semi-implicit Euler method wants them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dovetail as dv


def _capacitor(capacity: float, resistance: float, source: Callable[[float], float], **solver: Any):
    """A capacitor that is charged through a resistor; it takes a current and gives a voltage."""
    return dv.Dynamic(
        states={"v": 0.0},
        inputs={"i": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [((source(t) - x.v) / resistance + u.i) / capacity],
        output_derivatives=[lambda t, x, u, p: [((source(t) - x.v) / resistance + u.i) / capacity]],
        ports={"pin": dv.Port("electrical", effort="v", flow="i")},
        **solver,
    )


def two_masses(**solver: Any) -> dv.System:
    """A mass on a spring and a mass in a dashpot, screwed together."""
    port = {"flange": dv.Port("translational", effort="F", flow="v", displacement="x")}
    spring = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, 5 * math.sin(3 * t) - 10 * x.x + u.F],
        ports=port,
        **solver,
    )
    dashpot = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, (u.F - 0.5 * x.v) / 2],
        ports=port,
        **solver,
    )
    system = dv.System("two masses")
    system.add("spring", spring)
    system.add("dashpot", dashpot)
    system.join("spring.flange", "dashpot.flange")
    return system


def two_capacitors(**solver: Any) -> dv.System:
    """10 V through 100 ohm to 1 mF, and 2 mF with a load of 200 ohm, in parallel."""
    system = dv.System("two capacitors")
    system.add("first", _capacitor(1e-3, 100, lambda t: 10.0, **solver))
    system.add("second", _capacitor(2e-3, 200, lambda t: 0.0, **solver))
    system.join("first.pin", "second.pin")
    return system


def two_inductors(**solver: Any) -> dv.System:
    """10 sin 5t on .5 H and 1 ohm, in series with 1.5 H and 2 ohm."""

    def inductor(inductance: float, resistance: float, source: Callable[[float], float]) -> Any:
        return dv.Dynamic(
            states={"i": 0.0},
            inputs={"v": 0.0},
            outputs=["i"],
            derivatives=lambda t, x, u, p: [(u.v - source(t) - resistance * x.i) / inductance],
            ports={"pin": dv.Port("electrical", effort="v", flow="i")},
            **solver,
        )

    system = dv.System("two inductors")
    system.add("fed", inductor(0.5, 1.0, lambda t: 10 * math.sin(5 * t)))
    system.add("loaded", inductor(1.5, 2.0, lambda t: 0.0))
    system.join("fed.pin", "loaded.pin")
    return system


def three_pipes(**solver: Any) -> dv.System:
    """Three pipes meet, and nobody knows the pressure."""

    def pipe(inertance: float, resistance: float, pressure: Callable[[float], float]) -> Any:
        return dv.Dynamic(
            states={"Q": 0.0},
            inputs={"P": 0.0},
            outputs=["Q"],
            derivatives=lambda t, x, u, p: [
                (u.P - pressure(t) - resistance * x.Q * abs(x.Q)) / inertance
            ],
            ports={"end": dv.Port("hydraulic", effort="P", flow="Q")},
            **solver,
        )

    system = dv.System("three pipes")
    system.add("a", pipe(1e6, 2e9, lambda t: 2e5))
    system.add("b", pipe(2e6, 3e9, lambda t: 5e4 * math.sin(2 * t)))
    system.add("c", pipe(4e6, 1e9, lambda t: 0.0))
    system.join("a.end", "b.end", "c.end")
    return system


def three_capacitors(**solver: Any) -> dv.System:
    """Three capacitors that each give the voltage, and a resistor that takes it."""
    system = dv.System("three capacitors")
    system.add("a", _capacitor(1e-3, 100, lambda t: 10.0, **solver))
    system.add("b", _capacitor(2e-3, 150, lambda t: 5 * math.sin(10 * t), **solver))
    system.add("c", _capacitor(0.5e-3, 300, lambda t: 0.0, **solver))
    load = dv.Algebraic(
        inputs={"v": 0.0},
        outputs=["i"],
        function=lambda t, u, p: [u.v / 50],
        ports={"pin": dv.Port("electrical", effort="v", flow="i")},
    )
    system.add("load", load)
    system.join("a.pin", "b.pin", "c.pin", "load.pin")
    return system


def diode(**solver: Any) -> dv.System:
    """Two capacitors behind resistors feed a diode: nobody has a voltage for the node."""

    def branch(capacity: float, resistance: float, source: Callable[[float], float]) -> Any:
        return dv.Dynamic(
            states={"v": 0.0},
            inputs={"node": 0.0},
            outputs=["i", "v"],
            derivatives=lambda t, x, u, p: [(source(t) - (x.v - u.node) / resistance) / capacity],
            output=lambda t, x, u, p: [(u.node - x.v) / resistance, x.v],
            ports={"pin": dv.Port("electrical", effort="node", flow="i")},
            **solver,
        )

    junction = dv.Algebraic(
        inputs={"v": 0.0},
        outputs=["i"],
        function=lambda t, u, p: [1e-9 * math.expm1(u.v / 0.026) + u.v / 1e5],
        ports={"pin": dv.Port("electrical", effort="v", flow="i")},
    )
    system = dv.System("diode")
    system.add("a", branch(1e-6, 1000.0, lambda t: 5e-3 * math.sin(200 * math.pi * t)))
    system.add("b", branch(2e-6, 500.0, lambda t: 2e-3))
    system.add("diode", junction)
    system.join("a.pin", "b.pin", "diode.pin")
    return system


def free_masses(**solver: Any) -> dv.System:
    """Two free masses, .1 m and 3 m/s apart."""

    def mass(kilograms: float, x: float, v: float) -> Any:
        return dv.Dynamic(
            states={"x": x, "v": v},
            inputs={"F": 0.0},
            outputs=["x", "v"],
            derivatives=lambda t, x, u, p: [x.v, u.F / kilograms],
            ports={"flange": dv.Port("translational", effort="F", flow="v", displacement="x")},
            **solver,
        )

    system = dv.System("free masses")
    system.add("light", mass(1.0, 0.1, 3.0))
    system.add("heavy", mass(2.0, 0.0, 0.0))
    system.join("light.flange", "heavy.flange")
    return system


def gu_5_4_4(**solver: Any) -> dv.System:
    """Thesis, section 5.4.4: the unknown enters one side through an arc tangent."""
    a = dv.Dynamic(
        states={"x1": -1.0, "x2": -1.0, "x3": -1.0},
        inputs={"z": 10.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [
            x.x2,
            -x.x1 - x.x2 - x.x3 + math.atan(u.z),
            x.x1 - x.x2,
        ],
        output=lambda t, x, u, p: [x.x1],
        output_derivatives=[
            lambda t, x, u, p: [x.x2],
            lambda t, x, u, p: [-x.x1 - x.x2 - x.x3 + math.atan(u.z)],
        ],
        ports={"port": dv.Port("electrical", effort="z", flow="y")},
        **solver,
    )
    b = dv.Dynamic(
        states={"x1": 1.0, "x2": 1.0, "x3": 1.0},
        inputs={"z": 10.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [x.x2, -x.x1 - 2 * x.x2 - x.x3, x.x1 - x.x2 - u.z],
        output=lambda t, x, u, p: [x.x1],
        output_derivatives=[
            lambda t, x, u, p: [x.x2],
            lambda t, x, u, p: [-x.x1 - 2 * x.x2 - x.x3],
        ],
        ports={"port": dv.Port("electrical", effort="z", flow="y")},
        **solver,
    )
    system = dv.System("5.4.4")
    system.add("A", a)
    system.add("B", b)
    return system


class Mechanism:
    """M(q) q'' = forces(t, q, q') + J(q)^T F, holding out the point p(q), p' = J q'.

    `bend` is J' q'. Two of them that meet are solved as a part each, and as one set of equations.
    """

    size: int
    start: tuple[list[float], list[float]]

    def mass(self, q: Any) -> Any: ...
    def forces(self, t: float, q: Any, w: Any) -> Any: ...
    def point(self, q: Any) -> Any: ...
    def jacobian(self, q: Any) -> Any: ...
    def bend(self, q: Any, w: Any) -> Any: ...

    def part(self, **solver: Any) -> Any:
        """The mechanism alone: it takes a force and gives place and velocity of its point."""
        n = self.size

        def accelerations(t: float, q: Any, w: Any, force: Any) -> Any:
            return np.linalg.solve(self.mass(q), self.forces(t, q, w) + self.jacobian(q).T @ force)

        def derivatives(t: float, x: Any, u: Any, p: Any) -> Any:
            return np.concatenate([x[n:], accelerations(t, x[:n], x[n:], u)])

        def output(t: float, x: Any, u: Any, p: Any) -> Any:
            return [self.point(x[:n]), self.jacobian(x[:n]) @ x[n:]]

        def first(t: float, x: Any, u: Any, p: Any) -> Any:
            q, w = x[:n], x[n:]
            a = accelerations(t, q, w, u)
            return [self.jacobian(q) @ w, self.jacobian(q) @ a + self.bend(q, w)]

        return dv.Dynamic(
            states={"q": self.start[0], "w": self.start[1]},
            inputs={"F": [0.0, 0.0]},
            outputs={"p": [0.0, 0.0], "v": [0.0, 0.0]},
            derivatives=derivatives,
            output=output,
            output_derivatives=[first],
            feedthrough=False,
            ports={"tip": dv.Port("translational", effort="F", flow="v", displacement="p")},
            vector=True,
            **solver,
        )


class Arm(Mechanism):
    """Two links of 1 m with 1 kg at each end, hanging from (base, 0), with friction."""

    size = 2

    def __init__(self, base: float, angles: list[float]) -> None:
        self.base, self.start = base, (angles, [0.0, 0.0])

    def mass(self, q: Any) -> Any:
        c = math.cos(q[1])
        return np.array([[3 + 2 * c, 1 + c], [1 + c, 1.0]])

    def forces(self, t: float, q: Any, w: Any) -> Any:
        s, g = math.sin(q[1]), 9.81
        lower = g * math.cos(q[0] + q[1])
        turning = np.array([s * w[1] * (2 * w[0] + w[1]), -s * w[0] ** 2])
        return turning - np.array([2 * g * math.cos(q[0]) + lower, lower]) - 0.5 * np.asarray(w)

    def point(self, q: Any) -> Any:
        a, b = q[0], q[0] + q[1]
        return np.array([self.base + math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)])

    def jacobian(self, q: Any) -> Any:
        a, b = q[0], q[0] + q[1]
        inner = np.array([-math.sin(b), math.cos(b)])
        return np.column_stack([np.array([-math.sin(a), math.cos(a)]) + inner, inner])

    def bend(self, q: Any, w: Any) -> Any:
        a, b, da, db = q[0], q[0] + q[1], w[0], w[0] + w[1]
        return -(da**2) * np.array([math.cos(a), math.sin(a)]) - db**2 * np.array(
            [math.cos(b), math.sin(b)]
        )


class Crank(Mechanism):
    """A wheel with a pin at .1 m, driven by a torque."""

    size = 1
    start = ([0.5], [0.0])

    def mass(self, q: Any) -> Any:
        return np.array([[0.02]])

    def forces(self, t: float, q: Any, w: Any) -> Any:
        return np.array([0.4 + 0.2 * math.sin(5 * t) - 0.02 * w[0]])

    def point(self, q: Any) -> Any:
        return 0.1 * np.array([math.cos(q[0]), math.sin(q[0])])

    def jacobian(self, q: Any) -> Any:
        return 0.1 * np.array([[-math.sin(q[0])], [math.cos(q[0])]])

    def bend(self, q: Any, w: Any) -> Any:
        return -0.1 * w[0] ** 2 * np.array([math.cos(q[0]), math.sin(q[0])])


class Slider(Mechanism):
    """A slider of 1 kg with a rod of .5 kg and .3 m, whose other end holds the pin."""

    size = 2

    def __init__(self) -> None:
        angle = math.asin(0.1 * math.sin(0.5) / 0.3)
        self.start = ([0.1 * math.cos(0.5) + 0.3 * math.cos(angle), angle], [0.0, 0.0])

    def mass(self, q: Any) -> Any:
        swing = 0.5 * 0.3 / 2 * math.sin(q[1])
        return np.array([[1.5, swing], [swing, 0.5 * 0.3**2 / 3]])

    def forces(self, t: float, q: Any, w: Any) -> Any:
        return np.array([-0.5 * 0.3 / 2 * math.cos(q[1]) * w[1] ** 2 - 2 * w[0], 0.0])

    def point(self, q: Any) -> Any:
        return np.array([q[0] - 0.3 * math.cos(q[1]), 0.3 * math.sin(q[1])])

    def jacobian(self, q: Any) -> Any:
        return np.array([[1.0, 0.3 * math.sin(q[1])], [0.0, 0.3 * math.cos(q[1])]])

    def bend(self, q: Any, w: Any) -> Any:
        return 0.3 * w[1] ** 2 * np.array([math.cos(q[1]), -math.sin(q[1])])


def _hanging(base: float, elbow: int) -> list[float]:
    """Angles that bring the tip of an arm to (0, -1.2)."""
    x, y = -base, -1.2
    bent = elbow * math.acos((x * x + y * y - 2) / 2)
    return [math.atan2(y, x) - bent / 2, bent]


def arms() -> tuple[Mechanism, Mechanism]:
    """Two arms that hold each other's tip."""
    return Arm(-1.0, _hanging(-1.0, 1)), Arm(1.0, _hanging(1.0, 1))


def slider_crank() -> tuple[Mechanism, Mechanism]:
    """A slider-crank that is cut at the pin."""
    return Crank(), Slider()


def meeting(pair: tuple[Mechanism, Mechanism], **solver: Any) -> dv.System:
    """Two mechanisms that meet at their points."""
    system = dv.System("mechanisms")
    system.add("a", pair[0].part(**solver))
    system.add("b", pair[1].part(**solver))
    system.join("a.tip", "b.tip")
    return system


AREA = 0.01


def gu_3_5(
    pump: float = 1.08e5, volume: float = 0.0, coordinator: Any = None, **solver: Any
) -> dv.System:
    """Thesis, section 3.5: oil in a pipe moves a piston; both take the pressure."""

    def swell(t: float, flow: float, pressure: float) -> float:
        return (-4e5 * flow + pump * math.sin(math.pi * t) - pressure) / 2e5

    def push(x: float, pressure: float) -> float:
        return (-2 * x**3 + AREA * pressure) / 20

    def turning(t: float, flow: float, pressure: float) -> float:
        return (-4e5 * swell(t, flow, pressure) + pump * math.pi * math.cos(math.pi * t)) / 2e5

    pipe = dv.Dynamic(
        states={"V": volume, "Q": 0.0},
        inputs={"P": 0.0},
        outputs=["V", "Q"],
        derivatives=lambda t, x, u, p: [x.Q, swell(t, x.Q, u.P)],
        output=lambda t, x, u, p: [-x.V, -x.Q],
        output_derivatives=[
            lambda t, x, u, p: [-x.Q, -swell(t, x.Q, u.P)],
            lambda t, x, u, p: [-swell(t, x.Q, u.P), -turning(t, x.Q, u.P)],
        ],
        ports={"end": dv.Port("hydraulic", effort="P", flow="Q", displacement="V")},
        **solver,
    )
    piston = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"P": 0.0},
        outputs=["V", "Q", "x"],
        derivatives=lambda t, x, u, p: [x.v, push(x.x, u.P)],
        output=lambda t, x, u, p: [AREA * x.x, AREA * x.v, x.x],
        output_derivatives=[
            lambda t, x, u, p: [AREA * x.v, AREA * push(x.x, u.P), x.v],
            lambda t, x, u, p: [
                AREA * push(x.x, u.P),
                -AREA * 6 * x.x**2 * x.v / 20,
                push(x.x, u.P),
            ],
        ],
        ports={"end": dv.Port("hydraulic", effort="P", flow="Q", displacement="V")},
        **solver,
    )
    system = dv.System("3.5")
    system.add("pipe", pipe)
    system.add("piston", piston)
    system.join("pipe.end", "piston.end", coordinator=coordinator)
    return system


def joined(system: dv.System, *ports: str, **options: Any) -> dv.System:
    """The system with one more junction."""
    system.join(*ports, **options)
    return system


@dataclass(frozen=True)
class Problem:
    """A problem, the step its authors took, and how long to run it."""

    make: Callable[..., dv.System]
    step: float
    stop: float
    watched: tuple[str, ...]
    mechanical: bool = False
    bound: float = 1e3  # no watched value may pass this; an unstable run does
    more: dict[str, Any] = field(default_factory=dict)

    def system(self, solver: str, step: float) -> dv.System:
        """The system with parts that take one step per window."""
        return self.make(solver=solver, step=step, **self.more)


def simulate(system: dv.System, step: float, stop: float, algorithm: Any = None) -> dv.Result:
    """A run with fixed windows, Jacobi unless told otherwise."""
    return dv.simulate(
        system,
        stop=stop,
        algorithm=algorithm or dv.Jacobi(),
        controller=dv.FixedStep(step),
        quiet=True,
    )


problems = {
    "5.4.4": Problem(
        lambda **s: joined(gu_5_4_4(**s), "A.port", "B.port"), 0.1, 4.0, ("A.y", "B.y"), bound=50
    ),
    "3.5": Problem(gu_3_5, 0.1, 10.0, ("piston.x",), mechanical=True, bound=50),
    "two masses": Problem(two_masses, 0.01, 10.0, ("spring.x", "dashpot.v"), True, bound=10),
    "two capacitors": Problem(two_capacitors, 0.005, 1.0, ("first.v", "second.v"), bound=20),
    "two inductors": Problem(two_inductors, 0.005, 1.0, ("fed.i", "loaded.i"), bound=20),
    "three pipes": Problem(three_pipes, 0.01, 5.0, ("a.Q", "b.Q", "c.Q"), bound=1.0),
    "three capacitors": Problem(three_capacitors, 0.005, 1.0, ("a.v", "b.v", "c.v"), bound=20),
    "diode": Problem(diode, 1e-4, 0.02, ("diode.v",), bound=20),
    "two arms": Problem(
        lambda **s: meeting(arms(), **s), 0.005, 1.0, ("a.p[1]", "b.p[2]"), True, bound=5
    ),
    "slider-crank": Problem(
        lambda **s: meeting(slider_crank(), **s), 0.002, 1.0, ("a.p[1]", "b.p[1]"), True, bound=1
    ),
    "free masses": Problem(free_masses, 0.01, 3.0, ("light.v", "heavy.v"), True, bound=10),
}


def spread(values: Any) -> float:
    """The largest magnitude."""
    return float(np.max(np.abs(values)))
