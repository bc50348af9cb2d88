"""Derivatives of outputs that no part gives, by backward differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.signals import Signals, Vector, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached
from .base import Rehearsal, SupportsPreparing

Past = tuple[tuple[float, Vector], ...]  # ends of windows and the outputs there, newest first


class DifferenceRehearsal:
    """A rehearsal that takes missing derivatives from a parabola through the outputs.

    Of second order; of first in the first window and behind an event. That costs the methods
    which use derivatives an order, so it is for parts that neither give them nor can be linearized.

    Native twin: `native/cubic.c`.
    """

    estimates = False
    assessment = None

    def __init__(self, rehearsal: Rehearsal, subsystem: Live) -> None:
        self._rehearsal, self._subsystem = rehearsal, subsystem
        self._window = Window(0.0, 0.0, 0.0)
        self._past: Past = ()
        self._committed = False

    def open(self, window: Window) -> None:
        """Start rehearsing `window`."""
        self._window, self._past, self._committed = window, self.dump()[0], False
        self._rehearsal.open(window)

    def shorten(self, window: Window) -> None:
        """The window ends earlier."""
        self._window = window
        self._rehearsal.shorten(window)

    def outputs(self, inputs: Waveform) -> Reached:
        """What it watches answers, with derivatives."""
        return self._with_derivatives(self._rehearsal.outputs(inputs))

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        """Derivatives change as the newest outputs do."""
        weight = self._weights(self._window.stop)[0] if self._past else np.nan
        found = self._rehearsal.sensitivity(inputs, directions)
        return [Signals(c.reals, _filled(c.derivatives, weight * c.reals)) for c in found]

    def response(self, columns: int) -> None:
        """Nothing is predicted."""

    def commit(self, inputs: Waveform) -> Reached:
        """What it watches does, with derivatives; these outputs are remembered."""
        reached = self._with_derivatives(self._rehearsal.commit(inputs))
        if reached.time == self._window.stop and not self._committed:
            self._committed = True
            self._past = ((reached.time, reached.outputs.reals), *self._past)[:2]
        return reached

    def abandon(self) -> None:
        """As what it watches."""
        self._rehearsal.abandon()

    def restart(self) -> None:
        """Behind an event nothing that was before counts."""
        self._past = ()
        self._rehearsal.restart()

    def dump(self) -> tuple[Past, Any]:
        """The last outputs, and what is watched."""
        last, past = self._subsystem.last, self._past
        if not past and last is not None:
            past = ((self._subsystem.time, last.reals),)
        return past, self._rehearsal.dump()

    def load(self, learned: tuple[Past, Any]) -> None:
        """Take over what was learned."""
        self._past = learned[0]
        self._rehearsal.load(learned[1])

    def restore(self, start: Any) -> None:
        """As the rehearsal inside does."""
        self._rehearsal.restore(start)

    def prepare(self, inputs: Waveform, *, genuine: bool, may_be_cut: bool) -> None:
        """As the rehearsal inside does."""
        if isinstance(self._rehearsal, SupportsPreparing):
            self._rehearsal.prepare(inputs, genuine=genuine, may_be_cut=may_be_cut)

    def prepare_sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> None:
        """As the rehearsal inside does."""
        if isinstance(self._rehearsal, SupportsPreparing):
            self._rehearsal.prepare_sensitivity(inputs, directions)

    def recall(self) -> None:
        """As the rehearsal inside does."""
        if isinstance(self._rehearsal, SupportsPreparing):
            self._rehearsal.recall()

    def _with_derivatives(self, reached: Reached) -> Reached:
        outputs = reached.outputs
        if self._committed or not self._past or not reached.time > self._past[0][0]:
            return reached  # without a past, or where it has not moved, there is no difference
        values = [outputs.reals, *(y for _, y in self._past)]
        derivatives = sum(
            (w * y for w, y in zip(self._weights(reached.time), values, strict=True)),
            np.zeros(outputs.reals.size),
        )
        completed = Signals(
            outputs.reals, _filled(outputs.derivatives, derivatives), outputs.discrete
        )
        return Reached(reached.time, completed, reached.event, reached.ending, reached.late)

    def _weights(self, time: float) -> list[float]:
        return backward_weights(time, [t for t, _ in self._past])


def _filled(given: Vector | None, found: Vector) -> Vector:
    """Derivatives that the part gives, and those that were found for the others."""
    return found if given is None else np.where(np.isnan(given), found, given)


def backward_weights(time: float, past: Sequence[float]) -> list[float]:
    """Weights of the derivative there, for the values there and at one or two times before."""
    first = time - past[0]
    if len(past) == 1:
        return [1 / first, -1 / first]
    second = time - past[1]
    gap = second - first
    return [1 / first + 1 / second, -second / (first * gap), first / (second * gap)]
