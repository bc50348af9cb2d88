"""FMI 3.0: the calls of this version."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ...core.signals import Vector
from .abi import fmi3 as abi
from .instance import Instance, StepOutcome
from .intermediate import InputFollower
from .library import Library


@dataclass(frozen=True, slots=True)
class UpdateOutcome:
    """The result of an update of discrete states."""

    again: bool
    terminate: bool
    next_event: float


class Fmi3(Instance):
    """An instance of FMI 3.0."""

    version = 3
    prefix = "fmi3"
    state_word = "FMUState"
    deserialize_word = "Deserialize"

    def __init__(self, name: str, library: Library) -> None:
        super().__init__(name, library)
        self._flags = tuple(c.c_bool() for _ in range(3))
        self._last = c.c_double()
        self._logger = c.cast(self.log.logger, abi.LogMessage)
        self.follower: InputFollower | None = None  # of inputs that it asks for inside a step
        self._callbacks: tuple[Any, ...] = ()
        self._answers = tuple(c.c_bool() for _ in range(5))
        self.event_mode = self.early_return = False  # to be used, said when it is instantiated

    def instantiate(self, token: str, resources: str | None, *, logging: bool) -> None:
        """Make it live."""
        follower = self.follower
        pointer = self.library.fmi3InstantiateCoSimulation(
            self.name.encode(),
            token.encode(),
            None if resources is None else resources.encode(),
            False,
            logging,
            self.event_mode,
            self.early_return,
            None if follower is None else follower.required.ctypes.data,
            0 if follower is None else follower.required.size,
            self.log.environment,
            self._logger,
            abi.IntermediateUpdate(0) if follower is None else follower.callback,
        )
        self.made(pointer, "fmi3InstantiateCoSimulation")
        if follower is not None:
            follower.bind()

    def instantiate_scheduled(
        self, token: str, resources: str | None, *, logging: bool, clock_update: Callable[[], None]
    ) -> None:
        """Make it live for scheduled execution; one partition at a time, so nothing preempts."""
        self._callbacks = (
            abi.ClockUpdate(lambda environment: clock_update()),
            abi.Preemption(lambda: None),
        )
        pointer = self.library.fmi3InstantiateScheduledExecution(
            self.name.encode(),
            token.encode(),
            None if resources is None else resources.encode(),
            False,
            logging,
            self.log.environment,
            self._logger,
            self._callbacks[0],
            self._callbacks[1],
            self._callbacks[1],
        )
        self.made(pointer, "fmi3InstantiateScheduledExecution")

    def configure(self, change: Any) -> None:
        """Set structural parameters, in the mode made for them."""
        self.call("EnterConfigurationMode")
        change()
        self.call("ExitConfigurationMode")

    def enter_initialization(self, start: float, tolerance: float | None) -> None:
        """Begin the search for consistent start values."""
        known = tolerance is not None
        self.call("EnterInitializationMode", known, tolerance or 0.0, start, False, 0.0)

    def exit_initialization(self) -> None:
        """End it."""
        self.call("ExitInitializationMode")
        self.running = True

    def do_step(self, time: float, size: float, *, going_back: bool) -> StepOutcome:
        """Step. A discarded step leaves the state as it was."""
        event, terminate, early = self._flags
        self._last.value = time + size
        self.call("DoStep", time, size, not going_back, event, terminate, early, self._last)
        if not early:
            return StepOutcome(time + size, terminate=terminate.value, event=event.value)
        return StepOutcome(self._last.value, True, terminate.value, event.value)

    # events and clocks ----------------------------------------------------------------------------

    def update_discrete_states(self) -> UpdateOutcome:
        """Take over the discrete states that were found in event mode."""
        again, terminate, _, _, defined = self._answers
        self._last.value = inf
        self.call("UpdateDiscreteStates", *self._answers, self._last)
        next_event = self._last.value if defined else inf
        return UpdateOutcome(again.value, terminate.value, next_event)

    def set_clocks(self, references: Sequence[int], *, active: bool) -> None:
        """Activate or deactivate input clocks."""
        if references:
            values = (c.c_bool * len(references))(*([active] * len(references)))
            self._clocks("SetClock", references, values)

    def clocks(self, references: Sequence[int]) -> list[bool]:
        """Which of these clocks are active."""
        values = (c.c_bool * len(references))()
        if references:
            self._clocks("GetClock", references, values)
        return list(values)

    def interval(self, reference: int) -> tuple[float, int]:
        """The interval of a clock, and what is said of it."""
        value, qualifier = (c.c_double * 1)(), (c.c_int * 1)()
        self._clocks("GetIntervalDecimal", [reference], value, qualifier)
        return value[0], qualifier[0]

    def fraction(self, reference: int) -> tuple[int, int]:
        """The interval of a clock as a fraction."""
        counter, resolution = (c.c_uint64 * 1)(), (c.c_uint64 * 1)()
        self._clocks("GetIntervalFraction", [reference], counter, resolution, (c.c_int * 1)())
        return counter[0], resolution[0]

    def shift_fraction(self, reference: int) -> tuple[int, int]:
        """The delay of a clock's first tick as a fraction."""
        counter, resolution = (c.c_uint64 * 1)(), (c.c_uint64 * 1)()
        self._clocks("GetShiftFraction", [reference], counter, resolution)
        return counter[0], resolution[0]

    def shift(self, reference: int) -> float:
        """The delay of a clock's first tick."""
        value = (c.c_double * 1)()
        self._clocks("GetShiftDecimal", [reference], value)
        return value[0]

    def set_interval(self, reference: int, interval: float) -> None:
        """Set a clock's interval."""
        self._clocks("SetIntervalDecimal", [reference], (c.c_double * 1)(interval))

    def _clocks(self, suffix: str, references: Sequence[int], *arrays: Any) -> None:
        which = (c.c_uint * len(references))(*references)
        values = (c.addressof(array) for array in arrays)
        self.call(suffix, c.addressof(which), len(references), *values)

    # derivatives ----------------------------------------------------------------------------------

    def directional(self, unknowns: Any, knowns: Any, seed: Vector, *, size: int) -> Vector:
        """d unknowns / d knowns times the seed."""
        return self._derivative("GetDirectionalDerivative", unknowns, knowns, seed, size)

    def adjoint(self, unknowns: Any, knowns: Any, seed: Vector, *, size: int) -> Vector:
        """The seed times d unknowns / d knowns."""
        return self._derivative("GetAdjointDerivative", unknowns, knowns, seed, size)

    def output_derivatives(self, references: Any, order: int = 1) -> Vector:
        """Time derivatives of outputs at the end of the last step."""
        n = len(references)
        orders, values = np.full(n, order, np.int32), np.zeros(n)
        arguments = references.ctypes.data, n, orders.ctypes.data, values.ctypes.data, n
        self.call("GetOutputDerivatives", *arguments)
        return values

    def _derivative(self, suffix: str, unknowns: Any, knowns: Any, seed: Vector, n: int) -> Vector:
        result, v = np.zeros(n), np.ascontiguousarray(seed)
        arguments = unknowns.ctypes.data, len(unknowns), knowns.ctypes.data, len(knowns)
        self.call(suffix, *arguments, v.ctypes.data, v.size, result.ctypes.data, n)
        return result
