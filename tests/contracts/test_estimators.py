"""How one part answers inside a window, whoever asks."""

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.core.errors import CannotRollBack
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.live import Live

WINDOW = Window.between(0.0, 0.1)
ONE, TWO = (Waveform.hold(Signals(np.array([v]))) for v in (1.0, 2.0))


def rehearsed(estimator):
    part = Live("part", problems.Species(0.5, 1.0, 1.0).instantiate("part"))
    part.initialize(0.0, {}, derivatives=False)
    part.begin()
    return part, estimator.bind(part)


@pytest.mark.parametrize("estimator", [dv.Direct(), dv.Rollback()], ids=repr)
def test_a_window_is_answered_and_committed_in_one_advance(estimator):
    part, rehearsal = rehearsed(estimator)
    rehearsal.open(WINDOW)
    answer = rehearsal.outputs(ONE)
    assert rehearsal.outputs(ONE) is answer
    assert rehearsal.commit(ONE) is answer
    assert part.evaluations == 1
    assert part.time == 0.1


@pytest.mark.parametrize("estimator", [dv.Direct(), dv.Rollback()], ids=repr)
def test_a_window_that_nobody_asked_about_is_stepped_at_commit(estimator):
    part, rehearsal = rehearsed(estimator)
    rehearsal.open(WINDOW)
    assert rehearsal.commit(ONE).time == 0.1
    assert part.evaluations == 1


@pytest.mark.parametrize("estimator", [dv.Direct(), dv.Rollback()], ids=repr)
def test_abandoning_before_anything_moved_costs_nothing(estimator):
    part, rehearsal = rehearsed(estimator)
    rehearsal.open(WINDOW)
    rehearsal.abandon()
    assert part.evaluations == 0


def test_rollback_answers_for_any_inputs_as_if_first_asked():
    part, rehearsal = rehearsed(dv.Rollback())
    rehearsal.open(WINDOW)
    first = rehearsal.outputs(ONE)
    rehearsal.outputs(TWO)
    again = rehearsal.outputs(ONE)
    assert again is not first
    assert again.outputs.equals(first.outputs)
    assert part.evaluations == 3


def test_rollback_leaves_the_part_at_the_start_when_abandoned():
    part, rehearsal = rehearsed(dv.Rollback())
    rehearsal.open(WINDOW)
    rehearsal.outputs(ONE)
    rehearsal.abandon()
    assert part.time == 0.0
    assert part.subsystem.x == 1.0


def test_rollback_sensitivities_are_differences_from_the_same_start():
    part, rehearsal = rehearsed(dv.Rollback())
    rehearsal.open(WINDOW)
    (change,) = rehearsal.sensitivity(ONE, [Waveform.hold(Signals(np.array([1e-6])))])
    y = np.exp(0.15)
    assert change.reals[0] / 1e-6 == pytest.approx(0.1 * y, rel=1e-5)
    assert rehearsal.commit(ONE).outputs.reals == pytest.approx([y], rel=1e-14)
    assert part.subsystem.x == pytest.approx(y, rel=1e-14)


def test_direct_refuses_a_second_answer_and_names_the_part():
    _, rehearsal = rehearsed(dv.Direct())
    rehearsal.open(WINDOW)
    rehearsal.outputs(ONE)
    for ask in (
        lambda: rehearsal.outputs(TWO),
        lambda: rehearsal.commit(TWO),
        rehearsal.abandon,
        lambda: rehearsal.sensitivity(ONE, []),
    ):
        with pytest.raises(CannotRollBack, match="'part' has already stepped from t = 0 s"):
            ask()


def test_direct_goes_on_ahead_of_a_window_that_is_cut():
    part, rehearsal = rehearsed(dv.Direct())
    rehearsal.open(WINDOW)
    first = rehearsal.commit(ONE)
    following = Window.between(WINDOW.stop, WINDOW.stop + 0.1)
    rehearsal.open(following)
    second = rehearsal.outputs(ONE)
    rehearsal.shorten(Window.between(following.start, following.start + 0.025))
    cut = rehearsal.commit(TWO)
    assert cut.time == following.start + 0.025
    expected = first.outputs.reals + 0.25 * (second.outputs.reals - first.outputs.reals)
    assert cut.outputs.reals == pytest.approx(expected, rel=1e-12)
    assert (part.beyond, part.evaluations) == (1, 2)
    rehearsal.open(Window.between(cut.time, following.stop))
    assert rehearsal.commit(TWO) is second
    rehearsal.open(Window.between(following.stop, following.stop + 0.1))
    rehearsal.commit(ONE)
    assert (part.beyond, part.evaluations) == (1, 3)


@pytest.mark.parametrize("estimator", [dv.Direct(), dv.Rollback()], ids=repr)
def test_a_step_that_ended_where_the_window_ends_now_is_kept(estimator):
    part, rehearsal = rehearsed(estimator)
    rehearsal.open(WINDOW)
    answer = rehearsal.outputs(ONE)
    rehearsal.shorten(Window(0.0, 0.1, 0.1))
    assert rehearsal.commit(ONE) is answer
    assert part.evaluations == 1


def test_rollback_steps_again_over_a_shorter_window():
    part, rehearsal = rehearsed(dv.Rollback())
    rehearsal.open(WINDOW)
    rehearsal.outputs(ONE)
    rehearsal.shorten(Window.between(0.0, 0.05))
    assert rehearsal.commit(ONE).outputs.reals == pytest.approx([np.exp(0.075)], rel=1e-14)
    assert part.time == 0.05


def test_a_part_that_fails_half_way_is_put_back():
    calls = []

    def rates(t, x, u, p):
        calls.append(t)
        if len(calls) > 5 and t > 0:
            raise RuntimeError("broken")
        return [1.0]

    model = dv.Dynamic(states={"x": 1.0}, outputs=["x"], derivatives=rates)
    part = Live("part", model.instantiate("part"))
    part.initialize(0.0, {}, derivatives=False)
    part.begin()
    rehearsal = dv.Rollback().bind(part)
    rehearsal.open(WINDOW)
    with pytest.raises(dv.PartFailed, match="broken"):
        rehearsal.outputs(Waveform.hold(Signals(np.zeros(0))))
    assert part.time == 0.0
    assert part.subsystem.x == 1.0
