"""The parts of a multi-unit air conditioner, filled with R22.

Every volume takes mass flows and gives its pressure. Two indoor units and the accumulator share
one suction line, and each of them gives the pressure there: a case for junctions.
After B. Gu, Co-Simulation of Algebraically Coupled Dynamic Subsystems, MIT 2001, chapter 7.
"""
# Over 250 lines: one machine, whose parts share the properties of its refrigerant.

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv

DATA = json.loads((Path(__file__).parent / "r22.json").read_text(encoding="utf-8"))


def _either_way(quick: Any, traced: Any) -> Callable[[Any], Any]:
    """A function of numbers, and of what an export writes down instead of numbers."""
    return lambda v: quick(v) if isinstance(v, float) else traced(v)


log, exp = _either_way(math.log, np.log), _either_way(math.exp, np.exp)
sqrt = _either_way(math.sqrt, np.sqrt)
positive = _either_way(lambda v: max(v, 0.0), lambda v: np.maximum(v, 0.0))
share_of_wall = _either_way(
    lambda v: min(max(v, 0.02), 0.98), lambda v: np.minimum(np.maximum(v, 0.02), 0.98)
)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """One of two; of what an export writes down too."""
    if isinstance(condition, bool | np.bool_):
        return yes if condition else no
    return np.where(condition, yes, no)


def _property(name: str) -> Callable[[float], tuple[float, float]]:
    """A saturation property and its derivative by pressure: a polynomial of ln(P/MPa)."""
    coefficients, logarithmic = DATA[name]["coef"], DATA[name]["log"]

    def at(pressure: float) -> tuple[float, float]:
        x = log(pressure * 1e-6)
        value = slope = 0.0
        for c in coefficients:
            slope = slope * x + value
            value = value * x + c
        if logarithmic:
            value = exp(value)
            slope *= value
        return value, slope / pressure

    return at


boiling, liquid_density, vapour_density = map(_property, ("Tsat", "rho_f", "rho_g"))
liquid_enthalpy, vapour_enthalpy = map(_property, ("h_f", "h_g"))
liquid_heat, vapour_heat = map(_property, ("cp_f", "cp_g"))


def _filling(pressure: float, share: float, volume: float) -> tuple[float, ...]:
    """Mass, and the derivatives of mass and energy by pressure and share of vapour."""
    rf, rf_p = liquid_density(pressure)
    rg, rg_p = vapour_density(pressure)
    hf, hf_p = liquid_enthalpy(pressure)
    hg, hg_p = vapour_enthalpy(pressure)
    rest = 1 - share
    mass = volume * (share * rg + rest * rf)
    mass_p = volume * (share * rg_p + rest * rf_p)
    mass_s = volume * (rg - rf)
    energy_p = volume * (share * (rg_p * hg + rg * hg_p) + rest * (rf_p * hf + rf * hf_p) - 1)
    energy_s = volume * (rg * hg - rf * hf)
    return mass, mass_p, mass_s, energy_p, energy_s


def _balances(filling: tuple[float, ...], flow: float, heat: float) -> tuple[float, float]:
    """How pressure and share of vapour change with what comes in."""
    _, mass_p, mass_s, energy_p, energy_s = filling
    determinant = mass_p * energy_s - mass_s * energy_p
    return (
        (flow * energy_s - mass_s * heat) / determinant,
        (mass_p * heat - energy_p * flow) / determinant,
    )


PORT = dv.Port("fluid", effort="P", flow="m")


STEP = 0.01
AIR = 300.0  # K, until a source says how warm the air is


def _several(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}{k + 1}" for k in range(count)]


