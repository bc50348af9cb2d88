"""Windows that become ever smaller: where that is in vain, somebody must say so."""

from dataclasses import replace

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.controllers.shrinking import Shrinking, in_vain
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.sampling import substeps
from dovetail.subsystems.subsystem import Reached


class Noisy:
    """A model whose output comes out otherwise each time."""

    def __init__(self, model, size=1e-2):
        self.model, self.size, self.description = model, size, model.description

    def instantiate(self, name):
        return _Noisy(self.model.instantiate(name), self.size)


class _Noisy:
    def __init__(self, part, size):
        self.part, self.size, self.rng = part, size, np.random.default_rng(1)

    def __getattr__(self, name):
        return getattr(self.part, name)

    def _spoiled(self, outputs):
        noise = self.size * (1 + self.rng.random(outputs.reals.size))
        noise *= self.rng.choice([-1, 1])
        return Signals(outputs.reals + noise, outputs.derivatives, outputs.discrete)

    def outputs(self, inputs, order=0):
        return self._spoiled(self.part.outputs(inputs, order))

    def advance(self, window, inputs):
        reached = self.part.advance(window, inputs)
        return Reached(reached.time, self._spoiled(reached.outputs))

    def linearize(self):
        lin = self.part.linearize()
        return replace(lin, y=self._spoiled(Signals(lin.y)).reals)


def noisy_system():
    system = dv.System("predation")
    system.add("prey", Noisy(problems.Species(0.67, -1.33, 1.0)))
    system.add("predator", problems.Species(-1.0, 1.0, 1.0))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    return system


CREEPING = {
    "the estimate of 'prey.x' is off by": (dv.Missiles(), dv.Defect(1e-5, 1e-6)),
    "the input 'predator.u' is off by": (dv.Jacobi(), dv.InputDefect(1e-3, 1e-4)),
    "times the tolerance at any window size, most of all in 'prey.x'": (
        dv.GaussSeidel(),
        dv.StepDoubling(),
    ),
}


def estimators(controller):
    estimated = dict.fromkeys(("prey", "predator"), dv.Costarica())
    return estimated if isinstance(controller, dv.Defect) else "auto"


@pytest.mark.parametrize("words", CREEPING)
def test_a_run_stops_where_smaller_windows_do_not_help_and_names_the_signal(words):
    algorithm, controller = CREEPING[words]
    with pytest.raises(dv.StepFailed) as failure:
        dv.simulate(
            noisy_system(),
            stop=1.0,
            algorithm=algorithm,
            controller=controller,
            estimators=estimators(controller),
            quiet=True,
        )
    assert words in str(failure.value)
    assert "set min_size" in str(failure.value)


@pytest.mark.parametrize("words", CREEPING)
def test_with_a_least_size_it_goes_on_and_is_doubtful(words):
    algorithm, controller = CREEPING[words]
    controller = replace(controller, first_size=0.01, min_size=0.01)
    result = dv.simulate(
        noisy_system(),
        stop=1.0,
        algorithm=algorithm,
        controller=controller,
        estimators=estimators(controller),
        quiet=True,
    )
    assert result.statistics.windows <= 101
    assert result.statistics.beyond_tolerance > 50
    assert result.verdict.doubtful


def test_an_error_that_falls_is_left_to_fall():
    """Also if it grows hundredfold meanwhile for other reasons."""
    since = Shrinking.of(None, 1.0, 50.0)
    for k in range(12):
        size, error = 10.0**-k, 5e3 * 10.0**-k
        since = Shrinking.of(since, size, error)
        assert not in_vain(since, size, error, 0.0)
    assert since is None  # within the tolerance
    since = Shrinking.of(None, 1.0, 50.0)
    assert in_vain(Shrinking.of(since, 1e-7, 20.0), 1e-7, 20.0, 0.0)
    assert not in_vain(Shrinking.of(since, 1e-7, 20.0), 1e-7, 20.0, 1e-7)


