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
from ..estimators.choice import PIECES, Needs, cannot_follow, choose_estimators
from ..junctions import IteratedJunction
from ..junctions.service import choose_services, structure_for
from ..subsystems.notes import SupportsNotes
from ..topology.components import Structure
from .examination import JunctionNote, examined
from .junction_check import disagreements, junction_shortfalls, served, wrong_ways
from .native_check import natively
from .report import AlgorithmChoice, Report

A = TypeVar("A")
_MANY = 50  # sweeps of the default iterated algorithm


def check(
    system: System,
    algorithm: Any = None,
    controller: Any = None,
    *,
    live: bool = True,
    choices: bool = True,
) -> Report:
    """Every problem at once, and what this system can be run with.

    `live`: parts that meet at junctions are started and asked, where that is possible.
    `choices`: what it can be run with is wanted, which takes longer than all the rest.
    """
    structure = Structure.of(system)
    problems = [*_unconnected(system), *_loop_warnings(structure), *_blind_to_events(system)]
    problems += [*notes(system), *disagreements(system), *wrong_ways(system)]
    junctions: list[JunctionNote] = []
    way = algorithm or default_algorithm(system)[0]
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
        *natively(system, structure, way, controller),
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
    for name, part in system.parts.items():
        able, estimator = part.description.capabilities, chosen[name].estimator
        if algorithm.repeats and name in cyclic and not estimator.repeatable:
            found.append(Shortfall(name, "can step over a window only once", _ONCE))
        if isinstance(estimator, Rollback) and not able.can_answer_again:
            lacks = "cannot go back, as dv.Rollback() wants it to"
            found.append(Shortfall(name, lacks, "give it another estimator, or none"))
        foretold = isinstance(estimator, Costarica) or predicts(estimator)
        if foretold and not able.can_linearize:
            lacks = f"cannot be linearized, as dv.{type(estimator).__name__}() wants it to"
            found.append(Shortfall(name, lacks, "give it dv.Identified(), or no estimator"))
        if controller.rejects and not able.can_restore:
            lacks = "cannot go back" + (" farther than one step" if able.can_repeat else "")
            found.append(Shortfall(name, lacks, _BACK))
        if varies(controller) and not able.can_vary_size:
            found.append(Shortfall(name, "takes windows of one size only", _SIZE))
        follows = substeps_of(estimator) > 1
        if cannot_follow(part.description, algorithm.inputs) and not follows:
            lacks = f"cannot follow inputs that {_MOVING[algorithm.inputs]} over a window"
            found.append(Shortfall(name, lacks, _held(algorithm, estimator)))
    return tuple(found)


def default_algorithm(
    system: System, estimators: Mapping[str, Estimator] | None = None
) -> tuple[Algorithm, str]:
    """The algorithm for a user who names none, and why it is this one."""
    structure = Structure.of(system)
    shape: Shape = "ramp" if _all_follow(system) else "hold"
    if structure.groups:
        solving = Newton(inputs=shape)
        lacking = shortfalls(system, solving, FixedStep(1.0), estimators)
        needs = Needs.of(solving, FixedStep(1.0))
        chosen = choose_estimators(system, estimators, needs, structure)
        services = choose_services(system, chosen, solves=True)
        if not lacking and any(isinstance(s, IteratedJunction) for _, s, _ in services):
            return solving, "all parts that meet at a junction can answer a window repeatedly"
    if not any(c.cyclic for c in structure.components):
        return GaussSeidel(inputs=shape), "no part depends on itself, one pass in order is enough"
    iterated = GaussSeidel(max_iterations=_MANY, inputs=shape)
    lacking = shortfalls(system, iterated, FixedStep(1.0), estimators)
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
    pieces = f"step it in pieces with dv.{kind}(substeps={PIECES})"
    if any(f.name == "inputs" for f in fields(algorithm)):  # type: ignore[arg-type]
        return "use inputs='hold'" + (f", or {pieces}" if algorithm.inputs == "hermite" else "")
    return f"{pieces}, or use an algorithm with inputs='hold'"


def _all_follow(system: System) -> bool:
    parts = (p.description for p in system.parts.values())
    return not any(cannot_follow(d, "ramp") for d in parts)


def _unconnected(system: System) -> list[Problem]:
    problems = []
    for part in system.parts.values():
        for v in part.description.inputs:
            if not system.is_fed(part.name, v.name):
                where = f"{part.name}.{v.name}"
                given = part.values.get(v.name, v.start)
                value = "0" if given is None else repr(given)
                what = f"'{where}' is not connected; it stays at {value}."
                problems.append(Problem(where, what, warning=True))
    return problems


def _loop_warnings(structure: Structure) -> list[Problem]:
    return [
        Problem(
            loop[0],
            f"algebraic loop: {' -> '.join((*loop, loop[0]))}; iterate, or it lags by a window.",
            warning=True,
        )
        for loop in structure.loops
    ]


def notes(system: System) -> list[Problem]:
    """What models have to say about how they will be run."""
    told = [
        Problem(name, f"'{name}' {told}.", warning=True)
        for name, part in system.parts.items()
        if isinstance(part.model, SupportsNotes)
        for told in part.model.notes
    ]
    return told + _moving_parameters(system) + _stepped_unevenly(system)


def _moving_parameters(system: System) -> list[Problem]:
    """Parameters that must be held over a window, fed by what moves all the time."""
    found = []
    for c in system.connections:
        parts = system.parts
        inputs = {v.name: v for v in parts[c.target.part].description.inputs}
        held, source = inputs[c.target.variable.name], parts[c.source.part].description
        stepped = source.kind == "Source" and source.capabilities.knows_next_event
        moves = c.source.variable.is_real and c.source.variable.variability == "continuous"
        if held.is_tunable and moves and not stepped:
            what = (
                f"'{c.target}' is a parameter: over each window it is held, and follows "
                f"'{c.source}' at the ends of windows only, each time as an event of its part."
            )
            found.append(Problem(str(c.target), what, warning=True))
    return found


def _stepped_unevenly(system: System) -> list[Problem]:
    """Parts that take steps of one size only, beside others whose events end windows early."""
    parts = {name: p.description.capabilities for name, p in system.parts.items()}
    ending = [n for n, able in parts.items() if able.can_return_early or able.knows_next_event]
    return [
        Problem(
            name,
            f"'{name}' says that it takes steps of one size only: where an event of '{other}' "
            "ends a window early, it is stepped over what there is of it all the same.",
            warning=True,
        )
        for name, able in parts.items()
        if not able.can_vary_size
        for other in [e for e in ending[:2] if e != name][:1]
    ]


def _blind_to_events(system: System) -> list[Problem]:
    """Parts that cannot go back to an event which another part finds inside a window."""
    parts = {name: p.description.capabilities for name, p in system.parts.items()}
    early = [name for name, able in parts.items() if able.can_return_early]
    return [
        Problem(
            name,
            f"'{name}' cannot go back: if '{next(e for e in early if e != name)}' finds an event "
            f"in a window that '{name}' has stepped over, it feels it late (counted).",
            warning=True,
        )
        for name, able in parts.items()
        if not able.can_answer_again and any(e != name for e in early)
    ]


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
