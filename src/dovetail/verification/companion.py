"""A companion: the same system, other instances, another treatment of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..controllers.base import Controller
from ..core.errors import DovetailError
from ..core.signals import Vector
from ..drawing.system import System
from ..results.recorders import Memory
from ..results.result import Result
from ..run.run_request import RunRequest
from ..run.session import Session
from ..run.terms import Terms
from .treatment import Treatment, treatments


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

    `coarser`: the same at windows twice as long again, where only windows were varied.
    """

    way: str = ""
    course: Trajectory | None = None
    coarser: Trajectory | None = None
    order: int = 1
    failure: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Companion:
    """A run to be accompanied, as it was asked for."""

    system: System
    asked: RunRequest

    def run(self) -> CompanionOutcome:
        """Try the treatments one after another until one of them finishes."""
        asked = self.asked
        terms = Terms.of(self.system, asked, lambda text: None)
        ways = treatments(
            self.system,
            terms.structure,
            terms.algorithm,
            terms.controller,
            asked.estimators,
            asked.tolerances,
        )
        failed = []
        for way in ways:
            try:
                course = self._course(way, way.controller)
                coarser = None if way.coarser is None else self._course(way, way.coarser)
            except (DovetailError, ArithmeticError) as error:
                failed.append(f"{way.words}: {error}")
                continue
            return CompanionOutcome(way.words, course, coarser, terms.algorithm.order)
        why = "; ".join(failed) or "no other way to run it is known"
        return CompanionOutcome(failure=f"no second run could be made: {why}")

    def _course(self, way: Treatment, controller: Controller) -> Trajectory:
        asked, (rtol, atol) = self.asked, self.asked.tolerances
        with Session(
            self.system,
            start=asked.start,
            stop=asked.stop,
            algorithm=way.algorithm,
            controller=controller,
            estimators="auto" if asked.estimators is None else asked.estimators,
            record=asked.record,
            recorder=Memory(),
            rtol=rtol,
            atol=atol,
            quiet=True,
            progress=False,
        ) as session:
            return Trajectory.of(session.run())
