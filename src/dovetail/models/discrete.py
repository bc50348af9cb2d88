"""Sampled-data models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from ..core.description import Capabilities, Description, Kind, Variable
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from ..core.signals import Signals, Waveform
from ..core.values import Values, signals
from ..core.window import Window
from ..subsystems.known_events import end_of
from ..subsystems.subsystem import Reached
from .algebraic import only
from .compilable import Compilable
from .functions import CheckedFunction, check_function
from .input_sorter import InputSorter
from .names import Named, access
from .only_once import OnlyOnce
from .python_part import PythonPart
from .specification import Feedthrough, Names, described, feedthrough_of, laid_out


@dataclass(frozen=True, eq=False, kw_only=True)
class Discrete(Compilable, OnlyOnce, ModelPage):
    """y[k] = g(t, x[k], u[k], p), x[k+1] = f(t, x[k], u[k], p) every `period`, from `offset` on.

    Or whenever an input clock ticks, which `clock` names. Inputs are sampled and outputs change
    at the sample times only; windows end there. Before a first sample later than the start,
    outputs are those of the start values. States, inputs and outputs may be of any kind.
    """

    period: float | None = None
    clock: str | None = None
    inputs: Names = ()
    outputs: Names = ()
    output: Callable[..., Any]
    states: Names = field(default_factory=dict)
    update: Callable[..., Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    offset: float = 0.0
    feedthrough: Feedthrough = None
    published: Collection[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    vector: bool = False
    only_once: str = ""
    compile: bool = False

    def __post_init__(self) -> None:
        if (self.period is None) == (self.clock is None):
            raise ModelError("a Discrete needs a period, or a clock that ticks; one of the two.")
        if self.period is not None and not (_is_number(self.period) and self.period > 0):
            raise ModelError(f"the period must be a number above zero, not {self.period!r}.")
        if not (_is_number(self.offset) and self.offset >= 0):
            raise ModelError(f"the offset must be a number not below zero, not {self.offset!r}.")
        if self.states and self.update is None:
            raise ModelError("a Discrete with states needs update=, a function of (t, x, u, p).")
        for name in ("output", "update"):
            if name == "output" or self.update is not None:
                check_function(name, getattr(self, name), "t", "x", "u", "p")
        _ = self.description
        self.check_compiling()

    @cached_property
    def layout(self) -> tuple[tuple[Variable, ...], ...]:
        """States, inputs, outputs and parameters, hidden ones included."""
        x, u, y, p = laid_out(self, "states", "inputs", "outputs", "parameters")
        if self.clock is not None:
            if any(v.name == self.clock for v in (*x, *u, *y, *p)):
                raise ModelError(f"'{self.clock}' is the clock and something else as well.")
            u = (*u, Variable(self.clock, Kind.CLOCK))
        return x, u, y, p

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        x, u, y, p = self.layout
        seen = feedthrough_of(self.feedthrough, self.output, 2, u, y)
        if self.clock is not None:  # with its tick an output may change at once
            seen = {name: used | {self.clock} for name, used in seen.items()}
        return described(
            self,
            inputs=u,
            outputs=tuple(replace(v, variability="discrete") for v in y),
            parameters=(*p, *x),
            feedthrough=seen,
            published=self.published,
            capabilities=Capabilities(
                can_restore=True,
                can_serialize=True,
                can_evaluate_now=True,
                has_events=True,
                knows_next_event=self.clock is None,
                can_tell_derivatives=True,
                input_order=None,
            ),
        )

    def tuned(self, names: Collection[str]) -> Discrete:
        """The same model with these parameters as inputs, behind those it has."""
        x, u, _, p = self.layout
        clock = tuple(v for v in u if v.name == self.clock)
        seen = {y: used - {self.clock} for y, used in self.description.feedthrough.items()}
        sort = InputSorter(names, u, p, x, behind=clock, vector=self.vector)
        return replace(
            self,
            inputs=sort.inputs(self.inputs),
            parameters=sort.parameters(self.parameters),
            output=sort.after(self.output, states=True),
            update=sort.after(self.update, states=True),
            feedthrough=sort.feedthrough(seen, self.output, 3),
            vector=True,
        )

    def instantiate(self, name: str) -> _Discrete:
        """A live part."""
        return _Discrete(name, self.as_run)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and isfinite(value)


class _Discrete(PythonPart):
    ending = False

    def __init__(self, name: str, model: Discrete) -> None:
        self.description, self.model = model.description, model
        x, u, y, p = model.layout
        self._variables = x, u, y, p
        titled = (("x", x), ("u", u), ("p", p))
        self._names = tuple(access(t, v, vector=model.vector) for t, v in titled)
        self._output = CheckedFunction(name, "output", model.output)
        self._update = CheckedFunction(name, "update", model.update) if model.update else None
        self._plain = all(v.is_real and not v.shape for v in y)
        self._plain_states = all(v.is_real and not v.shape for v in x)
        published = {v.name for v in self.description.outputs}
        self._shown = [v.name in published for v in y]
        self._origin, self._derivatives = 0.0, False
        self._tick: int | None = None  # where the clock is among the discrete inputs
        if model.clock is not None:
            self._tick = sum(v.size for v in u if not v.is_real) - 1
        self.t = 0.0
        self.held = Signals(np.zeros(0))  # outputs before a tick that is tried out
        self.x = self.u = self.y = Signals(np.zeros(0))
        self.p: Named = None
        self._values: Values = {}  # those that were given
        self.samples = 0  # that have been reached
        self.due = False  # standing at a sample that has not been taken
        self.sampling = True  # standing at a sample: x[k+1] comes when time moves on

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        x, u, _, _ = self._variables
        self._origin = start + self.model.offset
        at_once = self._tick is None and not self._origin > start
        self.t, self._derivatives, self.sampling = start, derivatives, at_once
        self.samples, self.due = int(self.sampling), False
        self.x, self.u = signals(x, values), signals(u, values)
        self._values = values
        self.tune({})
        self.y = self.held = self._found(self.u)

    def tune(self, values: Values) -> None:
        """Go on with these parameters, from the next sample on."""
        self._values = {**self._values, **values}
        given = signals(self._variables[3], self._values)
        self.p = self._names[2](given.reals, given.discrete)

    def begin(self) -> None:
        """Nothing to leave: the first sample is taken when time moves on."""

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now: for these inputs at a sample time, held between."""
        if self.sampling:
            self.u, self.y = inputs, self._found(inputs)
        if order:
            return Signals(np.zeros(self.y.reals.size), None, self.y.discrete)
        derivatives = np.zeros(self.y.reals.size) if self._derivatives else None
        return Signals(self.y.reals, derivatives, self.y.discrete)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Hold everything up to the next sample time or the window's end."""
        if self.sampling:
            self.x, self.sampling = self._updated(), False
        self.held = self.y
        self.t, self.due = end_of(window, self.next_event())
        return Reached(self.t, self.outputs(inputs.at(0.0)), self.due)

    def next_event(self) -> float:
        """The next sample time, where it is known."""
        period = self.model.period
        return inf if period is None else self._origin + self.samples * period

    def event(self, inputs: Signals) -> Signals:
        """Take a sample if this is the time for it."""
        if self.due:
            self.samples, self.due, self.sampling = self.samples + 1, False, True
        if self._tick is not None:
            self.sampling = bool(inputs.discrete[self._tick])
            if not self.sampling:
                self.y = self.held
        return self.outputs(inputs)

    def update(self) -> bool:
        """A tick is over: the next states are taken over while time stands still."""
        ticked = self._tick is not None and self.sampling
        if ticked:
            self.x, self.sampling, self.held = self._updated(), False, self.y
            self.samples += 1
        return ticked

    def snapshot(self) -> Any:
        """A handle on the present state."""
        held = None if self.held is self.y else self.held
        return self.t, self.x, self.u, self.y, self.samples, self.due, self.sampling, held

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.t, self.x, self.u, self.y, self.samples, self.due, self.sampling, held = snapshot
        self.held = self.y if held is None else held

    def _found(self, u: Signals) -> Signals:
        make_x, make_u, _ = self._names
        arguments = make_x(self.x.reals, self.x.discrete), make_u(u.reals, u.discrete), self.p
        y = self._output.signals(self._variables[2], self._plain, self.t, *arguments)
        return y if all(self._shown) else only(y, self._variables[2], self._shown)

    def _updated(self) -> Signals:
        if self._update is None:
            return self.x
        make_x, make_u, _ = self._names
        x = make_x(self.x.reals, self.x.discrete)
        u = make_u(self.u.reals, self.u.discrete)
        states = self._variables[0]
        if self._plain_states:
            return Signals(self._update.vector(len(states), "states", self.t, x, u, self.p))
        return self._update.signals(states, False, self.t, x, u, self.p, what="states")
