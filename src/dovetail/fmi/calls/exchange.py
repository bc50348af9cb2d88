"""The calls of model exchange in each version of FMI."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Protocol

import numpy as np

from ...core.signals import Vector
from .abi import fmi1 as abi1
from .abi import fmi2 as abi2
from .fmi1 import Fmi1
from .fmi2 import Fmi2
from .fmi3 import Fmi3
from .instance import Instance
from .library import Library
from .memory import allocate, release

_FUNCTIONS = {  # functions that are needed at every evaluation, as FMI 2 calls them
    "time": "SetTime",
    "states": "SetContinuousStates",
    "rates": "GetDerivatives",
    "indicators": "GetEventIndicators",
    "get states": "GetContinuousStates",
    "nominals": "GetNominalsOfContinuousStates",
}


@dataclass(frozen=True, slots=True)
class Update:
    """What an FMU reports after taking over its new discrete states."""

    again: bool = False  # once more, please
    ending: bool = False
    nominals_changed: bool = False
    states_changed: bool = False
    next_time: float = inf  # of its next time event


class Exchange(Protocol):
    """The calls of model exchange that are not needed at every evaluation.

    The names of those that are, `SetTime` and the like, are in `functions`.
    """

    functions: ClassVar[dict[str, str]]

    @property
    def at_start(self) -> Update | None:
        """What its initialization says of events; None where that is asked in event mode."""

    def enter_event_mode(self) -> None:
        """Time stands still from here on."""

    def update(self) -> Update:
        """Take over new discrete states."""

    def enter_continuous_mode(self) -> None:
        """Time may pass again."""

    def completed(self, no_way_back: bool) -> tuple[bool, bool]:
        """A step of the integrator ended: whether an event is wanted, and the end of the run."""

    def state_references(self, n: int) -> Any:
        """Value references of the states, where only the binary knows them."""


class Exchange1(Fmi1):
    """FMI 1.0 for model exchange. It knows no modes: an event is one call."""

    terminate_word = "Terminate"
    free_word = "FreeModelInstance"
    functions: ClassVar = {**_FUNCTIONS, "nominals": "GetNominalContinuousStates"}

    def __init__(self, name: str, library: Library) -> None:
        super().__init__(name, library)
        self._model_callbacks = abi1.ModelCallbacks(self.log.logger, allocate(), release())
        self._info, self._flag = abi1.EventInfo(), abi1.Boolean()
        self.at_start: Update | None = Update()  # by the initialization

    def instantiate(self, token: str, resources: str | None, *, logging: bool) -> None:
        """Make it live."""
        on = b"\1" if logging else b"\0"
        made = self.library.fmiInstantiateModel(
            self.name.encode(), token.encode(), self._model_callbacks, on
        )
        self.made(made, "fmiInstantiateModel")

    def _initialize(self, start: float, tolerance: float | None) -> None:
        self.call("SetTime", start)
        known = b"\0" if tolerance is None else b"\1"
        self.call("Initialize", known, tolerance or 0.0, c.byref(self._info))
        self.at_start = self._update()

    def enter_event_mode(self) -> None:
        """There is no mode to enter."""

    def update(self) -> Update:
        """Let its event happen, whole."""
        self.call("EventUpdate", b"\0", c.byref(self._info))
        return self._update()

    def enter_continuous_mode(self) -> None:
        """There is no mode to enter."""

    def completed(self, no_way_back: bool) -> tuple[bool, bool]:
        """A step of the integrator ended."""
        self.call("CompletedIntegratorStep", c.byref(self._flag))
        return self._flag.value != b"\0", False

    def state_references(self, n: int) -> Any:
        """Value references of the states; none where it does not list them."""
        found = np.full(n, 0xFFFFFFFF, dtype=np.uint32)
        if n and self.library.fmiGetStateValueReferences is not None:
            self.library.fmiGetStateValueReferences(self.pointer, found.ctypes.data, n)
        return found

    def _update(self) -> Update:
        i = self._info
        return Update(
            i.iterationConverged == b"\0",
            i.terminateSimulation != b"\0",
            i.stateValueReferencesChanged != b"\0",
            i.stateValuesChanged != b"\0",
            i.nextEventTime if i.upcomingTimeEvent != b"\0" else inf,
        )


class _Modes(Instance):
    """Modes have been the same since FMI 2, and the description lists the states."""

    at_start: Update | None = None

    def enter_event_mode(self) -> None:
        """Time stands still from here on."""
        self.call("EnterEventMode")

    def enter_continuous_mode(self) -> None:
        """Time may pass again."""
        self.call("EnterContinuousTimeMode")

    def state_references(self, n: int) -> Any:
        """The description lists them."""
        return None


class Exchange2(_Modes, Fmi2):
    """FMI 2.0 for model exchange."""

    kind: ClassVar[int] = abi2.MODEL_EXCHANGE
    functions: ClassVar = _FUNCTIONS

    def __init__(self, name: str, library: Library) -> None:
        super().__init__(name, library)
        self._info, self._flags = abi2.EventInfo(), (c.c_int(), c.c_int())

    def update(self) -> Update:
        """Take over new discrete states."""
        self.call("NewDiscreteStates", c.byref(self._info))
        i = self._info
        return Update(
            bool(i.newDiscreteStatesNeeded),
            bool(i.terminateSimulation),
            bool(i.nominalsOfContinuousStatesChanged),
            bool(i.valuesOfContinuousStatesChanged),
            i.nextEventTime if i.nextEventTimeDefined else inf,
        )

    def completed(self, no_way_back: bool) -> tuple[bool, bool]:
        """A step of the integrator ended."""
        wanted, end = self._flags
        self.call("CompletedIntegratorStep", int(no_way_back), c.byref(wanted), c.byref(end))
        return bool(wanted.value), bool(end.value)


class Exchange3(_Modes, Fmi3):
    """FMI 3.0 for model exchange."""

    functions: ClassVar = {**_FUNCTIONS, "rates": "GetContinuousStateDerivatives"}

    def __init__(self, name: str, library: Library) -> None:
        super().__init__(name, library)
        self._said = tuple(c.c_bool() for _ in range(5))
        self._next = c.c_double()

    def instantiate(self, token: str, resources: str | None, *, logging: bool) -> None:
        """Make it live."""
        pointer = self.library.fmi3InstantiateModelExchange(
            self.name.encode(),
            token.encode(),
            None if resources is None else resources.encode(),
            False,
            logging,
            self.log.environment,
            self._logger,
        )
        self.made(pointer, "fmi3InstantiateModelExchange")

    def update(self) -> Update:
        """Take over new discrete states."""
        self.call("UpdateDiscreteStates", *map(c.byref, self._said), c.byref(self._next))
        again, end, nominals, states, known = (bool(flag.value) for flag in self._said)
        return Update(again, end, nominals, states, self._next.value if known else inf)

    def completed(self, no_way_back: bool) -> tuple[bool, bool]:
        """A step of the integrator ended."""
        wanted, end = self._said[:2]
        self.call("CompletedIntegratorStep", no_way_back, c.byref(wanted), c.byref(end))
        return bool(wanted.value), bool(end.value)


EXCHANGES: dict[str, type[Exchange1] | type[Exchange2] | type[Exchange3]] = {
    "1.0": Exchange1,
    "2.0": Exchange2,
    "3.0": Exchange3,
}


def derivative_arguments(
    instance: Instance, unknowns: Any, knowns: Any, seed: Vector, result: Vector
) -> Sequence[Any]:
    """What the function for directional derivatives is called with, the same each time."""
    a = unknowns.ctypes.data, len(unknowns), knowns.ctypes.data, len(knowns)
    if instance.version == 3:
        return *a, seed.ctypes.data, seed.size, result.ctypes.data, result.size
    return *a, seed.ctypes.data, result.ctypes.data
