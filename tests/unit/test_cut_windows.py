"""Windows of one size that do not converge are cut, and unannounced jumps are passed."""

import numpy as np
import problems
import pytest

import dovetail as dv

WILD = {"algorithm": dv.GaussSeidel(6), "stop": 5.0, "quiet": True}  # six sweeps: short windows


def test_a_window_that_does_not_converge_is_cut_counted_and_told():
    run = dv.simulate(problems.prey_predator_system(), step=1.0, **WILD)
    cuts = run.statistics.rejected_by_convergence
    assert run.finished and cuts > 0
    assert {0.0, 1.0, 2.0, 3.0, 4.0, 5.0} <= set(run.time)
    told = [note for note in run.verdict.notes if "because it did not converge" in note]
    assert len(told) == 1 and f"A window was cut {cuts} times" in told[0]


def test_windows_stay_short_while_they_must():
    """After a cut four windows must converge before a longer one is tried: few are in vain."""
    run = dv.simulate(problems.prey_predator_system(), step=1.0, **WILD)
    assert run.statistics.rejected_by_convergence < 0.4 * run.statistics.windows
    sizes = np.diff(run.time)
    assert max(sizes) >= 0.25 and min(sizes) >= 1.0 / 1024


@pytest.mark.parametrize("least", [1.0, 0.6])
def test_a_user_may_ask_that_nothing_is_cut(least):
    strict = dv.FixedStep(1.0, min_size=least)
    with pytest.raises(dv.StepFailed, match="try a smaller window") as caught:
        dv.simulate(problems.prey_predator_system(), controller=strict, **WILD)
    assert caught.value.window.size == 1.0


def test_a_part_that_fails_ends_the_run_unless_a_least_size_is_given():
    tries = []

    def rates(t, s, u, p):
        tries.append(t)
        if s.x > 0.45:
            raise ValueError("too far")
        return [1.0 + u.u]

    system = dv.System("failing")
    part = dv.Dynamic(states={"x": 0.0}, inputs=["u"], outputs=["x"], derivatives=rates)
    zero = dv.Dynamic(
        states={"z": 0.0}, inputs=["x"], outputs=["z"], derivatives=lambda t, s, u, p: [0.0 * u.x]
    )
    system.add("it", part)
    system.add("zero", zero)
    system.connect("it.x", "zero.x")
    system.connect("zero.z", "it.u")
    reached = {}
    for controller in (dv.FixedStep(0.1), dv.FixedStep(0.1, min_size=0.01)):
        with pytest.raises(dv.PartFailed, match="too far") as caught:
            dv.simulate(
                system, stop=1.0, algorithm=dv.GaussSeidel(9), controller=controller, quiet=True
            )
        reached[controller.min_size] = caught.value.result.time[-1]
    assert reached[None] == pytest.approx(0.4)
    assert reached[0.01] == pytest.approx(0.45)  # 0.4 + 0.05, which is not beyond 0.45 yet


def test_a_part_that_fails_where_an_iteration_leads_it_cuts_the_window():
    """Held at windows of 0.4 s the loop has a gain of two: iterates grow until a part fails.

    It is the iteration that goes astray, not the part: that could step over the window at first.
    """

    def rates(t, s, u, p):
        if abs(u.u) > 1e6:
            raise ValueError("too far")
        return [u.u]

    system = dv.System("diverging")
    part = dv.Dynamic(states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=rates)
    gain = dv.Algebraic(inputs=["x"], outputs=["u"], function=lambda t, u, p: [-5.0 * u.x])
    system.add("it", part)
    system.add("gain", gain)
    system.connect("it.x", "gain.x")
    system.connect("gain.u", "it.u")
    run = dv.simulate(system, stop=2.0, step=0.4, algorithm=dv.GaussSeidel(50), quiet=True)
    assert run.finished and run.statistics.rejected_by_convergence > 0
    assert "because it did not converge" in str(run.verdict)
    strict = dv.FixedStep(0.4, min_size=0.4)
    with pytest.raises(dv.PartFailed, match="too far"):
        dv.simulate(system, stop=2.0, controller=strict, algorithm=dv.GaussSeidel(50), quiet=True)


