"""Implicit methods for stiff equations, on top of SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ulp
from typing import Any, ClassVar

import numpy as np

from ..core.signals import Vector
from .base import Arc, Problem, not_finite, quietly, too_many, too_small
from .events import Curve
from .first_size import first_size as suggested
from .outcome import ENDLESS, REMEDY
from .refining import refined
from .running import Run, Stretch, Tolerances, arrived

_START = 10  # steps of a run of Bdf that are those of Radau
_FEW = 50  # states up to which a full matrix is as good as a sparse one


@dataclass(frozen=True, slots=True)
class Implicit(Tolerances, Run):
    """What implicit methods have in common.

    Every step solves for its end by Newton's method, with the Jacobian of the problem or one
    from differences. A run costs about a millisecond even if it is short. Of the rejected steps
    only those are counted that met something that is not finite.
    """

    scipy_name: ClassVar[str]
    error_order: ClassVar[int]

    def _follow(self, stretch: Stretch) -> Arc:
        return self.follow(stretch)

    @quietly
    def follow(self, stretch: Stretch, leaves: Callable[[Any], bool] | None = None) -> Arc:
        """All steps, or up to where `leaves` is true of SciPy's solver after one."""
        problem, time, x, stop, watch, first_size, _ = stretch
        equations = _Equations(problem)
        derivative = equations.rates(time, x)
        if not equations.finite:
            raise not_finite(time)
        if first_size is None:
            problem, order, rtol = equations.problem, self.error_order, self.rtol
            atol = problem.absolute(self.atol)
            first_size = suggested(
                problem, time, x, derivative, stop, order=order, rtol=rtol, atol=atol
            )
        proposed, steps, rejected = min(first_size, self.max_size), 0, 0
        solver = self._solver(equations, time, x, stop, proposed)
        while True:
            if steps + rejected == self.max_steps:
                raise too_many(time, self.max_steps, ENDLESS)
            shortest = 10 * ulp(time)
            if not equations.step(solver):
                proposed = 0.25 * min(proposed, stop - time)
                if proposed < shortest:
                    raise not_finite(time)
                solver = self._solver(equations, time, x, stop, proposed)
                rejected += 1
                continue
            if solver.status == "failed":
                raise too_small(time, shortest, REMEDY) if equations.finite else not_finite(time)
            steps += 1
            before = time, x
            end, x = float(solver.t), np.array(solver.y)
            wanted = min(float(solver.h_abs), self.max_size)
            proposed = max(proposed, wanted) if end == stop else wanted
            event = watch and watch.step(end, x, solver.dense_output())
            if event and event.crossed:
                event = refined(event, problem, *before, end, self._shot(equations, *before))
            left = leaves is not None and leaves(solver)
            if event or end == stop or left:
                counts = proposed, steps, equations.evaluations, rejected
                return event.arc(*counts) if event else arrived(end, x, watch, *counts)
            time = end

    def _shot(self, equations: _Equations, time: float, x: Vector) -> Curve:
        """The states at a time inside a step: by a step of its own that ends there.

        The curve of the method goes through its stages, and is an order or two worse between them
        than its steps are.
        """

        def shot(instant: float) -> Vector:
            solver = self._solver(equations, time, x, instant, instant - time)
            while solver.status == "running":
                if not equations.step(solver):
                    raise not_finite(time)
            if solver.status == "failed":
                raise too_small(time, instant - time, REMEDY)
            return np.array(solver.y)

        return shot

    def _solver(
        self, equations: _Equations, time: float, x: Vector, stop: float, size: float
    ) -> Any:
        import scipy.integrate

        return getattr(scipy.integrate, self.scipy_name)(
            equations.rates,
            time,
            x,
            stop,
            max_step=self.max_size,
            first_step=min(size, stop - time),
            rtol=self.rtol,
            atol=equations.problem.absolute(self.atol),
            jac=equations.problem.jacobian,
        )


@dataclass(frozen=True, slots=True)
class Radau(Implicit):
    """Implicit Runge-Kutta steps of order 5, of the Radau IIA family.

    Stable for any stiffness, and exact enough from the first step: the method of choice for
    stiff equations in short windows.
    """

    scipy_name = "Radau"
    error_order = 3


@dataclass(frozen=True, slots=True)
class Bdf(Implicit):
    """Backward differentiation of order 1 to 5.

    Cheaper steps than those of `Radau` where the system is large and the windows are long. It
    would start each run with order 1, and leave the error of that in every window: the first
    steps of a run are those of `Radau`, and a short run has no others.
    """

    scipy_name = "BDF"
    error_order = 1

    def _follow(self, stretch: Stretch) -> Arc:
        taken = 0

        def is_over(solver: Any) -> bool:
            nonlocal taken
            taken += 1
            return taken >= _START

        options = self.rtol, self.atol, self.max_size, self.max_steps
        begun = Radau(*options).follow(stretch, is_over)
        if begun.time == stretch.stop or begun.crossed or begun.asked:
            return begun
        rest = stretch._replace(start=begun.time, x=begun.state, first_size=begun.next_size)
        arc = self.follow(rest)
        return replace(
            arc,
            steps=begun.steps + arc.steps,
            evaluations=begun.evaluations + arc.evaluations,
            rejected=begun.rejected + arc.rejected,
        )


class _Equations:
    """A problem as SciPy may see it: counted, copied, and watched for what is not finite."""

    def __init__(self, problem: Problem) -> None:
        jacobian = None if problem.jacobian is None else self.jacobian
        self.problem = replace(problem, rates=self.rates, jacobian=jacobian)  # seen through this
        self.evaluations = 0
        self.finite = True
        self._given = problem

    def step(self, solver: Any) -> bool:
        """Let the solver take a step; False if it met something that is not finite.

        SciPy shortens a step that leads there, but refuses a Jacobian from there.
        """
        before, self.finite = self.finite, True
        try:
            solver.step()
        except (ValueError, np.linalg.LinAlgError):
            if before and self.finite:
                raise
            return False
        return True

    def rates(self, time: float, state: Vector) -> Vector:
        """The rates of change, in an array of their own."""
        derivative = np.array(self._given.rates(time, state), dtype=float)
        self.evaluations += 1
        self.finite = self.finite and bool(np.isfinite(derivative).all())
        return derivative

    def jacobian(self, time: float, state: Vector) -> Any:
        """The Jacobian, in an array of its own; sparse where it is large and comes so."""
        assert self._given.jacobian is not None
        given: Any = self._given.jacobian(time, state)
        if hasattr(given, "toarray") and given.shape[0] > _FEW:
            self.finite = self.finite and bool(np.isfinite(given.data).all())
            return given.copy()
        dense = given.toarray() if hasattr(given, "toarray") else given
        matrix = np.array(dense, dtype=float)
        self.finite = self.finite and bool(np.isfinite(matrix).all())
        return matrix
