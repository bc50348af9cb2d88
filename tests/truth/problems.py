"""Coupled problems with a tight monolithic reference, to ask verdicts whether they are true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import cos, exp, pi, sin, tanh

import dovetail as dv
from dovetail.verification.companion import Trajectory

_TIGHT = {"rtol": 1e-10, "atol": 1e-12}


@dataclass(frozen=True)
class TruthProblem:
    """A drawing, how far it runs, and windows from too long to short."""

    name: str
    draw: Callable[[], dv.System]
    stop: float
    windows: tuple[float, float, float]


PROBLEMS: dict[str, TruthProblem] = {}


def reference(problem: TruthProblem) -> Trajectory:
    """All equations at once, to 1e-10, at the shortest windows."""
    whole = dv.System(problem.name)
    whole.add("all", dv.merge(problem.draw(), rtol=1e-10, atol=1e-12))
    result = dv.simulate(whole, stop=problem.stop, step=problem.windows[2], quiet=True)
    found = Trajectory.of(result)
    return Trajectory(found.time, {n.removeprefix("all."): v for n, v in found.values.items()})


def problem(stop: float, *windows: float) -> Callable[[Callable[[], dv.System]], object]:
    def keep(draw: Callable[[], dv.System]) -> Callable[[], dv.System]:
        name = draw.__name__
        PROBLEMS[name] = TruthProblem(name, cache(draw), stop, (windows[0], windows[1], windows[2]))
        return draw

    return keep


def mass(m: float, *, x: float = 0.0, v: float = 0.0, k: float = 0.0, d: float = 0.0) -> dv.Dynamic:
    """A mass with a spring and a damper to ground, pushed by two forces."""
    return dv.Dynamic(
        states={"x": x, "v": v},
        inputs=["f", "g"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, (u.f + u.g - k * s.x - d * s.v) / m],
        **_TIGHT,
    )


def spring(k: float, d: float = 0.0, gap: float = 0.0) -> dv.Algebraic:
    """Forces on both ends, by position and velocity; with a gap that must close first."""

    def force(t, u, p):
        s, w = u.x2 - u.x1, u.v2 - u.v1
        if gap:
            s = s - gap * tanh(s / gap) if abs(s) < 20 * gap else s - gap * (1 if s > 0 else -1)
        f = k * s + d * w
        return [f, -f]

    return dv.Algebraic(inputs=["x1", "v1", "x2", "v2"], outputs=["f1", "f2"], function=force)


def _chain(system: dv.System, name: str, left: str, right: str, part: dv.Algebraic) -> None:
    system.add(name, part)
    for end, side in ((left, "1"), (right, "2")):
        system.connect(f"{end}.x", f"{name}.x{side}")
        system.connect(f"{end}.v", f"{name}.v{side}")


@problem(10.0, 0.2, 0.05, 0.01)
def two_masses() -> dv.System:
    s = dv.System("two masses")
    s.add("a", mass(1.0, x=1.0, k=1.0, d=0.1))
    s.add("b", mass(2.0, k=3.0, d=0.05))
    _chain(s, "s", "a", "b", spring(2.0, 0.1))
    s.connect("s.f1", "a.f")
    s.connect("s.f2", "b.f")
    return s


@problem(0.05, 2e-3, 5e-4, 1e-4)
def stiff_pair() -> dv.System:
    """A light mass behind a stiff spring: held position and velocity contradict each other."""
    light = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["x1", "v1"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [
            s.v,
            (1e6 * (u.x1 - s.x) + 1e3 * (u.v1 - s.v) - 50.0 * s.v) / 0.01,
        ],
        output=lambda t, s, u, p: [1e6 * (s.x - u.x1) + 1e3 * (s.v - u.v1)],
        solver="cvode",
        **_TIGHT,
    )
    s = dv.System("stiff pair")
    s.add("heavy", mass(1.0, v=1.0, k=1e4))
    s.add("light", light)
    s.connect("heavy.x", "light.x1")
    s.connect("heavy.v", "light.v1")
    s.connect("light.f", "heavy.f")
    return s


@problem(20.0, 0.5, 0.1, 0.02)
def reactor() -> dv.System:
    """A stirred tank with an exothermic reaction, cooled by a jacket with a PI controller."""
    tank = dv.Dynamic(
        states={"c": 0.9, "T": 1.0},
        inputs=["q"],
        outputs=["T", "c"],
        derivatives=lambda t, s, u, p: [
            1.0 - s.c - s.c * exp(3.0 * (s.T - 1.2)),
            0.9 - s.T + 1.1 * s.c * exp(3.0 * (s.T - 1.2)) - u.q,
        ],
        **_TIGHT,
    )
    jacket = dv.Dynamic(
        states={"Tj": 0.8},
        inputs=["T", "flow"],
        outputs=["q"],
        derivatives=lambda t, s, u, p: [2.0 * (u.T - s.Tj) + 3.0 * u.flow * (0.5 - s.Tj)],
        output=lambda t, s, u, p: [2.0 * (u.T - s.Tj)],
        **_TIGHT,
    )
    controller = dv.Dynamic(
        states={"i": 0.0},
        inputs=["T"],
        outputs=["flow"],
        derivatives=lambda t, s, u, p: [u.T - 1.0 - 0.2 * sin(0.5 * t)],
        output=lambda t, s, u, p: [max(0.0, 4.0 * (u.T - 1.0 - 0.2 * sin(0.5 * t)) + 2.0 * s.i)],
        **_TIGHT,
    )
    s = dv.System("reactor")
    s.add("tank", tank)
    s.add("jacket", jacket)
    s.add("controller", controller)
    s.connect("tank.T", "jacket.T")
    s.connect("tank.T", "controller.T")
    s.connect("controller.flow", "jacket.flow")
    s.connect("jacket.q", "tank.q")
    return s


@problem(10.0, 0.5, 0.1, 0.02)
def ladder() -> dv.System:
    """A ladder of inductors and capacitors in five parts, driven by a source."""
    s = dv.System("ladder")
    s.add("source", dv.Source(outputs=["v"], function=lambda t, p: [sin(1.3 * t)]))
    for n in range(5):
        part = dv.Dynamic(
            states={"i": 0.0, "v": 0.0},
            inputs=["left", "drawn"],
            outputs=["v", "i"],
            derivatives=lambda t, s, u, p: [u.left - s.v - 0.1 * s.i, s.i - u.drawn],
            **_TIGHT,
        )
        s.add(f"cell{n}", part)
        s.connect("source.v" if n == 0 else f"cell{n - 1}.v", f"cell{n}.left")
        if n:
            s.connect(f"cell{n}.i", f"cell{n - 1}.drawn")
    return s


@problem(5.0, 0.1, 0.02, 0.004)
def pendulum() -> dv.System:
    """Two pendulums on a common cart, strongly coupled by the cart's acceleration."""

    def arm(angle: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"a": angle, "w": 0.0},
            inputs=["v"],
            outputs=["f"],
            derivatives=lambda t, s, u, p: [
                s.w,
                -9.81 * sin(s.a) - 2.0 * (u.v * cos(s.a) + 0.1 * s.w),
            ],
            output=lambda t, s, u, p: [3.0 * sin(s.a)],
            **_TIGHT,
        )

    s = dv.System("pendulum")
    s.add("cart", mass(1.5, k=20.0, d=0.3))
    s.add("left", arm(1.2))
    s.add("right", arm(-0.4))
    s.connect("cart.v", "left.v")
    s.connect("cart.v", "right.v")
    s.connect("left.f", "cart.f")
    s.connect("right.f", "cart.g")
    return s


