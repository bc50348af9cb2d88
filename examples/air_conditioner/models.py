"""The parts of a multi-unit air conditioner, filled with R22.

Every volume takes mass flows and gives its pressure. Two indoor units and the accumulator share
one suction line, and each of them gives the pressure there: a case for junctions.
After B. Gu, Co-Simulation of Algebraically Coupled Dynamic Subsystems, MIT 2001, chapter 7.
"""

import json
from collections.abc import Callable
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import dovetail as dv

DATA = json.loads((Path(__file__).parent / "r22.json").read_text(encoding="utf-8"))


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
    air: float,
    ports: int = 1,
) -> dv.Dynamic:
    """A tube with a two-phase region and a tail of superheated vapour or subcooled liquid.

    An evaporator takes what leaves it as the flow `m` of a port, counted inward; a condenser has
    `ports` plain outlets.
    """
    ua_phase, ua_tail = to_refrigerant
    outlets = ["m"] if evaporates else [f"out{k + 1}" for k in range(ports)]
    enthalpy, heat = (
        (vapour_enthalpy, vapour_heat) if evaporates else (liquid_enthalpy, liquid_heat)
    )
    count = len(outlets)

    def everything(x: Any, u: Any) -> tuple[float, ...]:
        pressure, share, wall_t, tail_t = x[0], x[1], x[2], x[3]
        inward, h_in = u[0], u[1]
        outward = -u[2] if evaporates else sum(u[2 : 2 + count])
        t_sat, t_sat_p = boiling(pressure)
        h, h_p = enthalpy(pressure)
        cp, cp_p = heat(pressure)
        wet = (1 - share) / (1 - saturated_share) if evaporates else share / saturated_share
        wet = min(max(wet, 0.02), 0.98)
        q_phase = ua_phase * wet * (wall_t - t_sat)
        q_tail = ua_tail * (1 - wet) * (wall_t - tail_t)
        filling = _filling(pressure, share, volume)
        p_rate, s_rate = _balances(filling, inward - outward, inward * h_in - outward * h + q_phase)
        tail_rate = (max(outward, 0.0) * cp * (t_sat - tail_t) + q_tail) / tail
        wall_rate = (to_air * (air - wall_t) - q_phase - q_tail) / wall
        over = tail_t - t_sat
        h_rate = h_p * p_rate + cp_p * p_rate * over + cp * (tail_rate - t_sat_p * p_rate)
        given = pressure, share, wall_t, tail_t, h + cp * over, filling[0]
        return (p_rate, s_rate, wall_rate, tail_rate, h_rate, inward - outward, *given)

    return dv.Dynamic(
        states={"P": start[0], "gamma": start[1], "Tw": start[2], "Ts": start[3]},
        inputs={"in": 0.02, "h_in": 2.5e5, **dict.fromkeys(outlets, -0.02 if evaporates else 0.02)},
        outputs=["P", "gamma", "Tw", "Ts", "h", "mass"],
        derivatives=lambda t, x, u, p: everything(x, u)[:4],
        output=lambda t, x, u, p: everything(x, u)[6:],
        output_derivatives=[lambda t, x, u, p: everything(x, u)[:6]],
        feedthrough=False,
        ports={"line": PORT} if evaporates else {},
        units={"P": "Pa", "Tw": "K", "Ts": "K", "h": "J/kg", "mass": "kg"}
        | dict.fromkeys(["in", *outlets], "kg/s"),
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
    air: float,
) -> dv.Dynamic:
    """A vessel with two inlets, each a port, and an outlet for vapour."""

    def everything(x: Any, u: Any) -> tuple[float, ...]:
        pressure, share, wall_t = x[0], x[1], x[2]
        t_sat, _ = boiling(pressure)
        hg, _ = vapour_enthalpy(pressure)
        heat = to_refrigerant * (wall_t - t_sat)
        flow, energy = -u[4], heat - u[4] * hg
        for m, h in ((u[0], u[1]), (u[2], u[3])):
            flow += m
            energy += m * (h if m > 0 else hg)
        filling = _filling(pressure, share, volume)
        rates = _balances(filling, flow, energy)
        wall_rate = (to_air * (air - wall_t) - heat) / wall
        return (*rates, wall_rate, flow, pressure, share, wall_t, filling[0])

    return dv.Dynamic(
        states={"P": start[0], "gamma": start[1], "Tw": start[2]},
        inputs={"m1": 0.02, "h1": 4e5, "m2": 0.02, "h2": 4e5, "out": 0.04},
        outputs=["P", "gamma", "Tw", "mass"],
        derivatives=lambda t, x, u, p: everything(x, u)[:3],
        output=lambda t, x, u, p: everything(x, u)[4:],
        output_derivatives=[lambda t, x, u, p: everything(x, u)[:4]],
        feedthrough=False,
        ports={
            "line1": dv.Port("fluid", effort="P", flow="m1"),
            "line2": dv.Port("fluid", effort="P", flow="m2"),
        },
        units={"P": "Pa", "Tw": "K", "mass": "kg", "m1": "kg/s", "m2": "kg/s", "out": "kg/s"},
        vector=True,
        solver="euler",
        step=STEP,
    )


