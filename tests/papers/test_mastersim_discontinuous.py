"""A control loop with discontinuous signals, in every combination of MasterSim's table.

After the control loop that MasterSim is tested with (Nicolai, TU Dresden): a part whose outputs
jump, and a loop of a switch and an integrator behind it. Nobody announces the jumps, as FMUs of
the second version cannot. The switch opens when the integrator has reached a level, so that inside
the loop a jump follows from the loop's own values.
"""

import re
from dataclasses import dataclass, replace
from math import floor

import numpy as np
import pytest

import dovetail as dv
from dovetail.core import codec
from dovetail.core.description import Capabilities, Description
from dovetail.core.signals import Signals
from dovetail.subsystems.subsystem import Reached

STOP = 4.0
LEVEL, GAIN = 0.6, 1.0  # where the switch opens, how fast the integrator rises
EVENT = 1.0 + LEVEL / GAIN  # the source jumps at 1, the switch opens when the level is reached


@dataclass(frozen=True)
class Part:
    """outputs(t, state, inputs) at the end of a step; the state moves by rate(inputs) a second."""

    inputs: tuple[str, ...]
    output: object
    rate: object = None

    @property
    def description(self):
        through = frozenset() if self.rate else frozenset(self.inputs)
        return Description(
            inputs=tuple(dv.Variable(n) for n in self.inputs),
            outputs=(dv.Variable("y"),),
            feedthrough={"y": through},
            capabilities=Capabilities(can_restore=True, can_serialize=True),
        )

    def instantiate(self, name):
        return Live(self)


class Live:
    def __init__(self, model):
        self.model, self.description = model, model.description
        self.t = self.x = 0.0

    def initialize(self, start, values, *, derivatives=False):
        self.t, self.x = start, 0.0

    def outputs(self, inputs, order=0):
        return Signals(np.array([float(self.model.output(self.t, self.x, *inputs.reals))]))

    def begin(self):
        pass

    def advance(self, window, inputs):
        held = inputs.reals(window.size)
        if self.model.rate:
            self.x += window.size * self.model.rate(*held)
        self.t = window.stop
        return Reached(window.stop, self.outputs(Signals(held)))

    def close(self):
        pass

    def snapshot(self):
        return self.t, self.x

    def restore(self, snapshot):
        self.t, self.x = snapshot

    def dump(self):
        return codec.encode((self.t, self.x))

    def load(self, state):
        self.t, self.x = codec.decode(state)


def loop():
    system = dv.System("control loop")
    system.add("source", Part((), lambda t, x: 1.0 if t > 1.0 else 0.0))
    system.add("switch", Part(("on", "level"), lambda t, x, on, level: on * (level < LEVEL)))
    system.add("tank", Part(("flow",), lambda t, x, *_: x, rate=lambda flow: GAIN * flow))
    system.connect("source.y", "switch.on")
    system.connect("switch.y", "tank.flow")
    system.connect("tank.y", "switch.level")
    return system


FALL_BACK = {"fall_back_size": 1e-3}
ITERATED = {
    "gauss_seidel": dv.GaussSeidel(5, **FALL_BACK),
    "newton": dv.Newton(5, **FALL_BACK),
    "jacobi": dv.Jacobi(10, **FALL_BACK),
}
SINGLE = {"jacobi": dv.Jacobi(), "gauss_seidel": dv.GaussSeidel()}
FIXED = dv.FixedStep(0.01)
SIZES = {"first_size": 0.05, "min_size": 1e-5, "max_size": 0.1}
DOUBLING = dv.StepDoubling(1e-4, 1e-5, **SIZES)


def run(algorithm, controller):
    return dv.simulate(loop(), stop=STOP, algorithm=algorithm, controller=controller, quiet=True)


def opening(result):
    """When the switch opened."""
    shut = result["switch.y"] > 0.5
    return result.time[np.flatnonzero(shut)[-1]]


@pytest.mark.parametrize("controller", [FIXED, DOUBLING], ids=["fixed", "doubling"])
@pytest.mark.parametrize("name", SINGLE)
def test_combinations_one_to_three_run_and_are_reported_as_doubtful(name, controller):
    result = run(SINGLE[name], controller)
    assert result.finished
    assert result.verdict.doubtful
    assert "doubtful" in str(result.verdict)
    assert re.search(r"moved by .* its range in the window", str(result.verdict))
    assert opening(result) == pytest.approx(EVENT, abs=0.03)


