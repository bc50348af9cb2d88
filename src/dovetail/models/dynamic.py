"""Ordinary differential equations as a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..core.description import Capabilities, Description, Port, Variable
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from ..core.options import check_method
from ..integrators import Integrator, named
from .compilable import Compilable
from .dynamic_part import DynamicPart
from .functions import check_function
from .input_sorter import InputSorter
from .only_once import OnlyOnce
from .specification import Feedthrough, Names, described, feedthrough_of, laid_out

Function = Callable[..., Any]

_ARGUMENTS = ("t", "x", "u", "p")
_JACOBIANS = ("differences", "complex")


@dataclass(frozen=True, eq=False, kw_only=True)
class Dynamic(Compilable, OnlyOnce, ModelPage):
    """x' = f(t, x, u, p), y = g(t, x, u, p), solved by an integrator of its own.

    User functions see named values (`x.level`, `u.flow`, `p.area`), or plain vectors with
    `vector=True`. Without `output`, outputs are the states of the same names. Zero crossings are
    events: `on_event(which, t, x, u, p)` returns the states that jump, by name. Inputs follow
    polynomials of time up to `input_order`, None for any. `jacobian` may return a sparse
    matrix; `pattern`, a matrix that is not zero where a rate depends on a state, makes the
    differences few and the Jacobian sparse. `output_derivatives` are functions for y', y'' and so
    on along the solution with inputs held; differences stand in for those missing. With
    `compile=True` functions that are plain arithmetic are compiled to C, and run natively.
    """

    states: Mapping[str, Any]
    derivatives: Function
    inputs: Names = ()
    outputs: Names = ()
    output: Function | None = None
    output_derivatives: Sequence[Function] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    jacobian: Function | Literal["differences", "complex"] = "differences"
    pattern: Any = None
    solver: str | Integrator = "auto"
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
    only_once: str = ""
    compile: bool = False

    def __post_init__(self) -> None:
        if not self.states:
            raise ModelError("a Dynamic needs states; use dv.Algebraic for a model without.")
        check_function("derivatives", self.derivatives, *_ARGUMENTS)
        for function in self.output_derivatives:
            check_function("each of output_derivatives, y' first,", function, *_ARGUMENTS)
        if self.on_event is not None and self.zero_crossings is None:
            raise ModelError("on_event needs zero_crossings that say when.")
        for name in ("output", "zero_crossings", "on_event", "jacobian"):
            given = getattr(self, name)
            if not (given is None or (isinstance(given, str) and given in _JACOBIANS)):
                first = ("which",) if name == "on_event" else ()
                check_function(name, given, *first, *_ARGUMENTS)
        self._check_pattern()
        _ = self.description, self.integrator  # say what is wrong now, not at the first window
        self.check_compiling()

    def _check_pattern(self) -> None:
        size = sum(v.size for v in self.layout[0])
        shape = None if self.pattern is None else np.shape(self.pattern)
        if shape is not None and shape != (size, size):
            what = f"pattern must be a {size} by {size} matrix, one row per state"
            raise ModelError(f"{what}, not one of {' by '.join(map(str, shape))}.")

    @cached_property
    def integrator(self) -> Integrator:
        """The solver inside."""
        if not isinstance(self.solver, str):
            check_method("solver", self.solver, "run", "'rk45' or dv.integrators.Radau()")
            return self.solver
        try:
            return named(self.solver, rtol=self.rtol, atol=self.atol, step=self.step)
        except ValueError as error:
            raise ModelError(str(error)) from error

    @cached_property
    def layout(self) -> tuple[tuple[Variable, ...], ...]:
        """States, inputs, outputs and parameters, hidden ones included."""
        x, u, y, p = laid_out(self, "states", "inputs", "outputs", "parameters")
        if any(not v.is_real for v in x):
            raise ModelError("states must be reals; keep discrete values in a dv.Discrete.")
        if self.output is None:
            known = {v.name: v for v in x}
            for v in y:
                if v.name not in known:
                    what = f"output '{v.name}' is no state, and there is no output function"
                    raise ModelError(f"{what}; give output=, a function of (t, x, u, p).")
            y = tuple(replace(known[v.name], unit=v.unit or known[v.name].unit) for v in y)
        return x, u, y, p

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        x, u, y, p = self.layout
        eventful = self.zero_crossings is not None
        return described(
            self,
            inputs=u,
            outputs=y,
            parameters=(*p, *x),
            feedthrough=feedthrough_of(self.feedthrough, self.output, 2, u, y),
            ports=self.ports,
            published=self.published,
            capabilities=Capabilities(
                can_restore=True,
                can_serialize=True,
                can_linearize=True,
                can_evaluate_now=True,
                can_return_early=eventful,
                has_events=eventful,
                can_tell_derivatives=True,
                input_order=self.input_order,
            ),
            states=sum(v.size for v in x),
        )

    def tuned(self, names: Collection[str]) -> Dynamic:
        """The same model with these parameters as inputs, behind those it has."""
        x, u, _, p = self.layout
        sort = InputSorter(names, u, p, x, vector=self.vector)
        given = {
            name: sort.after(getattr(self, name), states=True)
            for name in ("derivatives", "output", "zero_crossings")
        }
        jacobian = self.jacobian
        if callable(jacobian):
            jacobian = sort.after(jacobian, states=True)
        return replace(
            self,
            inputs=sort.inputs(self.inputs),
            parameters=sort.parameters(self.parameters),
            feedthrough=sort.feedthrough(self.description.feedthrough, self.output, 3),
            on_event=sort.after(self.on_event, states=True, first=1),
            output_derivatives=tuple(sort.after(f, states=True) for f in self.output_derivatives),
            jacobian=jacobian,
            vector=True,
            **given,
        )

    def instantiate(self, name: str) -> DynamicPart:
        """A live part."""
        return DynamicPart(name, self.as_run)
