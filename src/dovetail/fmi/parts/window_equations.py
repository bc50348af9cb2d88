"""The equations of a model-exchange FMU over a window, with its inputs as they move in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Signals, Vector, Waveform
from ...integrators import Cvode, Flow, Problem
from ...integrators.course import Course
from .flow import FmuFlow, flow_of
from .output_derivatives import OutputDerivatives
from .sums import sums_in_order

if TYPE_CHECKING:
    from ..model import Fmu


class WindowEquations(OutputDerivatives):
    """An FMU that gives an integrator the problem of each window.

    With held inputs that is the same object as long as nothing changes, so that an integrator
    may go on.
    """

    is_stateless = False  # that there is nothing to integrate is known

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model)
        self._steady: Problem | None = None  # the equations with held inputs
        self._flow: FmuFlow | None = None  # the equations for native code
        self._sums = sums_in_order()

    def _problem(self, inputs: Waveform, start: float) -> Problem:
        """The equations over a window, with the inputs as they move in it."""
        f, z, finish = self.evaluation.rates, self.evaluation.crossings, self.evaluation.completed
        moving = inputs.order > 0 and bool(self._smooth_inputs)
        if self._smooth_inputs:
            self._hand(self._smooth_inputs, inputs.reals(0.0), ())
        if not moving and self._steady is not None and self._steady.nominal is self.nominal:
            if self._flow is not None:
                self._flow.hold()
            return self._steady

        def rates(t: float, x: Vector) -> Vector:
            self._hand(self._smooth_inputs, inputs.reals(t - start), ())
            return f(t, x)

        def crossings(t: float, x: Vector) -> Vector:
            self._hand(self._smooth_inputs, inputs.reals(t - start), ())
            return z(t, x)

        def jacobian(t: float, x: Vector) -> Any:
            if moving:
                self._hand(self._smooth_inputs, inputs.reals(t - start), ())
            return self._jacobian.full(t, x)

        def completed(t: float, x: Vector) -> bool:
            self._hand(self._smooth_inputs, inputs.reals(t - start), ())
            return finish(t, x)

        finished = completed if moving else finish
        watched = crossings if moving else z
        problem = Problem(
            rates if moving else f,
            jacobian if self.evaluation.states and self._jacobian.pays else None,
            watched if self.evaluation.indicators else None,
            finished if self._watches_steps else None,
            self.nominal,
            self._jacobian.pattern if self._jacobian.pays else None,
            None if moving else self.evaluation.into,
            self._native(inputs, start, moving=moving),
            self._sums,
        )
        self._steady = None if moving else problem
        return problem

    def _native(self, inputs: Waveform, start: float, *, moving: bool) -> Flow | None:
        """The same equations for native code, where an integrator of ours can use them."""
        if not isinstance(self.model.integrator, Cvode) or self.native_flow is None:
            return None
        assert self._flow is not None
        return self._flow.move(inputs, start) if moving else self._flow.hold()

    @property
    def course(self) -> Course:
        """The runs of its integrator."""
        return self._course

    def problem_of(self, *, moving: bool) -> Problem:
        """The equations from where it stands, with inputs that follow curves or are held."""
        still = np.zeros((self.u.reals.size, 1 + moving))
        still[:, 0] = self.u.reals
        return self._problem(Waveform(still), self.t)

    @property
    def last_size(self) -> float:
        """Of the last window."""
        return self._size

    def take_over(self, time: float, state: Vector, inputs: Vector, size: float) -> None:
        """Native windows, the last of this size, have led it there; nothing has happened."""
        self.t = self._time = time
        self.x, self.u, self._size = state, Signals(inputs, None, self.u.discrete), size
        self.armed = self.signs

    @property
    def native_flow(self) -> FmuFlow | None:
        """The equations for native code; None where something they need is not there."""
        if self._flow is None:
            solved = self._jacobian if isinstance(self.model.integrator, Cvode) else None
            watches, inlets = self._watches_steps, self._smooth_inputs
            self._flow = flow_of(self.evaluation, solved, inlets, watches_steps=watches)
        return self._flow

    def _forget_wishes(self) -> None:
        """A wish to end that was made in a step which was rejected does not count."""
        self.evaluation.ending = False
        if self._flow is not None and not self._course.is_left:
            self._flow.ended()

    def _hear_wishes(self) -> None:
        """What native code got from the FMU counts as if it had been received here."""
        if self._flow is not None and self._flow.ended():
            self.evaluation.ending = True
