"""A run that was left to Dovetail, begun anew where something is found out about a part."""

from __future__ import annotations

from collections.abc import Callable

from ..core.errors import CannotRollBack, PartFailed
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..results.result import Result

_DERIVATIVES = 3  # orders of input derivatives that a part may turn out not to survive


def planned_anew(system: System, settings: RunSettings, run: Callable[[], Result]) -> Result:
    """What `run` gives; once more for each part that is found not to roll back.

    Where an algorithm or a controller was chosen, that is for its user to decide. A part that
    breaks down over an input derivative in its first window is not given it again, in any run.
    """
    wanted = settings.over(system.run_settings)
    for _ in range((1 + _DERIVATIVES) * len(system.parts)):
        try:
            return run()
        except CannotRollBack as error:
            if not error.found or wanted.algorithm is not None or wanted.controller is not None:
                raise
        except PartFailed as error:
            if not error.learned:
                raise
    return run()
