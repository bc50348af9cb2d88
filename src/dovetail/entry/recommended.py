"""What `check` recommends for a run, as options of it."""

from __future__ import annotations

from ..algorithms.base import Algorithm
from ..check.outlook import Outlook
from ..check.planner import Planner
from ..controllers.base import Controller
from ..drawing.run_settings import RunSettings
from ..drawing.system import System


def recommended(system: System, given: RunSettings) -> tuple[Algorithm, Controller | None]:
    """The recommended algorithm, and the recommended windows unless some were given."""
    asked = given.over(system.run_settings)
    if given.controller is not None:
        planned = Planner(system, asked.estimators).plan(None, controller=given.controller)
        return planned.algorithm, given.controller
    found = Outlook(system, asked).recommendation
    return found.algorithm, found.controller
