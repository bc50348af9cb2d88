"""FMI 1.0: the calls of this version."""

from __future__ import annotations

import ctypes as c
from typing import Any

from .abi import fmi1 as abi
from .abi.types import DISCARD, ERROR, OK, PENDING, WARNING
from .instance import CallFailed, Instance, StepOutcome
from .library import Library
from .memory import allocate, release


class Fmi1(Instance):
    """An instance of FMI 1.0. It has no initialization mode and no saved states.

    Some can reject their last step.
    """

    version = 1
    prefix = "fmi"
    terminate_word = "TerminateSlave"
    reset_word = "ResetSlave"
    free_word = "FreeSlaveInstance"

    def __init__(
        self, name: str, library: Library, mime_type: str = "application/x-fmu-sharedlibrary"
    ) -> None:
        super().__init__(name, library)
        self._mime_type = mime_type
        self._callbacks = abi.Callbacks(self.log.logger, allocate(), release(), None)
        self._steps, self._again = 0, False
        self._pending: tuple[float, float | None] | None = None  # initialization, still to come

    def instantiate(self, token: str, resources: str | None, *, logging: bool) -> None:
        """Make it live."""
        pointer = self.library.fmiInstantiateSlave(
            self.name.encode(),
            token.encode(),
            None if resources is None else resources.encode(),
            self._mime_type.encode(),
            0.0,
            b"\0",
            b"\0",
            self._callbacks,
            b"\1" if logging else b"\0",
        )
        self.made(pointer, "fmiInstantiateSlave")

    def enter_initialization(self, start: float, tolerance: float | None) -> None:
        """Remember it: its first inputs belong before it, and are not known yet."""
        self._pending = start, tolerance

    def ready(self) -> None:
        """Initialize, once: from here on values can be read."""
        if self._pending is not None:
            (start, tolerance), self._pending = self._pending, None
            self._initialize(start, tolerance)
            self.running = True

    def exit_initialization(self) -> None:
        """There is no mode to leave."""
        self.ready()

    def _initialize(self, start: float, tolerance: float | None) -> None:
        self.call("InitializeSlave", start, b"\0", 0.0)

    def reset(self) -> None:
        """As it was made; it has not stepped then."""
        super().reset()
        self._steps, self._again, self._pending = 0, False, None

    def do_step(self, time: float, size: float, *, going_back: bool) -> StepOutcome:
        """Step; a discarded step ends where it succeeded last."""
        new_step = b"\0" if self._again else b"\1"  # 0: the last one is rejected, and made anew
        self._steps, self._again = self._steps + 1, False
        status = self.library.fmiDoStep(self.pointer, time, size, new_step)
        if status in (OK, WARNING):
            return StepOutcome(time + size)
        if status == PENDING:
            raise CallFailed("fmiDoStep (asynchronous)", status, self.log.take())
        if status != DISCARD:
            self.check(status, "fmiDoStep")
        value = c.c_double()
        function = self.library.fmiGetRealStatus
        kind = abi.LAST_SUCCESSFUL_TIME
        known = function is not None and function(self.pointer, kind, c.byref(value)) in (
            OK,
            WARNING,
        )
        if not known or not time < value.value <= time + size:
            raise CallFailed("fmiDoStep", DISCARD, self.log.take())
        return StepOutcome(value.value, early=value.value < time + size)

    def snapshot(self) -> Any:
        """How many steps it has made: it has no other memory, and rolls back one of them."""
        return self._steps

    def restore(self, snapshot: Any) -> None:
        """Reject the last step: the next one begins where that began."""
        if snapshot < self._steps - 1:
            what = "can reject one step only, the last"
            raise CallFailed("fmiDoStep", ERROR, self.log.take(), what)
        if snapshot < self._steps:
            self._steps, self._again = snapshot, True
