"""A room with a thermostat: three parts, two of which jump.

The set point falls at night and rises in the morning. The thermostat samples the temperature once
a minute and switches the heater with a hysteresis. Windows end where something jumps, and every
part sees the value before and after.
"""

import dovetail as dv

HOUR = 3600.0

setpoint = dv.Source(
    outputs=["temperature"],
    parameters={"day": 21.0, "night": 17.0},
    function=lambda t, p: [p.day if 6 * HOUR <= t < 22 * HOUR else p.night],
    jumps=[6 * HOUR, 22 * HOUR],
    units={"temperature": "degC", "day": "degC", "night": "degC"},
)


def switched(x, u, p):
    """On below the band, off above it, unchanged within."""
    if u.measured < u.target - p.band / 2:
        return True
    if u.measured > u.target + p.band / 2:
        return False
    return x.on


thermostat = dv.Discrete(
    period=60.0,
    states={"on": False},
    inputs={"target": 20.0, "measured": 20.0},
    outputs=["heating", "power"],
    parameters={"band": 0.5, "rated": 2000.0},
    output=lambda t, x, u, p: [switched(x, u, p), p.rated if switched(x, u, p) else 0.0],
    update=lambda t, x, u, p: [switched(x, u, p)],
    types={"heating": "boolean"},
    units={"target": "degC", "measured": "degC", "power": "W", "rated": "W"},
)

room = dv.Dynamic(
    states={"T": 16.0, "T_wall": 12.0},
    inputs={"power": 0.0},
    outputs=["temperature"],
    parameters={"C": 4e5, "C_wall": 8e6, "G": 150.0, "G_out": 40.0, "T_out": 5.0},
    derivatives=lambda t, x, u, p: [
        (u.power - p.G * (x.T - x.T_wall)) / p.C,
        (p.G * (x.T - x.T_wall) - p.G_out * (x.T_wall - p.T_out)) / p.C_wall,
    ],
    output=lambda t, x, u, p: [x.T],
    units={"temperature": "degC", "power": "W"},
)


def system():
    """A function will do, too."""
    drawing = dv.System("thermostat")
    drawing.add("setpoint", setpoint)
    drawing.add("thermostat", thermostat)
    drawing.add("room", room)
    drawing.connect("setpoint.temperature", "thermostat.target")
    drawing.connect("room.temperature", "thermostat.measured")
    drawing.connect("thermostat.power", "room.power")
    return drawing


run = {"stop": 24 * HOUR, "algorithm": "gauss_seidel", "controller": {"fixed_step": 60.0}}

if __name__ == "__main__":
    result = dv.simulate(
        system(), stop=24 * HOUR, algorithm=dv.GaussSeidel(), controller=dv.FixedStep(60.0)
    )
    on = result["thermostat.heating"].mean()
    print(f"The heater was on for {on:.0%} of the day, {result.statistics.events} events.")
