"""Everything that can be said of a system before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from ..algorithms import Algorithm, GaussSeidel, Ifosmondi, Iterative, Jacobi, Missiles, Newton
from ..algorithms.base import SupportsOrderOfParts
from ..controllers import (
    Adaptive,
    Controller,
    Defect,
    Energy,
    ErrorCheck,
    FixedStep,
    InputDefect,
    StepDoubling,
    bound,
    varies,
)
from ..controllers.base import SupportsTolerances
from ..core.errors import OptionError, Problem, Shortfall, did_you_mean
from ..core.signals import Shape
from ..drawing.system import System
from ..estimators import Costarica, Estimator, Identified, Rollback
from ..estimators.base import predicts, substeps_of
from ..estimators.choice import SUBSTEPS, Needs, cannot_follow, choose_estimators
from ..junctions import IteratedJunction
from ..junctions.service import choose_services, structure_for
from ..topology.components import Structure
from .examination import JunctionNote, examined
from .junction_check import disagreements, junction_shortfalls, served, wrong_ways
from .native_check import natively
from .remarks import beyond_data, doubts, notes
from .report import AlgorithmChoice, Report

A = TypeVar("A")
_MANY = 50  # sweeps of the default iterated algorithm


def check(
    system: System,
    algorithm: Any = None,
    controller: Any = None,
    *,
    span: tuple[float, float] | None = None,
    live: bool = True,
    choices: bool = True,
) -> Report:
    """Every problem at once, and what this system can be run with.

    `span`: start and stop of the run that is meant, where they are known.
    `live`: parts that meet at junctions are started and asked, where that is possible.
    `choices`: what it can be run with is wanted, which takes longer than all the rest.
    """
    structure = Structure.of(system)
    problems = [*doubts(system, structure), *notes(system)]
    problems += beyond_data(system, *span) if span is not None else []
    problems += [*disagreements(system), *wrong_ways(system)]
    junctions: list[JunctionNote] = []
    way = algorithm
    if way is None and (choices or system.junctions):
        way = default_algorithm(system, structure=structure)[0]
    if system.junctions:
        window = None if controller is None else controller.first_size
        how = served(system, Needs.of(way, controller or FixedStep(1.0)))
        junctions, found = examined(system, how, window, live=live)
        problems += found
    if not system.parts:
        problems.insert(0, Problem(system.name, f"system '{system.name}' has no parts."))
    if algorithm is not None:
        chosen = controller or FixedStep(1.0)
        for s in shortfalls(system, algorithm, chosen, structure=structure):
            what = f"'{s.subsystem}' {s.lacks}; {s.remedy}."
            problems.append(Problem(s.subsystem, what))
    names = structure.layout.names
    cycles = tuple(tuple(names[i] for i in c.parts) for c in structure.components if c.cyclic)
    return Report(
        system.name,
        tuple(problems),
        cycles,
        structure.loops,
        _choices(system, structure) if choices else (),
        tuple(junctions),
        *(natively(system, structure, way, controller) if choices else (None, "")),
    )


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
            found.append(Shortfall(name, lacks, _BACK))
        if uneven and not able.can_vary_size:
            found.append(Shortfall(name, "takes windows of one size only", _SIZE))
        cannot = cannot_follow(part.description, algorithm.inputs)
        if cannot and substeps_of(estimator) == 1:
            lacks = f"cannot follow inputs that {_MOVING[algorithm.inputs]} over a window"
            found.append(Shortfall(name, lacks, _held(algorithm, estimator)))
    return tuple(found)


def default_algorithm(
    system: System,
    estimators: Mapping[str, Estimator] | None = None,
    structure: Structure | None = None,
) -> tuple[Algorithm, str]:
    """The algorithm for a user who names none, and why it is this one."""
    structure = structure or Structure.of(system)
    shape: Shape = "ramp" if _all_follow(system) else "hold"
    if structure.groups:
        solving = Newton(inputs=shape)
        lacking = shortfalls(system, solving, FixedStep(1.0), estimators, structure)
        needs = Needs.of(solving, FixedStep(1.0))
        chosen = choose_estimators(system, estimators, needs, structure)
        services = choose_services(system, chosen, solves=True)
        if not lacking and any(isinstance(s, IteratedJunction) for _, s, _ in services):
            return solving, "all parts that meet at a junction can answer a window repeatedly"
    if not any(c.cyclic for c in structure.components):
        return GaussSeidel(inputs=shape), "no part depends on itself, one pass in order is enough"
    iterated = GaussSeidel(max_iterations=_MANY, inputs=shape)
    lacking = shortfalls(system, iterated, FixedStep(1.0), estimators, structure)
    chosen = choose_estimators(system, estimators, Needs.of(iterated, FixedStep(1.0)), structure)
    guessed = [n for n, c in chosen.items() if isinstance(c.estimator, Identified) and not c.given]
    if guessed:  # a user who knows may ask for it
        return GaussSeidel(), f"'{guessed[0]}' can step over a window only once"
    if not lacking:
        return iterated, "every part of each cycle can answer a window repeatedly"
    return GaussSeidel(), f"'{lacking[0].subsystem}' {lacking[0].lacks}"


def resolved(algorithm: A, controller: object, rtol: float, atol: float) -> A:
    """The algorithm with tolerances filled in: its own, else the controller's, else the run's."""
    known = {f.name for f in fields(algorithm)}  # type: ignore[arg-type]
    if "tolerance" in known:  # one for both, of its own
        return algorithm
    if isinstance(controller, SupportsTolerances):
        rtol, atol = controller.rtol or rtol, controller.atol or atol
    given = {"rtol": rtol, "atol": atol}
    changes = {n: v for n, v in given.items() if n in known and getattr(algorithm, n) is None}
    return replace(algorithm, **changes)  # type: ignore[type-var]


def check_order(system: System, algorithm: Algorithm) -> None:
    """Refuse an order of parts that names parts which are not there."""
    for name in algorithm.order_of_parts if isinstance(algorithm, SupportsOrderOfParts) else ():
        if name not in system.parts:
            hint = did_you_mean(name, system.parts)
            raise OptionError(f"order_of_parts names '{name}', which is no part.{hint}")


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


def _all_follow(system: System) -> bool:
    parts = (p.description for p in system.parts.values())
    return not any(cannot_follow(d, "ramp") for d in parts)


def _choices(system: System, structure: Structure) -> tuple[AlgorithmChoice, ...]:
    algorithms: tuple[Algorithm, ...] = (
        Jacobi(),
        GaussSeidel(),
        Jacobi(max_iterations=_MANY),
        GaussSeidel(max_iterations=_MANY),
        GaussSeidel(max_iterations=_MANY, inputs="ramp"),
        Iterative(),
        Newton(),
        Ifosmondi(),
        Missiles(),
    )
    controllers: tuple[Controller, ...] = (
        FixedStep(1.0),
        ErrorCheck(1.0, doubling=True),
        Adaptive(),
        StepDoubling(),
        Defect(),
        InputDefect(),
        Energy(),
    )
    return tuple(_choice(system, structure, a, c) for c in controllers for a in algorithms)


def _choice(system: System, structure: Structure, a: Algorithm, c: Controller) -> AlgorithmChoice:
    name = "ErrorCheck (doubling)" if isinstance(c, ErrorCheck) else type(c).__name__
    try:
        bound(c, system, structure, a)
    except OptionError as error:
        return AlgorithmChoice(a, name, (), str(error))
    return AlgorithmChoice(a, name, shortfalls(system, a, c, structure=structure))
