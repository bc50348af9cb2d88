"""What is tried: everything of tests/catalogue.py, so that nothing new can be forgotten."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

import dovetail as dv

from .problems import ROOT, Problem

sys.path.insert(0, str(ROOT / "tests"))

import catalogue


@dataclass(frozen=True)
class Entry:
    """An algorithm with controllers from coarse to fine, and an estimator if not by itself."""

    algorithm: Any
    controllers: tuple[Any, ...]
    estimator: Any = None

    @property
    def title(self) -> str:
        return spelled(self.algorithm) + (f", {spelled(self.estimator)}" if self.estimator else "")


def spelled(thing: Any) -> str:
    """As one would type it: whatever is not as usual."""
    if thing == dv.Costarica.as_published():
        return "Costarica.as_published()"
    if isinstance(thing, tuple):
        return "(" + ", ".join(map(spelled, thing)) + ")"
    if not is_dataclass(thing) or isinstance(thing, type):
        return f'"{thing}"' if isinstance(thing, str) else f"{thing}"
    told: list[str] = []
    for k, f in enumerate(fields(thing)):
        usual = f.default
        if usual is MISSING and f.default_factory is not MISSING:
            usual = f.default_factory()
        value = getattr(thing, f.name)
        if f.init and f.repr and (usual is MISSING or value != usual):
            told.append(("" if k == 0 else f"{f.name}=") + spelled(value))
    return f"{type(thing).__name__}({', '.join(told)})"


# With fixed windows: every algorithm, and the ones the catalogue has no row for.
ALGORITHMS = [
    *catalogue.algorithms,
    dv.GaussSeidel(extrapolation=2),
    dv.GaussSeidel(extrapolation=3),
]

# Rehearsals by estimates instead of going back; `Direct` and `Rollback` are what "auto" takes.
ESTIMATED = [
    (dv.Iterative(), dv.Costarica()),
    (dv.Ifosmondi(), dv.Costarica()),
    (dv.Missiles(), dv.Costarica()),
    (dv.Ifosmondi(), dv.Costarica.as_published()),
    (dv.Iterative(), dv.Identified()),
    (dv.Iterative(), dv.Rollback(predict=True)),
]
EXCUSED = {
    dv.Direct: "what every single pass uses",
    dv.Rollback: "what every iteration uses where parts go back",
    dv.Constraints: "rules are about signals by name, and every system has its own",
}

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5)


def _sizes(problem: Problem, tolerance: float) -> dict[str, float]:
    fine, coarse = problem.sizes[-1], problem.sizes[0]
    windows = {"first_size": fine / 4, "min_size": fine / 16, "max_size": 8 * coarse}
    return {"rtol": tolerance, "atol": tolerance * problem.scale} | windows


# Each from coarse to fine. `Energy` has nothing to look at where nothing is a power.
LADDERS: dict[str, Callable[[Problem], list[Any]]] = {
    "FixedStep": lambda p: [dv.FixedStep(h) for h in p.sizes],
    "StepDoubling": lambda p: [dv.StepDoubling(**_sizes(p, t)) for t in TOLERANCES],
    "StepDoubling, extrapolate": lambda p: [
        dv.StepDoubling(extrapolate=True, **_sizes(p, t)) for t in TOLERANCES
    ],
    "Defect": lambda p: [  # its second window may be a hundred times the first, and stands
        dv.Defect(**_sizes(p, t) | {"first_size": p.sizes[-1] / 100, "min_size": 0.0})
        for t in TOLERANCES
    ],
    "Adaptive": lambda p: [dv.Adaptive(h / 4, max_size=h) for h in p.sizes],
    "ErrorCheck": lambda p: [dv.ErrorCheck(h) for h in p.sizes],
    "ErrorCheck, doubling": lambda p: [dv.ErrorCheck(h, doubling=True) for h in p.sizes],
    "Energy": lambda p: [
        dv.Energy(bonds=p.bonds, **_sizes(p, t)) for t in (3e-1, 1e-1, 3e-2, 1e-2)
    ],
    "InputDefect": lambda p: [dv.InputDefect(**_sizes(p, t)) for t in (1e-1, 3e-2, 1e-2, 3e-3)],
}

# Controllers are tried with one algorithm that passes once and one that iterates.
STEERED = (dv.GaussSeidel(extrapolation=1), dv.Newton(inputs="ramp"))


# Schemes with a solver, beside plain repetition; held inputs never reach the error compared.
SOLVED = [
    a for a in ALGORITHMS if a.order > 1 and isinstance(a, dv.Jacobi | dv.GaussSeidel) and a.solver
]
PLAIN = [dv.Jacobi(100, inputs="ramp"), dv.GaussSeidel(100, inputs="ramp"), dv.Iterative()]


def with_solvers(problem: Problem) -> list[Entry]:
    """Schemes with every root finder, after those without one."""
    fixed = tuple(LADDERS["FixedStep"](problem))
    return [Entry(algorithm, fixed) for algorithm in (*PLAIN, *SOLVED)]


def by_algorithm(problem: Problem) -> list[Entry]:
    """Every algorithm with fixed windows."""
    fixed = tuple(LADDERS["FixedStep"](problem))
    plain = [Entry(algorithm, fixed) for algorithm in ALGORITHMS]
    return plain + [Entry(algorithm, fixed, how) for algorithm, how in ESTIMATED]


def by_controller(problem: Problem) -> dict[str, list[Entry]]:
    """Every controller with two algorithms."""
    return {
        name: [Entry(algorithm, tuple(ladder(problem))) for algorithm in STEERED]
        for name, ladder in LADDERS.items()
        if problem.bonds or name != "Energy"
    }