@pytest.mark.parametrize("name", ITERATED)
def test_combination_four_runs_at_a_fixed_step_and_counts_what_did_not_converge(name):
    algorithm = replace(ITERATED[name], on_limit="accept", fall_back_size=0.0)
    result = run(algorithm, FIXED)
    assert result.finished
    assert result.statistics.iteration_limit_reached >= 1
    assert result.verdict.doubtful
    with pytest.raises(dv.StepFailed, match="the iteration does not converge"):
        run(replace(algorithm, on_limit="stop"), replace(FIXED, min_size=FIXED.size))


@pytest.mark.parametrize("name", ITERATED)
def test_combinations_five_and_six_run_without_an_error_test(name):
    """Within a window: no error is tested that would make them shorter."""
    result = run(ITERATED[name], dv.Adaptive(**SIZES))
    assert result.finished
    assert result.statistics.rejected_by_convergence > 0 or name == "newton"
    assert opening(result) == pytest.approx(EVENT, abs=SIZES["max_size"])
    assert result.verdict.mismatch < 1e-2


@pytest.mark.parametrize("name", ITERATED)
def test_combinations_five_and_six_with_an_error_test_find_the_event(name):
    result = run(ITERATED[name], DOUBLING)
    assert result.statistics.rejected_by_error > 0
    assert opening(result) == pytest.approx(EVENT, abs=1e-3)
    # the jump of the source, at 1, is found as well: the tank begins to fill there
    begins = result.time[np.flatnonzero(result["tank.y"] > 0)[0]]
    assert begins == pytest.approx(1.0, abs=1e-3)
    assert result["tank.y"][-1] == pytest.approx(LEVEL, abs=1e-3)


# The same windows as a plain stepper without any architecture ------------------------------------


class Plain:
    """Gauss-Seidel with step doubling on the same loop, as the notes have it."""

    def __init__(self, tolerance, sweeps, size):
        self.rtol, self.atol = tolerance
        self.limit, self.size = sweeps, size
        self.accepted = self.by_convergence = self.by_error = self.fallen_back = 0
        self.windows = []

    def norm(self, change, weight):
        terms = [
            (c / (abs(w) * self.rtol + self.atol)) ** 2 for c, w in zip(change, weight, strict=True)
        ]
        return (sum(terms) / len(terms)) ** 0.5

    def sweep(self, start, t, h, y):
        """(switch, tank) at t + h, from what they were; None without convergence."""
        source = 1.0 if t + h > 1.0 else 0.0
        x = start
        switch, tank = y[1], y[2]
        count = 1 if h < 1e-3 else self.limit
        for _ in range(count):
            old = switch, tank
            switch = source * (tank < LEVEL)
            tank = x + h * GAIN * switch
            if self.norm((switch - old[0], tank - old[1]), old) <= 1:
                break
        else:
            if h >= 1e-3:
                return None
            self.fallen_back += 1
        return source, float(switch), tank

    def run(self, stop):
        t, h, y = 0.0, self.size, (0.0, 0.0, 0.0)
        while t < stop - 1e-12:
            h = min(h, stop - t)
            long = self.sweep(y[2], t, h, y)
            if long is None:
                self.by_convergence, h = self.by_convergence + 1, h / 5
                continue
            middle = self.sweep(y[2], t, h / 2, y)
            end = middle and self.sweep(middle[2], t + h / 2, h / 2, middle)
            if end is None:
                error = 25.0
            else:
                pairs = zip(end, long, strict=True)
                error = max(
                    self.norm([a - f for a, f in pairs], end),
                    self.norm(
                        [m - (f + s) / 2 for m, f, s in zip(middle, long, y, strict=True)], end
                    ),
                )
            factor = min(max(0.9 / error**0.5, 0.2), 2.0) if error > 0 else 2.0
            size = min(max(h * factor, SIZES["min_size"]), SIZES["max_size"])
            if end is not None and (error <= 1 or h <= SIZES["min_size"]):
                self.windows.append((t, h))
                t, y, self.accepted = t + h, end, self.accepted + 1
            else:
                self.by_error += 1
            h = size


def test_windows_with_rejections_of_both_kinds_are_those_of_a_plain_stepper():
    plain = Plain((1e-4, 1e-5), 5, 0.05)
    plain.run(STOP)
    assert plain.by_convergence > 0
    assert plain.by_error > 0
    result = run(ITERATED["gauss_seidel"], DOUBLING)
    assert result.statistics.rejected_by_convergence == plain.by_convergence
    assert result.statistics.rejected_by_error == plain.by_error
    assert result.statistics.windows == plain.accepted
    starts = [t for t, _ in plain.windows]
    ends = result.time[::2]  # between two of them lies the middle of a window
    assert ends[:-1] == pytest.approx(starts, abs=1e-9)
    assert floor(result.time[-1]) == STOP
