"""What parts lack for a run: nothing, or every shortfall with its way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from ..algorithms import Algorithm
from ..controllers import Controller, varies
from ..core.errors import Shortfall
from ..drawing.system import System
from ..estimators import Costarica, Estimator, Rollback
from ..estimators.base import predicts, substeps_of
from ..estimators.choice import SUBSTEPS, Needs, cannot_follow, choose_estimators
from ..junctions.service import structure_for
from ..topology.components import Structure
from .junction_check import junction_shortfalls


def shortfalls(
    system: System,
    algorithm: Algorithm,
    controller: Controller,
    estimators: Mapping[str, Estimator] | None = None,
    structure: Structure | None = None,
) -> tuple[Shortfall, ...]:
    """What the parts lack for a run like this; nothing if it can be done."""
    needs = Needs.of(algorithm, controller)
    structure = structure or Structure.of(system)
    chosen = choose_estimators(system, estimators, needs, structure)
    structure = structure_for(system, structure, chosen, solves=needs.solves_junctions)
    names = structure.layout.names
    cyclic = {names[i] for c in structure.components if c.cyclic for i in c.parts}
    found = junction_shortfalls(system, algorithm, needs, chosen)
    uneven = varies(controller)
    for name, part in system.parts.items():
        able, estimator = part.description.capabilities, chosen[name].estimator
        if algorithm.repeats and name in cyclic and not estimator.repeatable:
            found.append(Shortfall(name, "can step over a window only once", _ONCE))
        if isinstance(estimator, Rollback) and not able.can_answer_again:
            lacks = "cannot roll back, as dv.Rollback() wants it to"
            found.append(Shortfall(name, lacks, "give it another estimator, or none"))
        if not able.can_linearize and (isinstance(estimator, Costarica) or predicts(estimator)):
            lacks = f"cannot be linearized, as dv.{type(estimator).__name__}() wants it to"
            found.append(Shortfall(name, lacks, "give it dv.Identified(), or no estimator"))
        if controller.rejects and not able.can_restore:
            lacks = "cannot roll back" + (" farther than one step" if able.can_repeat else "")
            if able.against_rollback:
                lacks += f", though it says so: {able.rollback_flaw}"
            found.append(Shortfall(name, lacks, _BACK))
        if uneven and not able.can_vary_size:
            found.append(Shortfall(name, "takes windows of one size only", _SIZE))
        cannot = cannot_follow(part.description, algorithm.inputs)
        if cannot and substeps_of(estimator) == 1:
            lacks = f"cannot follow inputs that {_MOVING[algorithm.inputs]} over a window"
            found.append(Shortfall(name, lacks, _held(algorithm, estimator)))
    return tuple(found)


_ONCE = "give it an estimator, or use an algorithm that evaluates each window once"
_BACK = "use a controller that never repeats a window, such as dv.FixedStep"
_SIZE = "use dv.FixedStep with the size it wants"
_MOVING = {"hold": "are held", "ramp": "ramp", "hermite": "move on cubics"}


def _held(algorithm: Algorithm, estimator: Estimator) -> str:
    """The way out for a part that holds its inputs."""
    kind = type(estimator).__name__
    substeps = f"step it in substeps with dv.{kind}(substeps={SUBSTEPS})"
    if any(f.name == "inputs" for f in fields(algorithm)):  # type: ignore[arg-type]
        return "use inputs='hold'" + (f", or {substeps}" if algorithm.inputs == "hermite" else "")
    return f"{substeps}, or use an algorithm with inputs='hold'"
