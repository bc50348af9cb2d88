"""A nonlinear algebraic loop: a resistor and a diode, each in its own part.

The resistor computes the current from the diode's voltage; the diode computes its voltage from the
current. Neither has a state, so both must agree at every instant: no window is small enough for
that, only iteration helps. A plain fixed-point iteration diverges here, since the resistance is
small; Newton and Anderson converge.
"""

from math import log1p, pi, sin

import dovetail as dv

source = dv.Source(
    outputs=["v"],
    parameters={"peak": 5.0, "f": 50.0},
    function=lambda t, p: [p.peak * sin(2 * pi * p.f * t)],
    units={"v": "V", "f": "Hz"},
)
resistor = dv.Algebraic(
    inputs={"v_source": 0.0, "v_diode": 0.0},
    outputs=["i"],
    parameters={"R": 10.0},
    function=lambda t, u, p: [(u.v_source - u.v_diode) / p.R],
    units={"v_source": "V", "v_diode": "V", "i": "A"},
)


def diode_voltage(i, p):
    """Shockley's law turned round; backwards a leak takes over, so that it holds everywhere."""
    forward = max(i, 0.0)
    return p.V_t * log1p(forward / p.I_s) + min(i, 0.0) * p.R_leak


diode = dv.Algebraic(
    inputs={"i": 0.0},
    outputs=["v"],
    parameters={"I_s": 1e-6, "V_t": 0.05, "R_leak": 1e4},
    function=lambda t, u, p: [diode_voltage(u.i, p)],
    units={"i": "A", "v": "V"},
)

system = dv.System("diode")
system.add("source", source)
system.add("resistor", resistor)
system.add("diode", diode)
system.connect("source.v", "resistor.v_source")
system.connect("resistor.i", "diode.i")
system.connect("diode.v", "resistor.v_diode")

run = {
    "stop": 0.04,
    "algorithm": dv.Newton(max_iterations=50),
    "controller": dv.FixedStep(0.0005),
}

if __name__ == "__main__":
    result = dv.simulate(system, **run)
    print(result)
    print(f"The largest current is {result['resistor.i'].max():.3f} A.")
