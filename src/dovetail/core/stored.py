"""The classes that checkpoints may hold, and the names they have there.

A fixed list: a checkpoint says `window`, and only this table says which class that is, so that no
file can name anything else, and a class may move or be renamed. A name that was released stays.
A field that joins a class later needs a default, because earlier checkpoints do not have it.
"""

from __future__ import annotations

from dataclasses import Field, fields
from functools import cache
from importlib import import_module
from typing import Any, get_type_hints

STORED = {
    # a whole run
    "checkpoint": "run.checkpoint:Checkpoint",
    "position": "assembly.segment:Position",
    "grid": "core.window:Grid",
    "statistics": "core.statistics:Statistics",
    "effort": "core.statistics:Effort",
    "change": "core.change:Change",
    # values; algorithms, controllers and parts of users may keep them too
    "window": "core.window:Window",
    "signals": "core.signals:Signals",
    "waveform": "core.signals:Waveform",
    "tolerance": "core.signals:Tolerance",
    "reached": "subsystems.subsystem:Reached",
    "linearization": "subsystems.subsystem:Linearization",
    # what algorithms and controllers remember
    "history": "subsystems.extrapolating:History",
    "iteration": "algorithms.iterative:IterationMemory",
    "secants": "rootfinders.iqn_ils:Secants",
    "shrinking": "controllers.shrinking:Shrinking",
    "cut-windows": "controllers.fixed_step:CutWindows",
    "doubling": "controllers.step_doubling:DoublingState",
    "unannounced-jumps": "controllers.unannounced_jumps:UnannouncedJumps",
    "suspicion": "controllers.unannounced_jumps:Suspicion",
    "covered-range": "controllers.covered_range:CoveredRange",
    "constraints": "controllers.constraints:ConstraintsState",
    "error-check": "controllers.error_check:ErrorCheckState",
    "defect": "controllers.defect:DefectState",
    "miss": "controllers.defect:Miss",
    "energy": "controllers.energy:EnergyState",
    "input-defect": "controllers.input_defect:InputDefectState",
    # what junctions remember
    "coordination": "junctions.coordination:Coordination",
    "junction": "junctions.memory:JunctionMemory",
    "inherited-gap": "junctions.merging:InheritedGap",
    # what estimators learn
    "linear-forecast": "estimators.costarica:ForecastMemory",
    "learned-forecast": "estimators.identified:LearnedModel",
    "least-squares": "estimators.least_squares:LeastSquares",
    "assessment": "estimators.forecast:Assessment",
    "motion": "estimators.response:Motion",
    "sample": "estimators.control:Sample",
}
_PACKAGE = __name__.split(".", maxsplit=1)[0]
_NAMES = {place: name for name, place in STORED.items()}


def name_of(cls: type[Any]) -> str | None:
    """The name that a class has in checkpoints; None if it has none."""
    package, _, module = cls.__module__.partition(".")
    return _NAMES.get(f"{module}:{cls.__qualname__}") if package == _PACKAGE else None


def class_of(name: str) -> type[Any]:
    """The class that has this name in checkpoints; ValueError if there is none."""
    if name not in STORED:
        raise ValueError(f"there is no class '{name}'")
    module, _, qualified = STORED[name].partition(":")
    found: type[Any] = getattr(import_module(f"{_PACKAGE}.{module}"), qualified)
    return found


@cache
def fields_of(name: str) -> dict[str, tuple[Field[Any], Any]]:
    """The fields of a stored class by name, each with its type."""
    cls = class_of(name)
    hints = get_type_hints(cls)
    return {f.name: (f, hints[f.name]) for f in fields(cls)}