def compressor(displacement: float, speed: float, efficiency: float) -> dv.Algebraic:
    """Flow and outlet enthalpy from the pressures before and behind."""
    w = DATA["ws"]

    def function(t: float, u: Any, p: Any) -> list[float]:
        ratio = u[1] / u[0]
        high, low = log(ratio), log(u[0] * 1e-6)
        work = high * (
            w[0] + w[1] * high + w[2] * high**2 + w[3] * low + w[4] * high * low + w[5] * low**2
        )
        filling = 1.04 - 0.04 * ratio ** (1 / 1.15)
        flow = displacement * speed * vapour_density(u[0])[0] * filling
        return [flow, vapour_enthalpy(u[0])[0] + work / efficiency]

    return dv.Algebraic(
        inputs={"P_in": 6.5e5, "P_out": 1.8e6},
        outputs=["m", "h"],
        function=function,
        units={"P_in": "Pa", "P_out": "Pa", "m": "kg/s", "h": "J/kg"},
        vector=True,
    )


def valve(opening: float) -> dv.Algebraic:
    """Flow of liquid from the pressures before and behind."""

    def function(t: float, u: Any, p: Any) -> list[float]:
        drop = u[0] - u[1]
        flow = opening * sqrt(liquid_density(u[0])[0] * abs(drop))
        return [flow if drop > 0 else -flow]

    return dv.Algebraic(
        inputs={"P_in": 1.8e6, "P_out": 7e5},
        outputs=["m"],
        function=function,
        units={"P_in": "Pa", "P_out": "Pa", "m": "kg/s"},
        vector=True,
    )


STEP = 0.01


def indoor(wall: float, tail: float, air: float) -> dv.Dynamic:
    """One of the two indoor units: an evaporator."""
    return heat_exchanger(
        evaporates=True,
        volume=1.2e-3,
        saturated_share=0.80,
        to_refrigerant=(1100.0, 120.0),
        to_air=280.0,
        wall=2500.0,
        tail=60.0,
        start=(700e3, 0.85, wall, tail),
        air=air,
    )


indoor1 = indoor(289.15, 291.15, 300.15)
indoor2 = indoor(290.15, 293.15, 303.15)
outdoor = heat_exchanger(
    evaporates=False,
    volume=3e-3,
    saturated_share=0.65,
    to_refrigerant=(3000.0, 700.0),
    to_air=1200.0,
    wall=6000.0,
    tail=500.0,
    start=(1800e3, 0.55, 316.15, 314.15),
    air=308.15,
    ports=2,
)
vessel = accumulator(
    volume=3e-3,
    to_refrigerant=20.0,
    to_air=2.0,
    wall=3000.0,
    start=(650e3, 0.80, 282.0),
    air=308.15,
)
pump = compressor(30e-6, 55.0, 0.70)
valve1, valve2 = valve(6.2e-7), valve(6.8e-7)
