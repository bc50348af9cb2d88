"""The algorithm for a user who names none."""

from __future__ import annotations

from collections.abc import Mapping

from ..algorithms import Algorithm, GaussSeidel, Newton
from ..controllers import Controller, FixedStep
from ..core.signals import Shape
from ..drawing.system import System
from ..estimators import Estimator, Identified
from ..estimators.choice import Needs, cannot_follow, choose_estimators
from ..junctions import IteratedJunction
from ..junctions.service import choose_services
from ..topology.components import Structure
from .shortfalls import shortfalls

MANY = 50  # sweeps of the default iterated algorithm


def default_algorithm(
    system: System,
    estimators: Mapping[str, Estimator] | None = None,
    structure: Structure | None = None,
) -> tuple[GaussSeidel | Newton, str]:
    """The algorithm for a user who names none, and why it is this one."""
    structure = structure or Structure.of(system)
    shape: Shape = "ramp" if all_follow(system) else "hold"
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
    iterated = GaussSeidel(max_iterations=MANY, inputs=shape)
    lacking = shortfalls(system, iterated, FixedStep(1.0), estimators, structure)
    if unknown := guessed(system, iterated, FixedStep(1.0), estimators, structure):
        return GaussSeidel(), f"'{unknown[0]}' can step over a window only once"
    if not lacking:
        return iterated, "every part of each cycle can answer a window repeatedly"
    return GaussSeidel(), f"'{lacking[0].subsystem}' {lacking[0].lacks}"


def guessed(
    system: System,
    algorithm: Algorithm,
    controller: Controller,
    estimators: Mapping[str, Estimator] | None,
    structure: Structure,
) -> list[str]:
    """Parts that would be estimated from nothing but what they did; who knows may ask for it."""
    needs = Needs.of(algorithm, controller)
    chosen = choose_estimators(system, estimators, needs, structure)
    return [n for n, c in chosen.items() if isinstance(c.estimator, Identified) and not c.given]


def all_follow(system: System) -> bool:
    """Whether every part can follow inputs that are linear over a window."""
    parts = (p.description for p in system.parts.values())
    return not any(cannot_follow(d, "ramp") for d in parts)