@problem(0.4, 0.01, 0.002, 4e-4)
def cylinder() -> dv.System:
    """A hydraulic cylinder that moves a mass; oil is stiff."""
    chamber = dv.Dynamic(
        states={"p": 1e6},
        inputs=["v", "x"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [
            1.2e9 / (2e-4 + 1e-3 * u.x) * (1e-4 * (1 + sin(40 * t)) - 1e-3 * u.v - 2e-11 * s.p)
        ],
        output=lambda t, s, u, p: [1e-3 * (s.p - 1e6)],
        **_TIGHT,
    )
    s = dv.System("cylinder")
    s.add("piston", mass(20.0, x=0.1, d=200.0))
    s.add("chamber", chamber)
    s.connect("piston.v", "chamber.v")
    s.connect("piston.x", "chamber.x")
    s.connect("chamber.f", "piston.f")
    return s


@problem(6.0, 0.05, 0.01, 0.002)
def backlash() -> dv.System:
    """A motor and a load behind a gap."""
    s = dv.System("backlash")
    motor = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, 4.0 * sin(2.0 * t) + u.f - 0.5 * s.v],
        **_TIGHT,
    )
    s.add("motor", motor)
    s.add("load", mass(2.0, d=0.4))
    _chain(s, "gap", "motor", "load", spring(300.0, 0.5, gap=0.1))
    s.connect("gap.f1", "motor.f")
    s.connect("gap.f2", "load.f")
    return s


