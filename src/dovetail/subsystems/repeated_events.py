"""Events that the curve of an input makes again and again where a window starts.

A curve through the inputs at both ends of a window rises at once where the output that it stands
for keeps its value for a while, as a table does before a kink. A switch at that value is thrown by
the curve, and is back when others are asked what the input is there. Were that repeated, time would
stand still. So after a few such events next to each other the input is held at its value at the
end of the window; there the switch is thrown, and called late (`held_switches`).
"""

from __future__ import annotations

from math import inf

from ..core.signals import Signals, Waveform
from ..core.window import Window
from .subsystem import Reached

_NEAR = 1e-9  # of a window: events nearer to each other are next to each other
_MOST = 3


class RepeatedEvents:
    """Where a part had its last event right after the start of a window, and how many in a row."""

    def __init__(self) -> None:
        self._last, self._count = -inf, 0

    def curves(self, window: Window, inputs: Waveform) -> Waveform:
        """The inputs to step with; the same for the same window, however often it is made."""
        if not inputs.order or not self.holds(window.start, window.size):
            return inputs
        return Waveform.hold(Signals(inputs.reals(window.size), None, inputs.discrete))

    def holds(self, start: float, size: float) -> bool:
        """Whether curves are held over this window."""
        return self._count >= _MOST and 0 <= start - self._last <= _NEAR * size

    def note(self, window: Window, inputs: Waveform, reached: Reached) -> None:
        """After a step with these inputs."""
        near, start = _NEAR * window.size, window.start
        if not (inputs.order and reached.event and reached.time <= start + near):
            return
        if start != self._last:  # else it is the same one, made again
            self._count = self._count + 1 if 0 < start - self._last <= near else 1
            self._last = start
