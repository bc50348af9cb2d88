"""The same system as one set of equations with one integrator: exact up to its tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from ..controllers.base import Controller
from ..core.errors import DovetailError
from ..drawing.system import System
from ..models import merge
from ..results.result import Result
from ..run.session import Session
from .companion import CompanionOutcome, Course

WAY = "the equations of all parts merged and integrated as one"
_PART = "merged"


@dataclass(frozen=True, slots=True, eq=False)
class MergedRun:
    """A run whose parts all offer their equations, over the same windows."""

    system: System
    start: float
    stop: float
    controller: Controller

    def run(self) -> CompanionOutcome:
        """Integrate it, or say which part does not offer its equations."""
        try:
            whole = System(self.system.name)
            whole.add(_PART, merge(self.system))
            with Session(
                whole,
                start=self.start,
                stop=self.stop,
                controller=self.controller,
                quiet=True,
                progress=False,
            ) as session:
                return CompanionOutcome(WAY, _unwrapped(session.run()))
        except (DovetailError, ArithmeticError) as error:
            return CompanionOutcome(failure=f"the equations cannot be merged: {error}")


def _unwrapped(result: Result) -> Course:
    """Names as they are without the part that holds everything."""
    found = Course.of(result)
    inner = {name.removeprefix(f"{_PART}."): values for name, values in found.values.items()}
    return Course(found.time, inner)
