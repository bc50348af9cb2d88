"""What becomes of a window that an algorithm or a part failed in."""

from __future__ import annotations

from ..assembly.attempt import Attempt
from ..assembly.segment import Position, Segment
from ..assembly.trial import Trial
from ..core.errors import CannotRollBack, PartFailed, StepFailed
from ..core.signals import Waveform

WAY_OUT = "try a smaller window, more iterations, or dv.Newton() or dv.Iterative()"


def dropped(attempt: Attempt, before: Position, trial: Trial) -> Segment:
    """A failed segment, if all parts can roll back; the end of the run otherwise."""
    try:
        attempt.abandon()
    except CannotRollBack as error:
        if error.found:
            raise
        why = f"{trial.failure}, and '{error.subsystem}' cannot roll back to try anything else"
        raise StepFailed(attempt.window, why, WAY_OUT) from None
    return Segment(attempt.window, before, before, before.outputs, trial)


def failed(attempt: Attempt, before: Position, error: PartFailed) -> Segment:
    """A part failed: a failed segment if all parts can roll back, the error itself otherwise."""
    try:
        attempt.abandon()
    except CannotRollBack as other:
        if other.found:
            raise
        raise error from error.__cause__
    inputs = Waveform.hold(attempt.inputs(attempt.before))
    diverged = any(attempt.names[i] == error.part for i in attempt.answered)
    trial = Trial(inputs, failure=str(error), cause=error, diverged=diverged)
    return Segment(attempt.window, before, before, before.outputs, trial)
