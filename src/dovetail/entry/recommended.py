"""What `check` recommends for a run, as options of it."""

from __future__ import annotations

from ..algorithms.base import Algorithm
from ..check.outlook import Outlook
from ..controllers.base import Controller
from ..drawing.run_settings import RunSettings
from ..drawing.system import System


def recommended(system: System, given: RunSettings) -> tuple[Algorithm, Controller | None]:
    """The recommended algorithm, and the recommended windows unless some were given."""
    found = Outlook(system, given.over(system.run_settings)).recommendation
    return found.algorithm, found.controller if given.controller is None else given.controller
