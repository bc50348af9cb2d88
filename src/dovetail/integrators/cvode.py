"""CVODE of SUNDIALS."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from math import inf, ulp
from typing import Any, Literal, cast

import numpy as np

from ..core.signals import Vector
from .base import Arc, Problem, not_finite, quiet
from .compiled import Compiled
from .events import Watch
from .interpreted import Interpreted, can_factor_sparse
from .running import Run, Stretch, Tolerances, arrived, still
from .sundials import sparse_solver, sundials

_ANEW = 0.01  # of the tolerances, for all starts but the first
_LEAST = 1e-12  # what a relative tolerance is not tightened below
_MANY, _DENSE = 50, 0.25  # a sparse matrix pays above so many states, below such a share


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Whether there is a CVODE on this machine."""
    return find_spec("sksundae") is not None


@dataclass(frozen=True, slots=True)
class Cvode(Tolerances, Run):
    """Backward differentiation of order 1 to 5, or Adams' methods of order 1 to 12.

    The order rises from 1 after each start, so it pays in long stretches: a part that keeps its
    inputs goes on from window to window without starting anew, one whose inputs change pays for
    it. Its low orders are within the tolerance, but what they leave adds up from start to start:
    all starts but the first have a hundredth of the tolerances. About ten microseconds per step
    where it calls Python; equations in native code cost no more than themselves and CVODE. Needs
    scikit-sundae.
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

    def follower(self) -> Continuing:
        """A CVODE of one part, which keeps its history from run to run."""
        return Continuing(self)

    def _follow(self, stretch: Stretch) -> Arc:
        return self.follower()._follow(stretch)


class Continuing(Run):
    """One CVODE. It cannot be copied: after a rollback it starts anew from there."""

    def __init__(self, options: Cvode) -> None:
        self._options = options
        self.solver: Compiled | Interpreted | None = None
        self._kind: tuple[Any, ...] = ()
        self._time, self._state = -inf, np.zeros(0)
        self._begun = False  # it has made a run before
        self._left = False  # native windows have begun the next run

    def _follow(self, stretch: Stretch) -> Arc:
        problem, start, x, stop, watch, _, going_on = stretch
        if x.size == 0:
            return still(watch, x, stop)
        if self._left and self.solver is not None:
            self._left, self._time = False, -inf
            return self._followed(self.solver, problem, start, stop, watch)
        if stop - start < 4 * ulp(max(abs(start), abs(stop))):
            return _nudge(problem, start, x, stop, watch)
        solver, self._begun = self._started(problem, start, x, going_on), True
        self._time = -inf  # after an event, or a failure, it stands somewhere else
        return self._followed(solver, problem, start, stop, watch)

    def _followed(
        self,
        solver: Compiled | Interpreted,
        problem: Problem,
        start: float,
        stop: float,
        watch: Watch | None,
    ) -> Arc:
        if problem.crossings is None:
            arc = solver.stride(start, stop)
        else:
            assert watch is not None
            arc = solver.walk(start, stop, watch)
        if not arc.crossed and not arc.asked:
            self._time, self._state = arc.time, arc.state
        return arc

    def memory(self) -> bool | None:
        """Whether it has made a run; its history is not accessible."""
        return self._begun or None

    def recall(self, memory: Any) -> None:
        """It sees by time and state whether it can go on."""
        self._begun = bool(memory)

    def natively(self, problem: Problem, size: int) -> Compiled | None:
        """Its CVODE for these equations in native windows; None where Python must make it first."""
        solver = self.solver
        if solver is None or solver.spoilt or self._kind[1:] != _kind(problem, size):
            return None
        return cast(Compiled, solver) if solver.is_native else None

    @property
    def is_interpreted(self) -> bool:
        """Whether its steps are taken by way of Python."""
        return self.solver is not None and not self.solver.is_native

    @property
    def is_tight(self) -> bool:
        """Whether its CVODE is one for starts other than the first."""
        return bool(self._kind and self._kind[0])

    @property
    def place(self) -> tuple[float, Vector]:
        """Time and states from which it may go on."""
        return self._time, self._state

    def stand(self, time: float, state: Vector) -> None:
        """Native windows have led it there."""
        self._begun, self._time, self._state = True, time, state

    def leave(self, why: int) -> None:
        """Native windows have begun the next run, and leave it for this reason."""
        self._left, self._time = True, -inf
        cast(Compiled, self.solver).leave(why)

    def _started(
        self, problem: Problem, start: float, x: Vector, going_on: bool
    ) -> Compiled | Interpreted:
        """A CVODE that stands there, with its history if it has one of that place."""
        kind = _kind(problem, x.size)
        solver = self.solver
        known = solver is not None and kind == self._kind[1:] and not solver.spoilt
        going_on = going_on and self._time == start and _same(self._state, x)
        if solver is not None and known and going_on:
            solver.take(problem)
            return solver
        if solver is None or not known or self._kind[0] != self._begun:
            shortest = 4 * ulp(max(abs(start), 1e-300))
            solver = self.solver = self._made(problem, x.size, shortest)
            self._kind = self._begun, *kind
        solver.take(problem)
        solver.begin(start, x)
        return solver

    def _made(self, problem: Problem, n: int, shortest: float) -> Compiled | Interpreted:
        """In native code, if the equations are there."""
        options = self._options
        if self._begun:
            least = min(options.rtol, _LEAST)
            tight = max(_ANEW * options.rtol, least), _ANEW * options.atol
            options = replace(options, rtol=tight[0], atol=tight[1])
        pattern = problem.pattern if problem.jacobian is not None else None
        sparse = pattern is not None and n > _MANY and pattern.nnz < _DENSE * n * n
        sparse = sparse and can_factor_sparse()
        library = None if problem.flow is None else sundials()
        if library is not None and not (sparse and sparse_solver() is None):
            return Compiled(library, options, problem, n, shortest, sparse=sparse)
        return Interpreted(options, problem, shortest, sparse=sparse)


def _kind(problem: Problem, size: int) -> tuple[Any, ...]:
    """What a CVODE that was made goes by."""
    return (
        size,
        problem.crossings is None and problem.completed is not None,
        problem.jacobian is None,
        id(problem.nominal),
        id(problem.pattern),
        problem.into is None,
        id(problem.flow),
    )


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
