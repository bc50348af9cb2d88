"""Every way to couple a problem that its parts allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truth.problem import TruthProblem
from truth.rollbackless import OneWay

import dovetail as dv
from dovetail.check.shortfalls import shortfalls
from dovetail.controllers import bound
from dovetail.rootfinders import Aitken, IqnIls
from dovetail.topology.components import Structure

ALGORITHMS: dict[str, Any] = {
    "Jacobi": dv.Jacobi(),
    "Gauss-Seidel": dv.GaussSeidel(),
    "Jacobi, extrapolated": dv.Jacobi(extrapolation=1),
    "Gauss-Seidel, extrapolated": dv.GaussSeidel(extrapolation=1),
    "iterated, held": dv.GaussSeidel(50),
    "iterated, linear": dv.GaussSeidel(50, inputs="ramp"),
    "iterated, cubic": dv.GaussSeidel(50, inputs="hermite"),
    "Jacobi, iterated, linear": dv.Jacobi(100, inputs="ramp"),
    "interface quasi-Newton": dv.GaussSeidel(inputs="ramp", solver=IqnIls()),
    "Newton, held": dv.Newton(),
    "Newton, linear": dv.Newton(inputs="ramp"),
    "Iterative": dv.Iterative(),
    "Iterative, Aitken": dv.Iterative(Aitken()),
    "Ifosmondi": dv.Ifosmondi(),
    "Missiles": dv.Missiles(),
}
ESTIMATED = {"Costarica": dv.Costarica(), "Identified": dv.Identified()}
TOLERANCES = (1e-2, 1e-3, 1e-4)


def ways(problem: TruthProblem) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """A name, which of the windows or tolerances, and options of `dv.simulate`."""
    for how, k, options in _all(problem):
        if _can(problem.draw(), **options):
            yield how, k, options
    yield "nothing said", 0, {}


def follows(options: dict[str, Any]) -> bool:
    """Whether windows follow something, so that rows are at times of their own."""
    return not isinstance(options.get("controller"), dv.FixedStep)


def _all(problem: TruthProblem) -> Iterator[tuple[str, int, dict[str, Any]]]:
    ramps, cubics = (dv.GaussSeidel(50, inputs=shape) for shape in ("ramp", "hermite"))
    for k, size in enumerate(problem.windows):
        fixed = dv.FixedStep(size)
        for how, algorithm in ALGORITHMS.items():
            yield how, k, {"algorithm": algorithm, "controller": fixed}
        for how, estimator in ESTIMATED.items():
            estimators = _estimated(problem.draw(), estimator)
            if estimators:
                options = {"algorithm": ramps, "controller": fixed, "estimators": estimators}
                yield how, k, options
    first = problem.windows[2] / 100
    for k, rtol in enumerate(TOLERANCES):
        given: Any = {"rtol": rtol, "atol": 1e-9, "first_size": first}
        doubling = dv.StepDoubling(**given, scale="range")
        yield "step doubling, linear", k, {"algorithm": _tight(ramps), "controller": doubling}
        yield "step doubling, cubic", k, {"algorithm": _tight(cubics), "controller": doubling}
        pace = dv.InputDefect(**given, scale="range")
        options = {"algorithm": dv.GaussSeidel(extrapolation=1), "controller": pace}
        yield "defect of inputs", k, options
        estimators = _estimated(problem.draw(), dv.Costarica())
        if estimators:
            options = {"algorithm": cubics, "controller": dv.Defect(**given)}
            yield "defect of estimates", k, {**options, "estimators": estimators}


def _tight(algorithm: dv.GaussSeidel) -> dv.GaussSeidel:
    """Iterated far below the errors that windows follow."""
    return dv.GaussSeidel(50, inputs=algorithm.inputs, rtol=1e-7, atol=1e-9)


def _estimated(system: dv.System, estimator: Any) -> dict[str, Any]:
    """The parts with states, which can be estimated."""
    return {
        name: estimator
        for name, part in system.parts.items()
        if part.description.capabilities.can_linearize or not isinstance(estimator, dv.Costarica)
        if isinstance(part.model, dv.Dynamic | OneWay)
    }


def _can(system: dv.System, algorithm: Any, controller: Any, estimators: Any = None) -> bool:
    structure = Structure.of(system)
    try:
        bound(controller, system, structure, algorithm)
    except dv.OptionError:
        return False
    return not shortfalls(system, algorithm, controller, estimators, structure)
