"""Evaluating the equations of a model-exchange FMU: buffers and functions bound once."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Vector
from ..calls.abi.types import DISCARD, ERROR, WARNING, worst
from ..calls.instance import MISSING, CallFailed
from ..kernel import ENDING, ENDLESS, UNPLACED, WANTED, NativeExchange, data_at, kernel

if TYPE_CHECKING:
    from ..calls.exchange import Exchange1, Exchange2, Exchange3


_WHOLE = (8,)  # an array of doubles, one behind the other


class Evaluation:
    """x' = f(t, x), z = h(t, x) of an instance in continuous-time mode.

    Arrays that are handed out are overwritten by the next call. Where the FMU cannot be evaluated
    (Discard), values are NaN, and the integrator takes a shorter step.
    With the native kernel an evaluation is one call, else one per function of the FMU.
    """

    def __init__(
        self,
        instance: Exchange1 | Exchange2 | Exchange3,
        states: int,
        indicators: int,
        *,
        no_way_back: bool,
    ) -> None:
        self.instance, self._no_way_back = instance, no_way_back
        self.states = self._count("NumberOfContinuousStates", states)
        self.indicators = self._count("NumberOfEventIndicators", indicators)
        self._x, self._dx = np.zeros(self.states), np.zeros(self.states)
        self._z = np.zeros(self.indicators)
        self._at_x, self._at_dx = self._x.ctypes.data, self._dx.ctypes.data
        self._at_z = self._z.ctypes.data
        self._pointer, functions = instance.pointer, instance.functions
        self._set_time = self._bound(functions["time"])
        self._set_states: Any = self._bound(functions["states"]) if self.states else None
        self._get_rates: Any = self._bound(functions["rates"]) if self.states else None
        self._get_indicators = self._bound(functions["indicators"]) if self.indicators else None
        self._native, self._known = self._bind_kernel(), NativeExchange()
        if self._native is not None:
            self._known = self._native[2]
        self.into, self.completed = self._bind_into(), self._bind_completed()
        self.ending = False  # it asks for the end of the run
        self.floor = -inf

    @property
    def known_at(self) -> int:
        """Where the kernel finds what it knows of this instance; 0 without one."""
        return 0 if self._native is None else self._native[3]

    @property
    def floor(self) -> float:
        """The time of its last event: the FMU is not evaluated before it."""
        return self._floor

    @floor.setter
    def floor(self, time: float) -> None:
        self._floor = self._known.floor = time

    def stand(self, time: float, state: Vector) -> int:
        """Set time and states; the worst that was said about it."""
        status = worst(self._set_time(self._pointer, max(time, self._floor)))
        if self._set_states is not None:
            self._x[:] = state
            status = worst(status, self._set_states(self._pointer, self._at_x, self.states))
        if status > WARNING and status != DISCARD:
            self.instance.check(status, self.name("states"))
        return status

    def rates(self, time: float, state: Vector) -> Vector:
        """The time derivatives of the states."""
        if self._native is not None:
            self._x[:] = state
            status = self._native[0](self._native[3], time, self._x, self._dx) % ENDLESS
        else:
            status = self.stand(time, state)
            if self._get_rates is not None and status <= WARNING:
                status = worst(status, self._get_rates(self._pointer, self._at_dx, self.states))
        if status > WARNING:
            self._refused(status, "rates", self._dx)
        return self._dx

    def crossings(self, time: float, state: Vector) -> Vector:
        """The event indicators."""
        if self._native is not None and self._get_indicators is not None:
            self._x[:] = state
            status = self._indicate(self._native[3], time, self._x, self._z)
            if status > WARNING:
                if status >= UNPLACED:
                    self.instance.check(status - UNPLACED, self.name("states"))
                self._refused(status, "indicators", self._z)
            return self._z
        status = self.stand(time, state)
        if self._get_indicators is not None:
            status = worst(status, self._get_indicators(self._pointer, self._at_z, self.indicators))
            if status > WARNING:
                self._refused(status, "indicators", self._z)
        return self._z

    def _bind_completed(self) -> Callable[[float, Vector], bool]:
        """What is called where a step of the integrator ended; whether an event is wanted.

        A wish to end the run is left in `ending`.
        """
        if self._native is None:

            def plainly(time: float, state: Vector) -> bool:
                self.stand(time, state)
                wanted, end = self.instance.completed(self._no_way_back)
                self.ending = self.ending or end
                return wanted

            return plainly
        _, complete, _, known = self._native
        x = self._x

        def completed(time: float, state: Vector) -> bool:
            if state.strides != _WHOLE:
                x[:] = state
                state = x
            status: int = complete(known, time, state)
            if status <= WARNING:
                return False
            if status % WANTED > WARNING:
                name = f"{self.instance.prefix}CompletedIntegratorStep"
                self.instance.check(status % WANTED, name)
            self.ending = self.ending or bool(status & ENDING)
            return bool(status & WANTED)

        return completed

    def check_counts(self) -> None:
        """Raise if an event has changed how many states or indicators there are.

        FMI 3 allows it only where structural parameters change, which does not happen in a run.
        """
        for counted, known in (
            ("ContinuousStates", self.states),
            ("EventIndicators", self.indicators),
        ):
            found = self._count(f"NumberOf{counted}", known)
            if found != known:
                was, are = f"there are {found} of them now", f"there were {known}"
                outcome = (
                    f"says that {was}, and {are} before the event: a run cannot go on with that"
                )
                name = f"{self.instance.prefix}GetNumberOf{counted}"
                raise CallFailed(name, ERROR, self.instance.log.take(), outcome)

    def present_states(self) -> Vector:
        """The states, as the FMU has them now."""
        x = np.zeros(self.states)
        if self.states:
            self.instance.call(self.instance.functions["get states"], x.ctypes.data, self.states)
        return x

    def nominals(self) -> Vector | None:
        """The usual size of each state; None where all are 1, or none are given."""
        values = np.ones(self.states)
        function = getattr(self.instance.library, self.name("nominals"))
        if function is None or not self.states:
            return None
        if worst(function(self._pointer, values.ctypes.data, self.states)) > WARNING:
            return None
        values = np.abs(values)
        values[~(np.isfinite(values) & (values > 0))] = 1.0
        return None if np.all(values == 1.0) else values

    def _bind_kernel(self) -> tuple[Any, Any, NativeExchange, int] | None:
        """Functions of the kernel, and what they are to know of this instance."""
        library, prefix = self.instance.library, self.instance.prefix
        functions = self.instance.functions
        native, place = kernel(), data_at()
        completed = library.address(f"{prefix}CompletedIntegratorStep")
        if native is None or place is None or not self.states or not completed:
            return None
        addresses = [library.address(prefix + functions[w]) for w in ("time", "states", "rates")]
        known = NativeExchange(
            self._pointer,
            *addresses,
            completed,
            library.address(self.name("indicators")),
            -inf,
            self.states,
            self.instance.version,
            int(self._no_way_back),
            place,
            self.indicators,
        )
        self._indicate = native.dt_indicators
        return native.dt_rates, native.dt_completed, known, c.addressof(known)

    def _bind_into(self) -> Callable[[float, Vector, Vector], bool] | None:
        """`rates`, from one array of doubles into another; whether all are finite."""
        if self._native is None:
            return None
        evaluate, _, _, known = self._native
        refused = self._refused

        def into(time: float, state: Vector, found: Vector) -> bool:
            status = evaluate(known, time, state, found)
            if status <= WARNING:
                return True
            if status % ENDLESS > WARNING:
                refused(status % ENDLESS, "rates", found)
            return False

        return into

    def _refused(self, status: int, key: str, values: Vector) -> None:
        if status != DISCARD:
            self.instance.check(status, self.name(key))
        values[:] = np.nan

    def _bound(self, suffix: str) -> Any:
        name = self.instance.prefix + suffix
        function = getattr(self.instance.library, name)
        if function is None:
            raise CallFailed(name, 3, (), MISSING)
        return function

    def name(self, key: str) -> str:
        """The function that this version of FMI has for it."""
        return self.instance.prefix + self.instance.functions[key]

    def _count(self, suffix: str, described: int) -> int:
        """How many there are; FMI 3 reports it, since arrays may have any size."""
        name = f"{self.instance.prefix}Get{suffix}"
        function = getattr(self.instance.library, name) if self.instance.version == 3 else None
        if function is None:
            return described
        found = c.c_size_t()
        self.instance.check(function(self.instance.pointer, c.byref(found)), name)
        return found.value
