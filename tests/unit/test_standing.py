"""An event where a window starts: everybody stands still until it is over, as a value."""

from dataclasses import dataclass, replace

import numpy as np
import problems
import pytest
from catalogue import algorithms, brief

import dovetail as dv
from dovetail.assembly.assembly import Assembly
from dovetail.assembly.attempt import Attempt
from dovetail.assembly.consistent import Consistent
from dovetail.assembly.trial import Trial
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.estimators.choice import Needs
from dovetail.subsystems.subsystem import Reached

WHEN = 0.5  # where a window starts


@dataclass(frozen=True)
class Stubborn:
    """x' = u - x, y = x; at `WHEN` it cannot start before it has jumped by `jump`."""

    jump: float = 1.0

    @property
    def description(self):
        able = replace(problems.EXACT, has_events=True, can_return_early=True)
        return replace(self.smooth.description, capabilities=able)

    @property
    def smooth(self):
        return problems.Linear(("u",), ("y",), A=[[-1]], B=[[1]], C=[[1]], D=0, x=[1.0])

    def instantiate(self, name):
        return _Stubborn(self)


class _Stubborn(problems._Linear):
    def __init__(self, model):
        super().__init__(model.smooth)
        self.description, self.jump = model.description, model.jump
        self.over, self.asked = False, 0

    def advance(self, window, inputs):
        self.asked += 1
        if not self.over and abs(window.start - WHEN) < 1e-9:
            return Reached(window.start, self.outputs(inputs.at(0.0)), event=True)
        return super().advance(window, inputs)

    def event(self, inputs):
        if not self.over:
            self.x, self.over = self.x + self.jump, True
        return self.outputs(inputs)

    def snapshot(self):
        return *super().snapshot(), self.over

    def restore(self, snapshot):
        *known, self.over = snapshot
        super().restore(known)


def system():
    made = dv.System("a loop")
    made.add("stubborn", Stubborn())
    made.add("other", problems.Linear(("u",), ("y",), A=[[-1]], B=[[1]], C=[[1]], D=0, x=[0.0]))
    made.connect("stubborn.y", "other.u")
    made.connect("other.y", "stubborn.u", gain=-1.0)
    return made


@dataclass(frozen=True)
class Inquisitive:
    """Asks in every way there is, and knows nothing of events."""

    repeats = True
    inputs = "hold"
    order = 1

    def schedule(self, structure):
        """Nothing to run in one go."""

    def step(self, attempt, state):
        begin, draft = attempt.inputs(attempt.before), attempt.draft()
        proposal = attempt.proposal(begin, "hold")
        held, parts = Waveform.hold(begin), range(len(attempt.names))
        attempt.iterate()
        found = attempt.outputs(held)
        own = [held[span] for span in attempt.input_spans]
        moved = [
            attempt.sensitivity(i, wave, [Waveform.hold(Signals(np.ones(1)))])[0].reals
            for i, wave in enumerate(own)
        ]
        shares = [(slice(i, i + 1), np.arange(1)) for i in parts]
        columns = attempt.columns(parts, shares, np.ones(2), proposal, "hold")
        assert np.array_equal(columns, np.concatenate(moved))
        attempt.sweep(parts, begin, draft, proposal, "hold")
        attempt.ask(parts, proposal, draft)
        attempt.decide()
        attempt.outputs_of(0, own[0])
        assert np.isfinite(found.reals).all()
        return Trial(held)


@pytest.mark.parametrize("algorithm", [*algorithms, Inquisitive()], ids=brief)
def test_every_algorithm_survives_it(algorithm):
    result = dv.simulate(
        system(), stop=1.0, algorithm=algorithm, controller=dv.FixedStep(0.125), quiet=True
    )
    assert result.statistics.events == 1
    at = np.flatnonzero(np.abs(result.time - WHEN) < 1e-9)
    assert at.size == 2  # left and right of it
    left, right = result["stubborn.y"][at]
    assert right - left == pytest.approx(1.0)
    assert result["other.y"][at[0]] == result["other.y"][at[1]]


def attempted():
    assembly = Assembly.of(system(), needs=Needs(iterates=True))
    assembly.initialize(0.0, {}, derivatives=False)
    position = Consistent().position(assembly, 0.0, 0.1, derivatives=False)
    assembly.begin()
    window = Window.between(WHEN, WHEN + 0.1)
    attempt: Attempt = assembly.attempt(window, position.outputs, position.coordination)
    return assembly, attempt


def test_nobody_is_asked_once_a_part_stands():
    assembly, attempt = attempted()
    held = Waveform.hold(attempt.inputs(attempt.before))
    assert not attempt.standing
    assert attempt.outputs(held).equals(attempt.before)
    assert attempt.standing == "stubborn"
    asked = [s.evaluations for s in assembly.subsystems]
    assert asked == [1, 0]
    moves = [Waveform.hold(Signals(np.ones(1)))]
    assert attempt.sensitivity(1, held[attempt.input_spans[1]], moves)[0].reals == 0.0
    assert attempt.outputs_of(1, held[attempt.input_spans[1]]).reals == attempt.before.reals[1]
    assert attempt.commit(held).equals(attempt.before)
    assert attempt.window.stop == WHEN + 0.1  # nothing cut it
    assert [s.evaluations for s in assembly.subsystems] == asked


def test_a_part_that_stands_at_the_commit_says_so():
    _, attempt = attempted()
    attempt.commit(Waveform.hold(attempt.inputs(attempt.before)))
    assert attempt.standing == "stubborn"
    attempt.abandon()


def test_what_was_asked_before_the_event_is_not_counted_as_an_iteration():
    plain = dv.simulate(
        system(), stop=1.0, algorithm=dv.GaussSeidel(), controller=dv.FixedStep(0.125), quiet=True
    )
    assert plain.statistics.iterations == plain.statistics.windows == 8
    assert plain.statistics.evaluations_by_part == {"stubborn": 9, "other": 8}


def test_a_part_that_never_starts_is_named():
    class Frozen(_Stubborn):
        def event(self, inputs):
            return self.outputs(inputs)

    class Model(Stubborn):
        def instantiate(self, name):
            return Frozen(self)

    made = dv.System("stuck")
    made.add("frozen", Model())
    with pytest.raises(dv.RunError, match="'frozen'"):
        dv.simulate(made, stop=1.0, controller=dv.FixedStep(0.125), quiet=True)
