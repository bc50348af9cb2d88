"""What a part would answer, as an affine map of its inputs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.signals import Signals, Vector, Waveform


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Values, and how they change with time."""

    values: Vector
    derivatives: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """Outputs and their derivatives at a window's end: linear in the inputs, and what is added.

    `values` and `derivatives` have three indices: output, input, power of the local time. Both are
    kept as one flat matrix, so that an evaluation is one small product.
    """

    values: Vector
    derivatives: Vector
    constant: Motion
    _flat: tuple[Vector, Vector] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        count, inputs, columns = self.values.shape
        matrix = np.concatenate([self.values, self.derivatives]).reshape(
            2 * count, inputs * columns
        )
        shift = np.concatenate([self.constant.values, self.constant.derivatives])
        object.__setattr__(self, "_flat", (np.ascontiguousarray(matrix), shift))

    def flat(self, columns: int) -> tuple[Vector, Vector]:
        """Matrix and shift: values, then derivatives; the columns of one input lie together."""
        if columns == self.values.shape[2]:
            return self._flat
        both = np.concatenate([self.values, self.derivatives])[:, :, :columns]
        return both.reshape(both.shape[0], both.shape[1] * columns), self._flat[1]

    def at(self, inputs: Waveform) -> Signals:
        """Outputs and derivatives for these inputs."""
        matrix, shift = self._flat
        return _halves(matrix @ self._coefficients(inputs) + shift)

    def change(self, direction: Waveform) -> Signals:
        """What moving the inputs in this direction adds."""
        return _halves(self._flat[0] @ self._coefficients(direction))

    def _coefficients(self, inputs: Waveform) -> Vector:
        columns = self.values.shape[2]
        a = inputs.coefficients
        return (a if a.shape[1] == columns else inputs.padded(columns)).ravel()


def _halves(both: Vector) -> Signals:
    count = both.size // 2
    return Signals(both[:count], both[count:])
