"""What is found out by starting the parts of a system, at the moment that it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..core.errors import DovetailError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..topology.components import Structure
from .advice import Advice, advise, shown
from .planner import Planner
from .recommendation import Recommendation

_MOST_PARTS = 2000  # an instance of each takes seconds


@dataclass(frozen=True, eq=False)
class Outlook:
    """Advice on a system, and what to run it with, for a run with these settings."""

    system: System
    settings: RunSettings
    structure: Structure | None = None  # that of the system, where it is known

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What is worth knowing of every cycle."""
        return self._found[0]

    @cached_property
    def recommendation(self) -> Recommendation:
        """One way to run it."""
        asked = self.settings
        span = None if asked.stop is None else asked.stop - (asked.start or 0.0)
        planner = Planner(self.system, asked.estimators, self.structure)
        return planner.plan(span, drawn=asked.controller)

    def lines(self) -> list[str]:
        """The advice as lines of text; parts of a very large system are not started for it."""
        if len(self.system.parts) > _MOST_PARTS:
            return [
                f"No advice on cycles: it would start all {len(self.system.parts):,} parts; "
                "report.outlook.advice asks them all the same."
            ]
        advice, why_not = self._found
        return [f"No advice: {why_not}"] if why_not else shown(advice)

    @cached_property
    def _found(self) -> tuple[tuple[Advice, ...], str]:
        pilot = self.settings.controller
        size = None if pilot is None else pilot.first_size
        try:
            return tuple(advise(self.system, size, self.settings.start or 0.0)), ""
        except DovetailError as error:
            return (), str(error)
