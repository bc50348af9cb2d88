"""A model that is run alone: a system of one part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..subsystems.subsystem import Model


def system_of(model: Model) -> System:
    """A system of this part only, run as the model says itself.

    System and part are named after the file of an FMU or a table, the name of a model in a
    Python file, or the system inside; a model that was made in place is called `model`.
    """
    title = _title(model)
    system = System(title)
    system.add(title.replace(".", "_").strip() or "model", model)
    system.run_settings = _planned(model)
    return system


def _title(model: Any) -> str:
    from ..fmi.model import Fmu
    from ..models import Merged, Nested, Table
    from .referred_model import ReferredModel

    match model:
        case ReferredModel():
            return model.reference.name
        case Fmu(path=str(path)) | Table(path=str(path)):
            return Path(path).stem
        case Nested() | Merged():
            return model.system.name
    return "model"


def _planned(model: Any) -> RunSettings:
    """The default experiment of an FMU; nothing of other models."""
    from ..controllers import FixedStep
    from ..fmi.model import Fmu

    if not isinstance(model, Fmu):
        return RunSettings()
    planned = model.fmu.experiment
    step = planned.step_size if planned.step_size and planned.step_size > 0 else None
    goes_on = planned.stop is not None and planned.stop > (planned.start or 0.0)
    return RunSettings(
        start=planned.start,
        stop=planned.stop if goes_on else None,  # a stop before the start is ignored
        controller=None if step is None else FixedStep(step),
    )
