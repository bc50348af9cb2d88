"""Signals of time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, nextafter, ulp
from numbers import Real
from typing import Any

import numpy as np

from ..compiling.compiled_function import CompiledFunction
from ..core.description import Capabilities, Description, Variable
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from ..core.signals import Signals, Vector, Waveform
from ..core.values import Values, signals
from ..core.window import Window
from ..subsystems.held_switches import Signs
from ..subsystems.known_events import end_of
from ..subsystems.subsystem import Reached
from .algebraic import STATELESS
from .compilable import Compilable
from .functions import CheckedFunction, check_function
from .names import Named, access
from .native_part import NativePart, still_course
from .no_states import NoStates
from .only_once import OnlyOnce
from .python_part import PythonPart
from .repeated_jumps import RepeatedJumps
from .specification import Names, described, laid_out


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Compilable, OnlyOnce, ModelPage):
    """y = f(t, p): a set point, a load cycle, weather.

    `jumps` lists the times at which the signal is discontinuous: windows end there, and
    every connected part sees both values. `slope(t, p)` gives the time derivative; without it,
    differences to the right of t do.
    """

    outputs: Names
    function: Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    jumps: Sequence[float] = ()
    slope: Callable[..., Any] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    vector: bool = False
    only_once: str = ""
    compile: bool = False

    def __post_init__(self) -> None:
        for name in ("function", "slope"):
            if name == "function" or self.slope is not None:
                check_function(name, getattr(self, name), "t", "p")
        if not self.outputs:
            raise ModelError('a Source needs outputs, as in outputs=["y"].')
        for jump in self.jumps:
            if not (isinstance(jump, Real) and isfinite(jump)):
                raise ModelError(f"jumps must be finite times, not {jump!r}.")
        _ = self.description
        self.check_compiling()

    @cached_property
    def layout(self) -> tuple[tuple[Variable, ...], ...]:
        """Outputs and parameters."""
        return laid_out(self, "outputs", "parameters")

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        y, p = self.layout
        return described(self, outputs=y, parameters=p, capabilities=played(self.jumps))

    def instantiate(self, name: str) -> SourcePart:
        """A live part."""
        if self.compile:
            return self.in_c.instantiate(name)
        y, p = self.layout
        plain = all(v.is_real and not v.shape for v in y)
        function = CheckedFunction(name, "function", self.function)
        make_p = access("p", p, vector=self.vector)
        slope = None if self.slope is None else CheckedFunction(name, "slope", self.slope)

        def values(t: float, p: Named) -> Signals:
            return function.signals(y, plain, t, p)

        def rates(t: float, p: Named, low: float, high: float) -> Any:
            if slope is not None:
                size = sum(v.size for v in y if v.is_real)
                return slope.vector(size, "outputs", t, p)
            return _difference(lambda at: values(at, p).reals, t, low, high)

        def parameters(given: Values) -> Named:
            found = signals(p, given)
            return make_p(found.reals, found.discrete)

        part = SourcePart(self.description, values, rates, parameters, tuple(sorted(self.jumps)))
        if isinstance(self.function, CompiledFunction):
            functions = None, self.function
            part.native_part = NativePart(part, self, still_course(name), functions)
        return part


def played(jumps: Sequence[float]) -> Capabilities:
    """What a signal of time with these jumps can do."""
    return replace(STATELESS, knows_next_event=bool(jumps), has_events=bool(jumps))


def _difference(function: Callable[[float], Any], t: float, low: float, high: float) -> Any:
    """The derivative of a function that is smooth between two times, at one of them or between."""
    e = min(6e-6 * max(abs(t), 1.0), (high - low) / 4)
    if not e > 0:
        return 0 * function(t)
    if low <= t - e and t + e <= high:
        return (function(t + e) - function(t - e)) / (2 * e)
    e = e if t + e <= high else -e  # one-sided, of second order as well
    return (4 * function(t + e) - function(t + 2 * e) - 3 * function(t)) / (2 * e)


class SourcePart(NoStates, PythonPart):
    """A signal of time, played. Left of a jump it gives the value before it.

    A window may end a rounding away from a jump. So jumps are counted, and the signal is read on
    the side of the jump where it stands, whatever the clock says.

    Native twin, where its function is compiled: `native/traced.c`.
    """

    def __init__(
        self,
        description: Description,
        values: Callable[[float, Named], Signals],
        rates: Callable[[float, Named, float, float], Any],
        parameters: Callable[[Values], Named],
        jumps: Sequence[float],
    ) -> None:
        self.description = description
        self._values, self._rates, self._parameters = values, rates, parameters
        endless = isinstance(jumps, RepeatedJumps)
        self._jumps: Sequence[float] = jumps if endless else (*sorted(set(jumps)), inf)
        self._derivatives = False
        self.t, self.p, self._start = 0.0, None, 0.0
        self._given: Values = {}  # parameters
        self.passed = 0  # jumps that have been taken
        self.left = False  # standing at a jump that has not been taken

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        self.t, self.left, self._derivatives, self._start = start, False, derivatives, start
        self._given = values
        self.tune({})
        self.passed = bisect_right(self._jumps, start)

    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        self._given = {**self._given, **values}
        self.p = self._parameters(self._given)

    def begin(self) -> None:
        """Nothing to leave."""

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """The signal now, or its time derivative."""
        low, high = self._start, nextafter(self._jumps[self.passed], -inf)
        if self.passed:
            low = max(low, self._jumps[self.passed - 1])
        t = min(max(self.t, low), high)
        y = self._values(t, self.p)
        if order == 0 and not self._derivatives:
            return y
        if order > 1:
            raise NotImplementedError("a source gives its first derivative only")
        derivatives = np.asarray(self._rates(t, self.p, low, high), dtype=float)
        return Signals(
            derivatives if order else y.reals, None if order else derivatives, y.discrete
        )

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Play up to the window's end, or to a jump."""
        self._take_jump()
        self.t, self.left = end_of(window, self._jumps[self.passed])
        return Reached(self.t, self.outputs(inputs.at(0.0)), self.left)

    def take_over(self, time: float, state: Vector, inputs: Vector, size: float) -> None:
        """Native windows have played it up to there, and it has not jumped in them."""
        self._take_jump()
        self.t = time

    def place(self, time: float, state: Vector, signs: Signs = (), crossed: Signs = ()) -> None:
        """Stand there from now on, before the jump if there is one."""
        self._take_jump()
        slack = 8 * ulp(time)
        self.t, self.left = time, self._jumps[self.passed] <= time + slack

    def values(self, time: float, state: Vector, inputs: Signals) -> Signals:
        """The signal at a time on this side of the next jump."""
        return self._values(self._side(time), self.p)

    def next_event(self) -> float:
        """The next jump."""
        return self._jumps[self.passed]

    def event(self, inputs: Signals) -> Signals:
        """The signal right of a jump."""
        self._take_jump()
        return self.outputs(inputs)

    def snapshot(self) -> Any:
        """A handle on the present state."""
        return self.t, self.left, self.passed

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.t, self.left, self.passed = snapshot

    def _side(self, t: float) -> float:
        """That time, or as near to it as it goes without crossing a jump."""
        t = min(t, nextafter(self._jumps[self.passed], -inf))
        return max(t, self._jumps[self.passed - 1]) if self.passed else t

    def _take_jump(self) -> None:
        if self.left:
            self.passed = max(self.passed + 1, bisect_right(self._jumps, self.t))
            self.left = False
