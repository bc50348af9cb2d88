"""Where the parts of a merged system stand, and the jumps that move them."""

from __future__ import annotations

from math import ulp
from typing import Any

import numpy as np

from ..assembly.standstill import Standstill
from ..core.signals import Signals, Vector, Waveform
from ..core.window import Window
from ..integrators.course import Course
from ..subsystems.held_switches import Signs
from .hybrid_part import flipped
from .merged_derivatives import MergedDerivatives

_ROUNDS = 20  # of events that follow from each other through junctions


class MergedPosition(MergedDerivatives):
    """Parts that are placed where the integrator is, and have their events there together."""

    _before: tuple[Any, Signals] | None = None  # where the event at hand started
    due = False

    def __init__(self, course: Course) -> None:
        self._course = course
        self.t, self.x, self.u = 0.0, np.zeros(0), Signals(np.zeros(0))
        self.signs = ()
        self._counts: list[int] = []

    def state(self) -> Vector:
        """The states where it stands."""
        if self.due and self.x.size != self._joined.size:  # FMUs start with an event
            self._jump(self.u, self._joined.outputs())
        return self.x

    def place(self, time: float, state: Vector, signs: Signs = (), crossed: Signs = ()) -> None:
        """Stand there from now on."""
        self._before = None
        self._course.forget()
        self._arrive(time, np.array(state, dtype=float), signs or self.signs, crossed)
        self.due = bool(crossed) or self.assembly.next_event() <= time + 8 * ulp(time)

    def _arrive(
        self, time: float, x: Vector, signs: tuple[int, ...], crossed: tuple[int, ...]
    ) -> None:
        """Place all parts there."""
        joined, first = self._joined, 0
        before = self.t
        self.t, self.x, self.signs = time, x, signs
        joined.solve(time, x)
        for (i, part), count in zip(joined.parts, self._counts, strict=True):
            mine = signs[first : first + count]
            hit = tuple(k - first for k in crossed if first <= k < first + count)
            part.place(time, x[joined.spans[i]], mine, hit)
            first += count
        if time > before:
            for i, part in joined.patient:
                part.advance(Window.between(before, time), Waveform.hold(joined.inputs(i)))
        for live in self.assembly.subsystems:
            live.time = time
        self.player.t = time

    def _jump(self, inputs: Signals, known: Signals) -> None:
        """The event inside, for these inputs."""
        for _ in range(_ROUNDS):
            self._hear(inputs)
            unknowns = self._joined.coordination
            jump = Standstill().event(self.assembly, self.t, known, unknowns)
            self._joined.know(jump.outputs)
            self.u, self.due = inputs, False
            self._collect()
            if self._joined.junctions is None or not self._flips(inputs):
                return  # unknowns that follow an event may make another one
            known = self._joined.outputs()

    def _collect(self) -> None:
        """States and crossings, as an event has left them."""
        joined = self._joined
        self.x = joined.state()
        self._course.forget()
        joined.check_junctions(self.t, self.x)
        self._counts = joined.counts(self.t, self.x)
        self.signs = tuple(s for _, p in joined.parts for s in p.signs)

    def _take_jumps(self, inputs: Signals) -> None:
        """The event that these inputs make by jumping, while time stood still."""
        if self.due or inputs.discrete != self.u.discrete or self._flips(inputs):
            self._jump(inputs, self._joined.outputs())
        self.u = inputs

    def _flips(self, inputs: Signals) -> tuple[int, ...]:
        if not any(self.signs):
            return ()
        now = np.sign(self.crossings(self.t, self.x, inputs))
        return flipped(self.signs, tuple(int(s) for s in now))
