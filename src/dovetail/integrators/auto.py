"""An explicit method where equations are not stiff, an implicit one where they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.statistics import Effort
from .base import Arc
from .implicit import Radau
from .rk45 import Rk45
from .running import Run, Stretch, Tolerances

_MODEST = 1.0  # size |lambda| up to which a step of Radau is one for rk45 too
_AGAIN = 5  # such steps in a row before the explicit method is taken up again
_FEW = 50  # states up to which eigenvalues are computed; above it a norm bounds them


@dataclass(frozen=True, slots=True)
class Auto(Tolerances, Run):
    """The steps of `Rk45`, and those of `Radau` while the equations are stiff.

    Where no stiffness is found all steps are those of `Rk45`, to the bit. It is found where
    stability shortened 15 steps of a run. The way back is taken after five implicit steps that
    the explicit method could have taken. Which method is in use is kept from run to run, and is
    part of a snapshot.

    The test is that of Hairer and Wanner, Solving Ordinary Differential Equations II (1996),
    section IV.2; the idea Petzold's, Automatic selection of methods for solving stiff and
    nonstiff systems of ordinary differential equations (1983).
    """

    def follower(self) -> AutoFollower:
        """For one part: it keeps the method in use."""
        return AutoFollower(self)

    def _follow(self, stretch: Stretch) -> Arc:
        return self.follower()._follow(stretch)


class AutoFollower(Run):
    """The method in use for one part."""

    def __init__(self, options: Auto) -> None:
        given = options.rtol, options.atol, options.max_size, options.max_steps
        self._explicit, self._implicit = Rk45(*given), Radau(*given)
        self._stiff, self._modest = False, 0
        self._matrix: Any = None  # the Jacobian whose size was measured last
        self._fastest = 0.0

    @property
    def is_stiff(self) -> bool:
        """Whether the implicit method is in use."""
        return self._stiff

    def memory(self) -> Any:
        """Whether it is implicit, and how many modest steps it took; None for explicit."""
        return (self._stiff, self._modest) if self._stiff else None

    def recall(self, memory: Any) -> None:
        """Go on with the method that was in use."""
        self._stiff, self._modest = (False, 0) if memory is None else memory

    def _follow(self, stretch: Stretch) -> Arc:
        arc = self._leg(stretch)
        if not self._must_go_on(arc, stretch.stop):
            return arc
        spent, steps, evaluations, rejected = arc.spent, arc.steps, arc.evaluations, arc.rejected
        while self._must_go_on(arc, stretch.stop):
            rest = stretch._replace(start=arc.time, x=arc.state, first_size=arc.next_size)
            arc = self._leg(rest)
            spent = spent + arc.spent
            steps, evaluations = steps + arc.steps, evaluations + arc.evaluations
            rejected += arc.rejected
        return replace(arc, steps=steps, evaluations=evaluations, rejected=rejected, effort=spent)

    def _leg(self, stretch: Stretch) -> Arc:
        """Steps of one method, to the end or to where the other one is taken up."""
        if self._stiff:
            arc = self._implicit.follow(stretch, self._is_over)
            switches = self._modest >= _AGAIN
        else:
            arc = self._explicit.follow(stretch, leaves=True)
            switches = arc.spent.stiff_steps > 0
        if switches:
            self._stiff, self._modest = not self._stiff, 0
            arc = replace(arc, effort=arc.spent + Effort(switches=1))
        return arc

    @staticmethod
    def _must_go_on(arc: Arc, stop: float) -> bool:
        return arc.time < stop and not arc.crossed and not arc.asked

    def _is_over(self, solver: Any) -> bool:
        """Whether the last steps were none that call for an implicit method."""
        if solver.J is not self._matrix:
            self._matrix, self._fastest = solver.J, _fastest(solver.J)
        modest = abs(solver.step_size) * self._fastest < _MODEST
        self._modest = self._modest + 1 if modest else 0
        return self._modest >= _AGAIN


def _fastest(matrix: Any) -> float:
    """The largest |lambda| of a Jacobian, or a bound of it."""
    if hasattr(matrix, "toarray") or matrix.shape[0] > _FEW:
        rows = np.asarray(abs(matrix).sum(axis=1)).max(initial=0.0)
        return float(min(rows, np.asarray(abs(matrix).sum(axis=0)).max(initial=0.0)))
    return float(np.max(np.abs(np.linalg.eigvals(matrix)), initial=0.0))
