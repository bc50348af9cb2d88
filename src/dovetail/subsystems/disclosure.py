"""What subsystems give while time stands still: outputs and their derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import numpy as np

from ..core.signals import Signals, Span, Vector, Waveform
from ..core.window import Window
from .live import Live
from .subsystem import Linearization, Placeable

# Weights of the outputs now and after one, two, three short steps, by order of derivative. An
# output with direct feedthrough is extrapolated from the steps alone.
_WEIGHTS = {
    0: (0.0, 2.0, -1.0),
    1: (-1.5, 2.0, -0.5),
    2: (2.0, -5.0, 4.0, -1.0),
    3: (-1.0, 3.0, -3.0, 1.0),
}


class Disclosure:
    """Answers for one instant; whatever was found out about it is kept.

    Each subsystem answers in the best way it has: by evaluating its equations for any inputs; by
    its linearization where the last step ended, which is exact for small changes only; or by
    short steps from a saved state. During initialization all parts give outputs, and only those
    that evaluate their equations give derivatives.
    """

    def __init__(
        self,
        subsystems: Sequence[Live],
        inputs: Sequence[Span],
        outputs: Sequence[Span],
        known: Signals,
        size: float,
        *,
        begun: bool,
        probe: float = 0.05,
    ) -> None:
        self._live, self._in, self._out = subsystems, inputs, outputs
        self._known, self._size, self.begun, self._probe = known, size, begun, probe
        self._linear: dict[int, Linearization] = {}

    @property
    def time(self) -> float:
        """The time at which all parts stand."""
        return self._live[0].time

    def __call__(self, inputs: Signals, order: int, parts: Sequence[int]) -> Vector:
        """Derivatives of the outputs of these subsystems, zeros for those of the others."""
        result = np.zeros(self._known.reals.size)
        for i in parts:
            result[self._out[i].reals] = self._tell(i, inputs[self._in[i]], order)
        return result

    def many(self, inputs: Sequence[Signals], order: int, parts: Sequence[int]) -> list[Vector]:
        """The same for several inputs: each part is asked for all of them at once."""
        found = [np.zeros(self._known.reals.size) for _ in inputs]
        for i in parts:
            given = [u[self._in[i]] for u in inputs]
            if self.evaluates(i) or not self.begun:
                told = [s.reals for s in self._live[i].outputs_at(given, order)]
            else:
                told = [self._tell(i, u, order) for u in given]
            for vector, values in zip(found, told, strict=True):
                vector[self._out[i].reals] = values
        return found

    def evaluates(self, part: int) -> bool:
        """Whether a subsystem evaluates its equations for any inputs, at no risk."""
        able = self._live[part].capabilities
        derives = able.can_derive_now if self.begun else able.can_derive_at_start
        return able.can_evaluate_now and derives

    def lacking(self, part: int, order: int) -> str:
        """Why a subsystem cannot give derivatives of this order here; nothing if it can."""
        able = self._live[part].capabilities
        if self.evaluates(part) or (order == 0 and not self.begun):
            return ""
        if not self.begun:
            return "it is not under way yet"
        if able.can_linearize or able.can_restore:
            return ""
        return "it neither evaluates its equations, nor knows its derivatives, nor rolls back"

    def linearization(self, part: int) -> Linearization | None:
        """The linearization of a subsystem where it stands, if it knows it."""
        able = self._live[part].capabilities
        if not able.can_linearize or not (self.begun or self.evaluates(part)):
            return None
        if part not in self._linear:
            self._linear[part] = self._live[part].linearize()
        return self._linear[part]

    def steps(self, part: int, inputs: Signals) -> tuple[Vector, Vector, float] | None:
        """Outputs after one and two short steps, and their size, where those are all it gives."""
        able = self._live[part].capabilities
        if self.evaluates(part) or able.can_linearize or not self.begun:
            return None
        found, size = self._steps(part, inputs[self._in[part]], 2)
        return found[0], found[1], size

    def state(self, part: int) -> Vector:
        """The continuous states of a subsystem that shows them."""
        return cast(Placeable, self._live[part].subsystem).state()

    @contextmanager
    def at(self, time: float, states: dict[int, Vector]) -> Iterator[None]:
        """Stand elsewhere for a while, and come back to where all parts were."""
        saved = {i: self._live[i].snapshot() for i in states}
        try:
            for i, state in states.items():
                cast(Placeable, self._live[i].subsystem).place(time, state)
            yield
        finally:
            for i, snapshot in saved.items():
                self._live[i].restore(snapshot)

    def _tell(self, i: int, inputs: Signals, order: int) -> Vector:
        live = self._live[i]
        if self.evaluates(i) or not self.begun:
            return live.outputs(inputs, order).reals
        if live.capabilities.can_linearize:
            linear = self.linearization(i)
            assert linear is not None
            return _from_linear(linear, inputs.reals, order)
        return self._from_steps(i, inputs, order)

    def _from_steps(self, i: int, inputs: Signals, order: int) -> Vector:
        """Differences over short steps from here."""
        weights = _WEIGHTS[order]
        total = weights[0] * self._known.reals[self._out[i].reals]
        found, size = self._steps(i, inputs, len(weights) - 1)
        for weight, outputs in zip(weights[1:], found, strict=True):
            total = total + weight * outputs
        return total / size**order

    def _steps(self, i: int, inputs: Signals, count: int) -> tuple[list[Vector], float]:
        """Outputs after each of some short steps, and back."""
        live = self._live[i]
        size = self._size * (self._probe if live.capabilities.can_vary_size else 1.0)
        start, held, found = live.time, Waveform.hold(inputs), list[Vector]()
        snapshot = live.snapshot()
        try:
            for k in range(count):
                window = Window(start + k * size, size, start + (k + 1) * size)
                found.append(live.advance(window, held).outputs.reals)
        finally:
            live.restore(snapshot)
        return found, size


def _from_linear(linear: Linearization, u: Vector, order: int) -> Vector:
    """y^(k) near the last step: C A^(k-1) x' at the inputs there, and their change."""
    change = u - linear.u
    if order == 0:
        return linear.y + linear.D @ change
    rate = linear.dx + linear.B @ change
    for _ in range(order - 1):
        rate = linear.A @ rate
    return linear.C @ rate
