"""What a process keeps from one run of a study to the next, and never an instance.

An instance is made anew for each run. A library that has global variables, in which something of
a run could outlive it, is loaded anew as well. What was decided of a drawing is kept as long as
runs differ in values only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from weakref import WeakSet

from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..entry.simulate import run_drawn
from ..fmi.foreign_code import ForeignCode
from ..results.result import Result
from ..run.common import Common
from ..run.warm_session import WarmSession
from ..verification.begin import Verify

_KEPT: WeakSet[ForeignCode] = WeakSet()


@dataclass(frozen=True, slots=True, eq=False)
class WarmRuns:
    """One run after the other in this process."""

    common: Common = field(default_factory=Common)

    def run(self, system: System, settings: RunSettings, verify: Verify) -> Result:
        """The whole result of a run, the same as without the others."""
        keep_libraries(system)
        session = partial(WarmSession, self.common)
        return run_drawn(system, settings, verify, session=session, quiet=True)


def keep_libraries(system: System) -> None:
    """Those of its FMUs stay in memory from now on, where that is safe."""
    for part in system.parts.values():
        model = part.adapted
        if isinstance(model, ForeignCode) and model not in _KEPT:
            _KEPT.add(model)
            model.keep_loaded()
