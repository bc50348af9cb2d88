"""ECCO on a quarter car: windows sized by the power residual between chassis and wheel.

After Sadjina, Kyllingstad, Skjong and Pedersen (Engineering with Computers, 2017). The numbers of
the car are those of Arnold, Clauss and Schierz (2013): 400 kg over 40 kg, springs of 15 and 150
kN/m, a damper of 1 kN s/m, a kerb of 0.1 m. Cut between chassis and wheel: the wheel is given the
force of the suspension, the chassis the movement of the wheel.
"""

from functools import cache

import numpy as np
import pytest
from problems import Blind, Linear, _modal

import dovetail as dv

CHASSIS, WHEEL, SPRING, TYRE, DAMPER, KERB = 400.0, 40.0, 15e3, 150e3, 1e3, 0.1
STOP = 1.5
BONDS = ("wheel.force * chassis.speed",)


def car(wrap=lambda model: model):
    k, d, m = SPRING, DAMPER, CHASSIS
    chassis = Linear(
        ("place", "speed"),
        ("x", "force"),
        A=[[0, 1], [-k / m, -d / m]],
        B=[[0, 0], [k / m, d / m]],
        C=[[1, 0], [k, d]],
        D=[[0, 0], [-k, -d]],
        x=[0.0, 0.0],
    )
    wheel = Linear(
        ("force",),
        ("x", "v"),
        A=[[0, 1], [-TYRE / WHEEL, 0]],
        B=[[0], [1 / WHEEL]],
        C=np.eye(2),
        D=0,
        c=[0, TYRE / WHEEL * KERB],
        x=[0.0, 0.0],
    )
    system = dv.System("quarter car")
    system.add("wheel", wrap(wheel))
    system.add("chassis", wrap(chassis))
    system.connect("wheel.x", "chassis.place")
    system.connect("wheel.v", "chassis.speed")
    system.connect("chassis.force", "wheel.force")
    return system


def exact(t):
    """Chassis and wheel, from the monolithic equations about their place of rest."""
    k, d, m, w = SPRING, DAMPER, CHASSIS, WHEEL
    A = np.array(
        [
            [0, 1, 0, 0],
            [-k / m, -d / m, k / m, d / m],
            [0, 0, 0, 1],
            [k / w, d / w, -(k + TYRE) / w, -d / w],
        ]
    )
    rest = np.array([KERB, 0, KERB, 0])
    return _modal(A, -rest, t)[[0, 2]] + rest[[0, 2], None]


def run(controller, algorithm=None):
    result = dv.simulate(
        car(Blind),  # no part can go back
        stop=STOP,
        algorithm=algorithm or dv.Jacobi(),
        controller=controller,
        quiet=True,
    )
    found = np.array([result["chassis.x"], result["wheel.x"]])
    return result, float(np.max(np.abs(found - exact(result.time))))


@cache
def adaptive(rtol, extrapolation=0):
    controller = dv.Energy(rtol, 1e-3, first_size=1e-3, max_size=0.05, bonds=BONDS)
    return run(controller, dv.Jacobi(extrapolation=extrapolation))


def share(result):
    """Per cent of the energy through the bond that is the residual."""
    note = next(n for n in result.verdict.notes if n.startswith("The energy residual"))
    return float(note.split(" is ")[1].split("%")[0])


def test_the_same_number_of_windows_is_better_spent():
    result, error = adaptive(0.2)
    windows = result.statistics.windows
    fixed, plain = run(dv.FixedStep(STOP / windows))
    assert fixed.statistics.windows == pytest.approx(windows, abs=1)
    assert error < 0.5 * plain  # 59 per cent less


def test_error_and_lost_energy_fall_with_the_tolerance():
    (coarse, large), (fine, small) = adaptive(0.2), adaptive(0.1)
    assert large / small > 1.4
    assert share(coarse) / share(fine) > 1.4
    assert share(fine) < 15


def test_extrapolated_inputs_lose_less_in_fewer_windows():
    (held, error), (better, smaller) = adaptive(0.1), adaptive(0.1, 1)
    assert better.statistics.windows < 0.5 * held.statistics.windows
    assert smaller < 2 * error


def test_bonds_are_found_at_power_ports():
    body = dv.Dynamic(
        states={"x": 0.0, "v": 1.0},
        inputs=["F"],
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.F],
        ports={"flange": dv.Port("translational", effort="F", flow="v")},
    )
    spring = dv.Dynamic(
        states={"length": 0.0},
        inputs=["v"],
        outputs=["F"],
        derivatives=lambda t, x, u, p: [u.v],
        output=lambda t, x, u, p: [-4.0 * x.length],
        ports={"flange": dv.Port("translational", effort="F", flow="v")},
    )
    system = dv.System("oscillator")
    system.add("body", body)
    system.add("spring", spring)
    system.connect("body.v", "spring.v")
    system.connect("spring.F", "body.F")
    options = {"stop": 1.0, "algorithm": dv.GaussSeidel(), "quiet": True}
    found = dv.simulate(system, **options, controller=dv.Energy(0.1, 1e-4, max_size=0.05))
    assert any("bond body.F * spring.v" in note for note in found.verdict.notes)


@pytest.mark.parametrize(
    ("bond", "complaint"),
    [
        ("wheel.force", "a bond is written as 'part.input [*] part.input'"),
        ("wheel.forc * chassis.speed", "'wheel.forc' is no connected real input. Did you mean"),
        ("chassis.place * chassis.speed", "'chassis' must feed 'chassis.place'"),
    ],
)
def test_what_is_no_bond_is_told(bond, complaint):
    with pytest.raises(dv.OptionError, match=complaint):
        dv.Session(
            car(), stop=1.0, algorithm=dv.Jacobi(), controller=dv.Energy(bonds=(bond,)), quiet=True
        )


def test_without_bonds_there_is_nothing_to_watch():
    with pytest.raises(dv.OptionError, match="found no bonds: no two power ports feed each other"):
        dv.Session(car(), stop=1.0, algorithm=dv.Jacobi(), controller=dv.Energy(), quiet=True)
