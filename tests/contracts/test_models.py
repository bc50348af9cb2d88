"""What every Python model promises as a subsystem."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from catalogue import Sample, brief, models
from hosted import made

from dovetail.core.description import Description
from dovetail.core.signals import Signals, Waveform
from dovetail.core.values import signals
from dovetail.core.window import Window
from dovetail.subsystems.subsystem import EventDriven, Linearizable, Restorable, Serializable

LINES = [0.0, 0.05, 0.11, 0.2, 0.3, 0.31, 0.45, 0.5, 0.62]

every_model = pytest.mark.parametrize("sample", models, ids=brief)


def live(sample: Sample, start: float = 0.0):
    part = made(sample.make(), "part")
    part.initialize(start, {})
    part.outputs(sample.inputs)
    part.begin()
    return part


def wave(sample: Sample, begin: float, end: float) -> Waveform:
    """Inputs that move a little from window to window, and within each."""
    reals = sample.inputs.reals
    first = Signals(reals * (1 + np.sin(begin)), None, sample.inputs.discrete)
    last = Signals(reals * (1 + np.sin(end)), None, sample.inputs.discrete)
    return Waveform.ramp(first, last, end - begin)


def shows(sample):
    """Whether it has outputs: coordinators have none."""
    return bool(sample.make().description.outputs)


def settable(sample: Sample) -> list[str]:
    parameters = sample.make().description.parameters
    return [v.name for v in parameters if v.is_real and not v.shape]


def follow(part, sample, lines=LINES):
    """Step along these lines, through every event on the way; all that was told."""
    told = []
    for begin, end in pairwise(lines):
        time = begin
        while time < end:
            inputs = wave(sample, time, end)
            reached = part.advance(Window.between(time, end), inputs)
            told.append((reached.time, reached.outputs, reached.event))
            assert time < reached.time <= end
            time = reached.time
            if reached.event:
                right = part.event(inputs.at(time - begin))
                told.append((time, right, False))
    return told


def same(told, others):
    assert len(told) == len(others)
    for (t, y, event), (s, z, flag) in zip(told, others, strict=True):
        assert (t, event) == (s, flag)
        assert y.equals(z)


@every_model
def test_the_description_is_that_of_the_model(sample):
    model = sample.make()
    part = made(model, "part")
    assert isinstance(model.description, Description)
    assert part.description is model.description


@every_model
def test_capabilities_are_what_the_part_has(sample):
    part, able = live(sample), sample.make().description.capabilities
    assert able.can_restore and isinstance(part, Restorable)
    assert able.can_serialize and isinstance(part, Serializable)
    assert able.can_linearize == isinstance(part, Linearizable)
    if able.has_events:
        assert isinstance(part, EventDriven)


@every_model
def test_outputs_are_as_described(sample):
    part = live(sample)
    outputs = part.description.outputs
    reals = sum(v.size for v in outputs if v.is_real)
    for _, y, _ in follow(part, sample):
        assert y.reals.shape == (reals,)
        assert y.reals.dtype == np.float64
        assert len(y.discrete) == sum(v.size for v in outputs if not v.is_real)


@every_model
def test_advance_ends_at_the_stop_exactly_or_at_an_event(sample):
    part = live(sample)
    time = 0.0
    for end in (0.1, 0.1 * 3, 0.5):
        while time < end:
            reached = part.advance(Window.between(time, end), wave(sample, time, end))
            assert reached.time == end or reached.event
            if reached.event:
                part.event(sample.inputs)
            time = reached.time


@every_model
def test_going_back_leads_to_the_same_trajectory_to_the_last_bit(sample):
    part = live(sample)
    follow(part, sample, LINES[:4])
    snapshot = part.snapshot()
    first = follow(part, sample, LINES[3:])
    for _ in range(2):  # a snapshot may be used again
        part.restore(snapshot)
        same(first, follow(part, sample, LINES[3:]))


@every_model
def test_going_back_forgets_other_inputs(sample):
    part = live(sample)
    follow(part, sample, LINES[:4])
    snapshot = part.snapshot()
    first = follow(part, sample, LINES[3:])
    part.restore(snapshot)
    others = Waveform.hold(Signals(sample.inputs.reals - 7.0, None, sample.inputs.discrete))
    part.advance(Window.between(LINES[3], LINES[3] + 0.03), others)
    part.restore(snapshot)
    same(first, follow(part, sample, LINES[3:]))


@every_model
def test_a_fresh_instance_goes_on_from_a_dump_to_the_last_bit(sample):
    part = live(sample)
    follow(part, sample, LINES[:4])
    state = part.dump()
    assert isinstance(state, bytes)
    first = follow(part, sample, LINES[3:])
    other = live(sample)
    other.load(state)
    same(first, follow(other, sample, LINES[3:]))


@pytest.mark.parametrize(
    "sample",
    [
        s
        for s in models
        if s.make().description.capabilities.has_events and s.name != "Discrete-clock"
    ],
    ids=brief,
)
def test_a_dump_at_an_event_that_is_due_keeps_it_due(sample):
    """A checkpoint between arriving at an event and taking it loses nothing."""
    part = live(sample)
    reached = part.advance(Window.between(0.0, 0.62), wave(sample, 0.0, 0.62))
    assert reached.event
    state = part.dump()
    right = part.event(sample.inputs)
    other = live(sample)
    other.load(state)
    assert other.event(sample.inputs).equals(right)
    later = [reached.time, reached.time + 0.05]
    same(follow(part, sample, later), follow(other, sample, later))


@pytest.mark.parametrize(
    "sample", [s for s in models if s.make().description.capabilities.has_events], ids=brief
)
def test_an_event_asked_for_again_answers_for_the_inputs_it_is_given(sample):
    """Whoever looks for inputs that agree tries others first; they leave no trace."""
    part, other = live(sample), live(sample)
    for p in (part, other):
        reached = p.advance(Window.between(0.0, 0.62), wave(sample, 0.0, 0.62))
    tried = Signals(sample.inputs.reals - 3.0, None, sample.inputs.discrete)
    first = part.event(sample.inputs)
    part.event(tried)
    assert part.event(sample.inputs).equals(first)
    assert other.event(sample.inputs).equals(first)
    lines = [reached.time, reached.time + 0.01]
    same(follow(part, sample, lines), follow(other, sample, lines))


@every_model
def test_asking_for_outputs_does_not_move_anything(sample):
    """Two parts on the same way, one of them pestered with questions."""
    quiet, asked = live(sample), live(sample)
    first = follow(quiet, sample, LINES[:4])
    second = follow(asked, sample, LINES[:4])
    same(first, second)
    for shift in (0.0, 1.0, -2.0):
        moved = Signals(sample.inputs.reals + shift, None, sample.inputs.discrete)
        asked.outputs(moved)
    now = wave(sample, *LINES[2:4]).at(LINES[3] - LINES[2])
    assert asked.outputs(now).equals(quiet.outputs(now))
    same(follow(quiet, sample, LINES[3:]), follow(asked, sample, LINES[3:]))


@every_model
def test_feedthrough_as_declared_is_true(sample):
    """An input that is not declared to be felt at once does not change an output now."""
    part = live(sample)
    d = part.description
    base = part.outputs(sample.inputs)
    place = 0
    for v in d.inputs:
        if not v.is_real:
            continue
        moved = sample.inputs.reals.copy()
        moved[place : place + v.size] += 1.0
        place += v.size
        found = part.outputs(Signals(moved, None, sample.inputs.discrete))
        row = 0
        for y in d.outputs:
            if not y.is_real:
                continue
            cells = slice(row, row + y.size)
            row += y.size
            if v.name not in d.depends(y.name):
                assert np.array_equal(found.reals[cells], base.reals[cells]), (v.name, y.name)


@every_model
def test_a_start_elsewhere_is_possible(sample):
    part = made(sample.make(), "part")
    part.initialize(-3.0, {})
    part.outputs(sample.inputs)
    part.begin()
    reached = part.advance(Window.between(-3.0, -2.97), Waveform.hold(sample.inputs))
    assert reached.time == -2.97


@every_model
def test_two_parts_of_one_model_know_nothing_of_each_other(sample):
    model = sample.make()
    alone, one, other = (made(model, name) for name in ("alone", "one", "other"))
    for part in (alone, one, other):
        part.initialize(0.0, {})
        part.outputs(sample.inputs)
        part.begin()
    expected, told = follow(alone, sample), []
    for lines in pairwise(LINES):
        told += follow(one, sample, lines)
        opposite = Signals(-sample.inputs.reals, None, sample.inputs.discrete)
        follow(other, replace(sample, inputs=opposite), lines)
    same(expected, told)


@every_model
def test_closing_twice_is_fine(sample):
    part = live(sample)
    part.close()
    part.close()


@pytest.mark.parametrize("sample", [s for s in models if settable(s) and shows(s)], ids=brief)
def test_parameters_and_start_values_are_taken(sample):
    model = sample.make()
    part, other = made(model, "one"), made(model, "two")
    for p, values in ((part, {}), (other, {name: 2.5 for name in settable(sample)})):
        p.initialize(0.0, values)
        p.outputs(sample.inputs)
        p.begin()
    ends = [follow(p, sample)[-1][1] for p in (part, other)]
    assert not ends[0].equals(ends[1])


@every_model
def test_start_values_of_inputs_are_complete(sample):
    inputs = sample.make().description.inputs
    given = signals(inputs, {})
    assert given.reals.size == sample.inputs.reals.size
    assert len(given.discrete) == len(sample.inputs.discrete)


@pytest.mark.parametrize(
    "sample", [s for s in models if s.make().description.capabilities.can_linearize], ids=brief
)
def test_linearization_predicts_small_changes(sample):
    part = live(sample)
    follow(part, sample, LINES[:3])
    now = wave(sample, *LINES[1:3]).at(LINES[2] - LINES[1])
    y = part.outputs(now).reals
    found = part.linearize()
    assert found.y == pytest.approx(y)
    assert found.u == pytest.approx(now.reals)
    step = 1e-4 * np.arange(1, now.reals.size + 1)
    moved = part.outputs(Signals(now.reals + step, None, now.discrete)).reals
    assert found.D @ step == pytest.approx(moved - y, abs=1e-9)
    assert found.A.shape == (found.x.size, found.x.size)
    assert found.B.shape == (found.x.size, found.u.size)
    assert found.C.shape == (y.size, found.x.size)


@pytest.mark.parametrize(
    "sample",
    [s for s in models if s.make().description.capabilities.can_tell_derivatives],
    ids=brief,
)
def test_slopes_are_the_time_derivatives_of_outputs(sample):
    """Compared with where the outputs go over a short time."""
    part = made(sample.make(), "part")
    part.initialize(0.0, {}, derivatives=True)
    rise = np.full(sample.inputs.reals.size, 0.5)
    now = Signals(sample.inputs.reals, rise, sample.inputs.discrete)
    start = part.outputs(now)
    part.begin()
    h = 1e-5
    inputs = Waveform(np.column_stack([now.reals, rise]), now.discrete)
    if sample.name == "Discrete":  # between samples nothing moves
        assert not part.advance(Window.between(0.0, h), inputs).outputs.derivatives.any()
        return
    later = part.advance(Window.between(0.0, h), inputs).outputs
    assert (later.reals - start.reals) / h == pytest.approx(start.derivatives, abs=1e-3)
