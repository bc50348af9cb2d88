"""Begin to verify a run: by a companion, or by merged equations."""

from __future__ import annotations

from typing import Any, Literal

from ..check.repeatable import unrepeatable
from ..core.errors import OptionError
from ..drawing.system import System
from ..run.run_request import RunRequest
from .child import CompanionProcess
from .companion import Companion, CompanionOutcome
from .merged_run import MergedRun
from .verification import Verification

Verify = bool | Literal["companion", "merged"]
_WAYS = (True, False, "companion", "merged")


def check_way(verify: Any) -> None:
    """Refuse whatever is no way to verify a run."""
    if verify not in _WAYS:
        what = "verify must be True, False, 'companion' or 'merged'"
        raise OptionError(f"{what}, not {verify!r}")


def begin(system: System, asked: RunRequest, verify: Verify) -> Verification:
    """Start what the run is compared with, before anything of the run lives."""
    nominal = _nominal(system)
    if against := unrepeatable(system):
        failure = f"it cannot be run a second time: {against}"
        return Verification(CompanionOutcome(failure=failure), nominal)
    second = MergedRun(system, asked) if verify == "merged" else Companion(system, asked)
    return Verification(CompanionProcess(second.run), nominal)


def _nominal(system: System) -> dict[str, float]:
    """Nominal values of what can be recorded, where they are known."""
    return {
        f"{name}.{variable.name}": variable.nominal
        for name, part in system.parts.items()
        for variable in (*part.description.inputs, *part.description.outputs)
        if variable.nominal
    }
