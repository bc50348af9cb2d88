"""The equations at the interfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..signals import Discrete, Signals, Vector


class Now(Protocol):
    """Outputs while time stands still, or their time derivatives of some order.

    Only subsystems with a wanted output are asked; the others' outputs come back as zeros.
    """

    def __call__(self, inputs: Signals, order: int, wanted: Vector) -> Vector:
        """Derivatives of the wanted outputs."""


class Coordinator(Protocol):
    """Turns outputs and its own unknowns z into inputs; plain wires have no z.

    z is found in one of two places: inside the window, by an algorithm that iterates on
    `residual` (`settle` then leaves z alone), or after it, by `settle` (`residual` is then empty).
    """

    def start(self) -> Vector:
        """Unknowns before anything is known."""

    def inputs(self, outputs: Signals, z: Vector) -> Signals:
        """Inputs of all subsystems."""

    def inputs_of(
        self,
        part: int,
        reals: Vector,
        slopes: Vector | None,
        discrete: Sequence[Discrete],
        z: Vector,
    ) -> Signals:
        """Inputs of one subsystem, from the outputs of all; its cost is that subsystem's own."""

    def residual(self, outputs: Signals, z: Vector) -> Vector:
        """Zero when the interfaces agree; one for each z, or none at all."""

    def settle(self, now: Now, outputs: Signals, z: Vector, size: float) -> Vector:
        """The unknowns after the subsystems moved by a window of this size."""
