"""With nothing said, a run that goes farther has the same rows."""

import junction_problems
import problems
import pytest
from unit.test_recommendation import blind, fixed_size

import dovetail as dv


def oscillator() -> dv.System:
    """The one of the first page."""
    system = dv.System("oscillator")
    system.add(
        "mass",
        dv.Dynamic(
            states={"x": 1.0, "v": 0.0},
            inputs=["force"],
            outputs=["x"],
            derivatives=lambda t, x, u, p: [x.v, u.force],
        ),
    )
    spring = dv.Algebraic(
        inputs=["x"], outputs=["force"], function=lambda t, u, p: [-p.k * u.x], parameters={"k": 4}
    )
    system.add("spring", spring)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    return system


def chain(wrap=lambda model: model) -> dv.System:
    """A source, a lag, and another lag: nothing feeds back."""
    system = dv.System("chain")
    system.add("wave", dv.Source(outputs=["y"], function=lambda t, p: [problems.np.sin(t)]))
    for name, before in (("near", "wave.y"), ("far", "near.y")):
        lag = dv.Dynamic(
            states={"y": 0.0},
            inputs=["u"],
            outputs=["y"],
            derivatives=lambda t, x, u, p: [2.0 * (u.u - x.y)],
        )
        system.add(name, wrap(lag))
        system.connect(before, f"{name}.u")
    return system


SYSTEMS = {
    "oscillator": (oscillator, 10.0),
    "with events": (problems.control_loop_system, 2.0),
    "feed-forward": (chain, 10.0),
    "without rollback": (lambda: problems.two_mass_system(blind), 2.0),
    "estimated": (problems.prey_predator_system, 5.0),
    "feed-forward without rollback": (lambda: chain(blind), 10.0),
}
MORE = {
    **SYSTEMS,
    "algebraic loop": (problems.stiff_loop_system, 0.5),
    "junction": (junction_problems.three_pipes, 0.1),
}


@pytest.mark.parametrize(("draw", "stop"), MORE.values(), ids=MORE)
def test_rows_are_the_same_to_the_bit_whenever_a_run_stops(draw, stop):
    """But for the last window of the shorter run, which is cut: its end, and its middle."""
    same_rows(draw, stop)


def same_rows(draw, stop):
    short = dv.simulate(draw(), stop=stop, verify=False, quiet=True)
    long = dv.simulate(draw(), stop=2 * stop, verify=False, quiet=True)
    rows = len(short) - 2
    assert rows > 10
    for name in ("time", *short.names):
        ours = short.time if name == "time" else short[name]
        theirs = long.time if name == "time" else long[name]
        assert ours[:rows].tobytes() == theirs[:rows].tobytes(), name
    assert abs(short.time[-1] - stop) < 1e-12


def test_nor_do_they_for_fmus_with_windows_of_one_size(archive):
    same_rows(lambda: fixed_size(archive), 1.0)


def test_nor_for_fmus_that_roll_back(archive):
    same_rows(lambda: pair(archive), 5.0)


def pair(archive) -> dv.System:
    system = dv.System("pair")
    system.add("body", dv.load(archive("body")))
    system.add("spring", dv.load(archive("spring")))
    system.connect("body.position", "spring.position")
    system.connect("body.velocity", "spring.velocity")
    system.connect("spring.force", "body.force")
    return system


@pytest.mark.parametrize(("draw", "stop"), SYSTEMS.values(), ids=SYSTEMS)
def test_the_end_of_the_shorter_run_is_that_time_of_the_longer_one(draw, stop):
    short = dv.simulate(draw(), stop=stop, verify=False, quiet=True)
    again = dv.simulate(draw(), stop=stop, verify=False, quiet=True, step=stop / 4000)
    for name in short.names:
        off = abs(float(short[name][-1]) - float(again[name][-1]))
        assert off <= 1e-3 * max(float(problems.np.ptp(again[name])), 1e-9), name


def test_values_between_rows_do_not_either():
    """Rows are up to .16 s apart, where a straight line is off by 5e-3: the cubic by 8e-5."""
    short, long = (dv.simulate(oscillator(), stop=t, verify=False, quiet=True) for t in (10, 20))
    exact = problems.np.cos(2 * 10.0)
    assert abs(short.at(10.0, "mass.x") - exact) < 1e-4
    assert abs(long.at(10.0, "mass.x") - exact) < 1e-4
