"""What an algorithm has found so far: outputs of all parts, and the inputs it proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.signals import Discrete, Shape, Signals, Waveform
from ..junctions.coordination import Coordination

if TYPE_CHECKING:
    from .assembly import Assembly

_COLUMNS: dict[Shape, int] = {"hold": 1, "ramp": 2, "hermite": 4}


class Draft:
    """The outputs of all subsystems as far as they are known, changed in place."""

    __slots__ = ("_assembly", "_coordination", "derivatives", "discrete", "reals")

    def __init__(self, assembly: Assembly, outputs: Signals, coordination: Coordination) -> None:
        self._assembly, self._coordination = assembly, coordination
        self.reals = outputs.reals.copy()
        self.derivatives = None if outputs.derivatives is None else outputs.derivatives.copy()
        self.discrete: list[Discrete] = list(outputs.discrete)

    def differs(self, index: int, found: Signals) -> bool:
        """Whether what one subsystem answered is not what stands here."""
        span = self._assembly.outputs_of[index]
        return tuple(self.discrete[span.discrete]) != found.discrete or not np.array_equal(
            self.reals[span.reals], found.reals
        )

    def take(self, index: int, found: Signals) -> None:
        """Put in what one subsystem answered."""
        span = self._assembly.outputs_of[index]
        self.reals[span.reals] = found.reals
        if self.derivatives is not None and found.reals.size:
            if found.derivatives is None:
                self.derivatives = None
            else:
                self.derivatives[span.reals] = found.derivatives
        if found.discrete:
            self.discrete[span.discrete] = found.discrete

    def outputs_of(self, index: int) -> Signals:
        """What stands here for one subsystem."""
        span = self._assembly.outputs_of[index]
        derivatives = None if self.derivatives is None else self.derivatives[span.reals].copy()
        return Signals(
            self.reals[span.reals].copy(), derivatives, tuple(self.discrete[span.discrete])
        )

    def inputs_of(self, index: int) -> Signals:
        """The inputs these outputs make for one subsystem."""
        return self._assembly.coordinator.inputs_of(
            index, self.reals, self.derivatives, self.discrete, self._coordination
        )

    def outputs(self) -> Signals:
        """The outputs as they are now, as a value."""
        derivatives = None if self.derivatives is None else self.derivatives.copy()
        return Signals(self.reals.copy(), derivatives, tuple(self.discrete))


class Proposal:
    """Inputs over a window, subsystem by subsystem, as an algorithm finds them."""

    __slots__ = ("_assembly", "coefficients", "discrete")

    def __init__(self, assembly: Assembly, start: Signals, shape: Shape) -> None:
        self._assembly = assembly
        self.coefficients = np.zeros((start.reals.size, _COLUMNS[shape]))
        self.coefficients[:, 0] = start.reals
        self.discrete: list[Discrete] = list(start.discrete)

    def put(self, index: int, inputs: Waveform) -> None:
        """Take over the inputs of one subsystem."""
        span = self._assembly.inputs_of[index]
        a, columns = inputs.coefficients, self.coefficients.shape[1]
        self.coefficients[span.reals] = a if a.shape[1] == columns else inputs.padded(columns)
        if inputs.discrete:
            self.discrete[span.discrete] = inputs.discrete

    def of(self, index: int) -> Waveform:
        """The inputs of one subsystem, as a value."""
        span = self._assembly.inputs_of[index]
        return Waveform(self.coefficients[span.reals].copy(), tuple(self.discrete[span.discrete]))

    def waveform(self) -> Waveform:
        """The inputs of all."""
        return Waveform(self.coefficients.copy(), tuple(self.discrete))
