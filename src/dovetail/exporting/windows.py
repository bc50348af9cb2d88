"""Windows of an export: of one size, or of sizes that a controller chooses by errors."""

from __future__ import annotations

import numpy as np

from ..controllers.adaptive import Adaptive
from ..controllers.as_data import as_data
from ..controllers.base import Controller
from ..controllers.fixed_step import FixedStep
from ..controllers.input_defect import InputDefect
from ..controllers.step_doubling import StepDoubling
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.signals import Vector
from ..drawing.system import System
from ..formats.referred_model import plain_model
from ..models import Nested
from ..run.terms import Terms
from ..subsystems.control import MEMORY, ControlMemory, ControlOptions

ExportedWindows = FixedStep | StepDoubling | InputDefect | Adaptive


def checked_windows(controller: Controller | None) -> ExportedWindows:
    """The controller, if exports have it."""
    if not isinstance(controller, ExportedWindows):
        found = "" if controller is None else f" with {type(controller).__name__}"
        what = f"an export makes no windows{found}; give their size, such as step=0.01"
        raise OptionError(f"{what}, or controller=dv.StepDoubling()")
    if isinstance(controller, FixedStep) and controller.min_size not in (None, controller.size):
        what = "an export cuts windows by itself where an iteration does not converge"
        raise OptionError(f"{what}; leave min_size= out")
    return controller


def against_sized(system: System, window: ExportedWindows) -> list[Obstacle]:
    """What stands against windows of other sizes than one."""
    if isinstance(window, FixedStep):
        return []
    change, found = "give the size of windows, such as step=0.01", list[Obstacle]()
    if any(j.case != "wires" for j in system.junctions):
        what = f"parts meet at junctions, beside windows that {type(window).__name__} chooses"
        found.append(Obstacle(what, change=change))
    for name, part in system.parts.items():
        model = plain_model(part.model)
        if isinstance(model, Nested) and isinstance(model.controller, FixedStep | None):
            what = "holds a system with windows of one size, in windows of other sizes"
            found.append(Obstacle(what, name, f"{change}, or give it a controller as well"))
    return found


def control_options(terms: Terms) -> ControlOptions | None:
    """What a plan says of the controller; nothing if windows are of one size."""
    data = None if isinstance(terms.controller, FixedStep) else as_data(terms.pilot)
    return None if data is None else data.options


def first_memory(terms: Terms) -> Vector:
    """What the controller remembers before the first window."""
    memory, data = ControlMemory.of(0, 0, 0), as_data(terms.pilot)
    if data is None or isinstance(terms.controller, FixedStep):
        return np.zeros(MEMORY)
    data.write(None, memory)
    return memory.numbers


def preferred_step(controller: Controller) -> float | None:
    """The steps that an importer should make; any, where windows follow their error."""
    return controller.size if isinstance(controller, FixedStep) else None


def sentence_of(controller: Controller) -> str:
    """As the description of an export says it, behind 'windows'."""
    if isinstance(controller, FixedStep):
        return f"of {controller.size:g} s"
    return f"that {type(controller).__name__} chooses"
