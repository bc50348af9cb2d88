"""The equations of a model-exchange FMU, evaluated anywhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import ulp
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.description import Variable
from ...core.signals import Signals, Vector
from ...subsystems.derivatives import along, jacobian_of
from ...subsystems.held_switches import Signs
from ...subsystems.subsystem import Linearization
from ..calls.binding import borrowed
from ..calls.exchange import EXCHANGES
from .event_mode import EventMode
from .jacobian import Jacobian
from .part import FmuPart, named
from .states import state_variables

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu


class FmuEquations(FmuPart, EventMode):
    """An FMU as x' = f(t, x, u), y = g(t, x, u). Evaluating leaves no trace in a later step."""

    _jacobian: Jacobian

    def __init__(self, name: str, model: Fmu) -> None:
        instance = EXCHANGES[model.fmu.version](name, borrowed(model))
        FmuPart.__init__(self, name, model, instance)
        EventMode.__init__(self, instance)
        self._smooth_inputs, _ = self._channels(model.inputs, wanted=is_smooth)
        places = [c.places for c in self._smooth_inputs]
        held = np.ones(self._in_sizes[0], dtype=bool)
        held[np.concatenate([np.zeros(0, dtype=np.intp), *places])] = False
        self._held_reals = np.flatnonzero(held)  # real inputs that change at events only
        self._watches_steps = model.interface.needs_completed_integrator_step

    @cached_property
    def states(self) -> tuple[Variable, ...]:
        """Its continuous states, scalar by scalar."""
        found = state_variables(self.model, self.instance, self.evaluation.states)
        nominal = self.nominal
        if nominal is None:
            return found
        return tuple(replace(v, nominal=float(n)) for v, n in zip(found, nominal, strict=True))

    @property
    def pattern(self) -> Any:
        """Which rates depend on which states, as far as the description lists them."""
        return self._jacobian.pattern

    def state(self) -> Vector:
        """The continuous states where it stands."""
        self._settle()
        return self.x

    def place(self, time: float, state: Vector, signs: Signs = (), crossed: Signs = ()) -> None:
        """Stand there from now on."""
        wished = self.due and time == self.t  # a step that just ended there asked for an event
        self.t, self.x = time, np.array(state, dtype=float)
        self._course.forget()
        self.armed, self.signs = self.signs, signs or self.signs
        self.fired = crossed
        self.due = wished or bool(crossed) or self.next_time <= time + 8 * ulp(time)

    @named("evaluating its derivatives")
    def rates(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """f: the time derivatives of the states."""
        self._offer(inputs)
        return self.evaluation.rates(time, state).copy()

    @named("evaluating its outputs")
    def values(self, time: float, state: Vector, inputs: Signals) -> Signals:
        """g: the outputs."""
        self._offer(inputs)
        self.evaluation.stand(time, state)
        return self._got()

    @named("evaluating its event indicators")
    def crossings(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """Its event indicators."""
        self._offer(inputs)
        return self.evaluation.crossings(time, state).copy()

    @named("evaluating its Jacobian")
    def jacobian(self, time: float, state: Vector, inputs: Signals) -> Any:
        """df/dx by directional derivatives, else by differences."""
        self._offer(inputs)
        return self._jacobian.at(time, state)

    @named("completing a step")
    def completed(self, time: float, state: Vector, inputs: Signals) -> bool:
        """A step of an integrator ended here; whether the FMU wants an event for it."""
        if not self._watches_steps:
            return False
        self._offer(inputs)
        self.evaluation.ending = False
        wanted = self.evaluation.completed(time, state)
        self.ending = self.ending or self.evaluation.ending
        if wanted:
            self.t, self.x, self.due = time, np.array(state), True
        return wanted

    @named("linearizing")
    def relinearize(self, known: Linearization) -> Linearization:
        """Where the last step ended, with the Jacobians of another place."""
        self._settle()
        self._offer(self.u)
        x, u = self.x, self.u
        dx, y = self.rates(self.t, x, u), self.values(self.t, x, u).reals
        return replace(known, x=x, dx=dx, u=u.reals, y=y)

    @named("linearizing")
    def linearize(self) -> Linearization:
        """Jacobians where the last step ended, by directional derivatives or differences.

        Inputs that change at events only have derivatives of zero.
        """
        self._settle()
        self._offer(self.u)
        t, x, u = self.t, self.x, self.u.reals
        held = self.u.discrete
        n, m = x.size, self._out_sizes[0]

        moving = np.setdiff1d(np.arange(u.size), self._held_reals)

        def f(x: Vector, v: Vector) -> Vector:
            return self.rates(t, x, Signals(moved(v), None, held))

        def g(x: Vector, v: Vector) -> Vector:
            return self.values(t, x, Signals(moved(v), None, held)).reals

        def moved(v: Vector) -> Vector:
            inputs = u.copy()
            inputs[moving] = v
            return inputs

        def spread(columns: Vector) -> Vector:
            wide = np.zeros((columns.shape[0], u.size))
            wide[:, moving] = columns
            return wide

        v = u[moving]
        dx, y = f(x, v), g(x, v)
        inputs, outputs = [i for i in self.model.inputs if is_smooth(i)], self.model.outputs
        if self._jacobian.is_exact and all(i.type == "Float64" for i in (*inputs, *outputs)):
            self._offer(self.u)
            M = self._jacobian.linear(t, x, inputs, outputs)
            B, D = spread(M[:n, n:]), spread(M[n:, n:])
            return Linearization(M[:n, :n], B, M[n:, :n], D, x, dx, u, y)
        return Linearization(
            self.jacobian(t, x, self.u).toarray(),
            spread(jacobian_of(lambda v: f(x, v), v, n)),
            jacobian_of(lambda x: g(x, v), x, m),
            spread(jacobian_of(lambda v: g(x, v), v, m)),
            x,
            dx,
            u,
            y,
        )

    def _derived(self, inputs: Signals, order: int) -> Signals:
        """Time derivatives of the outputs along the solution, by differences."""
        du = np.zeros(inputs.reals.size) if inputs.derivatives is None else inputs.derivatives

        def values(t: float, x: Vector, u: Vector) -> Vector:
            return self.values(t, x, Signals(u, None, inputs.discrete)).reals

        def rates(t: float, x: Vector, u: Vector) -> Vector:
            return self.rates(t, x, Signals(u, None, inputs.discrete))

        reals = along(values, rates, self.t, self.x, inputs.reals, du, order)
        self._stand()
        return Signals(reals, None, self._got().discrete)


def is_smooth(v: FmuVariable) -> bool:
    """Whether a variable may move between events."""
    return v.is_float and v.variability == "continuous"
