"""Dovetail couples independently made simulators into one simulation.

    import dovetail as dv

Names are loaded when they are first used, so that the import itself is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "algorithms": ("GaussSeidel", "Ifosmondi", "Iterative", "Jacobi", "Missiles", "Newton"),
    "core.calendar": ("Calendar",),
    "results.comparison": ("Comparison", "compare"),
    "junctions": ("Iterated", "SlidingMode"),
    "controllers": (
        "Adaptive",
        "Checked",
        "Defect",
        "Energy",
        "FixedStep",
        "InputDefect",
        "StepDoubling",
    ),
    "core.description": ("Port", "Variable"),
    "core.errors": (
        "CannotGoBack",
        "CapabilityError",
        "DovetailError",
        "DrawingError",
        "EndlessEvents",
        "FileError",
        "InputError",
        "Interrupted",
        "JunctionFailed",
        "ModelError",
        "OptionError",
        "PartFailed",
        "RecordingFailed",
        "RunError",
        "StartFailed",
        "StepFailed",
    ),
    "estimators": ("Costarica", "Direct", "Identified", "Rollback"),
    "formats": ("load", "open"),
    "assembly.consistent": ("Consistent",),
    "models": (
        "Algebraic",
        "Clock",
        "Discrete",
        "Dynamic",
        "Merged",
        "Nested",
        "Source",
        "Table",
        "merge",
        "split",
    ),
    "results.recorders": ("File", "Memory", "Parquet", "Sampled", "Thinned"),
    "results.reading": ("read",),
    "results.result": ("Result",),
    "run.session": ("Session", "simulate"),
    "core.statistics": ("Statistics",),
    "timescales.analysis": ("Analysis", "analyze"),
    "drawing.system": ("System",),
    "results.verdict": ("Verdict",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("integrators", "rootfinders", "timescales", "units")
_RENAMED = {"structure": "timescales"}  # old names, until 0.3

__all__ = [  # written out: type checkers read it
    "Adaptive",
    "Algebraic",
    "Analysis",
    "Calendar",
    "CannotGoBack",
    "CapabilityError",
    "Checked",
    "Clock",
    "Comparison",
    "Consistent",
    "Costarica",
    "Defect",
    "Direct",
    "Discrete",
    "DovetailError",
    "DrawingError",
    "Dynamic",
    "EndlessEvents",
    "Energy",
    "File",
    "FileError",
    "FixedStep",
    "GaussSeidel",
    "Identified",
    "Ifosmondi",
    "InputDefect",
    "InputError",
    "Interrupted",
    "Iterated",
    "Iterative",
    "Jacobi",
    "JunctionFailed",
    "Memory",
    "Merged",
    "Missiles",
    "ModelError",
    "Nested",
    "Newton",
    "OptionError",
    "Parquet",
    "PartFailed",
    "Port",
    "RecordingFailed",
    "Result",
    "Rollback",
    "RunError",
    "Sampled",
    "Session",
    "SlidingMode",
    "Source",
    "StartFailed",
    "Statistics",
    "StepDoubling",
    "StepFailed",
    "System",
    "Table",
    "Thinned",
    "Variable",
    "Verdict",
    "analyze",
    "compare",
    "integrators",
    "load",
    "merge",
    "open",
    "read",
    "rootfinders",
    "simulate",
    "split",
    "timescales",
    "units",
]

if TYPE_CHECKING:
    from . import integrators, rootfinders, units
    from . import timescales as structure
    from .algorithms import GaussSeidel, Ifosmondi, Iterative, Jacobi, Missiles, Newton
    from .assembly.consistent import Consistent
    from .controllers import (
        Adaptive,
        Checked,
        Defect,
        Energy,
        FixedStep,
        InputDefect,
        StepDoubling,
    )
    from .core.calendar import Calendar
    from .core.description import Port, Variable
    from .core.errors import (
        CannotGoBack,
        CapabilityError,
        DovetailError,
        DrawingError,
        EndlessEvents,
        FileError,
        InputError,
        Interrupted,
        JunctionFailed,
        ModelError,
        OptionError,
        PartFailed,
        RecordingFailed,
        RunError,
        StartFailed,
        StepFailed,
    )
    from .core.statistics import Statistics
    from .drawing.system import System
    from .estimators import Costarica, Direct, Identified, Rollback
    from .formats import load, open
    from .junctions import Iterated, SlidingMode
    from .models import (
        Algebraic,
        Clock,
        Discrete,
        Dynamic,
        Merged,
        Nested,
        Source,
        Table,
        merge,
        split,
    )
    from .results.comparison import Comparison, compare
    from .results.reading import read
    from .results.recorders import File, Memory, Parquet, Sampled, Thinned
    from .results.result import Result
    from .results.verdict import Verdict
    from .run.session import Session, simulate
    from .timescales.analysis import Analysis, analyze


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    elif name in _RENAMED:
        import warnings

        new = _RENAMED[name]
        message = f"dv.{name} is dv.{new} now; the old name goes with version 0.3"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    else:
        from .core.errors import did_you_mean

        hint = did_you_mean(name, __all__)
        raise AttributeError(f"dovetail has no '{name}'.{hint}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
