"""Which FMUs can be stepped in native code, several in one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...core.obstacle import Obstacle
from ..kernel import kernel

if TYPE_CHECKING:
    from ..model import Fmu


def kernel_obstacle() -> Obstacle | None:
    """Why there is no kernel, if there is none."""
    if kernel() is not None:
        return None
    if os.environ.get("DOVETAIL_KERNEL", "").lower() == "python":
        return Obstacle("is not stepped by the kernel, as DOVETAIL_KERNEL=python says")
    return Obstacle("is not stepped by the kernel, which was not built or cannot be loaded")


def own_obstacles(model: Fmu) -> tuple[Obstacle, ...]:
    """What the FMU itself, or how it was loaded, has against it."""
    kind = model.interface.kind
    if kind != "co-simulation":
        return (Obstacle(f"is an FMU for {kind}"),)
    found = []
    if model.uses_event_mode:
        found.append(Obstacle("has events"))
    elif model.may_stop_early:
        found.append(Obstacle("may end its steps early"))
    if model.interface.can_run_asynchronously:
        found.append(Obstacle("may step asynchronously"))
    if model.reported:
        change = "load it without intermediate="
        found.append(Obstacle("shows values inside its steps", change=change))
    if model.tunes:
        found.append(Obstacle(f"has a parameter that is connected ('{model.tunes[0]}')"))
    inputs = [v for v in model.inputs if v.causality == "input"]
    for v in (*inputs, *model.outputs):
        if v.type != "Float64" or v.clocks:
            what = f"has a variable that is not real ('{v.name}')"
        elif v.negated:
            what = f"has a variable that is a negated alias ('{v.name}')"
        else:
            continue
        inside = v.causality not in ("input", "output")
        found.append(Obstacle(what, change="load it without internals=" if inside else ""))
        break
    return tuple(found)