@problem(5.0, 0.1, 0.02, 0.005)
def contact() -> dv.System:
    """A ball that falls onto a soft floor with a mass of its own."""

    def push(t, u, p):
        depth = u.x2 - u.x1
        f = 2000.0 * max(depth, 0.0) ** 1.5
        return [f, -f]

    s = dv.System("contact")
    ball = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, -9.81 + u.f],
        **_TIGHT,
    )
    s.add("ball", ball)
    s.add("floor", mass(5.0, k=3000.0, d=20.0))
    _chain(
        s,
        "touch",
        "ball",
        "floor",
        dv.Algebraic(inputs=["x1", "v1", "x2", "v2"], outputs=["f1", "f2"], function=push),
    )
    s.connect("touch.f1", "ball.f")
    s.connect("touch.f2", "floor.f")
    return s


@problem(24.0, 2.0, 0.5, 0.1)
def rooms() -> dv.System:
    """Twenty rooms in a row, heated at one end and by the day outside."""
    s = dv.System("rooms")
    for n in range(20):
        room = dv.Dynamic(
            states={"T": 18.0 + (n % 3)},
            inputs={"left": 18.0, "right": 18.0},
            outputs=["T"],
            derivatives=lambda t, s, u, p, n=n: [
                1.5 * (u.left - s.T)
                + 1.5 * (u.right - s.T)
                + 0.1 * (8.0 + 6.0 * sin(2 * pi * t / 24) - s.T)
                + (4.0 if n == 0 else 0.0)
            ],
            **_TIGHT,
        )
        s.add(f"r{n}", room)
    for n in range(19):
        s.connect(f"r{n}.T", f"r{n + 1}.left")
        s.connect(f"r{n + 1}.T", f"r{n}.right")
    return s


@problem(15.0, 0.3, 0.1, 0.02)
def predation() -> dv.System:
    s = dv.System("predation")
    s.add(
        "prey",
        dv.Dynamic(
            states={"x": 1.0},
            inputs={"y": 1.0},
            outputs=["x"],
            derivatives=lambda t, s, u, p: [s.x * (0.67 - 1.33 * u.y)],
            **_TIGHT,
        ),
    )
    s.add(
        "predator",
        dv.Dynamic(
            states={"y": 1.0},
            inputs={"x": 1.0},
            outputs=["y"],
            derivatives=lambda t, s, u, p: [s.y * (u.x - 1.0)],
            **_TIGHT,
        ),
    )
    s.connect("prey.x", "predator.x")
    s.connect("predator.y", "prey.y")
    return s


@problem(10.0, 0.2, 0.05, 0.01)
def driven_loop() -> dv.System:
    """A stiff lag in a loop with a slow one, driven."""
    s = dv.System("driven loop")
    s.add(
        "fast",
        dv.Dynamic(
            states={"y": 0.0},
            inputs=["u"],
            outputs=["y"],
            derivatives=lambda t, s, u, p: [50.0 * (u.u - s.y)],
            **_TIGHT,
        ),
    )
    s.add(
        "slow",
        dv.Dynamic(
            states={"z": 0.0},
            inputs=["y"],
            outputs=["e"],
            derivatives=lambda t, s, u, p: [3.0 * u.y - 0.2 * s.z],
            output=lambda t, s, u, p: [sin(1.1 * t) - s.z],
            **_TIGHT,
        ),
    )
    s.connect("fast.y", "slow.y")
    s.connect("slow.e", "fast.u")
    return s
