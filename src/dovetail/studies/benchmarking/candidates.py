"""What is tried on a system: every algorithm in its usual forms, with windows from coarse to fine.

Most have windows of one size, halved until the error is small enough. Controllers that follow an
error are tried with three algorithms each, at tolerances that fall tenfold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from ...algorithms import Algorithm, GaussSeidel, Ifosmondi, Iterative, Jacobi, Missiles, Newton
from ...check.recommendation import Recommendation
from ...controllers import (
    Adaptive,
    Controller,
    Defect,
    FixedStep,
    InputDefect,
    StepDoubling,
)
from ...core.brief import brief
from ...estimators import Costarica, Estimator
from ...rootfinders import IqnIls

_MANY = 100  # iterations at most
_LEAST = 1e-9  # absolute tolerances of windows
_FIRST = 1e-6  # s: the first window of those that follow an error
_COARSEST = 20  # windows of one size at first


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to run a system, but for how fine: an algorithm, a ladder, and perhaps an estimator."""

    algorithm: Algorithm
    ladder: str = "FixedStep"
    estimator: Estimator | None = None

    @property
    def title(self) -> str:
        """As one would type it."""
        more = "" if self.estimator is None else f", {brief(self.estimator)}"
        return f"{brief(self.algorithm)}{more}"

    def controllers(self, span: float, asked: Recommendation) -> Iterator[Controller]:
        """From coarse to fine, without end but for what was recommended."""
        match self.ladder:
            case "recommended":
                yield asked.controller or FixedStep(span / 500)
            case "FixedStep":
                yield from (FixedStep(span / (_COARSEST * 2**k)) for k in count())
            case "Adaptive":
                sizes = (span / (_COARSEST * 2**k) for k in count())
                yield from (Adaptive(size / 4, max_size=size) for size in sizes)
            case "StepDoubling":
                for rtol in _tolerances():
                    yield StepDoubling(rtol, _LEAST, first_size=_FIRST, scale="range")
            case "InputDefect":
                for rtol in _tolerances():
                    yield InputDefect(rtol, _LEAST, first_size=_FIRST, scale="range")
            case _:
                for rtol in _tolerances():
                    yield Defect(rtol, _LEAST, first_size=_FIRST)

    def tight(self, tolerance: float) -> Candidate:
        """With iterations that go well below what is looked for."""
        algorithm = self.algorithm
        if not algorithm.repeats or not hasattr(algorithm, "rtol"):
            return self
        rtol = min(1e-5, tolerance / 100)
        made: Algorithm = replace(algorithm, rtol=rtol, atol=_LEAST)  # type: ignore[type-var]
        return replace(self, algorithm=made)


def _tolerances() -> Iterator[float]:
    return (1e-2 * 10**-k for k in count())


_FORMS: tuple[Algorithm, ...] = (
    Jacobi(),
    GaussSeidel(),
    Jacobi(extrapolation=1),
    GaussSeidel(extrapolation=1),
    GaussSeidel(extrapolation=2),
    GaussSeidel(extrapolation=3),
    GaussSeidel(inputs="ramp"),
    Jacobi(_MANY),
    GaussSeidel(_MANY),
    Jacobi(_MANY, inputs="ramp"),
    GaussSeidel(_MANY, inputs="ramp"),
    GaussSeidel(_MANY, inputs="ramp", solver=IqnIls()),
    GaussSeidel(_MANY, inputs="hermite"),
    GaussSeidel(_MANY, inputs="hermite", solver=IqnIls()),
    Newton(),
    Newton(inputs="ramp"),
    Newton(inputs="hermite"),
    Iterative(),
    Iterative(inputs="hold"),
    Ifosmondi(),
    Missiles(),
    Missiles(inputs="ramp"),
)
_ESTIMATED: tuple[Algorithm, ...] = (Iterative(), Ifosmondi(), Missiles())
_STEERED: tuple[Algorithm, ...] = (
    GaussSeidel(extrapolation=1),
    GaussSeidel(_MANY, inputs="ramp"),
    Missiles(),
)


def candidates(asked: Recommendation, tolerance: float) -> list[Candidate]:
    """All of them; those that cost little at a window come first, for where time is short."""
    found = [Candidate(a, estimator=Costarica()).tight(tolerance) for a in _ESTIMATED]
    found += [Candidate(algorithm).tight(tolerance) for algorithm in _FORMS]
    found.append(Candidate(asked.algorithm, "recommended"))
    for ladder in ("StepDoubling", "InputDefect", "Adaptive"):
        ways = [a for a in _STEERED if _fits(a, ladder)]
        found += [Candidate(algorithm, ladder).tight(tolerance) for algorithm in ways]
    found += [Candidate(a, "Defect", Costarica()).tight(tolerance) for a in _ESTIMATED]
    return found


def _fits(algorithm: Algorithm, ladder: str) -> bool:
    """Adaptive windows go by an iteration, defects of inputs by there being none."""
    return {"Adaptive": algorithm.repeats, "InputDefect": not algorithm.repeats}.get(ladder, True)