def heat_exchanger(
    *,
    evaporates: bool,
    volume: float,
    saturated_share: float,
    to_refrigerant: tuple[float, float],
    to_air: float,
    wall: float,
    tail: float,
    start: tuple[float, float, float, float],
    joined: str = "",
    inlets: int = 1,
    outlets: int = 1,
) -> dv.Dynamic:
    # Over 60 lines: one model, whose equations use its arguments all over.
    """A tube with a two-phase region and a tail of superheated vapour or subcooled liquid.

    The end that is `joined`, "in" or "out", is a port with the flow `m`, counted inward.
    """
    ua_phase, ua_tail = to_refrigerant
    flows_in = ["m"] if joined == "in" else _several("in", inlets)
    flows_out = ["m"] if joined == "out" else _several("out", outlets)
    entering, leaving = len(flows_in), len(flows_out)
    sign = -1.0 if joined == "out" else 1.0
    enthalpy, heat = (
        (vapour_enthalpy, vapour_heat) if evaporates else (liquid_enthalpy, liquid_heat)
    )

    def everything(x: Any, u: Any) -> tuple[float, ...]:
        pressure, share, wall_t, tail_t = x[0], x[1], x[2], x[3]
        inward = sum(u[:entering])
        brought = sum(m * h for m, h in zip(u[:entering], u[entering:], strict=False))
        outward = sign * sum(u[2 * entering : 2 * entering + leaving])
        t_sat, t_sat_p = boiling(pressure)
        h, h_p = enthalpy(pressure)
        cp, cp_p = heat(pressure)
        wet = (1 - share) / (1 - saturated_share) if evaporates else share / saturated_share
        wet = share_of_wall(wet)
        q_phase = ua_phase * wet * (wall_t - t_sat)
        q_tail = ua_tail * (1 - wet) * (wall_t - tail_t)
        filling = _filling(pressure, share, volume)
        p_rate, s_rate = _balances(filling, inward - outward, brought - outward * h + q_phase)
        tail_rate = (positive(outward) * cp * (t_sat - tail_t) + q_tail) / tail
        wall_rate = (to_air * (u[-1] - wall_t) - q_phase - q_tail) / wall
        over = tail_t - t_sat
        h_rate = h_p * p_rate + cp_p * p_rate * over + cp * (tail_rate - t_sat_p * p_rate)
        given = pressure, share, wall_t, tail_t, h + cp * over, filling[0]
        return (p_rate, s_rate, wall_rate, tail_rate, h_rate, inward - outward, *given)

    flows = dict.fromkeys(flows_in, 0.02) | dict.fromkeys(flows_out, sign * 0.02)
    enthalpies = dict.fromkeys(_several("h_in", inlets), 2.5e5)
    order = [*flows_in, *enthalpies, *flows_out]
    return dv.Dynamic(
        states={"P": start[0], "gamma": start[1], "Tw": start[2], "Ts": start[3]},
        inputs={name: (flows | enthalpies)[name] for name in order} | {"T_air": AIR},
        outputs=["P", "gamma", "Tw", "Ts", "h", "mass"],
        derivatives=lambda t, x, u, p: everything(x, u)[:4],
        output=lambda t, x, u, p: everything(x, u)[6:],
        output_derivatives=[lambda t, x, u, p: everything(x, u)[:6]],
        feedthrough=False,
        ports={"line": PORT} if joined else {},
        units={"P": "Pa", "Tw": "K", "Ts": "K", "h": "J/kg", "mass": "kg"}
        | dict.fromkeys(flows, "kg/s")
        | dict.fromkeys(enthalpies, "J/kg")
        | {"T_air": "K"},
        vector=True,
        solver="euler",
        step=STEP,
    )


def accumulator(
    *,
    volume: float,
    to_refrigerant: float,
    to_air: float,
    wall: float,
    start: tuple[float, float, float],
    inlets: int = 2,
) -> dv.Dynamic:
    """A vessel with inlets, each a port, and an outlet for vapour."""
    numbers = [str(k + 1) for k in range(inlets)]

    def everything(x: Any, u: Any) -> tuple[float, ...]:
        pressure, share, wall_t = x[0], x[1], x[2]
        t_sat, _ = boiling(pressure)
        hg, _ = vapour_enthalpy(pressure)
        heat = to_refrigerant * (wall_t - t_sat)
        flow, energy = -u[2 * inlets], heat - u[2 * inlets] * hg
        for m, h in zip(u[:inlets], u[inlets:], strict=False):
            flow += m
            energy += m * where(m > 0, h, hg)
        filling = _filling(pressure, share, volume)
        rates = _balances(filling, flow, energy)
        wall_rate = (to_air * (u[-1] - wall_t) - heat) / wall
        return (*rates, wall_rate, flow, pressure, share, wall_t, filling[0])

    return dv.Dynamic(
        states={"P": start[0], "gamma": start[1], "Tw": start[2]},
        inputs=dict.fromkeys((f"m{k}" for k in numbers), 0.02)
        | dict.fromkeys((f"h{k}" for k in numbers), 4e5)
        | {"out": 0.04, "T_air": AIR},
        outputs=["P", "gamma", "Tw", "mass"],
        derivatives=lambda t, x, u, p: everything(x, u)[:3],
        output=lambda t, x, u, p: everything(x, u)[4:],
        output_derivatives=[lambda t, x, u, p: everything(x, u)[:4]],
        feedthrough=False,
        ports={f"line{k}": dv.Port("fluid", effort="P", flow=f"m{k}") for k in numbers},
        units={"P": "Pa", "Tw": "K", "mass": "kg", "out": "kg/s", "T_air": "K"}
        | dict.fromkeys((f"m{k}" for k in numbers), "kg/s")
        | dict.fromkeys((f"h{k}" for k in numbers), "J/kg"),
        vector=True,
        solver="euler",
        step=STEP,
    )


