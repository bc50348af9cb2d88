"""Interface quasi-Newton with the inverse Jacobian from a least-squares model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.options import check_number, check_whole
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root
from .combination import combination
from .convergence import ConvergenceTest

_STALE = 1e-3  # of a column from an earlier window must be new: it is true of another point


@dataclass(frozen=True, slots=True, eq=False)
class Secants:
    """What a window taught: changes of residuals and of answers, a column each, newest first."""

    residuals: Vector
    answers: Vector


@dataclass(frozen=True, slots=True)
class IqnIls:
    """z <- z + W c + r: c combines past changes V of residuals to cancel r, W are those of answers.

    Answers are z + r(z), what the parts make of z. The first step has nothing to combine, and is
    `first_relaxation` of r. A column of V is left out if the newer ones say the same but for
    `filter_limit` of its length (the filter QR2). Done within n + 2 evaluations for a linear loop
    of n unknowns. Changes of the last `reused_windows` windows are combined too, the older ones
    last and filtered more strictly: a loop that hardly changes takes two or three evaluations
    then. They are forgotten at events and after failures, and roll back with a window.

    Native twin: `native/rootfinders.c`.

    Degroote, Bathe, Vierendeels 2009; the filter is that of Haelterman, Bogaers, Scheufele,
    Uekermann, Mehl 2016; preCICE's default. Without reuse it is `Anderson` in other words (Walker,
    Ni 2011): the same combination, but for the relaxed first step, where Anderson takes all of r,
    and for how much of a column must be new.
    """

    reused_windows: int = 4
    max_evaluations: int = 60
    first_relaxation: float = 0.5
    filter_limit: float = 1e-6

    def __post_init__(self) -> None:
        check_whole("reused_windows", self.reused_windows, 0)
        check_whole("max_evaluations", self.max_evaluations)
        check_number("first_relaxation", self.first_relaxation, above=0)
        check_number("filter_limit", self.filter_limit, least=0, most=1)

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        return TrainedIqnIls(self).solve(residual, start, tolerance, jacobian)

    def recalling(self, memory: tuple[Secants, ...]) -> TrainedIqnIls:
        """The same with what past windows taught."""
        return TrainedIqnIls(self, memory)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedIqnIls:
    """The same with what past windows taught, the newest first."""

    options: IqnIls
    past: tuple[Secants, ...] = ()

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        o, z, gauge = self.options, start, ConvergenceTest(tolerance).gauge()
        past = [s for s in self.past if s.answers.shape[0] == z.size]
        old: tuple[Vector, Vector] | None = None  # the last residual and answer
        changes: tuple[list[Vector], list[Vector]] = [], []  # newest first
        for k in range(1, o.max_evaluations + 1):
            r = residual(z)
            error = gauge.measure(r, z)
            if old is not None and np.all(np.isfinite(r)):
                for column, now, before in zip(changes, (r, z + r), old, strict=True):
                    column.insert(0, now - before)
            if error <= 1 or k == o.max_evaluations or not np.isfinite(error):
                break
            V = _columns(z.size, changes[0], [s.residuals for s in past])
            W = _columns(z.size, changes[1], [s.answers for s in past])
            weight = 1 / (np.abs(z) * tolerance.rtol + tolerance.atol)
            limits = np.full(V.shape[1], max(o.filter_limit, _STALE))
            limits[: len(changes[0])] = o.filter_limit
            kept, c = combination(V * weight[:, None], r * weight, limits)
            old = r, z + r
            step = r if kept else o.first_relaxation * r
            for share, j in zip(c, kept, strict=True):
                step = step + share * W[:, j]
            z = z + step
        if not o.reused_windows:
            return Root(z, error, k, error <= 1)
        if not error <= 1:
            return Root(z, error, k, False, ())  # what led nowhere is forgotten
        if changes[0]:
            taught = Secants(np.column_stack(changes[0]), np.column_stack(changes[1]))
            past = [taught, *past][: o.reused_windows]
        return Root(z, error, k, True, tuple(past))


def _columns(size: int, newest: Sequence[Vector], older: Sequence[Vector]) -> Vector:
    return np.column_stack([np.zeros((size, 0)), *newest, *older])