def stopper():
    """A mass that runs into a damper behind a gap: the force jumps there, and nobody says so."""

    def force(t, u, p):
        return [-300.0 * (u.x - 0.1) - 5.0 * u.v if u.x > 0.1 else 0.0]

    system = dv.System("stopper")
    mass = dv.Dynamic(
        states={"x": 0.0, "v": 1.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, u.f - 4.0 * s.x],
        rtol=1e-9,
        atol=1e-9,
    )
    system.add("mass", mass)
    system.add("damper", dv.Algebraic(inputs=["x", "v"], outputs=["f"], function=force))
    system.connect("mass.x", "damper.x")
    system.connect("mass.v", "damper.v")
    system.connect("damper.f", "mass.f")
    return system


@pytest.fixture(scope="module")
def truth():
    """Windows of 0.1 ms: halved once more, they move by 8e-5."""
    ramps = dv.GaussSeidel(50, inputs="ramp")
    return dv.simulate(stopper(), stop=1.0, step=1e-4, algorithm=ramps, quiet=True, record="mass.x")


# Advances of both parts, measured: 462, 930, 2168 by value and 922, 1080, 1070 by range.
MOST = {1e-2: 1500, 1e-3: 1800, 1e-4: 3500}


@pytest.mark.parametrize("rtol", MOST)
@pytest.mark.parametrize("scale", ["value", "range"])
def test_step_doubling_passes_a_jump_that_nobody_announces(truth, scale, rtol):
    """It used to cut windows down to 1e-14 s, and then to stop."""
    controller, ramps = dv.StepDoubling(rtol, rtol, scale=scale), dv.GaussSeidel(50, inputs="ramp")
    run = dv.simulate(stopper(), stop=1.0, algorithm=ramps, controller=controller, quiet=True)
    assert run.finished
    assert run.statistics.evaluations < MOST[rtol]
    assert run.statistics.beyond_tolerance == 0
    assert min(np.diff(run.time)) > 1e-9
    if scale == "value" or rtol < 1e-2:  # weighed by ranges, a hundredth hides the jump
        assert "jumped" in str(run.verdict) and "without an event" in str(run.verdict)
    off = np.abs(run["mass.x"] - np.interp(run.time, truth.time, truth["mass.x"])).max()
    # a window's error is weighed by the range that a signal is about to cover: five windows' worth
    assert off < (2 if scale == "value" else 5) * rtol


def test_a_least_size_is_doubtful_only_where_a_jump_has_an_effect():
    """Held for 1e-5 s, a force that jumps by all of its range moves nothing by as much as rtol."""
    least = {size: dv.StepDoubling(1e-2, 1e-2, min_size=size) for size in (1e-3, 1e-5)}
    ramps = dv.GaussSeidel(50, inputs="ramp", on_limit="accept")
    runs = {
        size: dv.simulate(stopper(), stop=1.0, algorithm=ramps, controller=c, quiet=True)
        for size, c in least.items()
    }
    assert runs[1e-5].statistics.beyond_tolerance == 0


@pytest.mark.parametrize("every", [0.1, 0.07])
@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
def test_step_doubling_climbs_stairs_that_nobody_announces(rtol, every):
    """A part that steps inside gives such outputs; it used to stop at the seventh step of them."""
    system = dv.System("stairs")
    stairs = dv.Source(outputs=["y"], function=lambda t, p: [0.9 ** np.floor((t + 1e-5) / every)])
    system.add("stairs", stairs)
    system.add("next", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u]))
    system.connect("stairs.y", "next.u")
    run = dv.simulate(system, stop=2.0, controller=dv.StepDoubling(rtol, rtol / 10), quiet=True)
    assert run.finished and run.statistics.beyond_tolerance == 0
    assert f"Outputs jumped {int((2.0 + 1e-5) / every)} times" in str(run.verdict)
    assert run.statistics.windows < 20 * 2.0 / every  # measured: 12 for each of them


def test_an_output_that_jumps_all_the_time_is_refused_all_the_same():
    """Noise has no window that is short enough to go on with."""
    system = dv.System("noisy")
    noise = dv.Source(outputs=["y"], function=lambda t, p: [float(hash(t) % 997)])
    system.add("noise", noise)
    system.add("next", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u]))
    system.connect("noise.y", "next.u")
    with pytest.raises(dv.StepFailed, match="which jumps, or comes out otherwise each time"):
        dv.simulate(system, stop=2.0, controller=dv.StepDoubling(1e-3, 1e-4), quiet=True)
