"""A single Python model as an FMU that runs it beside its importer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...controllers.fixed_step import FixedStep
from ...drawing.run_settings import RunSettings
from ...drawing.system import System
from ...fmi.model import Fmu
from ...formats.referred_model import plain_model
from ..exported_class import ExportedClass
from ..platforms import ExportPlatforms
from .writing import BesideOptions, write_beside

_STEP, _SPAN = 0.01, 1.0  # where nothing is said


def is_single(model: Any) -> bool:
    """Whether it is one model, and no system or file."""
    return not isinstance(model, System | Fmu | str | Path)


def write_single(
    drawn: System,
    path: Path,
    asked: RunSettings,
    fmi: int,
    python: str | None,
    platforms: ExportPlatforms,
) -> Path:
    """Write the one part of a drawing; its values are those of the FMU."""
    asked = asked.over(drawn.run_settings)
    (part,) = drawn.parts.values()
    model: Any = plain_model(part.model)
    start = 0.0 if asked.start is None else asked.start
    stop = start + _SPAN if asked.stop is None else asked.stop
    window = asked.controller
    size = window.size if isinstance(window, FixedStep) else _STEP
    is_class = isinstance(model, ExportedClass)
    name = model.name if is_class else part.name
    prefix = "" if is_class else f"{name}."
    options = BesideOptions(fmi, prefix, python, start, stop, size)
    write_beside(model, path, name, options, platforms)
    return path
