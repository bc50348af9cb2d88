"""Dovetail couples independently made simulators into one simulation.

    import dovetail as dv

Names are loaded when they are first used, so that the import itself is quick. The table below
lists them, once; type checkers read them in `__init__.pyi`, which is made from it.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "algorithms": "GaussSeidel Ifosmondi Iterative Jacobi Missiles Newton",
    "assembly.consistent": "Consistent",
    "controllers": "Adaptive Defect Energy ErrorCheck FixedStep InputDefect StepDoubling",
    "core.calendar": "Calendar",
    "core.description": "Port Variable",
    "core.errors": "CannotRollBack CapabilityError DovetailError DrawingError EndlessEvents "
    "FileError InputError Interrupted JunctionFailed ModelError OptionError PartFailed "
    "RecordingFailed RunError StartFailed StepFailed",
    "core.statistics": "Statistics",
    "drawing.system": "System",
    "estimators": "Costarica Direct Identified Rollback",
    "formats": "load open",
    "junctions": "IteratedJunction SlidingMode",
    "models": "Algebraic Clock Discrete Dynamic Merged Nested Source Table merge split",
    "observe.live.plot": "LivePlot",
    "results.comparison": "Comparison compare",
    "results.pictures.overlay": "plot",
    "results.reading": "read",
    "results.recorders": "File Memory Parquet Sampling Thinning",
    "results.result": "Result",
    "results.verdict": "Verdict",
    "run.session": "Session simulate",
    "timescales.analysis": "Analysis analyze",
}
_MODULES = ["extend", "integrators", "rootfinders", "timescales", "units"]
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted((*_HOME_OF, *_MODULES))  # noqa: PLE0605  # the stub has it written out


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    else:
        return _old_name(name)
    globals()[name] = value
    return value


def _old_name(name: str) -> Any:
    """What a name of an earlier version means now; AttributeError for any other name."""
    from .core.errors import did_you_mean
    from .core.renamed import RENAMED, warn_renamed

    if name not in RENAMED:
        raise AttributeError(f"dovetail has no '{name}'.{did_you_mean(name, __all__)}")
    warn_renamed(f"dv.{name}", f"dv.{RENAMED[name]}", stacklevel=3)
    return __getattr__(RENAMED[name])


def __dir__() -> list[str]:
    return list(__all__)