def manifold(volume: float, pressure: float) -> dv.Dynamic:
    """A short pipe full of vapour: one inlet, and two outlets, each a port counted inward."""

    def everything(x: Any, u: Any) -> tuple[float, ...]:
        density, slope = vapour_density(x[0])
        flow = u[0] + u[1] + u[2]
        return flow / (volume * slope), flow, x[0], volume * density

    return dv.Dynamic(
        states={"P": pressure},
        inputs={"m1": -0.02, "m2": -0.02, "in": 0.04},
        outputs=["P", "mass"],
        derivatives=lambda t, x, u, p: everything(x, u)[:1],
        output=lambda t, x, u, p: everything(x, u)[2:],
        output_derivatives=[lambda t, x, u, p: everything(x, u)[:2]],
        feedthrough=False,
        ports={f"line{k}": dv.Port("fluid", effort="P", flow=f"m{k}") for k in "12"},
        units={"P": "Pa", "mass": "kg"} | dict.fromkeys(("m1", "m2", "in"), "kg/s"),
        vector=True,
        solver="euler",
        step=STEP,
    )


def compressor(displacement: float, efficiency: float) -> dv.Algebraic:
    """Flow and outlet enthalpy from its speed and the pressures before and behind."""
    w = DATA["ws"]

    def function(t: float, u: Any, p: Any) -> list[float]:
        ratio = u[1] / u[0]
        high, low = log(ratio), log(u[0] * 1e-6)
        work = high * (
            w[0] + w[1] * high + w[2] * high**2 + w[3] * low + w[4] * high * low + w[5] * low**2
        )
        filling = 1.04 - 0.04 * ratio ** (1 / 1.15)
        flow = displacement * u[2] * vapour_density(u[0])[0] * filling
        return [flow, vapour_enthalpy(u[0])[0] + work / efficiency]

    return dv.Algebraic(
        inputs={"P_in": 6.5e5, "P_out": 1.8e6, "speed": 55.0},
        outputs=["m", "h"],
        function=function,
        units={"P_in": "Pa", "P_out": "Pa", "speed": "1/s", "m": "kg/s", "h": "J/kg"},
        vector=True,
    )


def _flow(t: float, u: Any, p: Any) -> list[float]:
    drop = u[0] - u[1]
    flow = u[2] * sqrt(liquid_density(u[0])[0] * abs(drop))
    return [where(drop > 0, flow, -flow)]


valve = dv.Algebraic(
    inputs={"P_in": 1.8e6, "P_out": 7e5, "opening": 6.5e-7},
    outputs=["m"],
    function=_flow,
    units={"P_in": "Pa", "P_out": "Pa", "opening": "m2", "m": "kg/s"},
    vector=True,
)


def surroundings(values: dict[str, float]) -> dv.Source:
    """What the circuit is told from outside: air temperatures, speed, openings of valves."""
    units = {"speed": "1/s", "opening1": "m2", "opening2": "m2"}
    return dv.Source(
        outputs=list(values),
        function=lambda t, p: list(values.values()),
        slope=lambda t, p: [0.0] * len(values),
        units={name: units.get(name, "K") for name in values},
        vector=True,
    )


def surround(system: dv.System) -> None:
    """Connect what is told from outside, the same in both modes."""
    for k in "12":
        system.connect(f"surroundings.room{k}", f"indoor{k}.T_air")
        system.connect(f"surroundings.opening{k}", f"valve{k}.opening")
    for part in ("outdoor", "accumulator"):
        system.connect("surroundings.outside", f"{part}.T_air")
    system.connect("surroundings.speed", "compressor.speed")
