"""A companion: the same system, other instances, another treatment of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from ..controllers.base import Controller
from ..controllers.fixed_step import FixedStep
from ..core.errors import DovetailError
from ..core.signals import Vector
from ..drawing.system import System
from ..results.result import Result
from ..run.run_request import RunRequest
from ..run.session import Session
from ..run.terms import Terms
from .budget import Budget, BudgetedRecorder, OverBudget
from .treatment import RunWays, Treatment, treatments
from .window_ends import WindowEnds

_NEAR = 1 + 1e-9  # times a window: its end
_CUT = 0.9  # of the windows of the run: so many are not longer ones


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """What was recorded of real signals: times, and columns by name."""

    time: Vector
    values: Mapping[str, Vector]

    @staticmethod
    def of(result: Result) -> Trajectory:
        """That of a result."""
        names = [name for name in result.names if result.column(name).is_real]
        values = {name: np.asarray(result[name], dtype=float) for name in names}
        return Trajectory(np.asarray(result.time), values)


@dataclass(frozen=True, slots=True, eq=False)
class CompanionOutcome:
    """What a companion found, or `failure`: why there is nothing to compare with.

    `share`: how much of the error of the run the difference is. `spikes`: whether errors of
    single windows may stand out in the run. `evaluations`: what it has cost. `tighter`: only
    tolerances differ, which says nothing unless they make other windows. `early`: up to that time
    the difference is the error.
    """

    way: str = ""
    course: Trajectory | None = None
    share: float = 1.0
    spikes: bool = False
    evaluations: int = 0
    tighter: bool = False
    failure: str = ""
    early: float = -inf

    def attach(self, session: Session) -> None:
        """It is known already."""

    def outcome(self) -> CompanionOutcome:
        """Itself."""
        return self

    def close(self) -> None:
        """Nothing is under way."""


@dataclass(frozen=True, slots=True, eq=False)
class Companion:
    """A run to be accompanied, as it was asked for; what that may cost; where its windows end."""

    system: System
    asked: RunRequest
    budget: Budget | None = None
    ends: WindowEnds | None = None

    def run(self) -> CompanionOutcome:
        """Try the treatments one after another until one of them finishes."""
        asked = self.asked
        terms = Terms.of(self.system, asked, lambda text: None)
        given = RunWays(
            terms.algorithm, terms.controller, asked.estimators, asked.tolerances, asked.start
        )
        failed = []
        for way in treatments(self.system, terms.structure, given, self.ends):
            try:
                course, cost = self._course(way)
            except (DovetailError, ArithmeticError) as error:
                failed.append(f"{way.words}: {error}")
                continue
            if way.longer and len(course.time) > _CUT * self._windows(terms.controller):
                failed.append(f"{way.words}: events cut them to those of the run")
                continue
            spikes = not terms.algorithm.repeats
            early = asked.start + _NEAR * way.early if way.early else -inf
            known = way.words, course, way.share, spikes, cost, way.tighter
            return CompanionOutcome(*known, early=early)
        why = "; ".join(failed) or "no other way to run it is known"
        return CompanionOutcome(failure=f"no second run could be made: {why}")

    def _windows(self, controller: Controller) -> float:
        """How many the run has at least, where they have one size."""
        return self.asked.span / controller.size if isinstance(controller, FixedStep) else inf

    def _course(self, way: Treatment) -> tuple[Trajectory, int]:
        """What it computes, and how many evaluations that takes."""
        asked, (rtol, atol) = self.asked, self.asked.tolerances
        running: list[Session] = []

        def check() -> None:
            budget = self.budget
            if budget is not None and running and running[0].statistics.evaluations > budget.most:
                raise OverBudget

        with Session(
            self.system,
            start=asked.start,
            stop=asked.stop,
            algorithm=way.algorithm,
            controller=way.controller,
            estimators="auto" if way.estimators is None else way.estimators,
            record=asked.record,
            placement=asked.placement,
            compile=asked.compile,
            recorder=BudgetedRecorder(check),
            rtol=rtol,
            atol=atol,
            quiet=True,
            progress=False,
        ) as session:
            running.append(session)
            result = session.run()
            return Trajectory.of(result), result.statistics.evaluations
