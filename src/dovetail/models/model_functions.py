"""The equations of a Dynamic, evaluated anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiling.compiled_function import CompiledFunction
from ..core.description import Variable
from ..core.signals import Signals, Vector
from ..integrators.colouring import ColouredJacobian
from ..subsystems.derivatives import jacobian_of
from ..subsystems.subsystem import Linearization
from .algebraic import only
from .functions import CheckedFunction
from .names import Named, access, accesses

if TYPE_CHECKING:
    from .dynamic import Dynamic, Function


class ModelFunctions:
    """User functions of one part, bound to its parameters. Nothing here moves the part."""

    def __init__(self, name: str, model: Dynamic) -> None:
        self.description = model.description
        self.model = model
        x, u, y, p = model.layout
        self._variables = x, u, y, p
        make_u, self._u_of_floats = accesses("u", u, vector=model.vector)
        make_x, make_p = (access(t, v, vector=model.vector) for t, v in (("x", x), ("p", p)))
        if isinstance(model.derivatives, CompiledFunction):  # it changes nothing that it is given
            make_x = make_u = _plainly
        self._names = make_x, make_u, make_p
        self._rates = CheckedFunction(name, "derivatives", model.derivatives)
        self._plain = all(v.is_real and not v.shape for v in y)
        self._output = CheckedFunction(name, "output", model.output or self._chosen_states(x, y))
        self._given_derivatives = tuple(
            CheckedFunction(name, "output_derivatives", f) for f in model.output_derivatives
        )
        self._crossings = (
            CheckedFunction(name, "zero_crossings", model.zero_crossings)
            if model.zero_crossings
            else None
        )
        self._jacobian = None
        if callable(model.jacobian):
            self._jacobian = CheckedFunction(name, "jacobian", model.jacobian)
        self._coloured = None if model.pattern is None else ColouredJacobian(model.pattern)
        published = {v.name for v in self.description.outputs}
        self._shown = None if len(published) == len(y) else [v.name in published for v in y]
        self.p: Named = None

    @cached_property
    def states(self) -> tuple[Variable, ...]:
        """Its states, scalar by scalar."""
        return tuple(
            replace(v, name=name, shape=(), start=None)
            for v in self._variables[0]
            for name in v.scalars()
        )

    @property
    def pattern(self) -> Any:
        """Which rates depend on which states, as far as it was given."""
        return None if self._coloured is None else self._coloured.pattern

    def rates(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """f: the time derivatives of the states."""
        make_x, make_u, _ = self._names
        arguments = make_x(state, ()), make_u(inputs.reals, inputs.discrete), self.p
        return self._rates.vector(state.size, "states", time, *arguments)

    def values(self, time: float, state: Vector, inputs: Signals) -> Signals:
        """g: the published outputs."""
        make_x, make_u, _ = self._names
        arguments = make_x(state, ()), make_u(inputs.reals, inputs.discrete), self.p
        y = self._output.signals(self._variables[2], self._plain, time, *arguments)
        return y if self._shown is None else only(y, self._variables[2], self._mask())

    def derivative_of_values(self, order: int, discrete: Any) -> Callable[..., Vector]:
        """The time derivative of the published outputs, inputs held, that the user gave."""
        make_x, make_u, _ = self._names
        y, function = self._variables[2], self._given_derivatives[order - 1]

        def values(t: float, x: Vector, u: Vector) -> Vector:
            arguments = make_x(x, ()), make_u(u, discrete), self.p
            found = function.signals(y, self._plain, t, *arguments)
            return (found if self._shown is None else only(found, y, self._mask())).reals

        return values

    def crossings(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """Its zero crossings; none where it has none."""
        if self._crossings is None:
            return np.zeros(0)
        make_x, make_u, _ = self._names
        arguments = make_x(state, ()), make_u(inputs.reals, inputs.discrete), self.p
        return np.atleast_1d(np.asarray(self._crossings(time, *arguments), dtype=float))

    def jacobian(self, time: float, state: Vector, inputs: Signals) -> Any:
        """df/dx: given, complex-step or differences."""
        from scipy.sparse import csc_array

        return csc_array(self._state_jacobian(time, state, inputs))

    def completed(self, time: float, state: Vector, inputs: Signals) -> bool:
        """Steps of an integrator are no events."""
        return False

    def linearized(self, t: float, x: Vector, u: Signals) -> Linearization:
        """f, g and their Jacobians there."""
        if (
            self.model.whole_jacobian is not None
            and (found := self._traced_linearization(t, x, u)) is not None
        ):
            return found
        n, m = x.size, sum(v.size for v in self.description.outputs if v.is_real)
        f, g = self._functions(t, u)
        exact = self.model.jacobian == "complex" and self._plain
        A = self._state_jacobian(t, x, u)
        return Linearization(
            A.toarray() if hasattr(A, "toarray") else A,
            jacobian_of(lambda v: f(x, v), u.reals, n, complex_step=exact),
            jacobian_of(lambda x: g(x, u.reals), x, m, complex_step=exact),
            jacobian_of(lambda v: g(x, v), u.reals, m, complex_step=exact),
            x,
            self.rates(t, x, u),
            u.reals,
            self.values(t, x, u).reals,
        )

    def _traced_linearization(self, t: float, x: Vector, u: Signals) -> Linearization | None:
        """The same with Jacobians from the trace; None where these are not finite."""
        n, k = x.size, u.reals.size
        matrix = self.model.whole_jacobian(t, x, u.reals, self.p).reshape(-1, n + k)
        sizes = [v.size for v in self._variables[2]]
        M = np.vstack([matrix[:n], matrix[n:][np.repeat(self._mask(), sizes)]])
        if not np.isfinite(M).all():
            return None
        values = x, self.rates(t, x, u), u.reals, self.values(t, x, u).reals
        return Linearization(M[:n, :n], M[:n, n:], M[n:, :n], M[n:, n:], *values)

    def relinearized(self, t: float, x: Vector, u: Signals, known: Linearization) -> Linearization:
        """The same for one evaluation of f and g, with Jacobians of another place."""
        return replace(known, x=x, dx=self.rates(t, x, u), u=u.reals, y=self.values(t, x, u).reals)

    def _state_jacobian(self, t: float, x: Vector, u: Signals) -> Any:
        """A matrix, or a sparse one where it was given so or a pattern is known."""
        if self._jacobian is not None:
            make_x, make_u, _ = self._names
            arguments = make_x(x, ()), make_u(u.reals, u.discrete), self.p
            return self._jacobian.matrix(x.size, t, *arguments)
        f, _ = self._functions(t, u)
        exact = self.model.jacobian == "complex"
        if self._coloured is not None:
            return self._coloured.at(lambda x: f(x, u.reals), x, complex_step=exact)
        return jacobian_of(lambda x: f(x, u.reals), x, x.size, complex_step=exact)

    def _functions(self, t: float, u: Signals) -> tuple[Function, Function]:
        """f and g as functions of states and real inputs, which may be complex."""
        held = u.discrete
        make_x, make_u, _ = self._names

        def f(x: Vector, v: Vector) -> Vector:
            return joined(self._rates(t, make_x(x, ()), make_u(v, held), self.p))

        def g(x: Vector, v: Vector) -> Vector:
            if np.iscomplexobj(x) or np.iscomplexobj(v):
                returned = self._output(t, make_x(x, ()), make_u(v, held), self.p)
                return np.asarray([r for r, s in zip(returned, self._mask(), strict=True) if s])
            return self.values(t, x, Signals(v, None, held)).reals

        return f, g

    def _given_jacobian(self, u_at: Callable[[float], Named]) -> Any:
        """df/dx for an integrator; None where it can do no worse by itself."""
        checked, make_x, p = self._jacobian, self._names[0], self.p
        if checked is not None:
            return lambda t, x: checked.matrix(x.size, t, make_x(x, ()), u_at(t), p)
        exact, coloured = self.model.jacobian == "complex", self._coloured
        if coloured is None and not exact:
            return None

        def jacobian(t: float, x: Vector) -> Any:
            def f(x: Vector) -> Vector:
                return joined(self._rates(t, make_x(x, ()), u_at(t), p))

            if coloured is not None:
                return coloured.at(f, x, complex_step=exact)
            return jacobian_of(f, x, x.size, complex_step=exact)

        return jacobian

    def _mask(self) -> list[bool]:
        return self._shown or [True] * len(self._variables[2])

    def _chosen_states(
        self, states: tuple[Variable, ...], outputs: tuple[Variable, ...]
    ) -> Function:
        if not self.model.vector:
            return lambda t, x, u, p: [x[v.name] for v in outputs]
        place, k = {}, 0
        for v in states:
            place[v.name] = slice(k, k + v.size)
            k += v.size
        if self._plain:
            index = [j for v in outputs for j in range(k)[place[v.name]]]
            return lambda t, x, u, p: x[index]
        return lambda t, x, u, p: [x[place[v.name]] for v in outputs]


def _plainly(reals: Vector, held: Any) -> Vector:
    return reals


def joined(returned: Any) -> Vector:
    """Values and arrays one after another, real or complex."""
    if isinstance(returned, np.ndarray) and returned.ndim == 1:
        return returned
    values = returned if isinstance(returned, list | tuple) else np.atleast_1d(returned)
    return np.concatenate([np.ravel(r) for r in values])
