"""The energy that a coordinator creates at a junction, and windows sized by it."""

from __future__ import annotations

from typing import Any

import junction_exact
import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv

PIN = "first.pin = second.pin"
CAPACITORS = {"first": (1e-3, 100.0, 10.0), "second": (2e-3, 200.0, 0.0)}


def run(system: dv.System, stop: float, controller: Any, **more: Any) -> dv.Result:
    options = {"algorithm": dv.Jacobi(), "quiet": True, **more}
    return dv.simulate(system, stop=stop, controller=controller, **options)


def created(result: dv.Result) -> float:
    """What coupling created, window by window in closed form: the current is held over each.

    C v' = (e - v)/R + i: with i held, v tends to e + R i, and the port takes i times its integral.
    """
    sizes, total = np.diff(result.time), 0.0
    for name, (capacity, resistance, source) in CAPACITORS.items():
        v, i = result[f"{name}.v"][:-1], result[f"{name}.i"][:-1]
        end = source + resistance * i
        tau = capacity * resistance
        total += np.sum(i * (end * sizes + (v - end) * tau * -np.expm1(-sizes / tau)))
    return float(total)


def test_what_a_coordinator_creates_is_the_energy_that_does_not_add_up() -> None:
    """Stored, minus delivered by the source, plus burnt in resistors: all in closed form."""
    result = run(jp.two_capacitors(), 0.4, dv.FixedStep(0.002))
    sizes, balance = np.diff(result.time), 0.0
    for name, (capacity, resistance, source) in CAPACITORS.items():
        v, i = result[f"{name}.v"], result[f"{name}.i"][:-1]
        balance += capacity * (v[-1] ** 2 - v[0] ** 2) / 2
        end, tau = source + resistance * i, capacity * resistance
        # v = end + (v_0 - end) e, e = exp(-t/tau); (source - v) v / R over the window
        a, b = source - end, v[:-1] - end
        once, twice = (tau / k * -np.expm1(-k * sizes / tau) for k in (1, 2))
        balance -= np.sum(a * end * sizes + (a - end) * b * once - b**2 * twice) / resistance
    assert created(result) == pytest.approx(balance, rel=1e-3)
    (bond,) = result.verdict.bonds
    # the ledger has the trapezoidal rule, for a gap that bends between both ends of a window
    assert bond["created"] == pytest.approx(balance, rel=0.12)
    assert abs(balance) > 1e-5 * bond["passed"]


def test_windows_are_sized_by_what_a_junction_creates() -> None:
    """A residual ten times smaller is allowed: less is created, in more windows."""
    shares, windows = [], []
    for rtol in (1e-2, 1e-3):
        controller = dv.Energy(rtol, 1e-6, first_size=1e-3, max_size=0.02)
        result = run(jp.three_pipes(), 5.0, controller)
        (bond,) = result.verdict.bonds
        shares.append(abs(bond["created"]) / bond["passed"])
        windows.append(result.statistics.windows)
        assert result.statistics.beyond_tolerance == 0
        assert len(np.unique(np.diff(result.time).round(12))) > 3
        exact, _ = junction_exact.pipes(result.time)
        assert junction_exact.error(result, exact) < 10 * rtol
    assert shares[1] < 0.2 * shares[0]
    assert windows[1] > 1.5 * windows[0]


def test_the_share_that_it_tells_is_the_energy_balance() -> None:
    """The energy residual of the pin is the share that the closed form gives."""
    controller = dv.Energy(1e-3, 1e-6, first_size=1e-3, max_size=2e-3)
    result = run(jp.two_capacitors(), 0.4, controller)
    (bond,) = result.verdict.bonds
    share = 100 * abs(created(result)) / bond["passed"]
    (note,) = result.verdict.notes
    given = float(note.partition(f"bond {PIN} is ")[2].partition(" %")[0])
    assert given == pytest.approx(share, rel=0.1)


def wired() -> dv.System:
    """A source behind a resistor gives a voltage to two loads, which tell their currents."""
    port = {"pin": dv.Port("electrical", effort="v", flow="i")}
    system = dv.System("three")
    battery = dv.Dynamic(
        states={"v": 5.0},
        inputs={"i": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [(10 - x.v) + u.i],
        ports=port,
    )
    load = dv.Dynamic(
        states={"i": 0.1},
        inputs={"v": 0.0},
        outputs=["i"],
        derivatives=lambda t, x, u, p: [u.v - 2 * x.i],
        ports=port,
    )
    system.add("battery", battery)
    system.add("a", load)
    system.add("b", load)
    system.join("battery.pin", "a.pin", "b.pin")
    return system


def test_a_junction_of_wires_is_one_bond_of_all_its_ports() -> None:
    """Currents add up, so that no two of three ports have the same power."""
    share = []
    for size in (0.02, 0.01):
        result = run(wired(), 2.0, dv.Energy(1e9, 1e9, first_size=size, max_size=size))
        (note,) = result.verdict.notes
        share.append(float(note.partition(" is ")[2].partition(" %")[0]))
        assert "bond battery.pin = a.pin = b.pin" in note
        (bond,) = result.verdict.bonds
        # the article counts what is off at the end, the ledger the mean: nothing at the start
        assert share[-1] == pytest.approx(200 * abs(bond["created"]) / bond["passed"], rel=0.1)
    assert share[0] / share[1] == pytest.approx(2.0, rel=0.1)  # a held value is late by a window


def test_junctions_can_be_named_and_are_not_counted_twice() -> None:
    system = jp.two_capacitors()
    by_name = run(system, 0.1, dv.Energy(first_size=1e-3, bonds=(PIN,)))
    alone = run(system, 0.1, dv.Energy(first_size=1e-3))
    assert np.array_equal(by_name.time, alone.time)
    with pytest.raises(dv.OptionError, match=r"named after a junction.* Did you mean 'first.pin ="):
        run(system, 0.1, dv.Energy(bonds=("first.pin = secnd.pin",)))


def test_where_a_coordinator_takes_its_time_the_run_stops_and_says_so() -> None:
    """Velocities that a position constraint brings together do so over its time scale."""
    controller = dv.Energy(1e-3, 1e-6, first_size=1e-3, max_size=0.02)
    with pytest.raises(dv.StepFailed, match=r"brings the ports together no faster; .*time_scale"):
        run(jp.two_masses(), 10.0, controller)
    result = run(
        jp.two_masses(), 1.5, dv.Energy(1e-3, 1e-6, first_size=5e-3, min_size=5e-3, max_size=0.02)
    )
    assert result.finished
    assert result.verdict.doubtful
