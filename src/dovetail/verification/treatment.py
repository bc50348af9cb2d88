"""How a companion runs the same system: another, better treatment of inputs, at other windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..algorithms import GaussSeidel, Newton
from ..algorithms.base import Algorithm
from ..check.checking import resolved
from ..check.shortfalls import shortfalls
from ..controllers.base import Controller
from ..controllers.fixed_step import FixedStep
from ..core.signals import Shape
from ..drawing.system import System
from ..estimators.base import Estimator
from ..topology.components import Structure

_MANY = 50  # sweeps
_SECOND = 2
_FINEST = 64  # a window that does not converge is halved down to this part of it


@dataclass(frozen=True, slots=True)
class Treatment:
    """What a companion runs with, in words and as objects.

    `varied`: inputs are treated otherwise than in the run. Where not, only windows differ, and
    `coarser` is the same again at windows twice as long: the rate of the differences says how
    much of one is error.
    """

    words: str
    algorithm: Algorithm
    controller: Controller
    varied: bool = True
    coarser: Controller | None = None


def treatments(
    system: System,
    structure: Structure,
    algorithm: Algorithm,
    controller: Controller,
    estimators: Mapping[str, Estimator] | None,
    tolerances: tuple[float, float],
) -> list[Treatment]:
    """The ways to run a companion that the parts allow, the best first.

    Iterated ramps where the run holds its inputs, cubics where it extrapolates them or has
    iterated ramps; the same method at longer windows where there is nothing better, or all else
    fails.
    """
    found = []
    for shape in _better(algorithm):
        for candidate in _with_shape(system, algorithm, shape):
            way = resolved(candidate, controller, *tolerances)
            pace, at = longer(controller)
            if not shortfalls(system, way, pace, estimators, structure):
                found.append(Treatment(f"{_WORDS[shape]} inputs, iterated, {at}", way, pace))
                break
    pace, at = longer(controller)
    if pace is not controller:
        again, _ = longer(pace)
        found.append(Treatment(f"the same method {at}", algorithm, pace, False, again))
    return found


def longer(controller: Controller) -> tuple[Controller, str]:
    """Windows twice as long; those that are chosen by tolerances stay as they are."""
    if isinstance(controller, FixedStep):
        size = 2 * controller.size
        return FixedStep(size, size / _FINEST), "at windows twice as long"
    return controller, "at windows of its own"


_WORDS: dict[Shape, str] = {"hold": "held", "ramp": "linear", "hermite": "cubic"}


def _better(algorithm: Algorithm) -> tuple[Shape, ...]:
    """Shapes that are better than those of the run, the best first.

    Cubics at doubled windows are hardly better than held inputs where windows are far too long,
    so they are for runs of second order; linear inputs are second order too, and left over.
    """
    if algorithm.inputs == "hermite":
        return ()
    if algorithm.order >= _SECOND:
        return ("hermite",) if algorithm.repeats else ("hermite", "ramp")
    return ("ramp",)


def _with_shape(system: System, algorithm: Algorithm, shape: Shape) -> list[Algorithm]:
    """Algorithms that treat inputs like this; the run's own first, where it solves junctions."""
    found: list[Algorithm] = []
    known: Any = {f.name for f in fields(algorithm)}  # type: ignore[arg-type]
    if algorithm.repeats and "inputs" in known:
        found.append(replace(algorithm, inputs=shape))  # type: ignore[type-var]
    if system.junctions:
        found.append(Newton(inputs=shape))
    else:
        found.append(GaussSeidel(_MANY, inputs=shape))
        found.append(Newton(inputs=shape))
    return found
