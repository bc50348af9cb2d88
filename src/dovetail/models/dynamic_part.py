"""A Dynamic in motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiling.compiled_function import CompiledFunction
from ..core.moving import moving
from ..core.signals import Signals, Vector, Waveform
from ..core.statistics import Effort
from ..core.values import Values, signals
from ..core.window import Window
from ..fmi.parts.sums import sums_in_order
from ..integrators import Problem
from ..integrators.sums import BY_BLAS
from ..subsystems.derivatives import along
from ..subsystems.held_switches import masked, others, unmasked
from ..subsystems.subsystem import Linearization, Reached
from .hybrid_part import HybridPart, flipped
from .names import Named
from .native_part import NativePart
from .python_part import PythonPart

if TYPE_CHECKING:
    from .dynamic import Dynamic


class DynamicPart(HybridPart, PythonPart):
    """The part in motion. State vectors are never changed in place, so snapshots are cheap.

    Native twin, where its functions are compiled: `native/traced.c`.
    """

    def __init__(self, name: str, model: Dynamic) -> None:
        super().__init__(name, model)
        self._derivatives = False
        self.native_part, self._sums = None, BY_BLAS
        rates, output = model.derivatives, model.output
        if isinstance(rates, CompiledFunction) and isinstance(output, CompiledFunction):
            self.native_part = NativePart(self, model, self._course, (rates, output))
            self._sums = sums_in_order()  # as native code adds up
        self._values: Values = {}  # those that were given

    @property
    def effort(self) -> Effort:
        """What its integrator has cost since the start."""
        return self._course.effort

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        x, u, _, _ = self._variables
        self.t, self._derivatives = start, derivatives
        self.x = signals(x, values).reals
        self.u = signals(u, values)
        self._values = values
        self.tune({})
        self.signs, self.due = (), ((), self.x, ())

    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        self._values = {**self._values, **values}
        given = signals(self._variables[3], self._values)
        self.p = self._names[2](given.reals, given.discrete)
        self._course.forget()

    def begin(self) -> None:
        """Leave initialization."""
        self.signs = self._signs(self.x, self.u)
        self.due = (), self.x, self.signs

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives of some order."""
        self.u = inputs
        wanted = order == 0 or not self._plain  # derivatives of reals alone need no outputs
        y = self.values(self.t, self.x, inputs) if wanted else Signals(inputs.reals[:0])
        if order == 0 and not self._derivatives:
            return y
        du = np.zeros(inputs.reals.size) if inputs.derivatives is None else inputs.derivatives

        def values(t: float, x: Vector, u: Vector) -> Vector:
            return self.values(t, x, Signals(u, None, inputs.discrete)).reals

        def rates(t: float, x: Vector, u: Vector) -> Vector:
            return self.rates(t, x, Signals(u, None, inputs.discrete))

        known = 0 if np.any(du) else len(self._given_derivatives)  # those given hold inputs

        def derived(k: int) -> Vector:
            m = min(k, known)
            base = self.derivative_of_values(m, inputs.discrete) if m else values
            return along(base, rates, self.t, self.x, inputs.reals, du, k - m)

        reals = y.reals if order == 0 else derived(order)
        return Signals(reals, derived(order + 1) if self._derivatives else None, y.discrete)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Integrate over the window, or up to a zero crossing in it."""
        start, held = window.start, inputs.discrete
        make_x, make_u, _ = self._names
        rates, crossings, p, n = self._rates, self._crossings, self.p, self.x.size
        if inputs.order == 0:
            constant = make_u(inputs.coefficients[:, 0], held)

            def u_at(t: float) -> Named:
                return constant
        elif (of_floats := self._u_of_floats) is not None:
            reals_at = moving(inputs)

            def u_at(t: float) -> Named:
                return of_floats(reals_at(float(t - start)))
        else:

            def u_at(t: float) -> Named:
                return make_u(inputs.reals(t - start), held)

        def f(t: float, x: Vector) -> Vector:
            return rates.vector(n, "states", t, make_x(x, ()), u_at(t), p)

        waiting: tuple[int, ...] = ()
        if crossings is not None:
            begin = Signals(inputs.reals(0.0), None, held)
            if inputs.order == 0:
                waiting = flipped(self.signs, self._signs(self.x, begin))
            else:
                self._take_jumps(begin)

        def z(t: float, x: Vector) -> Vector:
            assert crossings is not None
            return np.atleast_1d(np.asarray(crossings(t, make_x(x, ()), u_at(t), p), dtype=float))

        watched = None if crossings is None else z
        problem = Problem(
            f, self._given_jacobian(u_at), watched, pattern=self.pattern, sums=self._sums
        )
        armed, taken = self.signs, masked(self.signs, waiting)
        arc = self._course.run(problem, start, self.x, window.stop, inputs, taken)
        self.t, self.x = arc.time, arc.state
        self.signs = unmasked(arc.signs, armed, waiting)
        end = inputs.at(arc.time - start) if inputs.order else Signals(inputs.coefficients[:, 0])
        self.u = Signals(end.reals, end.derivatives, held)
        crossed = others(arc.crossed, waiting) or self._arrived()
        self.due = crossed, arc.state, armed if crossed else self.signs
        if crossed:
            self.signs = tuple(0 if k in crossed else s for k, s in enumerate(self.signs))
        late = bool(waiting and arc.time >= window.stop)
        return Reached(arc.time, self.outputs(self.u), bool(crossed) or late, late=late)

    def event(self, inputs: Signals) -> Signals:
        """Take the jump that is due, and those that jumping inputs cause.

        Always from the state before: inputs that were only tried out leave no trace.
        """
        due, x, signs = self.due
        caused = flipped(signs, self._signs(x, inputs))
        crossed = (*due, *(k for k in caused if k not in due))
        if crossed:
            self._jump(crossed, x, signs, inputs)
        else:
            self.x, self.signs = x, signs
        return self.outputs(inputs)

    def take_over(self, time: float, state: Vector, inputs: Vector, size: float) -> None:
        """Native windows of this size have led it there, and nothing has happened in them."""
        self.t, self.x, self.u = time, state, Signals(inputs)
        self.due = (), state, self.signs

    def snapshot(self) -> Any:
        """A handle on the present state. The integrator starts anew, as after a rollback."""
        course = self._course
        course.interrupt()
        stands = self.t, self.x, self.u, course.next_size, self.signs, self.due
        return *stands, course.memory()

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        course = self._course
        self.t, self.x, self.u, course.next_size, self.signs, self.due, memory = snapshot
        course.recall(memory)

    def linearize(self) -> Linearization:
        """Jacobians of f and g where the last step ended: given, complex-step or differences."""
        return self.linearized(self.t, self.x, self.u)

    def relinearize(self, known: Linearization) -> Linearization:
        """Where the last step ended, with the Jacobians of another place."""
        return self.relinearized(self.t, self.x, self.u, known)
