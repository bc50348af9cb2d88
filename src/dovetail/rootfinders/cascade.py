"""One root finder after another."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.errors import OptionError
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root, RootFinder


@dataclass(frozen=True, slots=True)
class Cascade:
    """The first of several root finders that converges; cheap ones go first."""

    finders: tuple[RootFinder, ...]

    def __post_init__(self) -> None:
        listed = isinstance(self.finders, tuple | list) and bool(self.finders)
        if not (listed and all(hasattr(f, "solve") for f in self.finders)):
            raise OptionError(f"finders must be a list of root finders, not {self.finders!r}")

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`; the last finder's answer if none converges."""
        total, finders = 0, list(self.finders)
        for k, finder in enumerate(self.finders):
            root = finder.solve(residual, start, tolerance, jacobian)
            total += root.evaluations
            finders[k] = root.successor or finder
            if root.converged:
                break
        learned = any(a is not b for a, b in zip(finders, self.finders, strict=True))
        successor = Cascade(tuple(finders)) if learned else None
        return replace(root, evaluations=total, successor=successor)
