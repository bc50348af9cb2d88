"""The same system as one set of equations with one integrator: exact up to its tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.errors import DovetailError
from ..drawing.system import System
from ..models import merge
from ..results.recorders import Memory
from ..results.result import Result
from ..run.run_request import RunRequest
from ..run.session import Session
from ..run.terms import Terms
from .companion import CompanionOutcome, Trajectory

WAY = "integrating the equations of all parts as one"
_PART = "merged"


@dataclass(frozen=True, slots=True, eq=False)
class MergedRun:
    """A run whose parts all offer their equations, over the same windows."""

    system: System
    asked: RunRequest

    def run(self) -> CompanionOutcome:
        """Integrate it, or say which part does not offer its equations."""
        try:
            terms = Terms.of(self.system, self.asked, lambda text: None)
            whole = System(self.system.name)
            whole.add(_PART, merge(self.system))
            with Session(
                whole,
                start=self.asked.start,
                stop=self.asked.stop,
                controller=terms.controller,
                recorder=Memory(),
                quiet=True,
                progress=False,
            ) as session:
                return CompanionOutcome(WAY, _unwrapped(session.run()))
        except (DovetailError, ArithmeticError) as error:
            return CompanionOutcome(failure=f"the equations cannot be merged: {error}")


def _unwrapped(result: Result) -> Trajectory:
    """Names as they are without the part that holds everything."""
    found = Trajectory.of(result)
    inner = {name.removeprefix(f"{_PART}."): values for name, values in found.values.items()}
    return Trajectory(found.time, inner)
