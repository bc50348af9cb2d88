"""Ordinary differential equations as a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .. import codec
from ..description import Capabilities, Description, Port, Variable
from ..errors import ModelError, PartFailed
from ..integrators import IntegrationFailed, Integrator, Problem, named
from ..signals import Signals, Vector, Waveform
from ..subsystem import Linearization, Reached
from ..values import Values, signals
from ..window import Window
from .algebraic import only
from .derivatives import along, jacobian_of
from .functions import Checked
from .names import Named, access
from .specification import Feedthrough, Names, described, feedthrough_of, variables

Function = Callable[..., Any]
_MOVE = 2.0**-26  # by which a value is moved to see how its rounding is felt
_ROUNDINGS = 2.0**-49  # a few times the rounding of a sum


@dataclass(frozen=True, eq=False, kw_only=True)
class Dynamic:
    """x' = f(t, x, u, p), y = g(t, x, u, p), solved by an integrator of its own.

    User functions see named values (`x.level`, `u.flow`, `p.area`), or plain vectors with
    `vector=True`. Without `output`, outputs are the states of the same names. Zero crossings are
    events: `on_event(which, t, x, u, p)` returns the states that jump, by name. Inputs follow
    polynomials of time up to `input_order`, None for any.
    """

    states: Mapping[str, Any]
    derivatives: Function
    inputs: Names = ()
    outputs: Names = ()
    output: Function | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    jacobian: Function | Literal["differences", "complex"] = "differences"
    solver: str | Integrator = "rk45"
    rtol: float = 1e-6
    atol: float = 1e-9
    step: float | None = None
    zero_crossings: Function | None = None
    on_event: Function | None = None
    feedthrough: Feedthrough = None
    ports: Mapping[str, Port] = field(default_factory=dict)
    published: Collection[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    input_order: int | None = None
    vector: bool = False

    def __post_init__(self) -> None:
        if not self.states:
            raise ModelError("a Dynamic needs states; use dv.Algebraic for a model without.")
        if not callable(self.derivatives):
            raise ModelError("derivatives must be a function of (t, x, u, p).")
        if self.on_event is not None and self.zero_crossings is None:
            raise ModelError("on_event needs zero_crossings that say when.")
        _ = self.description, self.integrator  # say what is wrong now, not at the first window

    @cached_property
    def integrator(self) -> Integrator:
        """The solver inside."""
        if not isinstance(self.solver, str):
            return self.solver
        try:
            return named(self.solver, rtol=self.rtol, atol=self.atol, step=self.step)
        except ValueError as error:
            raise ModelError(str(error)) from error

    @cached_property
    def layout(self) -> tuple[tuple[Variable, ...], ...]:
        """States, inputs, outputs and parameters, hidden ones included."""
        given: tuple[tuple[Names, str], ...] = (
            (self.states, "states"),
            (self.inputs, "inputs"),
            (self.outputs, "outputs"),
            (self.parameters, "parameters"),
        )
        x, u, y, p = (variables(g, self.units, self.types, what=w) for g, w in given)
        if any(not v.is_real for v in x):
            raise ModelError("states must be reals; keep discrete values in a dv.Discrete.")
        if self.output is None:
            known = {v.name: v for v in x}
            for v in y:
                if v.name not in known:
                    what = f"output '{v.name}' is no state, and there is no output function."
                    raise ModelError(what)
            y = tuple(replace(known[v.name], unit=v.unit or known[v.name].unit) for v in y)
        return x, u, y, p

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        x, u, y, p = self.layout
        description = described(
            kind="Dynamic",
            inputs=u,
            outputs=y,
            parameters=(*p, *x),
            feedthrough=feedthrough_of(self.feedthrough, self.output, 2, u, y),
            ports=self.ports,
            published=self.published,
            units=self.units,
            types=self.types,
        )
        eventful = self.zero_crossings is not None
        return replace(
            description,
            capabilities=Capabilities(
                can_restore=True,
                can_serialize=True,
                can_linearize=True,
                can_evaluate_now=True,
                can_return_early=eventful,
                has_events=eventful,
                can_tell_slopes=True,
                input_order=self.input_order,
            ),
        )

    def instantiate(self, name: str) -> _Dynamic:
        """A live part."""
        return _Dynamic(name, self)


class _Dynamic:
    """The part in motion. State vectors are never changed in place, so snapshots are cheap."""

    def __init__(self, name: str, model: Dynamic) -> None:
        self.description = model.description
        self.model = model
        x, u, y, p = model.layout
        self._variables = x, u, y, p
        self._names = tuple(
            access(title, v, vector=model.vector) for title, v in (("x", x), ("u", u), ("p", p))
        )
        self._rates = Checked(name, "derivatives", model.derivatives)
        self._plain = all(v.is_real and not v.shape for v in y)
        self._output = Checked(name, "output", model.output or self._chosen_states(x, y))
        self._crossings = (
            Checked(name, "zero_crossings", model.zero_crossings) if model.zero_crossings else None
        )
        self._on_event = None
        if (on_event := model.on_event) is not None:
            self._on_event = Checked(name, "on_event", lambda t, which, *a: on_event(which, t, *a))
        published = {v.name for v in self.description.outputs}
        self._shown = None if len(published) == len(y) else [v.name in published for v in y]
        self._slopes = False
        self.t = 0.0
        self.x: Vector = np.zeros(0)
        self.u = Signals(np.zeros(0))
        self.p: Named = None
        self.next_size: float | None = None
        self.signs: tuple[int, ...] = ()
        # what an event starts from: the crossings that are due, x and signs before their jumps
        self.due: tuple[tuple[int, ...], Vector, tuple[int, ...]] = (), self.x, ()

    def initialize(self, start: float, values: Values, *, slopes: bool = False) -> None:
        """Take the values and enter initialization."""
        x, u, _, p = self._variables
        self.t, self._slopes = start, slopes
        self.x = signals(x, values).reals
        self.u = signals(u, values)
        given = signals(p, values)
        self.p = self._names[2](given.reals, given.discrete)
        self.next_size, self.signs, self.due = None, (), ((), self.x, ())

    def begin(self) -> None:
        """Leave initialization."""
        self.signs = self._signs(self.x, self.u)
        self.due = (), self.x, self.signs

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives of some order."""
        self.u = inputs
        y = self._seen(self.t, self.x, inputs)
        if order == 0 and not self._slopes:
            return y
        du = np.zeros(inputs.reals.size) if inputs.slopes is None else inputs.slopes

        def values(t: float, x: Vector, u: Vector) -> Vector:
            return self._seen(t, x, Signals(u, None, inputs.discrete)).reals

        def rates(t: float, x: Vector, u: Vector) -> Vector:
            return self._derivatives(t, x, Signals(u, None, inputs.discrete))

        def derived(k: int) -> Vector:
            return along(values, rates, self.t, self.x, inputs.reals, du, k)

        reals = y.reals if order == 0 else derived(order)
        return Signals(reals, derived(order + 1) if self._slopes else None, y.discrete)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Integrate over the window, or up to a zero crossing in it."""
        start, held = window.start, inputs.discrete
        make_x, make_u, _ = self._names
        rates, crossings, p, n = self._rates, self._crossings, self.p, self.x.size
        if inputs.order == 0:
            constant = make_u(inputs.coefficients[:, 0], held)

            def u_at(t: float) -> Named:
                return constant
        else:

            def u_at(t: float) -> Named:
                return make_u(inputs.reals(t - start), held)

        def f(t: float, x: Vector) -> Vector:
            return rates.vector(n, "states", t, make_x(x, ()), u_at(t), p)

        if crossings is not None:
            self._take_jumps(Signals(inputs.reals(0.0), None, held))

        def z(t: float, x: Vector) -> Vector:
            assert crossings is not None
            return np.atleast_1d(np.asarray(crossings(t, make_x(x, ()), u_at(t), p), dtype=float))

        problem = Problem(f, self._given_jacobian(u_at), None if crossings is None else z)
        try:
            arc = self.model.integrator.run(
                problem, start, self.x, window.stop, first_size=self.next_size, signs=self.signs
            )
        except IntegrationFailed as error:
            reason = f"{error.reason}; {error.remedy}" if error.remedy else error.reason
            raise PartFailed(rates.part, "integrating", error.time, reason) from error
        armed = self.signs
        self.t, self.x, self.next_size, self.signs = arc.time, arc.state, arc.next_size, arc.signs
        end = inputs.at(arc.time - start) if inputs.order else Signals(inputs.coefficients[:, 0])
        self.u = Signals(end.reals, end.slopes, held)
        crossed = arc.crossed or self._arrived()
        self.due = crossed, arc.state, armed if crossed else self.signs
        if crossed:
            self.signs = tuple(0 if k in crossed else s for k, s in enumerate(self.signs))
        return Reached(arc.time, self.outputs(self.u), bool(crossed))

    def event(self, inputs: Signals) -> Signals:
        """Take the jump that is due, and those that jumping inputs cause.

        Always from the state before: inputs that were only tried out leave no trace.
        """
        due, x, signs = self.due
        caused = _flipped(signs, self._signs(x, inputs))
        crossed = (*due, *(k for k in caused if k not in due))
        if crossed:
            self._jump(crossed, x, signs, inputs)
        else:
            self.x, self.signs = x, signs
        return self.outputs(inputs)

    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs carry a zero crossing to its other side."""
        if self._crossings is None or self.due[0]:
            return False
        return bool(_flipped(self.signs, self._signs(self.x, inputs)))

    def close(self) -> None:
        """Nothing is held."""

    def snapshot(self) -> Any:
        """A handle on the present state."""
        return self.t, self.x, self.u, self.next_size, self.signs, self.due

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.t, self.x, self.u, self.next_size, self.signs, self.due = snapshot

    def dump(self) -> bytes:
        """The present state as bytes."""
        return codec.encode(self.snapshot())

    def load(self, state: bytes) -> None:
        """Take over a state that was dumped."""
        self.restore(codec.decode(state))

    def linearize(self) -> Linearization:
        """Jacobians of f and g where the last step ended: given, complex-step or differences."""
        t, x, u = self.t, self.x, self.u
        held, method = u.discrete, self.model.jacobian
        n, m = x.size, sum(v.size for v in self.description.outputs if v.is_real)

        def f(x: Vector, v: Vector) -> Vector:
            make_x, make_u, _ = self._names
            returned = self._rates(t, make_x(x, ()), make_u(v, held), self.p)
            return np.concatenate([np.ravel(r) for r in np.atleast_1d(returned)])

        def g(x: Vector, v: Vector) -> Vector:
            if np.iscomplexobj(x) or np.iscomplexobj(v):
                make_x, make_u, _ = self._names
                returned = self._output(t, make_x(x, ()), make_u(v, held), self.p)
                return np.asarray([r for r, s in zip(returned, self._mask(), strict=True) if s])
            return self._seen(t, x, Signals(v, None, held)).reals

        complex_step = method == "complex" and self._plain
        if callable(method):
            make_x, make_u, _ = self._names
            checked = Checked(self._rates.part, "jacobian", method)
            A = np.asarray(checked(t, make_x(x, ()), make_u(u.reals, held), self.p), dtype=float)
        else:
            A = jacobian_of(lambda x: f(x, u.reals), x, n, complex_step=complex_step)
        return Linearization(
            A,
            jacobian_of(lambda v: f(x, v), u.reals, n, complex_step=complex_step),
            jacobian_of(lambda x: g(x, u.reals), x, m, complex_step=complex_step),
            jacobian_of(lambda v: g(x, v), u.reals, m, complex_step=complex_step),
            x,
            self._derivatives(t, x, u),
            u.reals,
            self._seen(t, x, u).reals,
        )

    def _derivatives(self, t: float, x: Vector, u: Signals) -> Vector:
        make_x, make_u, _ = self._names
        arguments = make_x(x, ()), make_u(u.reals, u.discrete), self.p
        return self._rates.vector(x.size, "states", t, *arguments)

    def _seen(self, t: float, x: Vector, u: Signals) -> Signals:
        """The published outputs."""
        make_x, make_u, _ = self._names
        arguments = make_x(x, ()), make_u(u.reals, u.discrete), self.p
        y = self._output.signals(self._variables[2], self._plain, t, *arguments)
        return y if self._shown is None else only(y, self._variables[2], self._mask())

    def _mask(self) -> list[bool]:
        return self._shown or [True] * len(self._variables[2])

    def _given_jacobian(self, u_at: Callable[[float], Named]) -> Any:
        jacobian = self.model.jacobian
        if not callable(jacobian):
            return None
        checked, make_x, p = Checked(self._rates.part, "jacobian", jacobian), self._names[0], self.p
        return lambda t, x: np.asarray(checked(t, make_x(x, ()), u_at(t), p), dtype=float)

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

    def _signs(self, x: Vector, u: Signals) -> tuple[int, ...]:
        if self._crossings is None:
            return ()
        make_x, make_u, _ = self._names
        z = self._crossings(self.t, make_x(x, ()), make_u(u.reals, u.discrete), self.p)
        return tuple(int(s) for s in np.sign(np.atleast_1d(np.asarray(z, dtype=float))))

    def _arrived(self) -> tuple[int, ...]:
        """Crossings that stand at zero now, but for rounding, and are still armed.

        A window that is cut at an event is solved again, and may end a rounding before it. Were
        that not the event, the next one would be found so near that no clock could reach it.
        """
        if not any(self.signs):
            return ()
        z = self._crossing_values(self.t, self.x, self.u.reals)
        rounding = abs(self._crossing_values(self.t * (1 + _MOVE), self.x, self.u.reals) - z)
        for at, vector in ((0, self.x), (1, self.u.reals)):
            for k, value in enumerate(vector):
                moved = [self.x, self.u.reals]
                moved[at] = vector.copy()
                moved[at][k] = value * (1 + _MOVE)
                rounding += abs(self._crossing_values(self.t, *moved) - z)
        near = np.abs(z) <= _ROUNDINGS / _MOVE * rounding
        return tuple(k for k, sign in enumerate(self.signs) if sign and near[k])

    def _crossing_values(self, t: float, x: Vector, u: Vector) -> Vector:
        assert self._crossings is not None
        make_x, make_u, _ = self._names
        z = self._crossings(t, make_x(x, ()), make_u(u, self.u.discrete), self.p)
        return np.atleast_1d(np.asarray(z, dtype=float))

    def _take_jumps(self, inputs: Signals) -> None:
        """Crossings that the inputs made by jumping, while time stood still."""
        crossed = _flipped(self.signs, self._signs(self.x, inputs))
        if crossed:
            self._jump(crossed, self.x, self.signs, inputs)

    def _jump(
        self, crossed: tuple[int, ...], x: Vector, signs: tuple[int, ...], inputs: Signals
    ) -> None:
        """Call `on_event` for each crossing, and for those that the jump itself crosses.

        A crossing fires once at an instant, and is not armed again before it has left zero.
        """
        make_x, make_u, _ = self._names
        u, fired = make_u(inputs.reals, inputs.discrete), set[int]()
        while crossed:
            fired.update(crossed)
            for which in crossed if self._on_event is not None else ():
                assert self._on_event is not None
                x = self._with(x, self._on_event(self.t, which, make_x(x, ()), u, self.p) or {})
            after = self._signs(x, inputs)
            crossed = tuple(k for k in _flipped(signs, after) if k not in fired)
        self.x, self.next_size = x, None
        self.signs = tuple(0 if k in fired else s for k, s in enumerate(after))

    def _with(self, x: Vector, jumps: Any) -> Vector:
        assert self._on_event is not None
        if not isinstance(jumps, Mapping):
            vector = np.asarray(jumps, dtype=float)
            if self.model.vector and vector.shape == x.shape:
                return vector.copy()
            what = "it must return the states that jump, by name"
            raise self._on_event.failed(self.t, what)
        x, k, places = x.copy(), 0, {}
        for v in self._variables[0]:
            places[v.name] = slice(k, k + v.size)
            k += v.size
        for name, value in jumps.items():
            if name not in places:
                raise self._on_event.failed(self.t, f"it moves '{name}', which is no state")
            x[places[name]] = np.ravel(value)
        return x


def _flipped(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    """Which of these signs changed to their opposite."""
    pairs = enumerate(zip(before, after, strict=False))
    return tuple(k for k, (old, new) in pairs if old * new < 0)
