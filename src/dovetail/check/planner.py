"""What a system is run with where the user leaves it open: algorithm and windows, and why.

From what parts can do and how they are connected. Nothing is timed and nothing depends on how
long the run is, so that the same drawing gives the same answer everywhere. `check` recommends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..algorithms import Algorithm, GaussSeidel, Missiles, Newton
from ..controllers import Controller, Defect, FixedStep, InputDefect, StepDoubling, bound
from ..core.errors import OptionError
from ..core.signals import Shape
from ..drawing.alike import answers
from ..drawing.system import System
from ..estimators import Estimator
from ..estimators.choice import cannot_follow
from ..rootfinders import IqnIls
from ..subsystems.preferred_step import SupportsPreferredStep, SupportsUsualSpan
from ..topology.components import Structure
from .default_algorithm import MANY, default_algorithm
from .recommendation import Recommendation
from .shortfalls import shortfalls

ROWS = 500  # of a run in which nothing is exchanged, or nothing is known of the parts
AIM = 2e-4  # of each signal's range: the error of a window; that of a run is to be below 1e-3
_INPUTS = 5e-4  # the same for what inputs are off by, of which outputs show a part
_LOWER = 1e-4  # the same for methods below the fourth order, whose errors add up to more
_ITERATION = {AIM: 1e-6, _LOWER: 1e-7}  # of values; windows go by ranges, and 1 % of values
_FEW_STATES = 50  # of a part: a linearization of more costs as much as a step, or more
_LEAST = 1e-9  # absolute: what no signal is asked to be right to
_FIRST = 1e-6  # s: windows grow tenfold from here until an error limits them
_FOURTH = 4
_LEAST_WINDOWS = 20  # of a run with windows of one size
_SHAPES: tuple[Shape, ...] = ("ramp", "hermite")

Estimators = Mapping[str, Estimator] | None


class Planner:
    """Plans runs of one system; `estimators` as the user gives them."""

    def __init__(
        self, system: System, estimators: Estimators = None, structure: Structure | None = None
    ) -> None:
        self._system, self._estimators = system, estimators
        self._structure = structure or Structure.of(system)

    def plan(
        self,
        span: float | None,
        algorithm: Algorithm | None = None,
        controller: Controller | None = None,
        drawn: Controller | None = None,
    ) -> Recommendation:
        """What to run with; what is given stays.

        `span`: how long the run is, where known. `drawn`: windows of the drawing, which are taken
        where nothing better is known.
        """
        if controller is not None:
            return self._with_windows(algorithm, controller)
        wanted, exchanged = self._wanted(), self._system.connections or self._system.junctions
        for way, pace, reason in self._controlled(algorithm, wanted) if exchanged else ():
            if self._runs(way, pace):
                return Recommendation(way, pace, reason)
        if wanted is not None:
            why = f"windows are those that '{wanted[0]}' asks for"
            return self._with_windows(algorithm, FixedStep(wanted[1]), why)
        if not exchanged:
            why = "nothing is exchanged, so that windows only say how often values are kept"
            rest = drawn or (FixedStep(span / ROWS) if span else None)
            return self._with_windows(algorithm, rest, why)
        why = "neither rollback nor estimates can size windows here, so that they have one size"
        rest, source = (drawn, "") if drawn else self._of_one_size(span)
        return self._with_windows(algorithm, rest, why + source)

    def _with_windows(
        self, algorithm: Algorithm | None, controller: Controller | None, why: str = ""
    ) -> Recommendation:
        if algorithm is not None:
            return Recommendation(algorithm, controller, why)
        usual, reason = self._usual()
        return Recommendation(usual, controller, f"{reason}, and {why}" if why else reason)

    def _usual(self) -> tuple[GaussSeidel | Newton, str]:
        """The algorithm for windows of any kind."""
        usual, reason = default_algorithm(self._system, self._estimators, self._structure)
        newton, loops = Newton(inputs=usual.inputs), self._structure.loops
        if loops and not usual.repeats and self._runs(newton, FixedStep(1.0)):
            lags = "in one pass it lags by a window, and may grow"
            return newton, f"{' and '.join(loops[0])} form an algebraic loop: {lags}"
        return usual, reason

    def _controlled(
        self, given: Algorithm | None, wanted: tuple[str, float] | None
    ) -> list[tuple[Algorithm, Controller, str]]:
        """Ways with windows that follow their error, the best first.

        A step that a part asks for is the first one; it goes before windows that are never
        repeated.
        """
        error = "every part can roll back, so that windows follow their error"
        first = wanted[1] if wanted else _FIRST
        if given is not None:
            doubling = (given, self._doubling(given, first), error)
            return [doubling, *([] if wanted else self._without_rollback(given))]
        found = list[tuple[Algorithm, Controller, str]]()
        for shape, why in self._iterated():
            rtol = _ITERATION[self._rtol(shape)]
            tight = replace(shape, rtol=rtol, atol=_LEAST) if shape.repeats else shape
            found.append((tight, self._doubling(tight, first), f"{why}, and {error}"))
        if wanted:
            return found
        usual, why = self._usual()
        once = GaussSeidel(extrapolation=1)
        for way in (usual,) if usual.repeats or self._structure.loops else (once, usual):
            found += [(w, c, f"{why}, and {r}") for w, c, r in self._without_rollback(way)]
        return found

    def _iterated(self) -> list[tuple[GaussSeidel | Newton | Missiles, str]]:
        """Algorithms for parts that roll back."""
        if self._structure.groups:
            return [self._usual()]
        cyclic = any(c.cyclic for c in self._structure.components)
        solver = IqnIls() if cyclic else None
        descriptions = [p.description for p in self._system.parts.values()]
        ramps, cubics = (
            not any(cannot_follow(d, shape) for d in descriptions) for shape in _SHAPES
        )
        why = "no part depends on itself" if not cyclic else "cycles are solved in each window"
        ways = list[tuple[GaussSeidel | Newton | Missiles, str]]()
        if self._structure.loops:
            loop = " and ".join(self._structure.loops[0])
            shape: Shape = "ramp" if ramps else "hold"
            ways.append((Newton(inputs=shape), f"{loop} form an algebraic loop"))
        if cubics and cyclic and self._linearizable():
            ways.append((Missiles(), f"{why} with the linearizations of the parts"))
        if cubics:
            ways.append((GaussSeidel(MANY, inputs="hermite", solver=solver), why))
        if ramps:
            ways.append((GaussSeidel(MANY if cyclic else 1, inputs="ramp", solver=solver), why))
        if not self._structure.loops:
            ways.append((GaussSeidel(extrapolation=1), "parts hold their inputs"))
        ways.append((GaussSeidel(MANY if cyclic else 1, solver=solver), why))
        return ways

    def _linearizable(self) -> bool:
        """Whether the parts of every cycle can be linearized at little cost."""
        names = self._structure.layout.names
        inside = {names[i] for c in self._structure.components if c.cyclic for i in c.parts}
        parts = [self._system.parts[name].description for name in inside]
        return all(
            d.capabilities.can_linearize and d.states is not None and d.states <= _FEW_STATES
            for d in parts
        )

    def _without_rollback(self, way: Algorithm) -> list[tuple[Algorithm, Controller, str]]:
        """Windows that are never repeated, sized by what estimates or inputs were off by."""
        missed = "not every part can roll back, so that windows follow what estimates missed"
        inputs = "not every part can roll back, so that windows follow what inputs were off by"
        if way.repeats and self._structure.loops:
            return []  # derivatives in the loop jump from window to window
        if way.repeats:
            return [(way, Defect(_LOWER, _LEAST, first_size=_FIRST), missed)]
        pace = InputDefect(_INPUTS, _LEAST, first_size=_FIRST, scale="range")
        return [(way, pace, inputs)]

    def _doubling(self, way: Algorithm, first: float) -> StepDoubling:
        return StepDoubling(self._rtol(way), _LEAST, first_size=first, scale="range")

    def _rtol(self, way: Algorithm) -> float:
        return AIM if way.order >= _FOURTH else _LOWER

    def _of_one_size(self, span: float | None) -> tuple[Controller | None, str]:
        """Windows of one size, and which fact they come from.

        A default experiment says how fast a part is, whatever the run: windows come from it, but
        for a run so short that they would show nothing of it.
        """
        models = (part.model for part in self._system.parts.values())
        spans = answers(
            models, lambda m: m.usual_span if isinstance(m, SupportsUsualSpan) else None
        )
        named = zip(spans, self._system.parts, strict=True)
        usual = [(length, name) for length, name in named if length is not None]
        if usual and (span is None or min(usual)[0] / ROWS <= span / _LEAST_WINDOWS):
            length, name = min(usual)
            return FixedStep(length / ROWS), f", as the default experiment of '{name}' has it"
        if not span:
            return None, ""
        return FixedStep(span / ROWS), "; the length of the run decides it, unless step is given"

    def _wanted(self) -> tuple[str, float] | None:
        """The shortest windows that a part asks for, and which part it is."""
        models = (part.model for part in self._system.parts.values())
        sizes = answers(
            models, lambda m: m.preferred_step if isinstance(m, SupportsPreferredStep) else None
        )
        named = zip(sizes, self._system.parts, strict=True)
        asked = [(size, name) for size, name in named if size is not None]
        return min(asked)[::-1] if asked else None

    def _runs(self, algorithm: Algorithm, controller: Controller) -> bool:
        """Whether parts can be run like this."""
        try:
            bound(controller, self._system, self._structure, algorithm)
        except OptionError:
            return False
        given = self._estimators, self._structure
        return not shortfalls(self._system, algorithm, controller, *given)
