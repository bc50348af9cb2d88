"""Which FMUs can be stepped in native code, several in one call."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from ...core.obstacle import Obstacle
from ...integrators import Auto, Cvode, FixedSize, Rk45, is_installed
from ...integrators.sundials import sundials
from ..kernel import kernel

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu


def kernel_obstacle() -> Obstacle | None:
    """Why there is no kernel, if there is none."""
    if kernel() is not None:
        return None
    if os.environ.get("DOVETAIL_KERNEL", "").lower() == "python":
        return Obstacle("is not stepped by the kernel, as DOVETAIL_KERNEL=python says")
    return Obstacle("is not stepped by the kernel, which was not built or cannot be loaded")


def _of_equations(model: Fmu) -> list[Obstacle]:
    """What stands against solving the equations of an FMU in native windows."""
    integrator, interface = model.integrator, model.interface
    if any(v.type == "Clock" for v in model.fmu.variables):
        return [Obstacle("has clocks")]
    found, is_told = [], interface.needs_completed_integrator_step
    if not isinstance(integrator, Cvode | FixedSize | Rk45 | Auto):
        name, change = type(integrator).__name__, ""
        if is_installed() and model.solver is not None:
            change = "load it without solver=, for CVODE"
        found.append(Obstacle(f"is solved by {name}, from Python", change=change))
    elif isinstance(integrator, Cvode) and sundials() is None:
        found.append(Obstacle("is solved by a version of SUNDIALS that native code does not know"))
    elif not isinstance(integrator, Cvode) and is_told and not _saves(model):
        found.append(Obstacle("is told of each step of its solver, and cannot take it back"))
    if not model.fmu.structure.state_count:
        found.append(Obstacle("has no continuous states"))
    if any(v.variability != "continuous" and v.causality == "input" for v in model.inputs):
        found.append(Obstacle("has an input that changes at events only"))
    return found


def _saves(model: Fmu) -> bool:
    """Whether its state can be saved, for all that is known."""
    flaw = model.description.capabilities.against_rollback
    return model.interface.can_get_and_set_state and not flaw


def _of_events(model: Fmu) -> list[Obstacle]:
    """What stands against leaving windows at the events of an FMU, and those that it ends early."""
    what = "has events" if model.uses_event_mode else "may end its steps early"
    if not model.fmu.version.startswith("3"):
        return [Obstacle(what)]
    if any(v.type == "Clock" for v in model.fmu.variables):
        return [Obstacle("has clocks")]
    return [] if _saves(model) else [Obstacle(f"{what}, and cannot save its state")]


def _is_held(model: Fmu, v: FmuVariable) -> bool:
    """Whether an output is no real, and changes at events only."""
    if model.is_exchange:
        return not v.is_float
    return model.uses_event_mode and not v.is_float and v.type not in ("String", "Binary")


def own_obstacles(model: Fmu, carried: Collection[str] = ()) -> tuple[Obstacle, ...]:
    """What the FMU itself, or how it was loaded, has against it.

    `carried`: types whose values are brought from part to part by whoever makes the windows.
    """
    kind = model.interface.kind
    found = []
    if kind == "model exchange":
        found += _of_equations(model)
    elif kind != "co-simulation":
        return (Obstacle(f"is an FMU for {kind}"),)
    elif model.may_stop_early:
        found += _of_events(model)
    if model.interface.can_run_asynchronously:
        found.append(Obstacle("may step asynchronously"))
    if model.reported:
        change = "load it without intermediate="
        found.append(Obstacle("shows values inside its steps", change=change))
    held = {v.name for v in model.outputs if _is_held(model, v)}
    for v in (*model.inputs, *model.outputs):
        if v.name in held and not v.clocks:
            continue  # it changes at events only, which are for Python
        if v.type in carried and not v.clocks and not v.negated:
            continue
        if v.type != "Float64" or v.clocks:
            what = f"has a variable that is not real ('{v.name}')"
        elif v.negated:
            what = f"has a variable that is a negated alias ('{v.name}')"
        else:
            continue
        inside = v.causality not in ("input", "output") and v.name not in model.tunes
        found.append(Obstacle(what, change="load it without internals=" if inside else ""))
        break
    return tuple(found)


def cubic_obstacles(model: Fmu, substeps: int) -> tuple[Obstacle, ...]:
    """What stands against native cubics, with derivatives of outputs as `Live` finds them."""
    able, described = model.description.capabilities, model.description
    if model.is_exchange:
        return (Obstacle("is solved natively, but not with cubics"),)
    if model.tunes:
        what = f"has a parameter that is connected ('{model.tunes[0]}'), which takes no cubics"
        return (Obstacle(what),)
    if model.may_stop_early:
        return (Obstacle("has events, which native windows do not leave with cubics"),)
    if model.fmu.version.startswith("1"):
        return (Obstacle("is of FMI 1, which takes no cubics natively"),)
    if not able.can_tell_derivatives:
        what = "has derivatives of its outputs from its linearization"
        return (Obstacle(what),) if able.can_linearize else ()
    if any(model.size_of(v) > 1 for v in model.outputs):
        return (Obstacle("gives derivatives of arrays"),)
    real = {v.name for v in described.inputs if v.is_real}
    blind = substeps > 1 or not able.knows_input_slopes
    if blind and any(v.is_real and described.depends(v.name) & real for v in described.outputs):
        return (Obstacle("gives derivatives that do not count in how its inputs move"),)
    return ()
