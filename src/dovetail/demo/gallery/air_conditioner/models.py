"""An air conditioner with two indoor units: what is drawn in air_conditioner.yaml.

After B. Gu, Co-Simulation of Algebraically Coupled Dynamic Subsystems, MIT 2001, chapter 7.
"""

# mypy: disable-error-code="import-not-found,no-any-return"

import refrigerant

import dovetail as dv


def _indoor(wall: float, tail: float) -> dv.Dynamic:
    return refrigerant.heat_exchanger(
        evaporates=True, volume=1.2e-3, saturated_share=0.80, to_refrigerant=(1100.0, 120.0),
        to_air=280.0, wall=2500.0, tail=60.0, start=(700e3, 0.85, wall, tail), joined="out",
    )  # fmt: skip


def surroundings() -> dv.Source:
    """Temperatures of the air, speed of the compressor, openings of the valves."""
    return refrigerant.surroundings(
        {"room1": 300.15, "room2": 303.15, "outside": 308.15, "speed": 55.0,
         "opening1": 6.2e-7, "opening2": 6.8e-7}
    )  # fmt: skip


def indoor1() -> dv.Dynamic:
    """An evaporator in the first room."""
    return _indoor(289.15, 291.15)


def indoor2() -> dv.Dynamic:
    """An evaporator in the second room, which is warmer."""
    return _indoor(290.15, 293.15)


def outdoor() -> dv.Dynamic:
    """The condenser, with a pipe to each valve."""
    return refrigerant.heat_exchanger(
        evaporates=False, volume=3e-3, saturated_share=0.65, to_refrigerant=(3000.0, 700.0),
        to_air=1200.0, wall=6000.0, tail=500.0, start=(1800e3, 0.55, 316.15, 314.15), outlets=2,
    )  # fmt: skip


def accumulator() -> dv.Dynamic:
    """The vessel where both suction lines end, each in a port."""
    return refrigerant.accumulator(
        volume=3e-3, to_refrigerant=20.0, to_air=2.0, wall=3000.0, start=(650e3, 0.80, 282.0)
    )


def valve() -> dv.Algebraic:
    """An expansion valve."""
    return refrigerant.valve


def compressor() -> dv.Algebraic:
    """The compressor, by its curve."""
    return refrigerant.compressor(30e-6, 0.70)
