"""Step for real, as often as asked, and go back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..live import Live
from ..signals import Signals, Waveform
from ..subsystem import Reached
from ..window import Window


@dataclass(frozen=True, slots=True)
class Rollback:
    """Step for real, as often as asked, and go back. Exact; costs one advance per answer."""

    repeatable = True

    def bind(self, subsystem: Live) -> _Rollback:
        """Rehearse this subsystem."""
        return _Rollback(subsystem)


class _Rollback:
    def __init__(self, subsystem: Live) -> None:
        self.subsystem = subsystem
        self.window = Window(0.0, 0.0, 0.0)
        self.start: Any = None
        self.last: tuple[Waveform, Reached] | None = None

    def open(self, window: Window) -> None:
        self.window, self.start, self.last = window, self.subsystem.snapshot(), None

    def shorten(self, window: Window) -> None:
        if self.last is not None and self.last[1].time != window.stop:
            self.abandon()
        self.window = window

    def outputs(self, inputs: Waveform) -> Reached:
        if self.last is None or not self.last[0].equals(inputs):
            self.abandon()
            self.last = inputs, self._advanced(inputs)
        return self.last[1]

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        base = self.outputs(inputs).outputs
        changes = [_minus(self.outputs(inputs + d).outputs, base) for d in directions]
        return changes

    def commit(self, inputs: Waveform) -> Reached:
        return self.outputs(inputs)

    def abandon(self) -> None:
        if self.last is not None:
            self.subsystem.restore(self.start)
            self.last = None

    def restart(self) -> None:
        pass

    def dump(self) -> None:
        pass

    def load(self, learned: None) -> None:
        pass

    def _advanced(self, inputs: Waveform) -> Reached:
        try:
            return self.subsystem.advance(self.window, inputs)
        except BaseException:
            self.subsystem.restore(self.start)  # half a step is no place to stay
            raise


def _minus(a: Signals, b: Signals) -> Signals:
    slopes = None if a.slopes is None or b.slopes is None else a.slopes - b.slopes
    return Signals(a.reals - b.reals, slopes)
