"""Dovetail couples independently made simulators into one simulation.

    import dovetail as dv

    result = dv.simulate("car.ssp")  # a system from a file, or a single .fmu
    result.plot("body.*", path="car.png")

What you need first, in this order:

    dv.load       a model from a file: an FMU, a table, a name in a Python file
    dv.Dynamic    a model of your own: x' = f(t, x, u, p); also Algebraic, Discrete, Source
    dv.System     a drawing: add, connect, set, check, save
    dv.open       a drawing from a file, with its run settings
    dv.simulate   run a drawing, a model or a file: help(dv.simulate) lists the options
    dv.Result     what comes out: result["part.name"], plot, save, to_pandas, verdict
    dv.read       a result from a file
    dv.compare    two results
    dv.Session    a run, one window at a time
    dv.Fmu        an FMU, with all that dv.load takes as options

Ten lines that run:

    mass = dv.Dynamic(states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"],
                      derivatives=lambda t, x, u, p: [x.v, u.force / 2.0])
    spring = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
    system = dv.System("oscillator")
    system.add("mass", mass)
    system.add("spring", spring)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    result = dv.simulate(system, stop=10.0)
    print(result)

Names are loaded when they are first used, so that the import itself is quick.
"""
# The table below lists them, once; type checkers read them in `__init__.pyi`, made from it.

from __future__ import annotations

import builtins
import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "algorithms": "GaussSeidel Ifosmondi Iterative Jacobi Missiles Newton",
    "assembly.consistent": "Consistent",
    "controllers": "Adaptive Constraints Defect Energy ErrorCheck FixedStep "
    "InputDefect StepDoubling",
    "core.calendar": "Calendar",
    "core.description": "Port Variable",
    "core.errors": "CannotRollBack CapabilityError DovetailError DrawingError EndlessEvents "
    "FileError InputError Interrupted JunctionFailed ModelError OptionError PartFailed "
    "RecordingFailed RunError StartFailed StepFailed",
    "core.statistics": "Statistics",
    "drawing.system": "System",
    "entry.simulate": "simulate",
    "entry.verify": "verify",
    "exporting": "ExportedClass ExportRefused export export_class field",
    "estimators": "Costarica Direct Identified Rollback",
    "fmi.model": "Fmu",
    "formats": "load open",
    "hosts": "HostFailed Isolated LocalHost",
    "machines": "Cluster RemoteHost parts",
    "junctions": "IteratedJunction PartCoordinator SlidingMode",
    "models": "Algebraic Clock Coordinator Discrete Dynamic Merged Nested Source Table merge split",
    "observe.live.plot": "LivePlot",
    "results.comparison": "Comparison compare",
    "results.pictures.overlay": "plot",
    "results.reading": "read",
    "results.recorders": "File Memory Parquet Sampling Thinning",
    "results.result": "Result",
    "results.verdict": "Verdict",
    "run.session": "Session",
    "studies.benchmark": "benchmark",
    "studies.calibrate": "calibrate",
    "studies.sensitivity": "sensitivity",
    "studies.sweep": "sweep",
    "timescales.analysis": "Analysis analyze",
}
_MODULES = ["extend", "integrators", "rootfinders", "studies", "timescales", "units"]
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

_NAMES = sorted((*_HOME_OF, *_MODULES))

# what `from dovetail import *` brings: all but what would replace a builtin, such as `open`
__all__ = [name for name in _NAMES if not hasattr(builtins, name)]  # see the stub


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
        spelt = {known.lower(): known for known in _NAMES}.get(name.lower())
        hint = f" Did you mean '{spelt}'?" if spelt else did_you_mean(name, _NAMES)
        hint += ' dv.load("x.fmu") makes one.' if spelt == "Fmu" else ""
        raise AttributeError(f"dovetail has no '{name}'.{hint}")
    warn_renamed(f"dv.{name}", f"dv.{RENAMED[name]}", stacklevel=3)
    return __getattr__(RENAMED[name])


def __dir__() -> list[str]:
    return list(_NAMES)
