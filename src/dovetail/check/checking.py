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
)
from ..controllers.base import SupportsTolerances
from ..core.errors import OptionError, Problem, did_you_mean
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..estimators.choice import EstimatorChoice, Needs, choose_estimators
from ..topology.components import Structure
from .default_algorithm import MANY
from .examination import JunctionNote, examined
from .junction_check import disagreements, served, wrong_ways
from .native_check import natively
from .outlook import Outlook
from .planner import Planner
from .remarks import beyond_data, doubts, notes
from .report import AlgorithmChoice, Report
from .shortfalls import shortfalls
from .value_check import value_problems

A = TypeVar("A")


def check(
    system: System,
    algorithm: Any = None,
    controller: Any = None,
    *,
    span: tuple[float, float] | None = None,
    live: bool = True,
    choices: bool = True,
    structure: Structure | None = None,
) -> Report:
    """Every problem at once, and what this system can be run with.

    `span`: start and stop of the run that is meant, where they are known.
    `live`: parts that meet at junctions are started and asked, where that is possible.
    `choices`: what it can and what it should be run with is wanted, which takes longer than all
    the rest. `structure`: that of this drawing, where it is known.
    """
    structure = structure or Structure.of(system)
    problems = [*value_problems(system), *doubts(system, structure), *notes(system)]
    problems += beyond_data(system, *span) if span is not None else []
    problems += [*disagreements(system), *wrong_ways(system)]
    junctions: list[JunctionNote] = []
    way, pace = algorithm, controller
    if choices or system.junctions:
        planned = Planner(system, structure=structure).plan(None, algorithm, controller)
        way, pace = planned.algorithm, planned.controller
    if system.junctions:
        window = None if controller is None else controller.first_size
        how = served(system, Needs.of(way, pace or FixedStep(1.0)))
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
        *(natively(system, structure, way, pace) if choices else (None, "")),
        _outlook(system, controller, structure) if choices else None,
    )


def _outlook(system: System, controller: Any, structure: Structure) -> Outlook:
    """Of the drawing as it is now, whatever becomes of it."""
    settings = RunSettings(controller=controller).over(system.run_settings)
    return Outlook(system.copy(), settings, structure)


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


def _choices(system: System, structure: Structure) -> tuple[AlgorithmChoice, ...]:
    algorithms: tuple[Algorithm, ...] = (
        Jacobi(),
        GaussSeidel(),
        Jacobi(max_iterations=MANY),
        GaussSeidel(max_iterations=MANY),
        GaussSeidel(max_iterations=MANY, inputs="ramp"),
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
    known: dict[Needs, Mapping[str, EstimatorChoice]] = {}
    return tuple(_choice(system, structure, a, c, known) for c in controllers for a in algorithms)


def _choice(
    system: System,
    structure: Structure,
    a: Algorithm,
    c: Controller,
    known: dict[Needs, Mapping[str, EstimatorChoice]],
) -> AlgorithmChoice:
    """Whether it can be run like this; `known` are the estimators that its needs ask for."""
    name = "ErrorCheck (doubling)" if isinstance(c, ErrorCheck) else type(c).__name__
    try:
        bound(c, system, structure, a)
    except OptionError as error:
        return AlgorithmChoice(a, name, (), str(error))
    needs = Needs.of(a, c)
    if needs not in known:
        known[needs] = choose_estimators(system, None, needs, structure)
    lacking = shortfalls(system, a, c, structure=structure, chosen=known[needs])
    return AlgorithmChoice(a, name, lacking)
