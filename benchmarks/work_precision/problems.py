"""Five coupled problems, each with a solution far more accurate than any error that is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import dovetail as dv
from benchmarks.peers.by_dovetail import drawing
from benchmarks.peers.case import Case, build

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import exchanger  # noqa: E402
import junction_problems  # noqa: E402

EXACT = {"rtol": 1e-11, "atol": 1e-13}  # of parts' own integrators: what is left is coupling
TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "dense_output": True}


@dataclass(frozen=True)
class Problem:
    """A system, what is looked at, the truth, and windows from coarse to fine.

    `exact(t)` gives a row per watched variable. `case` is the same system of FMUs in plain data,
    for peers; `bonds` are what `Energy` looks at.
    """

    name: str
    title: str
    draw: Callable[[Path], dv.System]
    stop: float
    watched: tuple[str, ...]
    exact: Callable[[Any], Any]
    sizes: tuple[float, ...]
    case: Callable[[Path, float], Case] | None = None
    bonds: tuple[str, ...] = ()
    scale: float = 1.0  # below which values do not matter: absolute tolerances are its share

    def error(self, time: Any, values: Any) -> float:
        """The largest error of any watched variable, relative to its largest value."""
        truth = self.exact(time)
        scale = np.abs(truth).max(axis=1, keepdims=True)
        return float((np.abs(values - truth) / scale).max())


def _fmu(name: str, folder: Path) -> str:
    """A test FMU that steps exactly for inputs up to cubics."""
    return str(build.build(name, 2, folder, input_derivatives=3))


# mechanical ---------------------------------------------------------------------------------------

MASS, STIFFNESS, DAMPING = 1e4, 1e3, 1e3


def oscillator_case(folder: Path, step: float) -> Case:
    parts = {"body": _fmu("body", folder), "spring": _fmu("spring", folder)}
    wires = [
        ("body", "position", "spring", "position"),
        ("body", "velocity", "spring", "velocity"),
        ("spring", "force", "body", "force"),
    ]
    return Case("mechanical", parts, wires, [("body", "position"), ("spring", "force")], step)


def exact_oscillator(time: Any) -> Any:
    k, d = STIFFNESS / MASS, DAMPING / MASS
    A = np.array([[0, 1, 0, 0], [-2 * k, -d, k, 0], [0, 0, 0, 1], [k, 0, -2 * k, -d]])
    x = np.array([expm(A * t) @ [1.0, 0.0, 0.0, 0.0] for t in time])
    return np.array([x[:, 0], STIFFNESS * (x[:, 0] - x[:, 2])])


# predation ----------------------------------------------------------------------------------------


def predation_case(folder: Path, step: float) -> Case:
    parts = {"prey": _fmu("prey", folder), "predator": _fmu("predator", folder)}
    wires = [("prey", "x", "predator", "u"), ("predator", "x", "prey", "u")]
    return Case("predation", parts, wires, [("prey", "x"), ("predator", "x")], step)


@cache
def _predation() -> Any:
    def rates(t: float, z: Any) -> Any:
        return [(0.1 - 0.02 * z[1]) * z[0], (-0.4 + 0.02 * z[0]) * z[1]]

    return solve_ivp(rates, (0.0, 40.0), [10.0, 10.0], **TIGHT).sol


# a control loop with events -----------------------------------------------------------------------

LOW, HIGH, RATE = -0.3, 0.3, 0.5
PLANT = {"a": -RATE, "b": -1.0, "drive": 0.0, "x": 0.0}


def thermostat(folder: Path) -> dv.System:
    """A plant that is an FMU and a relay with hysteresis that finds its own crossings."""
    relay = dv.Dynamic(
        states={"on": -1.0},
        inputs={"u": 0.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: [x.on],
        zero_crossings=lambda t, x, u, p: [HIGH - u.u if x.on < 0 else u.u - LOW],
        on_event=lambda which, t, x, u, p: {"on": -x.on},
        **EXACT,
    )
    system = dv.System("control loop")
    system.add("plant", dv.load(_fmu("linear", folder)), **PLANT)
    system.add("relay", relay)
    system.connect("plant.y", "relay.u")
    system.connect("relay.y", "plant.u")
    return system


def thermostat_case(folder: Path, step: float) -> Case:
    """Both as FMUs, for those who know no other parts; the relay switches between windows."""
    parts = {"plant": _fmu("linear", folder), "relay": str(build.build("relay", 2, folder))}
    wires = [("plant", "y", "relay", "u"), ("relay", "y", "plant", "u")]
    values = {"plant": PLANT, "relay": {"low": LOW, "high": HIGH}}
    return Case("control loop", parts, wires, [("plant", "y")], step, values=values)


def exact_thermostat(time: Any) -> Any:
    """Exponentials from switch to switch: x' = -x / 2 - u."""
    found = np.empty(len(time))
    start, x, u = 0.0, 0.0, -1.0
    k = 0
    while True:
        rest = -u / RATE
        edge = HIGH if u < 0 else LOW
        switch = start + np.log((x - rest) / (edge - rest)) / RATE
        while k < len(time) and time[k] <= switch:
            found[k] = rest + (x - rest) * np.exp(-RATE * (time[k] - start))
            k += 1
        if k == len(time):
            return found[np.newaxis]
        start, x, u = switch, edge, -u


