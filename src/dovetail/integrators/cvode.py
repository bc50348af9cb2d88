"""CVODE of SUNDIALS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from math import inf, ulp
from typing import Any, Literal

import numpy as np

from ..core.signals import Vector
from .base import Arc, Problem, not_finite, quiet
from .compiled import Compiled
from .events import Watch
from .interpreted import Interpreted, can_factor_sparse
from .running import Run, Stretch, Tolerances, arrived, still
from .sundials import sundials

_MANY, _DENSE = 50, 0.25  # a sparse matrix pays above so many states, below such a share


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Whether there is a CVODE on this machine."""
    return find_spec("sksundae") is not None


@dataclass(frozen=True, slots=True)
class Cvode(Tolerances, Run):
    """Backward differentiation of order 1 to 5, or Adams' methods of order 1 to 12.

    The order rises from 1 after each start, so it pays in long stretches: a part that keeps its
    inputs goes on from window to window without starting anew, one whose inputs jump pays for
    it. About ten microseconds per step where it calls Python; equations in native code cost no
    more than themselves and CVODE. Needs scikit-sundae.
    """

    method: Literal["BDF", "Adams"] = "BDF"

    def __post_init__(self) -> None:
        Tolerances.__post_init__(self)
        if self.method not in ("BDF", "Adams"):
            raise ValueError(f"method must be 'BDF' or 'Adams', not {self.method!r}")
        if not is_installed():
            raise ValueError(
                "solver 'cvode' needs the package scikit-sundae: pip install 'dovetail[sundials]'"
            )

    def follower(self) -> _Continuing:
        """A CVODE of one part, which keeps its history from run to run."""
        return _Continuing(self)

    def _follow(self, stretch: Stretch) -> Arc:
        return self.follower()._follow(stretch)


class _Continuing(Run):
    """One CVODE. It cannot be copied: after a rollback it starts anew from there."""

    def __init__(self, options: Cvode) -> None:
        self._options = options
        self._solver: Compiled | Interpreted | None = None
        self._kind: tuple[Any, ...] = ()
        self._time, self._state = -inf, np.zeros(0)

    def _follow(self, stretch: Stretch) -> Arc:
        problem, start, x, stop, watch, _, going_on = stretch
        if x.size == 0:
            return still(watch, x, stop)
        if stop - start < 4 * ulp(max(abs(start), abs(stop))):
            return _nudge(problem, start, x, stop, watch)
        solver = self._started(problem, start, x, going_on)
        self._time = -inf  # after an event, or a failure, it stands somewhere else
        if problem.crossings is None:
            arc = solver.stride(start, stop)
        else:
            assert watch is not None
            arc = solver.walk(start, stop, watch)
        if not arc.crossed and not arc.asked:
            self._time, self._state = arc.time, arc.state
        return arc

    def memory(self) -> None:
        """Its history is not accessible."""

    def recall(self, memory: Any) -> None:
        """It sees by time and state whether it can go on."""

    def _started(
        self, problem: Problem, start: float, x: Vector, going_on: bool
    ) -> Compiled | Interpreted:
        """A CVODE that stands there, with its history if it has one of that place."""
        asks = problem.crossings is None and problem.completed is not None
        kind = (
            x.size,
            asks,
            problem.jacobian is None,
            id(problem.nominal),
            id(problem.pattern),
            problem.into is None,
            id(problem.flow),
        )
        solver = self._solver
        known = solver is not None and kind == self._kind and not solver.spoilt
        if solver is None or not known:
            shortest = 4 * ulp(max(abs(start), 1e-300))
            solver = self._solver = self._made(problem, x.size, shortest)
            self._kind = kind
        solver.take(problem)
        if not (known and going_on and self._time == start and _same(self._state, x)):
            solver.begin(start, x)
        return solver

    def _made(self, problem: Problem, n: int, shortest: float) -> Compiled | Interpreted:
        """In native code, if the equations are there and no sparse matrix is called for."""
        pattern = problem.pattern if problem.jacobian is not None else None
        sparse = pattern is not None and n > _MANY and pattern.nnz < _DENSE * n * n
        sparse = sparse and can_factor_sparse()
        library = None if sparse or problem.flow is None else sundials()
        if library is not None:
            return Compiled(library, self._options, problem, n, shortest)
        return Interpreted(self._options, problem, shortest, sparse=sparse)


def _nudge(problem: Problem, start: float, x: Vector, stop: float, watch: Watch | None) -> Arc:
    """A window of a few roundings, which CVODE refuses."""
    with quiet():
        derivative = np.array(problem.rates(start, x))
        if not np.isfinite(derivative).all():
            raise not_finite(start)
        new = x + (stop - start) * derivative
        event = watch and watch.step(stop, new, lambda t: x + (t - start) * derivative)
    if event:
        return event.arc(None, 1, 1, 0)
    return arrived(stop, new, watch, None, 1, 1)


def _same(a: Vector, b: Vector) -> bool:
    return a.shape == b.shape and bool((a == b).all())
