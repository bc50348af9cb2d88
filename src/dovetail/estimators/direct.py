"""Step for real, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import CannotRollBack
from ..core.options import check_whole
from ..core.signals import Signals, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached

_SLACK = 1e-9  # of a window: nearer than this is at its end


@dataclass(frozen=True, slots=True)
class Direct:
    """Step for real, once. Asks nothing of the subsystem.

    A part that has stepped when an event of another part cuts the window cannot be rolled back. It
    goes on ahead: until the others reach it, its outputs lie on straight lines between where it
    was and where it is. Each such step is counted. `substeps`: a step is cut in so many for inputs
    that the part cannot follow.

    A plain step; what is done when an event cuts the window is of our own.
    """

    substeps: int = 1

    repeatable = False

    def __post_init__(self) -> None:
        check_substeps(self.substeps)

    def bind(self, subsystem: Live) -> OneStep:
        """Rehearse this subsystem."""
        subsystem.substeps = self.substeps
        return OneStep(subsystem)


def check_substeps(substeps: int) -> None:
    """Refuse an invalid number of substeps."""
    check_whole("substeps", substeps)


class OneStep:
    """A genuine step that is remembered, and never undone."""

    estimates = False
    assessment = None

    def __init__(self, subsystem: Live) -> None:
        self.subsystem = subsystem
        self.window = Window(0.0, 0.0, 0.0)
        self.taken: tuple[Waveform, Reached] | None = None  # in this window
        self.cut = False  # the window was shortened after the step
        self.ahead: Waveform | None = None  # inputs of a step that is on its way to another process
        self.begun: Reached | None = None  # where the last step began, and where it ended
        self.ended: Reached | None = None

    def open(self, window: Window) -> None:
        """Start rehearsing `window` from where the subsystem stands."""
        self.recall()
        self.window, self.taken, self.cut = window, None, False

    def shorten(self, window: Window) -> None:
        """The window ends earlier; a step that went beyond is counted."""
        self.recall()
        if self.taken is not None:
            self.subsystem.beyond += not self.cut and self.taken[1].time > window.stop
            self.cut = True
        self.window = window

    def outputs(self, inputs: Waveform) -> Reached:
        """Where the window would end if the inputs were these."""
        return self.commit(inputs)

    def commit(self, inputs: Waveform) -> Reached:
        """Make these the inputs that happened."""
        if self.ahead is not None:
            inputs, self.ahead = self.ahead, None
        if self.taken is None:
            if self._stands_at(self.window.stop):
                return self._at(self.window.stop)
            self.taken = inputs, self._advanced(inputs)
        elif not self.cut and not self.taken[0].equals(inputs):
            self.abandon()
        return self._at(self.window.stop) if self.cut else self.taken[1]

    def prepare(self, inputs: Waveform, *, genuine: bool, may_be_cut: bool) -> None:
        """It is asked for its one step, if nothing can take that back."""
        moves = self.taken is None and not self.is_ahead and not self._stands_at(self.window.stop)
        if moves and not may_be_cut and self.ahead is None:
            self.subsystem.post(self.window, inputs)
            self.ahead = inputs

    def prepare_sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> None:
        """A single step says nothing about others."""

    def recall(self) -> None:
        """It cannot be: it has stepped."""
        if self.ahead is not None:
            self.commit(self.ahead)

    @property
    def is_ahead(self) -> bool:
        """Whether the subsystem has gone beyond this window's start."""
        return self.subsystem.time - self.window.start > _SLACK * self.window.size

    def expected(self) -> Reached:
        """Where it will be at the window's end, extrapolated from its last step."""
        assert self.ended is not None
        reached = self._stands_at(self.window.stop)
        return self._at(self.window.stop) if reached else self.ended

    def learn(self, reached: Reached) -> None:
        """More is known of where the step led."""
        assert self.taken is not None
        self.taken, self.ended = (self.taken[0], reached), reached

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        """A single step says nothing about others."""
        raise CannotRollBack(self.subsystem.name, self.window)

    def response(self, columns: int) -> None:
        """Nothing is predicted."""

    def abandon(self) -> None:
        """Only possible while nothing has moved."""
        if self.taken is not None and self.taken[1].time > self.window.start:
            raise CannotRollBack(self.subsystem.name, self.window)
        self.taken = None

    def restart(self) -> None:
        """Nothing is learned."""

    def dump(self) -> Any:
        """The last step: others may still have to catch up with it."""
        steps = (self.begun, self.ended)
        return tuple(
            None if r is None else (r.time, r.outputs, r.event, r.ending, r.late) for r in steps
        )

    def load(self, learned: Any) -> None:
        """Take over a last step."""
        self.begun, self.ended = (None if r is None else Reached(*r) for r in learned)

    def restore(self, start: Any) -> None:
        """Back, by whatever it can."""
        self.subsystem.restore(start)

    def _stands_at(self, time: float) -> bool:
        """Whether the subsystem is there already, or beyond."""
        return not time > self.subsystem.time + _SLACK * self.window.size

    def _advanced(self, inputs: Waveform) -> Reached:
        window, ahead = self.window, self.subsystem.time - self.window.start
        if self.is_ahead:  # the others have just caught up
            window = Window.between(self.subsystem.time, window.stop)
            inputs = inputs.restarted(ahead)
        reached = self.subsystem.advance(window, inputs)
        self.begun, self.ended = self.ended, reached
        return reached

    def _at(self, time: float) -> Reached:
        """Where it is, or what it seemed to be on the way there."""
        there, here = self.ended, self.begun
        assert there is not None
        if there.time == time:
            return there
        if there.time <= time + _SLACK * self.window.size:
            return Reached(time, there.outputs, there.event, there.ending, there.late)
        if here is None:
            return Reached(time, there.outputs)
        share = (time - here.time) / (there.time - here.time)
        a, b = here.outputs, there.outputs
        derivatives = None
        if a.derivatives is not None and b.derivatives is not None:
            derivatives = a.derivatives + share * (b.derivatives - a.derivatives)
        return Reached(
            time, Signals(a.reals + share * (b.reals - a.reals), derivatives, a.discrete)
        )
