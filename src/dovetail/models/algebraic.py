"""Models without states: functions of their inputs, and signals of time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..compiling.compiled_function import CompiledFunction
from ..core.description import Capabilities, Description, Port, Variable
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from ..core.signals import Signals, Vector, Waveform
from ..core.values import Values, signals
from ..core.window import Window
from ..subsystems.derivatives import along, jacobian_of
from ..subsystems.held_switches import Signs
from ..subsystems.subsystem import Linearization, Reached
from .compilable import Compilable
from .functions import CheckedFunction, check_function
from .input_sorter import InputSorter
from .names import Named, access
from .native_part import NativePart, still_course
from .no_states import NoStates
from .only_once import OnlyOnce
from .python_part import PythonPart
from .specification import Feedthrough, Names, described, feedthrough_of, laid_out


@dataclass(frozen=True, eq=False, kw_only=True)
class Algebraic(Compilable, OnlyOnce, ModelPage):
    """y = f(t, u, p): a gain, a sum, a characteristic, a law without memory."""

    inputs: Names
    outputs: Names
    function: Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    feedthrough: Feedthrough = None
    ports: Mapping[str, Port] = field(default_factory=dict)
    published: Collection[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    input_order: int | None = None
    vector: bool = False
    only_once: str = ""
    compile: bool = False

    def __post_init__(self) -> None:
        check_function("function", self.function, "t", "u", "p")
        if not self.outputs:
            raise ModelError('an Algebraic needs outputs, as in outputs=["y"].')
        _ = self.description
        self.check_compiling()

    @cached_property
    def layout(self) -> tuple[tuple[Variable, ...], ...]:
        """Inputs, outputs and parameters, hidden ones included."""
        return laid_out(self, "inputs", "outputs", "parameters")

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        u, y, p = self.layout
        return described(
            self,
            inputs=u,
            outputs=y,
            parameters=p,
            feedthrough=feedthrough_of(self.feedthrough, self.function, 1, u, y),
            ports=self.ports,
            published=self.published,
            capabilities=replace(STATELESS, input_order=self.input_order, can_linearize=True),
            states=0,
        )

    def tuned(self, names: Collection[str]) -> Algebraic:
        """The same model with these parameters as inputs, behind those it has."""
        u, _, p = self.layout
        sort = InputSorter(names, u, p, vector=self.vector)
        return replace(
            self,
            inputs=sort.inputs(self.inputs),
            parameters=sort.parameters(self.parameters),
            function=sort.after(self.function, states=False),
            feedthrough=sort.feedthrough(self.description.feedthrough, self.function, 2),
            vector=True,
        )

    def instantiate(self, name: str) -> _Algebraic:
        """A live part."""
        return _Algebraic(name, self.as_run)


STATELESS = Capabilities(
    can_restore=True,
    can_serialize=True,
    can_evaluate_now=True,
    can_tell_derivatives=True,
    input_order=None,
)


_NONE: Vector = np.zeros(0)


class _Algebraic(NoStates, PythonPart):
    """The part in motion. Native twin, where its function is compiled: `native/traced.c`."""

    def __init__(self, name: str, model: Algebraic) -> None:
        self.description = model.description
        u, y, p = model.layout
        self._variables = u, p
        published = {v.name for v in self.description.outputs}
        self._all, self._shown = y, [v.name in published for v in y]
        self._plain = all(v.is_real and not v.shape for v in y)
        self._make_u, self._make_p = (
            access(title, v, vector=model.vector) for title, v in (("u", u), ("p", p))
        )
        self._function = CheckedFunction(name, "function", model.function)
        self._whole_jacobian = model.whole_jacobian
        self._derivatives = False
        self.t, self.u = 0.0, Signals(np.zeros(0))
        self.p: Named = None
        self._values: Values = {}  # those that were given
        if isinstance(model.function, CompiledFunction):
            self.native_part = NativePart(self, model, still_course(name), (None, model.function))

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        self.t, self._derivatives, self.u = start, derivatives, signals(self._variables[0], values)
        self._values = values
        self.tune({})

    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        self._values = {**self._values, **values}
        given = signals(self._variables[1], self._values)
        self.p = self._make_p(given.reals, given.discrete)

    def begin(self) -> None:
        """Nothing to leave."""

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives of some order."""
        self.u = inputs
        y = self.values(self.t, _NONE, inputs)
        if order == 0 and not self._derivatives:
            return y
        du = np.zeros(inputs.reals.size) if inputs.derivatives is None else inputs.derivatives

        def derived(k: int) -> Vector:
            return along(
                lambda t, x, u: self.values(t, x, Signals(u, None, inputs.discrete)).reals,
                lambda t, x, u: _NONE,
                self.t,
                _NONE,
                inputs.reals,
                du,
                k,
            )

        reals = y.reals if order == 0 else derived(order)
        return Signals(reals, derived(order + 1) if self._derivatives else None, y.discrete)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Follow the inputs to the window's end."""
        self.t = window.stop
        end = inputs.at(window.size)
        return Reached(window.stop, self.outputs(end))

    def take_over(self, time: float, state: Vector, inputs: Vector, size: float) -> None:
        """Native windows have led it there."""
        self.t, self.u = time, Signals(inputs)

    def snapshot(self) -> Any:
        """A handle on the present state."""
        return self.t, self.u

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.t, self.u = snapshot

    def linearize(self) -> Linearization:
        """dy/du, from a trace or by differences; there are no states."""
        u = self.u
        y = self.values(self.t, _NONE, u).reals
        D = None
        if self._whole_jacobian is not None:
            shown = np.repeat(self._shown, [v.size for v in self._all])
            D = self._whole_jacobian(self.t, u.reals, self.p).reshape(shown.size, -1)[shown]
        if D is None or not np.isfinite(D).all():
            D = jacobian_of(
                lambda v: self.values(self.t, _NONE, Signals(v, None, u.discrete)).reals,
                u.reals,
                y.size,
            )
        m, n = D.shape
        return Linearization(
            np.zeros((0, 0)), np.zeros((0, n)), np.zeros((m, 0)), D, _NONE, _NONE, u.reals, y
        )

    def place(self, time: float, state: Vector, signs: Signs = (), crossed: Signs = ()) -> None:
        """Stand there from now on."""
        self.t = time

    def values(self, time: float, state: Vector, inputs: Signals) -> Signals:
        """The published outputs."""
        named = self._make_u(inputs.reals, inputs.discrete)
        y = self._function.signals(self._all, self._plain, time, named, self.p)
        return y if all(self._shown) else only(y, self._all, self._shown)


def only(y: Signals, variables: Sequence[Variable], shown: Sequence[bool]) -> Signals:
    """The signals of those variables that are shown."""
    reals, discrete, r, d = list[float](), list[Any](), 0, 0
    for v, wanted in zip(variables, shown, strict=True):
        if v.is_real:
            if wanted:
                reals.extend(y.reals[r : r + v.size].tolist())
            r += v.size
        else:
            if wanted:
                discrete.extend(y.discrete[d : d + v.size])
            d += v.size
    return Signals(np.array(reals), None, tuple(discrete))
