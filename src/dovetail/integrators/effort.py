"""What an integrator spent."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(slots=True)
class Effort:
    """Counts of one run, or of all runs of a part.

    `evaluations` of the rates of change do not include those that a Jacobian by differences
    took: they are `jacobian_evaluations`.
    """

    steps: int = 0
    evaluations: int = 0
    jacobians: int = 0
    jacobian_evaluations: int = 0
    newton_iterations: int = 0
    factorizations: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Effort)))
