"""Step for real, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import CannotGoBack
from ..live import Live
from ..signals import Signals, Waveform
from ..subsystem import Reached
from ..window import Window


@dataclass(frozen=True, slots=True)
class Direct:
    """Step for real, once. Asks nothing of the subsystem."""

    repeatable = False

    def bind(self, subsystem: Live) -> OneStep:
        """Rehearse this subsystem."""
        return OneStep(subsystem)


class OneStep:
    """A genuine step that is remembered, and never undone."""

    def __init__(self, subsystem: Live) -> None:
        self.subsystem = subsystem
        self.window = Window(0.0, 0.0, 0.0)
        self.taken: tuple[Waveform, Reached] | None = None

    def open(self, window: Window) -> None:
        """Start rehearsing `window` from where the subsystem stands."""
        self.window, self.taken = window, None

    def shorten(self, window: Window) -> None:
        """The window ends earlier; a step that ended just there is kept."""
        if self.taken is not None and self.taken[1].time != window.stop:
            self.abandon()
        self.window = window

    def outputs(self, inputs: Waveform) -> Reached:
        """Where the window would end if the inputs were these."""
        return self.commit(inputs)

    def commit(self, inputs: Waveform) -> Reached:
        """Make these the inputs that happened."""
        if self.taken is None:
            self.taken = inputs, self.subsystem.advance(self.window, inputs)
        elif not self.taken[0].equals(inputs):
            self.abandon()
        return self.taken[1]

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        """A single step tells nothing about others."""
        raise CannotGoBack(self.subsystem.name, self.window)

    def abandon(self) -> None:
        """Only possible while nothing has moved."""
        if self.taken is not None:
            raise CannotGoBack(self.subsystem.name, self.window)

    def restart(self) -> None:
        """Nothing is learned."""

    def dump(self) -> None:
        """Nothing is learned."""

    def load(self, learned: None) -> None:
        """Nothing is learned."""
