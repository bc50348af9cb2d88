"""FMI 2.0: the calls of this version."""

from __future__ import annotations

import ctypes as c
import time as clock
from typing import Any, ClassVar

import numpy as np

from ...core.signals import Vector
from .abi import fmi2 as abi
from .abi.types import DISCARD, OK, PENDING, WARNING
from .instance import CallFailed, Instance, StepOutcome
from .library import Library
from .memory import allocate, release


class Fmi2(Instance):
    """An instance of FMI 2.0."""

    version = 2
    prefix = "fmi2"
    kind: ClassVar[int] = abi.CO_SIMULATION

    def __init__(self, name: str, library: Library) -> None:
        super().__init__(name, library)
        self._finished = abi.Finished(lambda component, status: None)
        self._callbacks = abi.Callbacks(
            self.log.logger, allocate(), release(), self._finished, self.log.environment
        )

    def instantiate(self, token: str, resources: str | None, *, logging: bool) -> None:
        """Make it live."""
        pointer = self.library.fmi2Instantiate(
            self.name.encode(),
            self.kind,
            token.encode(),
            None if resources is None else resources.encode(),
            c.byref(self._callbacks),
            0,
            int(logging),
        )
        self.made(pointer, "fmi2Instantiate")

    def set_up(self, start: float, tolerance: float | None) -> None:
        """Say where it starts: FMUs of 20-sim take every value back to its default then."""
        defined = tolerance is not None
        self.call("SetupExperiment", int(defined), tolerance or 0.0, start, 0, 0.0)

    def enter_initialization(self, start: float, tolerance: float | None) -> None:
        """Begin the search for consistent start values."""
        self.call("EnterInitializationMode")

    def exit_initialization(self) -> None:
        """End it."""
        self.call("ExitInitializationMode")
        self.running = True

    def do_step(self, time: float, size: float, *, going_back: bool) -> StepOutcome:
        """Step; a discarded step ends where it succeeded last."""
        status = self.library.fmi2DoStep(self.pointer, time, size, int(not going_back))
        if status == PENDING:
            status = self._awaited()
        if status in (OK, WARNING):
            return StepOutcome(time + size)
        if status != DISCARD:
            self.check(status, "fmi2DoStep")
        reached = self._last_successful_time()
        stop = self._boolean_status(abi.TERMINATED)
        known = reached is not None and time < reached <= time + size
        if reached is None or not (known or stop):
            raise CallFailed("fmi2DoStep", DISCARD, self.log.take())
        if not time <= reached <= time + size:  # it asks to stop, and does not know where
            reached = time
        return StepOutcome(reached, early=reached < time + size, terminate=stop)

    def directional(self, unknowns: Any, knowns: Any, seed: Vector, *, size: int) -> Vector:
        """d unknowns / d knowns times the seed."""
        result, v = np.zeros(size), np.ascontiguousarray(seed)
        arguments = unknowns.ctypes.data, len(unknowns), knowns.ctypes.data, len(knowns)
        self.call("GetDirectionalDerivative", *arguments, v.ctypes.data, result.ctypes.data)
        return result

    def _awaited(self) -> int:
        """Wait for a step that goes on in the background."""
        pause, status = 1e-5, c.c_int(PENDING)
        while status.value == PENDING:
            clock.sleep(pause)
            pause = min(2 * pause, 1e-2)
            self.call("GetStatus", abi.DO_STEP_STATUS, c.byref(status))
        return status.value

    def _last_successful_time(self) -> float | None:
        if self.library.fmi2GetRealStatus is None:
            return None
        value = c.c_double()
        kind = abi.LAST_SUCCESSFUL_TIME
        status = self.library.fmi2GetRealStatus(self.pointer, kind, c.byref(value))
        return value.value if status in (OK, WARNING) else None

    def _boolean_status(self, kind: int) -> bool:
        if self.library.fmi2GetBooleanStatus is None:
            return False
        value = c.c_int()
        status = self.library.fmi2GetBooleanStatus(self.pointer, kind, c.byref(value))
        return status in (OK, WARNING) and bool(value.value)
