"""FMI 2.0 for co-simulation and model exchange."""

from __future__ import annotations

import ctypes as c

from .types import Component, Pointer, Real, Signature, Size, Status, Text

Boolean = c.c_int
State = c.c_void_p
Logger = c.CFUNCTYPE(None, Component, Text, Status, Text, Text)  # then a variable part, unread
Finished = c.CFUNCTYPE(None, Component, Status)


class Callbacks(c.Structure):
    """fmi2CallbackFunctions. The logger is the kernel's or C's own: it is variadic."""

    _fields_ = (
        ("logger", c.c_void_p),
        ("allocateMemory", c.c_void_p),
        ("freeMemory", c.c_void_p),
        ("stepFinished", Finished),
        ("componentEnvironment", c.c_void_p),
    )


_ACCESS: Signature = (Status, Component, Pointer, Size, Pointer)

SIGNATURES: dict[str, Signature] = {
    "fmi2GetTypesPlatform": (Text,),
    "fmi2GetVersion": (Text,),
    "fmi2SetDebugLogging": (Status, Component, Boolean, Size, Pointer),
    "fmi2Instantiate": (
        Component, Text, c.c_int, Text, Text, c.POINTER(Callbacks), Boolean, Boolean,
    ),
    "fmi2FreeInstance": (None, Component),
    "fmi2SetupExperiment": (Status, Component, Boolean, Real, Real, Boolean, Real),
    "fmi2EnterInitializationMode": (Status, Component),
    "fmi2ExitInitializationMode": (Status, Component),
    "fmi2Terminate": (Status, Component),
    "fmi2Reset": (Status, Component),
    "fmi2GetReal": _ACCESS,
    "fmi2GetInteger": _ACCESS,
    "fmi2GetBoolean": _ACCESS,
    "fmi2GetString": _ACCESS,
    "fmi2SetReal": _ACCESS,
    "fmi2SetInteger": _ACCESS,
    "fmi2SetBoolean": _ACCESS,
    "fmi2SetString": _ACCESS,
    "fmi2GetFMUstate": (Status, Component, c.POINTER(State)),
    "fmi2SetFMUstate": (Status, Component, State),
    "fmi2FreeFMUstate": (Status, Component, c.POINTER(State)),
    "fmi2SerializedFMUstateSize": (Status, Component, State, c.POINTER(Size)),
    "fmi2SerializeFMUstate": (Status, Component, State, Pointer, Size),
    "fmi2DeSerializeFMUstate": (Status, Component, Pointer, Size, c.POINTER(State)),
    "fmi2GetDirectionalDerivative": (
        Status, Component, Pointer, Size, Pointer, Size, Pointer, Pointer,
    ),
    "fmi2SetRealInputDerivatives": (Status, Component, Pointer, Size, Pointer, Pointer),
    "fmi2GetRealOutputDerivatives": (Status, Component, Pointer, Size, Pointer, Pointer),
    "fmi2DoStep": (Status, Component, Real, Real, Boolean),
    "fmi2CancelStep": (Status, Component),
    "fmi2GetStatus": (Status, Component, c.c_int, c.POINTER(c.c_int)),
    "fmi2GetRealStatus": (Status, Component, c.c_int, c.POINTER(Real)),
    "fmi2GetIntegerStatus": (Status, Component, c.c_int, c.POINTER(c.c_int)),
    "fmi2GetBooleanStatus": (Status, Component, c.c_int, c.POINTER(Boolean)),
    "fmi2GetStringStatus": (Status, Component, c.c_int, c.POINTER(Text)),
}  # fmt: skip

REQUIRED = (
    "fmi2Instantiate", "fmi2FreeInstance", "fmi2SetupExperiment", "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode", "fmi2Terminate", "fmi2DoStep",
)  # fmt: skip

CO_SIMULATION = 1
LAST_SUCCESSFUL_TIME = 2  # fmi2StatusKind
DO_STEP_STATUS = 0
TERMINATED = 3
MODEL_EXCHANGE = 0


class EventInfo(c.Structure):
    """fmi2EventInfo."""

    _fields_ = (
        ("newDiscreteStatesNeeded", Boolean),
        ("terminateSimulation", Boolean),
        ("nominalsOfContinuousStatesChanged", Boolean),
        ("valuesOfContinuousStatesChanged", Boolean),
        ("nextEventTimeDefined", Boolean),
        ("nextEventTime", Real),
    )


_VECTOR: Signature = (Status, Component, Pointer, Size)

EXCHANGE: dict[str, Signature] = {
    "fmi2EnterEventMode": (Status, Component),
    "fmi2NewDiscreteStates": (Status, Component, c.POINTER(EventInfo)),
    "fmi2EnterContinuousTimeMode": (Status, Component),
    "fmi2CompletedIntegratorStep": (
        Status, Component, Boolean, c.POINTER(Boolean), c.POINTER(Boolean),
    ),
    "fmi2SetTime": (Status, Component, Real),
    "fmi2SetContinuousStates": _VECTOR,
    "fmi2GetDerivatives": _VECTOR,
    "fmi2GetEventIndicators": _VECTOR,
    "fmi2GetContinuousStates": _VECTOR,
    "fmi2GetNominalsOfContinuousStates": _VECTOR,
}  # fmt: skip

EXCHANGE_REQUIRED = (
    "fmi2Instantiate", "fmi2FreeInstance", "fmi2SetupExperiment", "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode", "fmi2Terminate", "fmi2SetTime", "fmi2NewDiscreteStates",
    "fmi2EnterEventMode", "fmi2EnterContinuousTimeMode",
)  # fmt: skip
