"""Whether parts on other machines step side by side, with no master in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..core.obstacle import Obstacle
from ..drawing.system import System
from ..estimators.base import substeps_of
from ..estimators.choice import EstimatorChoice
from ..estimators.direct import Direct
from ..junctions.bonds import bonds_of
from ..machines.remote_model import RemoteModel
from ..topology.components import Structure

if TYPE_CHECKING:
    from ..algorithms.base import Schedule


def all_elsewhere(system: System) -> bool:
    """Whether every part is on another machine: only then is it worth asking."""
    models = [p.adapted for p in system.parts.values()]
    return bool(models) and all(isinstance(m, RemoteModel) for m in models)


def lock_step_obstacles(
    system: System,
    structure: Structure,
    schedule: Schedule | Obstacle,
    of_controller: list[Obstacle],
    estimators: Mapping[str, EstimatorChoice],
) -> list[Obstacle]:
    """What stands against it, for parts that are all on other machines; nothing if nothing does."""
    found = [schedule] if isinstance(schedule, Obstacle) else _of_schedule(schedule)
    found += of_controller
    if system.junctions:
        found.append(Obstacle("parts meet at junctions"))
    elif bonds_of(system, structure.layout):
        found.append(Obstacle("power passes between ports, and its balance is kept"))
    if structure.routing.adds_up:
        found.append(Obstacle("an input adds up several sources"))
    for name, part in system.parts.items():
        d = part.description
        able = d.capabilities
        if any(not v.is_real for v in (*d.inputs, *d.outputs)):
            found.append(Obstacle("has discrete inputs or outputs", name))
        if able.can_return_early or able.has_events or able.knows_next_event:
            found.append(Obstacle("has events", name))
        elif able.can_ask_to_end:
            found.append(Obstacle("may ask to end the run", name))
        if isinstance(part.adapted, RemoteModel) and part.adapted.restart:
            what = "may go on elsewhere when its worker is lost"
            found.append(Obstacle(what, name, "leave restart= out"))
        estimator = estimators[name].estimator
        if not isinstance(estimator, Direct):
            what = f"is estimated by {type(estimator).__name__}"
            found.append(Obstacle(what, name, f"estimators={{'{name}': dv.Direct()}}"))
        elif substeps_of(estimator) > 1:
            found.append(Obstacle("is stepped in substeps", name))
    return found


def _of_schedule(schedule: Schedule) -> list[Obstacle]:
    found = []
    if schedule.iteration is not None:
        found.append(Obstacle("windows are iterated, and all must agree on each"))
    if schedule.shape not in ("hold", "ramp"):
        found.append(Obstacle("inputs are cubics"))
    return found
