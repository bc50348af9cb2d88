"""Begin to verify a run: by a companion, by merged equations, or by errors carried along."""

from __future__ import annotations

from typing import Any, Literal

from ..check.loosest import loosest
from ..check.repeatable import unrepeatable
from ..controllers.fixed_step import FixedStep
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..run.run_request import RunRequest
from .budget import Budget
from .carried_errors import CarriedErrors, cannot_carry
from .child import CompanionProcess
from .companion import Companion, CompanionOutcome
from .estimate import ACCEPTED, AIMED
from .merged_run import MergedRun
from .verification import Verification
from .window_ends import WindowEnds

Verify = bool | Literal["companion", "merged", "carried"]
_WAYS = (True, False, "companion", "merged", "carried")


def check_way(verify: Any) -> None:
    """Refuse whatever is no way to verify a run."""
    if verify not in _WAYS:
        what = "verify must be True, False, 'companion', 'merged' or 'carried'"
        raise OptionError(f"{what}, not {verify!r}")


def usually(system: System, asked: RunSettings) -> bool:
    """Whether a run is verified if nothing is said about that.

    Where the user chose no way to couple parts, at most a size of windows, and there is coupling.
    """
    exchanged = system.connections or system.junctions
    free = asked.controller is None or type(asked.controller) is FixedStep
    return bool(exchanged) and asked.algorithm is None and free


def begin(
    system: System, asked: RunRequest, verify: Verify, ends: WindowEnds | None
) -> Verification:
    """Start what the run is compared with, before anything of the run lives.

    `ends` of its windows, as they are told while it goes on, or as they were; None where they are
    not known.
    """
    nominal, against = _nominal(system), unrepeatable(system)
    nothing_said = asked.algorithm is None and asked.controller is None
    limit = AIMED if nothing_said else ACCEPTED
    if verify == "carried" or (against and verify is True and not cannot_carry(system)):
        return Verification(CarriedErrors(system), nominal, ends=ends, limit=limit)
    if against:
        failure = f"it cannot be run a second time: {against}"
        return Verification(CompanionOutcome(failure=failure), nominal, ends=ends)
    budget = None if verify in ("companion", "merged") else Budget()
    second = Companion(system, asked, budget, ends)
    run = MergedRun(system, asked).run if verify == "merged" else second.run
    return Verification(CompanionProcess(run), nominal, budget, loosest(system), ends, limit)


def _nominal(system: System) -> dict[str, float]:
    """Nominal values of what can be recorded, where they are known."""
    return {
        f"{name}.{variable.name}": variable.nominal
        for name, part in system.parts.items()
        for variable in (*part.description.inputs, *part.description.outputs)
        if variable.nominal
    }
