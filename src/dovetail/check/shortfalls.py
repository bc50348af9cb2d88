"""What parts lack for a run: nothing, or every shortfall with its way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from ..algorithms import Algorithm
from ..controllers import Controller, varies
from ..core.description import Description
from ..core.errors import Shortfall
from ..drawing.system import System
from ..estimators import Costarica, Estimator, Rollback
from ..estimators.base import predicts, substeps_of
from ..estimators.choice import SUBSTEPS, EstimatorChoice, Needs, cannot_follow, choose_estimators
from ..junctions.service import structure_for
from ..topology.components import Structure
from .junction_check import junction_shortfalls


def shortfalls(
    system: System,
    algorithm: Algorithm,
    controller: Controller,
    estimators: Mapping[str, Estimator] | None = None,
    structure: Structure | None = None,
    chosen: Mapping[str, EstimatorChoice] | None = None,
) -> tuple[Shortfall, ...]:
    """What the parts lack for a run like this; nothing if it can be done.

    `chosen`: what `choose_estimators` says for its needs, where that is known.
    """
    needs = Needs.of(algorithm, controller)
    structure = structure or Structure.of(system)
    chosen = chosen or choose_estimators(system, estimators, needs, structure)
    structure = structure_for(system, structure, chosen, solves=needs.solves_junctions)
    names = structure.layout.names
    cyclic = {names[i] for c in structure.components if c.cyclic for i in c.parts}
    lacking: dict[str, list[Shortfall]] = {}
    for likes in structure.likes:
        known: dict[tuple[int, bool], list[tuple[str, str]]] = {}
        for name in likes.names:
            estimator, repeats = chosen[name].estimator, algorithm.repeats and name in cyclic
            if (key := (id(estimator), repeats)) not in known:
                known[key] = [*_lacks(likes.description, estimator, algorithm, controller, repeats)]
            if known[key]:
                lacking[name] = [Shortfall(name, *lack) for lack in known[key]]
    found = junction_shortfalls(system, algorithm, needs, chosen)
    return (*found, *(one for n in system.parts if n in lacking for one in lacking[n]))


def _lacks(
    description: Description,
    estimator: Estimator,
    algorithm: Algorithm,
    controller: Controller,
    repeats: bool,
) -> Iterator[tuple[str, str]]:
    """What a part lacks, and the way out; `repeats`: it is asked about a window repeatedly."""
    able = description.capabilities
    if repeats and not estimator.repeatable:
        yield "can step over a window only once", _ONCE
    if isinstance(estimator, Rollback) and not able.can_answer_again:
        lacks = "cannot roll back, as dv.Rollback() wants it to"
        yield lacks, "give it another estimator, or none"
    if not able.can_linearize and (isinstance(estimator, Costarica) or predicts(estimator)):
        lacks = f"cannot be linearized, as dv.{type(estimator).__name__}() wants it to"
        yield lacks, "give it dv.Identified(), or no estimator"
    if controller.rejects and not able.can_restore:
        lacks = "cannot roll back" + (" farther than one step" if able.can_repeat else "")
        if able.against_rollback:
            lacks += f", though it says so: {able.rollback_flaw}"
        yield lacks, _BACK
    if varies(controller) and not able.can_vary_size:
        yield "takes windows of one size only", _SIZE
    if cannot_follow(description, algorithm.inputs) and substeps_of(estimator) == 1:
        lacks = f"cannot follow inputs that {_MOVING[algorithm.inputs]} over a window"
        yield lacks, _held(algorithm, estimator)


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
