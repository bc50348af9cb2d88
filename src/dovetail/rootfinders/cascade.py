"""One root finder after another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..core.errors import OptionError
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root, RootFinder, recalled


@dataclass(frozen=True, slots=True)
class Cascade:
    """The first of several root finders that converges; cheap ones go first.

    A combination of our own.
    """

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
        total, memory = 0, [None] * len(self.finders)
        for k, finder in enumerate(self.finders):
            root = finder.solve(residual, start, tolerance, jacobian)
            total += root.evaluations
            memory[k] = root.memory
            if root.converged:
                break
        learned = any(m is not None for m in memory)
        return replace(root, evaluations=total, memory=tuple(memory) if learned else None)

    def recalling(self, memory: tuple[Any, ...]) -> Cascade:
        """The same with what its members learned; one that was not asked begins anew."""
        pairs = zip(self.finders, memory, strict=True)
        return Cascade(tuple(recalled(finder, known) for finder, known in pairs))
