"""How a companion runs the same system: another, better treatment of inputs, at other windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from math import sqrt
from typing import Any

from ..algorithms import GaussSeidel, Newton
from ..algorithms.base import Algorithm
from ..check.checking import resolved
from ..check.default_algorithm import guessed
from ..check.shortfalls import shortfalls
from ..controllers.base import Controller
from ..controllers.binding import bound
from ..controllers.fixed_step import FixedStep
from ..controllers.step_doubling import StepDoubling
from ..core.errors import OptionError
from ..core.signals import Shape
from ..drawing.system import System
from ..estimators.base import Estimator
from ..rootfinders import IqnIls
from ..topology.components import Structure
from .following import Following, Steps
from .short_start import ShortStart
from .window_ends import WindowEnds

_MANY = 50  # sweeps
_THIRDS = 2 / 3
_CLOSER = 0.01  # of the tolerance that windows follow: that of the iteration
_SECOND = 2
_TWICE, _LONGER, _SHORTER = 2.0, 1.5, 0.75
_TIGHTER, _QUARTER_SHARE = 0.25, 0.61  # between 1 - 0.25 and 1 - sqrt(0.25)
_FINEST = 64  # a window that does not converge is halved down to this part of it


@dataclass(frozen=True, slots=True)
class Treatment:
    """What a companion runs with, in words and as objects.

    `share`: how much of the error the difference is. 1 where inputs are treated in a better way.
    Where only windows differ, it is between what a first-order error and one of the method's
    order change by: the middle of the two, since nobody knows whether windows are short enough.
    `longer`: nothing but longer windows make the difference, so that they must not be cut.
    `tighter`: nothing but tolerances make it, so that there must be more windows than in the run.
    `early`: for so long from the start its windows are so short that the difference is the error.
    `estimators` are those of the run only where the parts must be estimated.
    """

    words: str
    algorithm: Algorithm
    controller: Controller
    share: float = 1.0
    longer: bool = False
    estimators: Mapping[str, Estimator] | None = None
    tighter: bool = False
    early: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class RunWays:
    """What the run itself is made with."""

    algorithm: Algorithm
    controller: Controller
    estimators: Mapping[str, Estimator] | None
    tolerances: tuple[float, float]
    start: float = 0.0


def treatments(
    system: System, structure: Structure, given: RunWays, ends: WindowEnds | None = None
) -> list[Treatment]:
    """The ways to run a companion that the parts allow, the best first.

    Iterated ramps where the run holds its inputs, cubics where it extrapolates them or has
    iterated ramps; the same method at other windows where there is nothing better, or all else
    fails. `ends`: those of windows that do not have one size.
    """
    paced = _paced(given, ends)
    found = list[Treatment]()
    for shape in _better(given.algorithm, structure):
        candidates = [_closer(c, given) for c in _with_shape(system, given.algorithm, shape)]
        found += _first(system, structure, candidates, shape, given, paced)
    return [*found, *_the_same(system, structure, given, ends)]


def _paced(given: RunWays, ends: WindowEnds | None) -> list[tuple[Controller, str]]:
    """Windows for a better treatment of inputs."""
    if ends is not None and not isinstance(given.controller, FixedStep):
        steps: Steps = 2 if given.algorithm.repeats else 1
        at = "at the windows of the run" if steps == 2 else "at each two windows of the run as one"
        return [(Following(ends, given.start, steps), at)]
    times = _TWICE if given.estimators is None else 1.0  # estimates leave room for more
    paces: list[tuple[Controller, str]] = [(given.controller, "at windows of its own")]
    if isinstance(given.controller, FixedStep):
        windows, at = longer(given.controller, times)
        paces = [(windows, at)]
        if times > 1 and not given.algorithm.repeats:
            paces.insert(0, (ShortStart.halved(windows), at))
    tolerances = _tolerances(given.controller)
    if tolerances is not None and not isinstance(given.controller, StepDoubling):
        paces.append((StepDoubling(*tolerances, scale="range"), "at windows of its own"))
    return paces


def _first(
    system: System,
    structure: Structure,
    candidates: list[Algorithm],
    shape: Shape,
    given: RunWays,
    paces: list[tuple[Controller, str]],
) -> list[Treatment]:
    """The first of the algorithms that the parts can be run with: genuine steps before estimates.

    Where windows follow something that another algorithm has not, they follow their error.
    """
    estimated = [None] if given.estimators is None else [None, given.estimators]
    for pace, at in paces:
        for candidate, estimators in product(candidates, estimated):
            way = resolved(candidate, pace, *given.tolerances)
            try:
                bound(pace, system, structure, way)
            except OptionError:
                continue
            if shortfalls(system, way, pace, estimators, structure):
                continue
            if not guessed(system, way, pace, estimators, structure):
                words = f"{_WORDS[shape]} inputs, iterated, {at}"
                return [Treatment(words, way, pace, estimators=estimators)]
    return []


def _closer(candidate: Algorithm, given: RunWays) -> Algorithm:
    """Iterated far below the tolerance that windows follow."""
    if (tolerances := _tolerances(given.controller)) is None:
        return candidate
    rtol, atol = _CLOSER * tolerances[0], tolerances[1]
    own = getattr(given.algorithm, "rtol", None), getattr(given.algorithm, "atol", None)
    tight: Any = {"rtol": min(rtol, own[0] or rtol), "atol": min(atol, own[1] or atol)}
    return replace(candidate, **tight)  # type: ignore[type-var]


def _the_same(
    system: System, structure: Structure, given: RunWays, ends: WindowEnds | None
) -> list[Treatment]:
    """The same method at other windows, or at tighter tolerances."""
    algorithm, controller, kept = given.algorithm, given.controller, given.estimators
    found = []
    if isinstance(controller, FixedStep):
        for times in (_SHORTER, _LONGER):
            windows, at = longer(controller, times)
            share = sqrt((1 - times) * (1 - times**algorithm.order))
            words = f"the same method {at}"
            same = Treatment(words, algorithm, windows, share, times > 1, kept)
            start = ShortStart.quartered(windows, controller.size)
            if times < 1 and not shortfalls(system, algorithm, start, kept, structure):
                same = replace(same, controller=start, early=controller.size)
            found.append(same)
        return found
    way = resolved(_tightened(algorithm), controller, *given.tolerances)
    if ends is not None:
        share = sqrt((1 - _THIRDS) * (1 - _THIRDS**algorithm.order))
        words = "the same method at windows two thirds as long"
        thirds = Following(ends, given.start, 3)
        found.append(Treatment(words, way, thirds, share, estimators=kept))
    if _tolerances(controller) is not None:
        words, pace = "the same method at a quarter of the tolerances", _tightened(controller)
        share = _QUARTER_SHARE
        found.append(Treatment(words, way, pace, share, estimators=kept, tighter=True))
    return found


def _tolerances(controller: Controller) -> tuple[float, float] | None:
    """Those that windows follow, where they follow any."""
    known = {f.name: getattr(controller, f.name) for f in fields(controller)}  # type: ignore[arg-type]
    return (known["rtol"], known["atol"]) if {"rtol", "atol"} <= known.keys() else None


def _tightened(thing: Any) -> Any:
    """An iteration, or windows, whose own tolerances are a quarter."""
    known: Any = {f.name for f in fields(thing)}
    if "rtol" not in known or (rtol := getattr(thing, "rtol")) is None:  # noqa: B009
        return thing
    return replace(thing, rtol=_TIGHTER * rtol)


def longer(controller: FixedStep, times: float) -> tuple[FixedStep, str]:
    """Windows so many times as long."""
    size = times * controller.size
    how = f"at windows {times:g} times as long"
    known = {_TWICE: "at windows twice as long", 1.0: "at the windows of the run"}
    return FixedStep(size, size / _FINEST), known.get(times, how)


_WORDS: dict[Shape, str] = {"hold": "held", "ramp": "linear", "hermite": "cubic"}


def _better(algorithm: Algorithm, structure: Structure) -> tuple[Shape, ...]:
    """Shapes that are better than those of the run, the best first.

    Cubics at doubled windows are hardly better than held inputs where windows are far too long,
    so they are for runs of second order; linear inputs are second order too, and left over. Where
    ports meet there are none: their unknowns have no derivative, and cubics do not solve for them.
    """
    if algorithm.inputs == "hermite":
        return ()
    if algorithm.order < _SECOND:
        return ("ramp",)
    found: tuple[Shape, ...] = ("hermite",) if algorithm.repeats else ("hermite", "ramp")
    return tuple(shape for shape in found if shape != "hermite" or not structure.groups)


def _with_shape(system: System, algorithm: Algorithm, shape: Shape) -> list[Algorithm]:
    """Algorithms that treat inputs like this, that with the fewest sweeps first.

    Where there are junctions, the run's own comes first, since it is known to solve them.
    """
    found: list[Algorithm] = [GaussSeidel(_MANY, inputs=shape, solver=IqnIls())]
    known: Any = {f.name for f in fields(algorithm)}  # type: ignore[arg-type]
    if algorithm.repeats and "inputs" in known:
        own = replace(algorithm, inputs=shape)  # type: ignore[type-var]
        found = [own] if system.junctions else [*found, own]
    return [*(found if not system.junctions or algorithm.repeats else []), Newton(inputs=shape)]
