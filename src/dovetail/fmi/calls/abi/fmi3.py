"""FMI 3.0 for co-simulation and model exchange."""

from __future__ import annotations

import ctypes as c

from .types import Component, Pointer, Real, Signature, Size, Status, Text

Boolean = c.c_bool
State = c.c_void_p
LogMessage = c.CFUNCTYPE(None, c.c_void_p, Status, Text, Text)
IntermediateUpdate = c.CFUNCTYPE(
    None, c.c_void_p, Real, Boolean, Boolean, Boolean, Boolean, c.POINTER(Boolean), c.POINTER(Real)
)

ClockUpdate = c.CFUNCTYPE(None, c.c_void_p)
Preemption = c.CFUNCTYPE(None)
NOT_YET_KNOWN, UNCHANGED, CHANGED = range(3)  # what is said of an interval

_SET: Signature = (Status, Component, Pointer, Size, Pointer, Size)
_BINARY: Signature = (Status, Component, Pointer, Size, Pointer, Pointer, Size)
_DERIVATIVE: Signature = (
    Status, Component, Pointer, Size, Pointer, Size, Pointer, Size, Pointer, Size,
)  # fmt: skip

NUMBERS = (
    "Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
)  # fmt: skip

SIGNATURES: dict[str, Signature] = {
    "fmi3GetVersion": (Text,),
    "fmi3SetDebugLogging": (Status, Component, Boolean, Size, Pointer),
    "fmi3InstantiateCoSimulation": (
        Component, Text, Text, Text, Boolean, Boolean, Boolean, Boolean, Pointer, Size,
        c.c_void_p, LogMessage, IntermediateUpdate,
    ),
    "fmi3InstantiateScheduledExecution": (
        Component, Text, Text, Text, Boolean, Boolean, c.c_void_p, LogMessage, ClockUpdate,
        Preemption, Preemption,
    ),
    "fmi3FreeInstance": (None, Component),
    "fmi3EnterInitializationMode": (Status, Component, Boolean, Real, Real, Boolean, Real),
    "fmi3ExitInitializationMode": (Status, Component),
    "fmi3EnterEventMode": (Status, Component),
    "fmi3EnterStepMode": (Status, Component),
    "fmi3EnterConfigurationMode": (Status, Component),
    "fmi3ExitConfigurationMode": (Status, Component),
    "fmi3UpdateDiscreteStates": (
        Status, Component, c.POINTER(Boolean), c.POINTER(Boolean), c.POINTER(Boolean),
        c.POINTER(Boolean), c.POINTER(Boolean), c.POINTER(Real),
    ),
    "fmi3Terminate": (Status, Component),
    "fmi3Reset": (Status, Component),
    **{f"fmi3{verb}{kind}": _SET for verb in ("Get", "Set") for kind in NUMBERS},
    "fmi3GetBoolean": _SET,
    "fmi3SetBoolean": _SET,
    "fmi3GetString": _SET,
    "fmi3SetString": _SET,
    "fmi3GetBinary": _BINARY,
    "fmi3SetBinary": _BINARY,
    "fmi3GetClock": (Status, Component, Pointer, Size, Pointer),
    "fmi3SetClock": (Status, Component, Pointer, Size, Pointer),
    "fmi3GetIntervalDecimal": (Status, Component, Pointer, Size, Pointer, Pointer),
    "fmi3GetIntervalFraction": (Status, Component, Pointer, Size, Pointer, Pointer, Pointer),
    "fmi3GetShiftDecimal": (Status, Component, Pointer, Size, Pointer),
    "fmi3GetShiftFraction": (Status, Component, Pointer, Size, Pointer, Pointer),
    "fmi3SetIntervalDecimal": (Status, Component, Pointer, Size, Pointer),
    "fmi3ActivateModelPartition": (Status, Component, c.c_uint, Real),
    "fmi3GetNumberOfVariableDependencies": (Status, Component, c.c_uint, c.POINTER(Size)),
    "fmi3GetFMUState": (Status, Component, c.POINTER(State)),
    "fmi3SetFMUState": (Status, Component, State),
    "fmi3FreeFMUState": (Status, Component, c.POINTER(State)),
    "fmi3SerializedFMUStateSize": (Status, Component, State, c.POINTER(Size)),
    "fmi3SerializeFMUState": (Status, Component, State, Pointer, Size),
    "fmi3DeserializeFMUState": (Status, Component, Pointer, Size, c.POINTER(State)),
    "fmi3GetDirectionalDerivative": _DERIVATIVE,
    "fmi3GetAdjointDerivative": _DERIVATIVE,
    "fmi3GetOutputDerivatives": (Status, Component, Pointer, Size, Pointer, Pointer, Size),
    "fmi3DoStep": (
        Status, Component, Real, Real, Boolean, c.POINTER(Boolean), c.POINTER(Boolean),
        c.POINTER(Boolean), c.POINTER(Real),
    ),
}  # fmt: skip

REQUIRED = (
    "fmi3InstantiateCoSimulation",
    "fmi3FreeInstance",
    "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode",
    "fmi3Terminate",
    "fmi3DoStep",
)
REQUIRED_OF_SCHEDULED = (
    "fmi3InstantiateScheduledExecution", "fmi3FreeInstance", "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode", "fmi3Terminate", "fmi3ActivateModelPartition",
)  # fmt: skip

_VECTOR: Signature = (Status, Component, Pointer, Size)

EXCHANGE: dict[str, Signature] = {
    "fmi3InstantiateModelExchange": (
        Component, Text, Text, Text, Boolean, Boolean, c.c_void_p, LogMessage,
    ),
    "fmi3EnterContinuousTimeMode": (Status, Component),
    "fmi3CompletedIntegratorStep": (
        Status, Component, Boolean, c.POINTER(Boolean), c.POINTER(Boolean),
    ),
    "fmi3SetTime": (Status, Component, Real),
    "fmi3SetContinuousStates": _VECTOR,
    "fmi3GetContinuousStateDerivatives": _VECTOR,
    "fmi3GetEventIndicators": _VECTOR,
    "fmi3GetContinuousStates": _VECTOR,
    "fmi3GetNominalsOfContinuousStates": _VECTOR,
    "fmi3GetNumberOfContinuousStates": (Status, Component, c.POINTER(Size)),
    "fmi3GetNumberOfEventIndicators": (Status, Component, c.POINTER(Size)),
}  # fmt: skip

EXCHANGE_REQUIRED = (
    "fmi3InstantiateModelExchange", "fmi3FreeInstance", "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode", "fmi3Terminate", "fmi3SetTime", "fmi3UpdateDiscreteStates",
    "fmi3EnterEventMode", "fmi3EnterContinuousTimeMode",
)  # fmt: skip