def creeping(**options):
    """A tolerance that can be met, at a price that nobody pays: what is said of it."""
    with dv.Session(
        problems.prey_predator_system(),
        stop=20.0,
        algorithm=dv.Jacobi(),
        controller=dv.InputDefect(1e-10, 1e-10, first_size=1e-7),
        quiet=True,
        **options,
    ) as session:
        for _ in range(2100):
            session.advance()
    (said,) = session.messages
    return said


def test_hopelessly_many_windows_are_announced_once():
    said = creeping()
    assert said.startswith("the last 1000 windows were 3.5e-10 s long on average, at t = ")
    assert "because of the input 'predator.u'; 6e+10 more would lead to the end" in said
    assert "ask for less (rtol, atol), or set min_size" in said


def test_they_are_announced_with_the_date_where_a_run_has_one():
    said = creeping(calendar=dv.Calendar("h", "2026-01-01"))
    assert " h (2026-01-01 00:00:00), because of" in said


@pytest.mark.parametrize("count", [2, 5, 10])
def test_held_pieces_keep_the_integral_and_end_at_the_end(count):
    curve = Waveform(np.array([[1.0, -2.0, 3.0, 0.5], [4.0, 0.0, 0.0, 0.0]]))
    window = Window.between(0.3, 1.1)
    found = list(substeps(window, curve, count, 0))
    assert [w.start for w, _ in found[1:]] == [w.stop for w, _ in found[:-1]]
    assert found[0][0].start == 0.3
    assert found[-1][0].stop == 1.1
    values = np.array([wave.coefficients[:, 0] for _, wave in found])
    h = 0.8
    integral = curve.coefficients @ (h ** np.arange(1, 5) / np.arange(1, 5))
    assert values.sum(axis=0) * h / count == pytest.approx(integral, rel=1e-14)
    assert np.array_equal(values[-1], curve.reals(h))
    assert np.array_equal(values[:, 1], np.full(count, 4.0))


def test_nothing_seen_is_no_reason_to_leap():
    """Parts that are not estimated tell nothing in the first window: the second stays small."""
    system = dv.System("quiet")
    system.add("a", dv.Source(outputs=["y"], function=lambda t, p: [t**3]))
    system.add("b", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u]))
    system.connect("a.y", "b.u")
    controller = dv.Defect(1e-2, 1e-2, first_size=1e-3)
    result = dv.simulate(
        system, stop=0.2, algorithm=dv.GaussSeidel(), controller=controller, quiet=True
    )
    sizes = np.diff(result.time)
    assert sizes[1] <= 5.001 * sizes[0]


class Refusing:
    """A model that notes the sizes of windows and steps over none."""

    def __init__(self):
        self.model = dv.Dynamic(
            states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [0]
        )
        self.description, self.sizes = self.model.description, []

    def instantiate(self, name):
        return _Refusing(self.model.instantiate(name), self.sizes)


class _Refusing:
    def __init__(self, part, sizes):
        self.part, self.sizes = part, sizes

    def __getattr__(self, name):
        return getattr(self.part, name)

    def advance(self, window, inputs):
        self.sizes.append(window.size)
        raise ValueError("not this one")


@pytest.mark.parametrize("start", [0.0, 1e6])
@pytest.mark.parametrize("controller", [dv.Adaptive(), dv.Defect(), dv.StepDoubling()])
def test_no_window_is_tried_that_the_clock_cannot_resolve(controller, start):
    """At t = 0 the clock resolves 5e-324 s: there the first size is the measure."""
    model = Refusing()
    system = dv.System("refusing")
    system.add("part", model)
    options = {"algorithm": dv.GaussSeidel(5), "controller": controller, "quiet": True}
    estimators = {"part": dv.Rollback()}
    with pytest.raises(dv.PartFailed, match="not this one"):
        dv.simulate(system, start=start, stop=start + 1, estimators=estimators, **options)
    assert len(model.sizes) > 5
    assert min(model.sizes) >= 1e-15 * controller.first_size
    assert min(model.sizes) > 16 * np.spacing(start)