# a hydraulic junction -----------------------------------------------------------------------------


def pipes(folder: Path) -> dv.System:
    return junction_problems.three_pipes(**EXACT)


@cache
def _pipes() -> Any:
    inertance = np.array([1e6, 2e6, 4e6])
    resistance = np.array([2e9, 3e9, 1e9])

    def rates(t: float, Q: Any) -> Any:
        pressure = np.array([2e5, 5e4 * np.sin(2 * t), 0.0])
        load = pressure + resistance * Q * np.abs(Q)
        common = (load / inertance).sum() / (1 / inertance).sum()  # the flows add up to nothing
        return (common - load) / inertance

    return solve_ivp(rates, (0.0, 1.0), np.zeros(3), **(TIGHT | {"atol": 1e-16})).sol


# a heat exchanger, split --------------------------------------------------------------------------

VOLUMES = 6


def streams(folder: Path) -> dv.System:
    """Two streams and the wall between them, a part each."""
    groups = {
        part: [f"{name}[{i + 1}]" for i in range(VOLUMES)]
        for part, name in (("hot", "Ta"), ("wall", "Tw"), ("cold", "Tb"))
    }
    whole = exchanger.exchanger(VOLUMES, pattern=exchanger.matrix(VOLUMES)[0] != 0)
    return dv.split(whole, groups, **EXACT)


def exact_streams(time: Any) -> Any:
    A, b = exchanger.matrix(VOLUMES)
    A = A.toarray()
    rest = np.linalg.solve(A, -b)
    off = np.full(3 * VOLUMES, exchanger.START) - rest
    x = np.array([rest + expm(A * t) @ off for t in time])
    return np.array([x[:, VOLUMES - 1], x[:, 3 * VOLUMES - 1]])


def _halved(coarse: float, count: int) -> tuple[float, ...]:
    return tuple(coarse / 2**k for k in range(count))


PROBLEMS = {
    p.name: p
    for p in (
        Problem(
            "mechanical",
            "Two bodies and a spring",
            lambda folder: drawing(oscillator_case(folder, 1.0)),
            20.0,
            ("body.position", "spring.force"),
            exact_oscillator,
            _halved(1.0, 5),
            oscillator_case,
            ("body.force * spring.velocity",),
            scale=0.1,
        ),
        Problem(
            "predation",
            "Predators and prey",
            lambda folder: drawing(predation_case(folder, 1.0)),
            40.0,
            ("prey.x", "predator.x"),
            lambda time: np.asarray(_predation()(time)),
            _halved(2.0, 5),
            predation_case,
        ),
        Problem(
            "control loop",
            "A relay and its plant",
            thermostat,
            6.0,
            ("plant.y",),
            exact_thermostat,
            _halved(0.2, 6),
            thermostat_case,
            scale=0.1,
        ),
        Problem(
            "junction",
            "Three pipes meet",
            pipes,
            1.0,
            ("a.Q", "b.Q", "c.Q"),
            lambda time: np.asarray(_pipes()(time)),
            _halved(0.04, 4),
            scale=1e-3,
        ),
        Problem(
            "exchanger",
            "A heat exchanger, split",
            streams,
            1.0,
            (f"hot.Ta[{VOLUMES}]", f"cold.Tb[{VOLUMES}]"),
            exact_streams,
            _halved(0.1, 4),
        ),
    )
}
